"""Out of range, and no rule that explains it: said so, instead of guessing."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.low_without_cause import high_without_cause, low_without_cause
from roofwatch.notebook.reading import Reading

MIB = 1 << 20
BASE: dict[str, object] = {
    "subject": "x",
    "op": "other",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 500.0,
    "nominal_gbs": 2000.0,
    "ceiling_gbs": 2000.0,
    "low": 1000.0,
    "high": 1800.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def other(severity: str, code: str = "throttled") -> Finding:
    return Finding(
        code=code,
        name=code,
        root="conditions",
        severity=severity,
        subject="x",
        message="",
        why="",
        do="",
        evidence={},
    )


def test_low_and_unexplained() -> None:
    found = low_without_cause(reading(), [])
    assert found is not None
    assert found.code == found.name == "low-without-cause"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "conditions", 0.2)
    assert found.evidence == {
        "rate": 500.0,
        "unit": "GB/s",
        "of_nominal": 0.25,
        "low": 1000.0,
        "high": 1800.0,
    }


@pytest.mark.parametrize(
    ("gbs", "others", "fires"),
    [
        (500.0, [other(SUSPECT)], False),
        (500.0, [other(WRONG)], False),
        (500.0, [other(NOTE)], True),
        (301.0, [other(SUSPECT)], False),
        (299.0, [other(SUSPECT)], True),  # the usual causes take less
        (950.0, [], False),
        (1500.0, [], False),
    ],
)
def test_very_low_or_unexplained(gbs: float, others: list[Finding], fires: bool) -> None:
    assert (low_without_cause(reading(gbs=gbs), others) is not None) is fires


def test_of_our_own_probe_it_is_a_note_unless_anything_was_found() -> None:
    found = low_without_cause(reading(protocol="stream"), [])
    assert found is not None
    assert found.severity == NOTE
    assert low_without_cause(reading(protocol="stream"), [other(NOTE)]) is None


def test_high_and_unexplained() -> None:
    found = high_without_cause(reading(gbs=1900.0), [])
    assert found is not None
    assert found.code == found.name == "unstable"
    assert (found.severity, found.fit) == (SUSPECT, 0.2)
    assert found.evidence["of_nominal"] == 0.95


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        ({"gbs": 1810.0}, []),  # a per cent over is no evidence
        ({"gbs": 2100.0}, []),  # beyond the ceiling: impossible
        ({"gbs": 1900.0, "rounding": 0.05}, []),
        ({"gbs": 1900.0, "protocol": "stream"}, []),
        ({"gbs": 1900.0}, [other(SUSPECT)]),
        ({"gbs": 1900.0, "working_set_bytes": 16.0 * MIB, "cache_bytes": 4 * MIB}, []),
    ],
)
def test_high_is_not_wrong_when_it_is_explained(
    fields: dict[str, object], others: list[Finding]
) -> None:
    assert high_without_cause(reading(**fields), others) is None


def test_a_size_near_the_cache_does_not_explain_it() -> None:
    near: dict[str, object] = {"working_set_bytes": 15.0 * MIB, "cache_bytes": 4 * MIB}
    assert high_without_cause(reading(gbs=1900.0, **near), [other(NOTE, "E2")]) is not None
