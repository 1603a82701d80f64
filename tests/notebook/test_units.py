"""Units: GiB taken for GB, bits for bytes, a thousand too much or too little."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.units import SLIPS, slip_of, units

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 264.0,
    "nominal_gbs": 320.0,
    "ceiling_gbs": 320.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SLIPS)
def test_each_slip_is_known_by_its_ratio(name: str) -> None:
    seen = slip_of(SLIPS[name], 0.0)
    assert seen is not None
    # GiB, MiB and TiB lie close together; "1024" is half of a GiB.
    assert SLIPS[seen] == pytest.approx(SLIPS[name], rel=0.006)


@pytest.mark.parametrize("ratio", [1.0, 0.5, 2.0, 3.0, 0.97, 1.2, 7.0, 100.0])
def test_another_ratio_is_no_slip(ratio: float) -> None:
    assert slip_of(ratio, 0.0) is None


def test_a_small_slip_needs_good_digits() -> None:
    assert slip_of(1e9 / 2**30, 0.002) == "GiB"
    assert slip_of(1e9 / 2**30, 0.05) is None
    assert slip_of(8.0, 0.05) == "bits"


@pytest.mark.parametrize(
    ("ratio", "slip"), [(8.0, "bits"), (1e-3, "a thousandth"), (1e9 / 2**30, "GiB")]
)
def test_time_and_work_give_the_slip_by_arithmetic(ratio: float, slip: str) -> None:
    found = units(reading(gbs=264 * ratio, bytes=1e9, claimed_bytes=ratio * 1e9))
    assert found is not None
    assert found.code == found.name == "units"
    assert (found.severity, found.root, found.fit) == (WRONG, "bytes", None)
    assert found.evidence == {
        "rate": pytest.approx(264 * ratio),
        "unit": "GB/s",
        "ratio": pytest.approx(ratio),
        "slip": slip,
        "corrected": pytest.approx(264),
    }


def test_flop_slip_in_the_same_way() -> None:
    found = units(
        reading(op="matmul", judged="tflops", gbs=None, tflops=50e3, flop=1e12, claimed_flop=1e15)
    )
    assert found is not None
    assert found.evidence["slip"] == "thousand"
    assert found.evidence["unit"] == "TFLOP/s"
    assert found.evidence["corrected"] == pytest.approx(50)


@pytest.mark.parametrize("ratio", [1.0, 1.005, 0.995, 2.0, 0.5])
def test_right_arithmetic_and_other_mistakes_are_silent(ratio: float) -> None:
    assert units(reading(bytes=1e9, claimed_bytes=ratio * 1e9)) is None


@pytest.mark.parametrize(
    ("gbs", "slip", "severity"),
    [
        (264.0 * 8, "bits", WRONG),
        (264.0 / 8, "bytes for bits", SUSPECT),
        (264.0 * 1e3, "thousand", WRONG),
        (264.0 / 1e3, "a thousandth", SUSPECT),
        (264.0 * 1e6, "million", WRONG),
        (264.0 / 1e6, "a millionth", SUSPECT),
    ],
)
def test_a_stated_rate_that_lands_in_range_when_slipped(
    gbs: float, slip: str, severity: str
) -> None:
    found = units(reading(gbs=gbs, stated=True))
    assert found is not None
    assert (found.severity, found.evidence["slip"]) == (severity, slip)
    assert found.evidence["corrected"] == pytest.approx(264)
    assert found.fit is not None


def test_a_rate_from_a_time_knows_its_bytes_from_its_bits() -> None:
    assert units(reading(gbs=264.0 / 8, stated=False)) is None
    found = units(reading(gbs=264.0 / 1e3, stated=False, bytes=4e9))
    assert found is not None
    assert found.evidence["slip"] == "a thousandth"


@pytest.mark.parametrize("gbs", [264.0, 240.0, 288.0, 100.0, 600.0])
def test_a_rate_in_range_or_by_another_factor_is_silent(gbs: float) -> None:
    assert units(reading(gbs=gbs, stated=True)) is None


def test_without_a_range_nothing_is_said() -> None:
    assert units(reading(gbs=33.0, stated=True, low=None, high=None)) is None
    assert units(reading(gbs=None, stated=True)) is None
