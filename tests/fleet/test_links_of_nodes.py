"""The links' processes of two nodes, by gloo: every line comes, and each process ends well."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.roofline.collectives import OPS
from roofwatch.roofline.workload import matmul
from roofwatch.session.fleet.lines import (
    BETWEEN,
    WITHIN,
    WORLD,
    AnyLine,
    CollectiveLine,
    LinkLine,
    OverlapLine,
)

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.long]


def test_two_nodes_send_within_each_and_between_them(free_port: Callable[[], int]) -> None:
    import torch.distributed as dist

    port, ranks = free_port(), 3
    held = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
    plan = Plan(
        members=[5, 6, 9],
        nodes=[[0, 1], [2]],
        names=["a", "b"],
        address="127.0.0.1",
        port=held.port,
        device="cpu",
        most_bytes=4096,
        fleet="x",
    )
    processes = [LinksProcess(plan, place) for place in range(ranks)]
    lines: list[AnyLine] = []
    try:
        until_s = time.monotonic() + 120
        while not all(p.over() for p in processes):
            lines += processes[0].lines()
            assert time.monotonic() < until_s, [p.doing for p in processes]
            time.sleep(0.05)
        lines += processes[0].lines()
        assert [p.how() for p in processes] == [""] * ranks
    finally:
        for p in processes:
            p.kill()
    groups = [(c.op, c.group, c.node, c.ranks) for c in lines if isinstance(c, CollectiveLine)]
    assert groups == [
        *((op, WORLD, "", 3) for op in OPS),
        ("all_reduce", WITHIN, "a", 2),
        ("all_reduce", BETWEEN, "", 2),
    ]
    (overlap,) = (line for line in lines if isinstance(line, OverlapLine))
    assert overlap.flop % matmul(512, 512, 512, "fp32").flop == 0
    links = {(x.a, x.b, x.group) for x in lines if isinstance(x, LinkLine)}
    assert links == {(5, 6, WITHIN), (5, 9, BETWEEN)}
