"""Over nominal: impossible where the silicon ends, a boost clock under that."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.over_nominal import boost_clock, impossible, over_every_peak
from roofwatch.notebook.reading import Reading

STREAM: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 5000.0,
    "nominal_gbs": 4800.0,
    "ceiling_gbs": 4814.0,
}
MATMUL: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "peak_key": "bf16",
    "judged": "tflops",
    "tflops": 179.0,
    "nominal_tflops": 165.2,
    "ceiling_tflops": 203.5,
}


def of(base: dict[str, object], **fields: object) -> Reading:
    return Reading(**{**base, **fields})  # type: ignore[arg-type]


def other(severity: str) -> Finding:
    return finding("throttled", "possible", severity=severity, subject="x", op="copy")


def test_more_than_the_memory_can_carry() -> None:
    found = impossible(of(STREAM), [])
    assert found is not None
    assert found.code == found.name == "impossible"
    assert (found.severity, found.root, found.fit) == (WRONG, "bytes", None)
    assert found.evidence == {
        "rate": 5000.0,
        "unit": "GB/s",
        "times": pytest.approx(5000 / 4800),
        "nominal": 4800.0,
        "ceiling": 4814.0,
    }


def test_more_than_the_clock_can_do() -> None:
    found = impossible(of(MATMUL, tflops=212.0), [])
    assert found is not None
    assert (found.severity, found.root) == (WRONG, "flop")
    assert found.evidence["peak_key"] == "bf16"


@pytest.mark.parametrize(
    ("gbs", "rounding", "fires"),
    [
        (4814 * 1.021, 0.0, True),
        (4814 * 1.019, 0.0, False),
        (4814 * 1.06, 0.05, False),  # 0.11 s may be 0.115
        (4814 * 1.09, 0.05, True),
    ],
)
def test_two_per_cent_and_the_digits_are_allowed(gbs: float, rounding: float, fires: bool) -> None:
    assert (impossible(of(STREAM, gbs=gbs, rounding=rounding), []) is not None) is fires


def test_impossible_is_said_only_where_no_rule_says_why() -> None:
    assert impossible(of(STREAM), [other(WRONG)]) is None
    assert impossible(of(STREAM), [other(SUSPECT)]) is not None
    assert impossible(of(STREAM, nominal_gbs=None), []) is None
    assert impossible(of(STREAM, gbs=None), []) is None


NO_TYPE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": None,
    "judged": "tflops",
    "peaks_tflops": {"fp32": 60.0, "bf16": 900.0, "fp8": 1800.0},
    "ceilings_tflops": {"fp32": 66.0, "bf16": 1000.0, "fp8": 2000.0},
}


@pytest.mark.parametrize(
    ("fields", "fires"),
    [
        ({"tflops": 4000 * 1.021}, True),
        ({"tflops": 4000 * 1.019}, False),
        ({"tflops": 4100.0, "rounding": 0.05}, False),
        ({"tflops": 5000.0, "dtype": "bf16", "peak_key": "bf16"}, False),
        ({"tflops": 5000.0, "peaks_tflops": {}, "ceilings_tflops": {}}, False),
        ({"tflops": 5000.0, "protocol": "burst"}, False),
        ({"tflops": 5000.0, "judged": "gbs", "gbs": 1.0}, False),
        ({"tflops": 100.0, "peaks_tflops": {"fp32": 60.0}, "ceilings_tflops": {}}, True),
        ({"tflops": 60.0, "peaks_tflops": {"fp32": 60.0}, "ceilings_tflops": {}}, False),
    ],
)
def test_over_every_peak_is_wrong_whatever_the_type(fields: dict[str, object], fires: bool) -> None:
    found = over_every_peak(of(NO_TYPE, **fields), [])
    assert (found is not None) is fires
    if found is not None:
        assert (found.code, found.severity, found.root) == ("impossible", WRONG, "flop")
        assert over_every_peak(of(NO_TYPE, **fields), [other(WRONG)]) is None


@pytest.mark.parametrize(("capability", "most"), [("8.0", 4 * 624), ("9.0", 2 * 624)])
def test_int4_is_twice_int8_where_a_card_has_it(capability: str, most: float) -> None:
    base = {**NO_TYPE, "peaks_tflops": {"int8": 624.0}, "ceilings_tflops": {}}
    for share, fires in ((1.01, False), (1.03, True)):
        reading = of(base, tflops=most * share, compute_capability=capability)
        assert (over_every_peak(reading, []) is not None) is fires


def test_a_clock_over_the_datasheets_is_a_good_reason() -> None:
    found = boost_clock(of(MATMUL), [])
    assert found is not None
    assert found.code == found.name == "boost-clock"
    assert (found.severity, found.root) == (NOTE, "peak")
    assert found.evidence == {
        "tflops": 179.0,
        "of_nominal": pytest.approx(179 / 165.2),
        "peak_key": "bf16",
        "nominal_tflops": 165.2,
        "ceiling_tflops": 203.5,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"tflops": 165.2 * 1.004},
        {"tflops": 212.0},
        {"judged": "gbs", "gbs": 5.0},
        {"protocol": "burst"},
        {"math": "sparse"},
        {"ceiling_tflops": None},
        {"nominal_tflops": None},
    ],
)
def test_no_boost_elsewhere(fields: dict[str, object]) -> None:
    assert boost_clock(of(MATMUL, **fields), []) is None


@pytest.mark.parametrize(("high", "case"), [(185.0, "good"), (160.0, "not explained by it")])
def test_over_its_range_a_clock_is_possible_and_no_more(high: float, case: str) -> None:
    found = boost_clock(of(MATMUL, low=140.0, high=high), [])
    assert found is not None
    assert case in found.why


def test_a_number_that_is_wrong_is_no_boost() -> None:
    assert boost_clock(of(MATMUL), [other(WRONG)]) is None
    assert boost_clock(of(MATMUL), [other(SUSPECT)]) is not None
