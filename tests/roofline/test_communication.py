"""The third roof on the seed's figures: NVLink 450 GB/s, InfiniBand 50 GB/s, nine times."""

from __future__ import annotations

import pytest

from roofwatch.roofline.communication import (
    INFINIBAND_GBS,
    NINE_TIMES,
    NVLINK_GBS,
    hidden_share,
    link_ridge,
)
from roofwatch.roofline.parallel import Peers, all_reduce_s

H100_TFLOPS = 989.0


def test_between_machines_is_nine_times_slower() -> None:
    assert NINE_TIMES == 9
    assert link_ridge(H100_TFLOPS, NVLINK_GBS) == pytest.approx(2198, abs=1)
    assert link_ridge(H100_TFLOPS, INFINIBAND_GBS) == pytest.approx(19780)


def test_at_the_link_ridge_computing_takes_as_long_as_sending() -> None:
    """A 4096 matmul in bf16 whose result 8 cards add up: 2341 FLOP a byte sent, above the ridge of
    NVLink (2198), far below that of InfiniBand, where sending is the longer one."""
    flop, result = 2.0 * 4096**3, 2.0 * 4096**2
    compute_s = flop / H100_TFLOPS / 1e12
    for link_gbs, computes in ((NVLINK_GBS, True), (INFINIBAND_GBS, False)):
        sent_s = all_reduce_s(result, 8, Peers(link_gbs=link_gbs))
        intensity = flop / (sent_s * link_gbs * 1e9)
        assert intensity == pytest.approx(4096 / 1.75)
        assert (intensity > link_ridge(H100_TFLOPS, link_gbs)) is computes
        assert (compute_s > sent_s) is computes


def test_gradients_of_an_8b_model_over_both_links() -> None:
    """Data parallel: 16 GB of bf16 gradients on 8 ranks; over InfiniBand nine times as long."""
    inside, between = (
        all_reduce_s(16e9, 8, Peers(link_gbs=gbs)) for gbs in (NVLINK_GBS, INFINIBAND_GBS)
    )
    assert inside == pytest.approx(0.0622, abs=1e-4)
    assert between == pytest.approx(0.56)


def test_the_hidden_share_is_of_the_shorter_one() -> None:
    assert hidden_share(3.0, 2.0, 3.0) == 1
    assert hidden_share(3.0, 2.0, 5.0) == 0
    assert hidden_share(3.0, 2.0, 4.0) == 0.5
    assert hidden_share(3.0, 2.0, 6.0) < 0  # worse than one after the other
