"""Conditions from inside the span, counters across it, and statuses where nothing was read."""

from __future__ import annotations

import pytest

from roofwatch.session.conditions import conditions, counter_share, span_of
from roofwatch.session.events import Sample
from roofwatch.session.fold import Session


def measured(session: Session, probe: str):  # type: ignore[no-untyped-def]
    return next(m for m in session.measurements if m.probe == probe)


def test_the_held_matmul_ran_into_its_power_limit(h200: Session) -> None:
    seen = conditions(h200, measured(h200, "matmul-bf16-sustained"))
    assert seen.samples >= 8
    assert seen.sm_mhz is not None
    assert seen.sm_mhz < 1700
    assert "power limit" in seen.reasons
    assert seen.power_cap_share == pytest.approx(1.0, abs=0.15)
    assert seen.thermal_share == 0
    assert seen.status == {"sm_mhz_spin": "not_measured"}


def test_a_burst_has_the_clock_it_began_with(h200: Session) -> None:
    seen = conditions(h200, measured(h200, "matmul-bf16"))
    assert 1 <= seen.samples <= 3
    assert seen.sm_mhz is not None
    assert seen.sm_mhz == 1980


def test_span_edges_come_from_the_stream(h200: Session) -> None:
    m = measured(h200, "matmul-bf16")
    begin, end = span_of(h200, m)
    assert begin < m.begin_s < m.end_s <= end


def sample(t: float, **fields: object) -> Sample:
    base: dict[str, object] = dict.fromkeys(
        ("gpu", "sm_mhz", "mem_mhz", "power_w", "power_instant_w", "temp_c", "mem_used_bytes")
    )
    return Sample(t=t, **{**base, "util": None, "reasons": None, **fields})  # type: ignore[arg-type]


def test_counters_are_differenced_over_the_samples_around() -> None:
    session = Session()
    for i in range(11):
        grown = max(0, i - 5) * 100_000_000
        session.add(sample(i / 10, counters={"power_cap": grown}))
    assert counter_share(session, ("power_cap",), 0.5, 1.0) == pytest.approx(1.0)
    assert counter_share(session, ("power_cap",), 0.0, 1.0) == pytest.approx(0.5)
    assert counter_share(session, ("sync_boost",), 0.0, 1.0) is None


def test_what_could_not_be_read_says_why(h200: Session) -> None:
    session = Session()
    m = measured(h200, "matmul-bf16-sustained")
    session.add(sample(m.begin_s + 0.1, status={"sm_mhz": "no_permission"}))
    seen = conditions(session, m)
    assert seen.sm_mhz is None
    assert seen.status["sm_mhz"] == "no_permission"
    assert seen.status["power_cap_share"] == "not_supported"
    assert set(seen.status) >= {"sm_mhz", "mem_mhz", "power_w", "temp_c"}
