"""The copy between host and device stands inside the time."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.transfer_included import transfer_included

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 20.0,
    "time_s": 0.1,
    "bytes": 2e9,
    "link_gbs": 31.5,
    "low": 1400.0,
    "high": 1800.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_what_is_left_of_the_time_is_a_copy_over_the_link() -> None:
    found = transfer_included(reading())
    assert found is not None
    assert found.code == found.name == "transfer-included"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "bytes", 0.9)
    rest_s = 0.1 - 2 / 1800
    assert found.evidence == {
        "gbs": pytest.approx(2 / rest_s),
        "link_gbs": 31.5,
        "moved_mb": 2000.0,
        "time_us": pytest.approx(1e5),
        "expected_us": pytest.approx(2 / 1800 * 1e6),
    }


@pytest.mark.parametrize(
    ("time_s", "fires"), [(0.79, True), (0.85, False), (0.0725, True), (0.0700, False)]
)
def test_between_slow_pageable_copies_and_the_link(time_s: float, fires: bool) -> None:
    found = transfer_included(reading(time_s=time_s, gbs=2 / time_s))
    assert (found is not None) is fires


def test_small_or_hardly_slower_is_a_weak_suspicion() -> None:
    small = transfer_included(reading(bytes=7e6, time_s=3.5e-4))
    assert small is not None
    assert small.fit == 0.4
    slow_card = transfer_included(reading(low=24.0, high=60.0, link_gbs=63.0))
    assert slow_card is not None
    assert slow_card.fit == 0.4


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "h2d"},
        {"op": "d2h"},
        {"op": "decode"},
        {"gbs": 1500.0},
        {"link_gbs": None},
        {"time_s": None, "gbs": 40.0},  # no link is that fast
        {"bytes": None},
        {"high": None},
        {"protocol": "stream"},
        {"time_s": 1e-3},  # shorter than the work
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert transfer_included(reading(**fields)) is None


def test_a_rate_without_its_time_as_slow_as_a_link() -> None:
    found = transfer_included(reading(time_s=None))
    assert found is not None
    assert found.fit == 0.2
    assert found.evidence == {"gbs": 20.0, "link_gbs": 31.5, "low": found.evidence["low"]}
