"""Copies over links, where there is a card; between cards, where there are several."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import device, peers, transfers  # noqa: E402
from roofwatch.probes.place import Place  # noqa: E402
from roofwatch.roofline.probe_spec import (  # noqa: E402
    PAGEABLE,
    PINNED,
    link_group_spec,
    transfer_spec,
)
from roofwatch.roofline.statistics import median  # noqa: E402


@pytest.fixture(scope="module")
def place() -> Place:
    target = device.pick("cuda:0")
    return Place(target=target, clock=None, shapes={}, peaks_tflops={}, rest=lambda seconds: None)


def held_gbs(place: Place, op: str, memory: str) -> float:
    with torch.inference_mode():
        work, timed = transfers.held(transfer_spec(op, memory), place, lambda share: None)
    assert timed.end_s - timed.begin_s >= transfers.HELD_S
    return work.bytes / median(timed.times_s) / 1e9


def test_pinned_is_faster_than_pageable_and_both_ways_faster_than_one(place: Place) -> None:
    up, down = held_gbs(place, "h2d", PINNED), held_gbs(place, "d2h", PINNED)
    assert min(up, down) > held_gbs(place, "h2d", PAGEABLE)
    assert held_gbs(place, "duplex", PINNED) > 1.05 * max(up, down)


def test_a_copy_arrives(place: Place) -> None:
    target = place.target
    assert isinstance(target, device.CudaTarget)
    for memory in (PINNED, PAGEABLE):
        lane = transfers.Lane(target, 1 << 20, memory)
        lane._host.fill_(7)
        lane.launch("h2d", 1 << 20)()
        torch.cuda.synchronize()
        assert int(lane._card.min()) == 7
        lane._card.fill_(9)
        lane.launch("d2h", 1 << 20)()
        torch.cuda.synchronize()
        assert int(lane._host.max()) == 9


def test_every_kind_by_size(place: Place) -> None:
    with torch.inference_mode():
        found = list(transfers.points(link_group_spec("transfers"), place, lambda share: None))
    kinds = {(p.work.op, p.variant) for p in found}
    assert kinds == {
        ("h2d", PINNED),
        ("d2h", PINNED),
        ("duplex", PINNED),
        ("h2d", PAGEABLE),
        ("d2h", PAGEABLE),
    }
    rates = [
        p.work.bytes / median(p.timed.times_s)
        for p in found
        if (p.work.op, p.variant) == ("h2d", PINNED)
    ]
    assert rates[-1] > 3 * rates[0]  # a latency drowns 64 KiB


def test_torch_tells_its_cards_by_uuid() -> None:
    found = device.visible()
    assert len(found) == torch.cuda.device_count()
    assert all(d.uuid and d.uuid.startswith("GPU-") for d in found)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one card")
def test_every_ordered_pair_of_cards(place: Place) -> None:
    with torch.inference_mode():
        found = list(peers.points(link_group_spec("peers"), place, lambda share: None))
    count = torch.cuda.device_count()
    one_way = {p.cards for p in found if p.work.op == "p2p"}
    assert len(one_way) == count * (count - 1)
    both = [p for p in found if p.work.op == "p2p_duplex"]
    assert len(both) == count * (count - 1) // 2
    largest = max(p.work.shape["bytes"] for p in found)
    alone = {
        p.cards: p.work.bytes / median(p.timed.times_s)
        for p in found
        if p.work.op == "p2p" and p.work.shape["bytes"] == largest
    }
    for p in both:
        assert p.cards is not None
        assert p.work.bytes / median(p.timed.times_s) > alone[p.cards]
