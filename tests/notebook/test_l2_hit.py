"""E2: the tensors fit in the last-level cache, or nobody said how large they were."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.notebook.l2_hit import l2_hit
from roofwatch.notebook.reading import Reading

MIB = 1 << 20
BASE: dict[str, object] = {
    "subject": "x",
    "op": "add_scalar",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 900.0,
    "working_set_bytes": 2.0 * MIB,
    "cache_bytes": 4.0 * MIB,
    "nominal_gbs": 320.0,
    "ceiling_gbs": 320.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mib", "gbs", "severity"),
    [
        (2, 900, WRONG),
        (2, 250, WRONG),  # inside the cache whatever the rate
        (3.99, 250, WRONG),
        (4, 250, NOTE),
        (7.9, 400, WRONG),  # over nominal, under twice
        (8, 400, None),  # the cache cannot explain it
        (8, 280, NOTE),
        (15.9, 280, NOTE),
        (16, 280, None),
        (2, 320 * 32 * 1.1, None),  # no cache is that fast
    ],
)
def test_by_the_multiple_of_the_cache(mib: float, gbs: float, severity: str | None) -> None:
    found = l2_hit(reading(working_set_bytes=mib * MIB, gbs=float(gbs)))
    assert (found.severity if found else None) == severity


def test_the_evidence_is_sizes_and_rates() -> None:
    found = l2_hit(reading())
    assert found is not None
    assert (found.code, found.name, found.root, found.fit) == ("E2", "l2-hit", "bytes", None)
    assert found.evidence == {
        "gbs": 900.0,
        "working_set_bytes": 2.0 * MIB,
        "cache_bytes": 4.0 * MIB,
        "nominal_gbs": 320.0,
    }


@pytest.mark.parametrize(
    ("gbs", "op", "severity"),
    [
        (900, "add_scalar", WRONG),
        (310, "add_scalar", SUSPECT),  # over the range, under the ceiling
        (288, "add_scalar", None),
        (320 * 8.1, "add_scalar", None),
        (310, "other", None),  # its range is a guess
        (900, "other", WRONG),
    ],
)
def test_a_high_rate_of_a_size_that_nobody_told(gbs: float, op: str, severity: str | None) -> None:
    found = l2_hit(reading(working_set_bytes=None, gbs=float(gbs), op=op))
    assert (found.severity if found else None) == severity
    if found:
        assert found.evidence == {"gbs": gbs, "nominal_gbs": 320.0, "cache_bytes": 4.0 * MIB}


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "h2d"},
        {"op": "d2h"},
        {"op": "decode"},
        {"op": "matmul"},
        {"judged": "tflops"},
        {"gbs": None},
        {"cache_bytes": None},
        {"working_set_bytes": None, "nominal_gbs": None},
    ],
)
def test_silent_where_no_cache_is_meant_or_known(fields: dict[str, object]) -> None:
    assert l2_hit(reading(**fields)) is None
