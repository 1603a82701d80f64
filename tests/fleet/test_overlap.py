"""Matmuls and an all-reduce of one real rank: what its line says of the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.roofline.workload import matmul

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def test_the_line_has_the_flop_of_the_matmuls_that_were_timed(tmp_path: Path) -> None:
    import torch
    import torch.distributed as dist

    from roofwatch.fleet.group_timer import GroupTimer
    from roofwatch.fleet.overlap import MOST_MATMULS, SIDE, SIZE_BYTES, overlap

    meet = (tmp_path / "meet").as_uri()
    dist.init_process_group("gloo", init_method=meet, rank=0, world_size=1)
    try:
        line = overlap(GroupTimer(torch.device("cpu")), 1)
    finally:
        dist.destroy_process_group()
    side = SIDE["cpu"]
    times = line.flop / matmul(side, side, side, "fp32").flop
    assert times in range(1, MOST_MATMULS + 1)
    assert line.size_bytes == SIZE_BYTES["cpu"]
    assert (line.ranks, line.repetitions >= 3) == (1, True)
    for seconds in (line.compute_s, line.link_s, line.together_s):
        assert seconds is not None
        assert seconds > 0
