"""The third roof on the seed's figures: NVLink 450 GB/s, InfiniBand 50 GB/s, nine times."""

from __future__ import annotations

import pytest

from roofwatch.roofline.communication import (
    COMPUTE,
    INFINIBAND_GBS,
    LINKS,
    MEMORY,
    NINE_TIMES,
    NVLINK_GBS,
    ThreeRoofs,
    hidden_share,
    link_intensity,
    sent_bytes,
    step_s,
)
from roofwatch.roofline.roof import Roof

H100 = Roof(bandwidth_gbs=3350, peak_tflops=989)
INSIDE = ThreeRoofs(roof=H100, link_gbs=NVLINK_GBS)
BETWEEN = ThreeRoofs(roof=H100, link_gbs=INFINIBAND_GBS)


def test_between_machines_is_nine_times_slower() -> None:
    assert NINE_TIMES == 9
    assert BETWEEN.link_ridge == pytest.approx(9 * INSIDE.link_ridge)
    assert INSIDE.link_ridge == pytest.approx(2198, abs=1)
    assert BETWEEN.link_ridge == pytest.approx(19780)


def test_what_takes_longest_is_the_bottleneck() -> None:
    """A 4096 matmul in bf16: 1365 FLOP/byte, compute-bound; not if its result is all-reduced."""
    flop, result = 2.0 * 4096**3, 2 * 4096**2
    intensity = flop / (3 * result)
    assert H100.ridge < intensity
    sent = link_intensity(flop, "all_reduce", 8, result)
    assert sent == pytest.approx(4096 / 1.75)
    assert INSIDE.bound(intensity, sent) == COMPUTE
    assert BETWEEN.bound(intensity, sent) == LINKS
    assert INSIDE.attainable_tflops(intensity, sent) == 989
    assert BETWEEN.attainable_tflops(intensity, sent) == pytest.approx(117, abs=0.1)
    assert INSIDE.bound(1.0, 1e6) == MEMORY  # decode at batch 1
    assert INSIDE.attainable_tflops(1.0, 1e6) == pytest.approx(3.35)


def test_gradients_of_an_8b_model_over_both_links() -> None:
    """Data parallel: 16 GB of bf16 gradients on 8 ranks; over InfiniBand nine times as long."""
    sent = sent_bytes("all_reduce", 8, 16e9)
    assert sent == pytest.approx(28e9)
    inside, between = sent / NVLINK_GBS / 1e9, sent / INFINIBAND_GBS / 1e9
    assert inside == pytest.approx(0.0622, abs=1e-4)
    assert between == pytest.approx(0.56)
    compute_s = 6 * 8e9 * 8192 / 989e12  # 6 FLOP a parameter and token, 8192 tokens a rank
    assert step_s(compute_s, inside) == compute_s  # computed while it is sent: nothing lost
    assert step_s(compute_s, between) == between  # more to send than to compute
    assert step_s(compute_s, inside, hidden=0) == pytest.approx(compute_s + inside)


def test_the_hidden_share_is_of_the_shorter_one() -> None:
    assert hidden_share(3.0, 2.0, 3.0) == 1
    assert hidden_share(3.0, 2.0, 5.0) == 0
    assert hidden_share(3.0, 2.0, 4.0) == 0.5
    assert hidden_share(3.0, 2.0, 6.0) < 0  # worse than one after the other
