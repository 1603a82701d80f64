"""Ranges that careful public measurements reach: which share for which card and operation."""

from __future__ import annotations

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.expected import Reported, expected
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.peaks import PEAK_KEYS
from roofwatch.roofline.published import (
    STREAMS,
    best_of,
    link_gbs,
    published_bandwidth,
    published_compute,
    published_link,
    published_work,
)
from roofwatch.roofline.suite import suite
from roofwatch.session.cards import packaged_cards

ALL = Cards(packaged_cards())


def card(name: str) -> Nominal:
    (found,) = ALL.known(name).candidates
    return found


def share(op: str, name: str) -> tuple[float, float]:
    nominal = card(name)
    found = published_bandwidth(op, nominal)
    assert found is not None
    assert nominal.bandwidth_gbs
    return found.low / nominal.bandwidth_gbs, found.high / nominal.bandwidth_gbs


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("T4", 0.83),  # seed: 240-290 of 320
        ("A40", 0.94),
        ("L40", 0.90),
        ("A100 80GB SXM", 0.87),
        ("H100 PCIe", 0.84),
        ("H200", 0.90),
        ("MI210", 0.83),
        ("MI300X", 0.75),
    ],
)
def test_a_copy_that_was_measured_lies_in_the_range(name: str, measured: float) -> None:
    low, high = share("copy", name)
    assert low <= measured <= high
    assert high < 1


def test_a_t4_copy_is_what_the_seed_expects() -> None:
    found = published_bandwidth("copy", card("T4"))
    assert found is not None
    assert (found.low, found.high, found.unit) == (240, 288, "GB/s")
    assert "75 % to 90 % of nominal 320 GB/s" in found.why


@pytest.mark.parametrize("name", ["H200", "T4", "A40", "MI210", "A100 80GB SXM"])
def test_a_range_wider_than_our_own_probe_s_says_so(name: str) -> None:
    spec = next(s for s in suite("quick", "cuda") if s.op == "add_scalar")
    found, own = (
        published_bandwidth("add_scalar", card(name)),
        expected(spec, card(name), Reported()),
    )
    assert found is not None
    assert own is not None
    told = own.why.partition(" of nominal")[0]
    assert ("our own probe is held to" in found.why) == (found.low < own.low)
    assert found.why.endswith(told) == (found.low < own.low)
    assert (name == "H200") <= (found.low < own.low)  # 78 and 83 %


@pytest.mark.parametrize("op", ["add", "add_scalar", "triad", "relu"])
def test_streams_share_the_range_of_a_copy(op: str) -> None:
    assert share(op, "A100 80GB SXM") == share("copy", "A100 80GB SXM")


def test_a_read_goes_higher_a_fill_anywhere_a_norm_lower() -> None:
    copy = share("copy", "A100 80GB SXM")
    assert share("read", "A100 80GB SXM")[1] > copy[1]
    assert share("fill", "A100 80GB SXM")[0] < copy[0] < 1 < share("fill", "A100 80GB SXM")[1]
    assert share("softmax", "A100 80GB SXM")[0] < copy[0]
    assert share("decode", "A100 80GB SXM") == (pytest.approx(0.60), pytest.approx(0.84))


def test_an_op_without_a_range_of_its_own_has_the_widest() -> None:
    assert share("gather", "T4") == share("other", "T4")


@pytest.mark.parametrize("op", [*STREAMS, "decode"])
def test_without_a_bandwidth_there_is_no_range(op: str) -> None:
    assert published_bandwidth(op, Nominal(origin="user")) is None
    found = published_bandwidth(op, Nominal(origin="user", bandwidth_gbs=100.0))
    assert found is not None
    assert 0 < found.low < found.high <= 101


def test_every_card_has_ordered_ranges_for_all_that_it_has() -> None:
    for entry in packaged_cards():
        nominal = ALL.nominal(entry)
        for op in STREAMS:
            found = published_bandwidth(op, nominal)
            assert (found is None) == (nominal.bandwidth_gbs is None), entry.key
            assert found is None or 0 < found.low < found.high, entry.key
        for key in PEAK_KEYS:
            flat = published_compute(key, nominal)
            assert (flat is None) == (key not in nominal.peaks_tflops), entry.key
            if flat is None:
                continue
            ceiling = nominal.ceilings_tflops.get(key, nominal.peaks_tflops[key])
            assert 0 < flat.low < flat.high <= ceiling, (entry.key, key)
            assert flat.unit == ("TOPS" if key == "int8" else "TFLOP/s")


@pytest.mark.parametrize(
    ("name", "key", "tflops"),
    [
        ("T4", "fp16", 50),  # seed: 45-58 of 65
        ("T4", "fp32", 6.5),  # seed: 6-7 of 8.1
        ("A100-SXM4-40GB", "fp16", 257),
        ("A100 80GB PCIe", "fp32", 18.88),
        ("H100 SXM", "bf16", 750),
        ("H200", "fp64_tensor", 65.6),
        ("RTX 4090", "bf16", 179),
        ("MI300X", "bf16", 758),
    ],
)
def test_a_matmul_that_was_measured_lies_in_the_range(name: str, key: str, tflops: float) -> None:
    found = published_compute(key, card(name))
    assert found is not None
    assert found.low <= tflops <= found.high


def test_the_range_stands_around_the_cards_own_best() -> None:
    found = published_compute("bf16", card("A100 80GB SXM"))
    assert found is not None
    assert found.low == pytest.approx(0.885 * 271.2)
    assert found.high == pytest.approx(1.06 * 271.2)
    assert "the best published for this card" in found.why


def test_fp16_and_bf16_stand_for_each_other_and_a_capped_card_for_none() -> None:
    a100 = card("A100 80GB SXM")
    assert best_of("fp16", a100) == best_of("bf16", a100) == 271.2
    assert best_of("tf32", a100) is None
    assert best_of("fp16", card("T4")) is None  # its best was a hot card's


def test_sparse_counts_zeros_up_to_twice() -> None:
    dense = published_compute("bf16", card("A100 80GB SXM"))
    sparse = published_compute("bf16", card("A100 80GB SXM"), sparse=True)
    assert dense is not None
    assert sparse is not None
    assert (sparse.low, sparse.high) == (dense.low, pytest.approx(2 * dense.high))
    assert "2:4 sparsity" in sparse.why


def test_an_emulated_type_is_any_share_of_fp32() -> None:
    found = published_compute("fp32", card("T4"), emulated=True)
    assert found is not None
    assert found.low == pytest.approx(0.12 * 8.1)
    assert found.high == pytest.approx(0.96 * 8.1)
    assert found.why.startswith("emulated: ")


def test_a_peak_that_a_card_lacks_has_no_range() -> None:
    assert published_compute("fp8", card("A100 80GB SXM")) is None
    assert published_compute("bf16", card("T4")) is None


def test_kernels_that_are_no_plain_matmul() -> None:
    found = published_work("attention", "bf16", card("H100 SXM"))
    assert found is not None
    assert found.low < 0.75 * 989 < found.high
    assert published_work("copy", "bf16", card("H100 SXM")) is None
    assert published_work("attention", "bf16", card("T4")) is None


@pytest.mark.parametrize(
    ("generation", "lanes", "gbs"),
    [(3, 16, 15.76), (4, 16, 31.5), (5, 16, 63.0), (4, 8, 15.75), (1, 1, 0.25)],
)
def test_the_host_link_is_lanes_of_its_generation(generation: int, lanes: int, gbs: float) -> None:
    nominal = Nominal(origin="user", pcie_gen=generation, pcie_lanes=lanes)
    assert link_gbs(nominal) == pytest.approx(gbs, rel=0.001)
    found = published_link(nominal)
    assert found is not None
    assert (found.low, found.high) == (
        pytest.approx(0.75 * gbs, rel=1e-3),
        pytest.approx(0.91 * gbs, rel=1e-3),
    )
    assert f"PCIe {generation} x{lanes}" in found.why


@pytest.mark.parametrize(
    "fields", [{}, {"pcie_gen": 4}, {"pcie_lanes": 16}, {"pcie_gen": 9, "pcie_lanes": 16}]
)
def test_a_link_that_is_not_known(fields: dict[str, int]) -> None:
    nominal = Nominal(origin="user", **fields)  # type: ignore[arg-type]
    assert link_gbs(nominal) is None
    assert published_link(nominal) is None


def test_pinned_copies_that_were_measured() -> None:
    for name, gbs in (("A100 80GB SXM", 25.0), ("H200", 55.4), ("GH200 480GB", 346.0)):
        found = published_link(card(name))
        assert found is not None
        assert found.low <= gbs <= found.high
    assert "NVLink-C2C" in (published_link(card("GH200 480GB")) or found).why
