"""Far longer than the work and a launch together: something was set up inside the time."""

from __future__ import annotations

import pytest

from roofwatch.notebook.cold_start import no_warm_up
from roofwatch.notebook.finding import SUSPECT
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 1.0,
    "time_s": 0.05,
    "bytes": 1.4e6,  # a microsecond
    "low": 1200.0,
    "high": 1400.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_fifty_milliseconds_for_a_microsecond() -> None:
    found = no_warm_up(reading())
    assert found is not None
    assert found.code == found.name == "cold-start"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "conditions", 0.95)
    assert found.evidence == {
        "time_us": pytest.approx(5e4),
        "usual_us": pytest.approx(61),
        "times": pytest.approx(5e4 / 61),
    }


@pytest.mark.parametrize(
    ("fields", "fit"),
    [
        ({"bytes": 140e6}, 0.5),  # 100 us of work: longer than a launch
        ({"bytes": 6.9e9, "gbs": 138.0}, 0.5),  # 4.9 ms
        ({"bytes": 7.1e9, "gbs": 142.0}, None),  # tens of milliseconds are not seen beside it
        ({"time_s": 184e-6}, 0.95),
        ({"time_s": 182e-6}, None),
        ({"gbs": 1300.0}, None),
        ({"time_s": None}, None),
        ({"bytes": None}, None),
        ({"op": "h2d"}, None),
        ({"op": "d2h"}, None),
        ({"protocol": "stream"}, None),
    ],
)
def test_three_times_the_usual(fields: dict[str, object], fit: float | None) -> None:
    found = no_warm_up(reading(**fields))
    assert (found.fit if found else None) == fit
