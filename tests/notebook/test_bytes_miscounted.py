"""Bytes counted in another way: what caches serve, a stream twice, only a part."""

from __future__ import annotations

import pytest

from roofwatch.notebook.bytes_miscounted import bytes_miscounted
from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 264.0,
    "time_s": 1e-3,
    "bytes": 100e6,
    "streams_bytes": (50e6, 50e6),
    "claimed_bytes": 300e6,
    "nominal_gbs": 320.0,
    "ceiling_gbs": 320.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_three_times_what_a_copy_moves() -> None:
    found = bytes_miscounted(reading())
    assert found is not None
    assert found.code == found.name == "bytes-miscounted"
    assert (found.severity, found.root, found.fit) == (WRONG, "bytes", None)
    assert found.evidence == {
        "gbs": 264.0,
        "ratio": pytest.approx(3.0),
        "counted_mb": pytest.approx(300),
        "moved_mb": pytest.approx(100),
        "corrected_gbs": pytest.approx(88),
        "op": "copy",
    }


@pytest.mark.parametrize(
    ("ratio", "rounding", "fires"),
    [
        (1.0, 0.0, False),
        (1.059, 0.0, False),
        (1.1, 0.0, True),
        (1.1, 0.05, False),
        (0.5, 0.0, False),  # E1 says so
        (0.52, 0.0, False),
        (0.7, 0.0, True),
        (8.0, 0.0, False),  # units say so
        (1e-3, 0.0, False),
        (3.0, 0.0, True),
    ],
)
def test_only_what_no_other_rule_explains(ratio: float, rounding: float, fires: bool) -> None:
    found = bytes_miscounted(reading(claimed_bytes=ratio * 100e6, rounding=rounding))
    assert (found is not None) is fires


def test_half_of_a_reduction_is_not_a_stream_left_out() -> None:
    found = bytes_miscounted(reading(op="reduce", streams_bytes=(100e6,), claimed_bytes=50e6))
    assert found is not None
    assert "ratio" in found.evidence
    assert found.severity == WRONG


@pytest.mark.parametrize(
    ("op", "ratio", "gbs", "severity"),
    [
        ("softmax", 3.0, 264.0, SUSPECT),  # it may pass twice over its input
        ("softmax", 3.0, 900.0, WRONG),
        ("matmul", 3.0, 264.0, SUSPECT),  # a matmul larger than the cache reads again
        ("matmul", 7.0, 264.0, WRONG),
        ("matmul", 0.7, 264.0, WRONG),
        ("add", 5.0, 264.0, WRONG),
    ],
)
def test_wrong_where_the_bytes_leave_no_choice(
    op: str, ratio: float, gbs: float, severity: str
) -> None:
    found = bytes_miscounted(reading(op=op, gbs=gbs, claimed_bytes=ratio * 100e6))
    assert found is not None
    assert found.severity == severity


def test_over_what_memory_carries_and_half_would_be_usual() -> None:
    found = bytes_miscounted(reading(gbs=526.0, bytes=None, claimed_bytes=None))
    assert found is not None
    assert found.severity == WRONG
    assert found.fit == pytest.approx(1.0, abs=0.02)
    assert found.evidence["corrected_gbs"] == 263


@pytest.mark.parametrize(
    "fields",
    [
        {"gbs": 264.0},
        {"gbs": 326.0},  # under 102 % of the ceiling
        {"gbs": 700.0},  # half of it is over the range as well
        {"gbs": 526.0, "bytes": 100e6},
        {"gbs": 526.0, "judged": "tflops"},
        {"gbs": 526.0, "low": None},
        {"gbs": None},
    ],
)
def test_silent_without_that_evidence(fields: dict[str, object]) -> None:
    assert bytes_miscounted(reading(**{"bytes": None, "claimed_bytes": None, **fields})) is None
