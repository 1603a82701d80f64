"""Expected ranges: they hold what was published, they give way to what the card reports."""

from __future__ import annotations

import pytest

from roofwatch.roofline.expected import Reported, expected, expected_cpu, of_mistake
from roofwatch.roofline.lookup import Identity, lookup
from roofwatch.roofline.probe_spec import PERCENT, matmul_spec, stream_spec, sweep_of
from roofwatch.roofline.suite import FULL, MISTAKES, suite
from roofwatch.session.cards import packaged_cards

CARDS = packaged_cards()
STREAMS = {"stream": stream_spec("add_scalar", "fp16")} | {
    op: stream_spec(op, "fp16") for op in ("copy", "triad", "read", "fill", "strided")
}


def range_of(name: str, key: str, reported: Reported | None = None, seconds: float = 0.0):  # type: ignore[no-untyped-def]
    nominal = lookup(Identity(name=name), CARDS)
    spec = STREAMS.get(key) or matmul_spec(key, seconds)
    return expected(spec, nominal, reported or Reported())


@pytest.mark.parametrize(
    ("key", "seen"),
    # An H200's figures as measured for this project's notes, and this project's own.
    [("bf16", 826), ("bf16", 839), ("fp16", 787), ("tf32", 400), ("fp32", 51), ("fp8_fast", 1564)],
)
def test_an_h200s_burst_lands(key: str, seen: float) -> None:
    found = range_of("NVIDIA H200", key)
    assert found.low <= seen <= found.high


@pytest.mark.parametrize(
    ("key", "seen"),
    [("triad", 4411), ("read", 4481), ("fill", 4671), ("strided", 1734), ("fp64_tensor", 65.5)],
)
def test_an_h200s_full_suite_lands(key: str, seen: float) -> None:
    found = range_of("NVIDIA H200", key)
    assert found.low <= seen <= found.high


def test_streams_of_two_and_three_tensors_share_a_range() -> None:
    assert range_of("NVIDIA H200", "stream") == range_of("NVIDIA H200", "copy")
    assert range_of("NVIDIA H200", "stream") == range_of("NVIDIA H200", "triad")


@pytest.mark.parametrize("name", ["NVIDIA H200", "Tesla T4", "NVIDIA A10"])
def test_other_directions_move_the_range_and_never_pass_nominal(name: str) -> None:
    both = range_of(name, "stream")
    nominal = lookup(Identity(name=name), CARDS).bandwidth_gbs
    assert nominal is not None
    read, fill, strided = (range_of(name, op) for op in ("read", "fill", "strided"))
    assert both.low == read.low
    assert both.high < read.high <= nominal
    assert fill.low < both.low
    assert both.high < fill.high <= nominal
    assert strided.high < both.low  # half of what is carried counts
    assert strided.low < 0.5 * both.high < strided.high
    for op, found in (("read", read), ("fill", fill), ("strided", strided)):
        assert found.unit == "GB/s"
        assert f"({op})" in found.why
        assert f"{nominal:.0f} GB/s" in found.why
    assert "(" not in both.why


def test_a_held_stream_is_expected_where_it_was_rested() -> None:
    nominal = lookup(Identity(name="NVIDIA H200"), CARDS)
    specs = {s.key: s for s in suite(FULL, "cuda", "9.0")}
    held = expected(specs["triad-fp16-sustained"], nominal, Reported())
    assert held == expected(specs["triad-fp16"], nominal, Reported())


def test_a_sweep_has_no_one_range() -> None:
    nominal = lookup(Identity(name="NVIDIA H200"), CARDS)
    cpu = Reported(core_count=2, sm_max_mhz=2100, vector_bits=512, fma_units=2)
    for spec in (STREAMS["stream"], STREAMS["read"], matmul_spec("bf16")):
        assert expected(spec, nominal, Reported()) is not None
        assert expected(sweep_of(spec), nominal, Reported()) is None
        assert expected_cpu(sweep_of(spec), cpu) is None


def test_an_h200s_sustained_lands() -> None:
    found = range_of("NVIDIA H200", "bf16", seconds=3.0)
    assert found.low <= 655 <= 707 <= found.high


def test_every_published_best_lies_in_its_cards_range() -> None:
    missed = []
    for card in CARDS:
        nominal = lookup(Identity(name=card.names[0], sm_count=card.sm_count), CARDS)
        for key, best in nominal.measured_best.items():
            if key in ("fp64_tensor", "fp4", "fp16_acc16") or key not in nominal.peaks_tflops:
                continue
            found = expected(matmul_spec(key), nominal, Reported())
            if found is None or not found.low <= best <= found.high * 1.02:
                missed.append((card.key, key, best))
    # Reported with a library that found a faster path than the card's fp32-accumulate row.
    assert [m for m in missed if m[1] != "int8"] == [
        m for m in missed if m[0].startswith("rtx-5090") and m[1].startswith("fp8")
    ]


@pytest.mark.parametrize(
    ("name", "low", "high"), [("Tesla T4", 240, 290), ("NVIDIA H200", 4000, 4400)]
)
def test_bandwidth_of_the_seeds(name: str, low: float, high: float) -> None:
    found = range_of(name, "stream")
    assert found.low == pytest.approx(low, rel=0.03)
    assert found.high == pytest.approx(high, rel=0.03)


def test_a_lowered_power_limit_lowers_the_low_end() -> None:
    free = range_of("NVIDIA H200", "bf16")
    held = range_of("NVIDIA H200", "bf16", Reported(power_limit_w=500, power_default_w=700))
    assert held.low == pytest.approx(free.low * 500 / 700)
    assert held.high == free.high
    assert "limited to 500 of 700 W" in held.why


def test_no_nominal_no_range() -> None:
    assert range_of("Some New Card", "bf16") is None
    assert range_of("Some New Card", "stream") is None


def test_the_cpu_range_is_wide_and_says_estimated() -> None:
    reported = Reported(core_count=2, sm_max_mhz=2100, vector_bits=512, fma_units=2)
    found = expected_cpu(matmul_spec("fp32"), reported)
    assert found is not None
    peak = 2 * 2.1e9 * 16 * 2 * 2 / 1e12
    assert found.low < 0.5 * peak < peak < found.high
    assert "estimated" in found.why
    assert expected_cpu(matmul_spec("fp32"), Reported()) is None


def test_a_cpus_streams_scale_with_its_cores_up_to_sixteen() -> None:
    def of(op: str, cores: int) -> tuple[float, float]:
        found = expected_cpu(stream_spec(op, "fp32"), Reported(core_count=cores))
        assert found is not None
        assert found.unit == "GB/s"
        return found.low, found.high

    assert of("add_scalar", 4) == pytest.approx([2 * x for x in of("add_scalar", 2)])
    assert of("add_scalar", 64) == of("add_scalar", 16)
    assert of("strided", 4)[1] < of("add_scalar", 4)[1] < of("read", 4)[1]
    assert expected_cpu(stream_spec("read", "fp32"), Reported()) is None


def test_a_mistake_is_held_against_the_range_of_the_right_number() -> None:
    nominal = lookup(Identity(name="NVIDIA H200"), CARDS)
    specs = {s.key: s for s in suite(MISTAKES, "cuda", "9.0")}
    for code in ("E1", "E2", "E3", "E4", "E5"):
        spec = specs[f"mistake-{code}"]
        right = expected(specs[spec.right], nominal, Reported())
        assert right is not None
        found = of_mistake(spec, right, nominal)
        assert found is not None
        assert f"that of the right number, {spec.right}" in found.why
        assert right.why in found.why
        assert found.unit == spec.unit
        if code != "E3":
            assert (found.low, found.high) == (right.low, right.high)
    share = of_mistake(
        specs["mistake-E3"], expected(specs["matmul-fp32"], nominal, Reported()), nominal
    )
    assert share is not None
    assert share.unit == PERCENT
    assert 30 < share.low < 76 < share.high <= 101  # 51 of 66.9; of 989 it would be 5


def test_a_wrong_comparison_has_no_range_without_the_rates_own_peak() -> None:
    nominal = lookup(Identity(name="Some New Card"), CARDS)
    specs = {s.key: s for s in suite(MISTAKES, "cuda", "9.0")}
    reported = Reported(core_count=2, sm_max_mhz=2100, vector_bits=512, fma_units=2)
    right = expected_cpu(specs["matmul-fp32"], reported)
    assert right is not None
    assert of_mistake(specs["mistake-E3"], right, nominal) is None
