"""Several cards on paper: the ring's factor, what a layer exchanges, where more stop paying."""

from __future__ import annotations

import pytest

from roofwatch.roofline.decode import decode_of
from roofwatch.roofline.models import named
from roofwatch.roofline.parallel import (
    Peers,
    Split,
    all_reduce_s,
    comm_s,
    decode_splits,
    doublings,
    kv_share,
    pays_to,
    prefill_splits,
    share_of,
)
from roofwatch.roofline.roof import Roof
from roofwatch.session.models import packaged_models

EIGHT = named("Llama-3-8B", packaged_models())  # 32 layers of 4096, 8 KV heads
H100 = Roof(bandwidth_gbs=3350, peak_tflops=989)
NVLINK, INFINIBAND = Peers(link_gbs=450), Peers(link_gbs=50)


def test_an_all_reduce_by_hand() -> None:
    """8 cards, 1 GB at 450 GB/s: 1.75 GB over the link, 3.89 ms, and the latency on top."""
    assert all_reduce_s(1e9, 8, NVLINK) == pytest.approx(3.889e-3, rel=1e-3)
    late = Peers(link_gbs=450, latency_s=1e-5)
    assert all_reduce_s(1e9, 8, late) == pytest.approx(3.899e-3, rel=1e-3)
    assert all_reduce_s(1e9, 1, late) == 0.0


def test_a_decode_step_exchanges_two_buffers_a_layer() -> None:
    """Batch 128 of Llama-3-8B on 8 cards: 64 times 1 MiB x 1.75 at 450 GB/s, 261 us."""
    assert comm_s(EIGHT, 128, 8, NVLINK) == pytest.approx(64 * 1.75 * (1 << 20) / 450e9)
    assert comm_s(EIGHT, 128, 8, NVLINK) == pytest.approx(261e-6, rel=2e-3)


def test_between_machines_it_takes_nine_times_as_long() -> None:
    """Seed, H100 note: NVLink 450 GB/s a direction, InfiniBand about 50, nine times slower."""
    inside, outside = (comm_s(EIGHT, 2048, 8, peers) for peers in (NVLINK, INFINIBAND))
    assert outside / inside == pytest.approx(9)


def test_each_card_holds_its_share_and_whole_kv_heads() -> None:
    whole = decode_of(EIGHT, 2048)
    part = share_of(whole, EIGHT, 4)
    assert part.weights_bytes == whole.weights_bytes / 4
    assert part.sequence_bytes == whole.sequence_bytes / 4
    assert part.intensity(32) == pytest.approx(whole.intensity(32))  # the ridge is where it was
    assert [kv_share(EIGHT, n) for n in (1, 3, 8, 16)] == [1, 3 / 8, 1 / 8, 1 / 8]
    assert share_of(whole, EIGHT, 1) is whole


def test_splits_are_steps_with_what_they_exchange() -> None:
    decode = decode_of(EIGHT, 2048)
    alone, two = decode_splits(decode, EIGHT, H100, 1, NVLINK, [1, 2])
    assert (alone.comm_s, alone.speedup, alone.efficiency) == (0.0, 1.0, 1.0)
    assert two.step_s == pytest.approx(alone.step_s / 2 + two.comm_s)
    assert 1.9 < two.speedup < 2
    assert two.efficiency == two.speedup / 2


def test_a_latency_is_what_ends_it_at_batch_1() -> None:
    """64 all-reduces of 30 us are 1.92 ms, which does not shrink; the weights' 4.8 ms do."""
    late = Peers(link_gbs=450, latency_s=30e-6)
    decode = decode_of(EIGHT, 2048)
    splits = decode_splits(decode, EIGHT, H100, 1, late, [1, 2, 4, 8])
    assert [round(1e3 * s.step_s, 1) for s in splits] == [4.9, 4.4, 3.1, 2.5]
    assert pays_to(splits) == 8
    later = Peers(link_gbs=450, latency_s=60e-6)
    assert pays_to(decode_splits(decode, EIGHT, H100, 1, later, [1, 2, 4, 8])) == 1


def test_a_prefill_computes_and_exchanges_every_token() -> None:
    decode = decode_of(EIGHT, 2048)
    one, eight = prefill_splits(decode, EIGHT, H100, 2048, NVLINK, [1, 8])
    assert one.step_s == pytest.approx(2 * EIGHT.params * 2048 / 989e12)
    assert eight.comm_s == pytest.approx(comm_s(EIGHT, 2048, 8, NVLINK))
    assert eight.step_s == pytest.approx(one.step_s / 8 + eight.comm_s)
    slow = prefill_splits(decode, EIGHT, H100, 2048, INFINIBAND, [1, 8])[1]
    assert slow.comm_s > one.step_s  # over such a link more cards are slower than one
    assert slow.speedup < 1


def test_pays_to_stops_at_the_first_that_brings_little() -> None:
    def of(*steps: float) -> list[Split]:
        return [Split(1 << i, s, 0.0, steps[0] / s) for i, s in enumerate(steps)]

    assert pays_to(of(4.0, 2.0, 1.0, 0.95)) == 4
    assert pays_to(of(4.0, 4.1, 1.0)) == 1
    assert pays_to(of(4.0)) == 1


@pytest.mark.parametrize(
    ("cards", "found"),
    [(1, [1, 2, 4, 8]), (6, [1, 2, 4, 6, 8]), (16, [1, 2, 4, 8, 16]), (12, [1, 2, 4, 8, 12])],
)
def test_numbers_of_cards_shown(cards: int, found: list[int]) -> None:
    assert doublings(cards) == found
