"""Derivation against every NVIDIA card of the table, at the card's own datasheet clocks."""

from __future__ import annotations

from importlib.resources import files

import pytest

from roofwatch.roofline.derive import RATES, cores_per_sm, derive
from roofwatch.roofline.nominal import Card, clock_behind, parse
from roofwatch.roofline.peaks import PEAK_KEYS

CARDS = parse((files("roofwatch") / "nominal.toml").read_text(encoding="utf-8"), "nominal.toml")
UNDESCRIBED = {"3.7", "12.1"}  # capabilities of the table that derivation has no rates for
NVIDIA = [c for c in CARDS if c.vendor == "NVIDIA" and c.compute_capability not in UNDESCRIBED]
TOLERANCE = 0.02

TENSOR = ("tf32", "fp16", "fp16_acc16", "bf16", "int8")
TENSOR_FP8 = (*TENSOR, "fp8", "fp8_fast")

# What the product changed and no driver tells: card, peaks, factor by which derivation is too high
# (None: the card has no such peak), reason.
EXCEPTIONS = [
    ("a10g", TENSOR, 2.0, "tensor cores at half rate"),
    ("l20", TENSOR_FP8, 2.0, "tensor cores at half rate"),
    ("l40", TENSOR_FP8, 2.0, "tensor cores at half rate"),
    ("h20-96", TENSOR_FP8, 4.0, "tensor cores at a quarter of the rate"),
    ("h20-96", ("fp64",), 32.0, "2 fp64 lanes an SM, not 64"),
    ("h20-96", ("fp64_tensor",), None, "removed"),
    ("h20-3e-141", TENSOR_FP8, 4.0, "tensor cores at a quarter of the rate"),
    ("h20-3e-141", ("fp64",), 32.0, "2 fp64 lanes an SM, not 64"),
    ("h20-3e-141", ("fp64_tensor",), None, "removed"),
    ("h800-sxm5-80", ("fp64",), 32.0, "2 fp64 lanes an SM, not 64"),
    ("h800-sxm5-80", ("fp64_tensor",), None, "printed, but no factor gives it"),
    ("h800-pcie-80", ("fp64",), 32.0, "2 fp64 lanes an SM, not 64"),
    ("h800-pcie-80", ("fp64_tensor",), None, "removed"),
    ("b300-sxm-270", ("fp32",), 1.026, "printed as an eighth of a rounded total"),
]

# At the vector clock, which is all that a driver reports, these tensor peaks come out too high.
SLOWER_TENSOR_CLOCK = {
    "titan-v": 1.083,
    "h100-sxm5-80": 1.08,
    "h100-pcie-80": 1.08,
    "h100-nvl-94": 1.16,
    "h800-sxm5-80": 1.08,
    "h800-pcie-80": 1.08,
    "h20-96": 4 * 1.07,  # and the quarter rate
    "h20-3e-141": 4 * 1.07,
    "h200-sxm-141": 1.08,
    "h200-nvl-141": 1.16,
    "gh200-96": 1.08,
    "gh200-144": 1.08,
    "b200-sxm-180": 1.06,
    "gb200-186": 1.03,
    "b300-sxm-270": 1.095,
    "gb300-279": 1.03,
    "a10g": 2.0,  # the clock is the same: the rate is not
    "l20": 2.0,
    "l40": 2.0,
}


def excused(card: Card) -> dict[str, float | None]:
    return {
        peak: factor for key, peaks, factor, _ in EXCEPTIONS for peak in peaks if key == card.key
    }


def derived_at(card: Card, clock: float | None) -> Card:
    assert card.pin_gbps
    found = derive(
        card.names[0],
        card.compute_capability,
        card.sm_count,
        clock,
        card.bus_bits,
        card.pin_gbps * 500,
    )
    assert found is not None
    return found


@pytest.mark.parametrize("card", NVIDIA, ids=lambda card: card.key)
def test_derivation_gives_the_datasheet_but_for_named_exceptions(card: Card) -> None:
    found = {
        key: derived_at(card, clock_behind(card, key)).peaks[key]
        for key in PEAK_KEYS
        if key in derived_at(card, card.clock_vector_mhz).peaks
    }
    off: dict[str, float | None] = {}
    for key, peak in found.items():
        if key not in card.peaks:
            off[key] = None
        elif abs(peak / card.peaks[key] - 1) > TOLERANCE:
            off[key] = peak / card.peaks[key]
    assert off.keys() == excused(card).keys()
    for key, factor in excused(card).items():
        assert off[key] == (factor and pytest.approx(factor, rel=TOLERANCE)), key
    assert not set(card.peaks) & set(PEAK_KEYS) - found.keys()
    bandwidth = derived_at(card, None).bandwidth_gbs
    assert bandwidth == pytest.approx(card.bandwidth_gbs, rel=TOLERANCE)


def test_exceptions_are_of_cards_that_exist() -> None:
    assert {key for key, *_ in EXCEPTIONS} <= {card.key for card in NVIDIA}
    assert all(reason for *_, reason in EXCEPTIONS)


def test_the_clock_a_driver_reports_is_too_high_for_these_tensor_peaks_only() -> None:
    too_high = {}
    for card in NVIDIA:
        if "fp16" in card.peaks:
            ratio = derived_at(card, card.clock_vector_mhz).peaks["fp16"] / card.peaks["fp16"]
            if abs(ratio - 1) > TOLERANCE:
                too_high[card.key] = ratio
    assert too_high == pytest.approx(SLOWER_TENSOR_CLOCK, rel=0.01)


def test_geforce_halves_what_is_summed_in_fp32() -> None:
    pro = derive("NVIDIA RTX 6000 Ada Generation", "8.9", 128, 2520)
    game = derive("NVIDIA GeForce RTX 4090", "8.9", 128, 2520)
    assert pro is not None
    assert game is not None
    halved = {key for key in pro.peaks if game.peaks[key] == pro.peaks[key] / 2}
    assert halved == {"tf32", "fp16", "bf16", "fp8"}
    assert all(game.peaks[key] == pro.peaks[key] for key in pro.peaks if key not in halved)


@pytest.mark.parametrize(
    ("name", "has_them"),
    [
        ("NVIDIA GeForce GTX 1660 Ti", False),
        ("NVIDIA T400 4GB", False),
        ("NVIDIA T1000", False),
        ("Quadro T2000 with Max-Q Design", False),
        ("NVIDIA GeForce MX450", False),
        ("Tesla T4", True),
        ("Tesla T40", True),
        ("NVIDIA GeForce RTX 2060", True),
        ("Quadro RTX 6000", True),
        ("NVIDIA TITAN RTX", True),
    ],
)
def test_small_turing_dies_have_no_tensor_cores(name: str, has_them: bool) -> None:
    card = derive(name, "7.5", 24, 1500)
    assert card is not None
    assert ("fp16" in card.peaks) == has_them
    assert "fp32" in card.peaks
    assert "bf16" not in card.peaks


def test_either_half_may_be_had_without_the_other() -> None:
    both = derive("NVIDIA X", "9.0", 132, 1980, 6016, 3201, 150_754_820_096, 62_914_560)
    assert both is not None
    assert both.bandwidth_gbs == pytest.approx(4814.3, abs=0.1)
    assert both.l2_mib == 60
    assert both.memory_total_mib_seen == (143771,)
    assert both.architecture == "Hopper GH100"
    assert both.computed == tuple(both.peaks)
    only_memory = derive("NVIDIA X", None, 132, 1980, 6016, 3201)
    assert only_memory is not None
    assert only_memory.peaks == {}
    assert only_memory.bandwidth_gbs == both.bandwidth_gbs
    only_peaks = derive("NVIDIA X", "9.0", 132, 1980)
    assert only_peaks is not None
    assert only_peaks.peaks == both.peaks
    assert only_peaks.bandwidth_gbs is None
    assert derive("NVIDIA X", "9.0", None, 1980, 6016) is None
    assert derive("NVIDIA X", "11.7", 20, 2000) is None  # a capability nobody has described
    assert derive("NVIDIA X", "9.0", 0, 1980, 0, 0) is None  # zero is a reading that failed
    assert derive("AMD Instinct MI210", "gfx90a", 104, 1700) is None


def test_core_counts() -> None:
    assert {card.compute_capability for card in NVIDIA} == RATES.keys() - {"7.2"}
    assert not UNDESCRIBED & RATES.keys()
    for card in NVIDIA:
        assert card.lanes is not None
        assert cores_per_sm(card.compute_capability) == card.lanes.fp32
    assert cores_per_sm("99.9") is None
    assert cores_per_sm(None) is None
