"""What was read while a number was measured."""

from __future__ import annotations

from roofwatch.session.conditions import conditions
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.seen_during import Reading, SeenDuring, seen_during


def seen(session: Session, probe: str) -> tuple[Measurement, SeenDuring]:
    m = next(m for m in session.measurements if m.probe == probe)
    return m, seen_during(session, m)


def reading(during: SeenDuring, name: str) -> Reading:
    return next(r for r in during.readings if r.name == name)


def test_medians_are_those_of_the_conditions(full: Session) -> None:
    for m in full.measured():
        during = seen_during(full, m)
        told = conditions(full, m)
        assert during.conditions == told
        for name in ("sm_mhz", "sm_mhz_spin", "mem_mhz", "power_w", "temp_c"):
            r, figure = reading(during, name), getattr(told, name)
            if figure is None:
                assert r.median is None
                assert r.why == told.status[name]
            else:
                assert r.median is not None
                assert round(r.median, 1) == figure
                assert r.least is not None
                assert r.greatest is not None
                assert r.least <= r.median <= r.greatest


def test_the_clock_of_a_held_matmul_has_a_range(full: Session) -> None:
    _, during = seen(full, "matmul-bf16-sustained")
    spun = reading(during, "sm_mhz_spin")
    assert spun.times > 1000
    assert spun.least is not None
    assert spun.greatest is not None
    assert spun.greatest > 1.1 * spun.least
    assert during.told_reasons


def test_the_power_of_a_burst_is_stale(full: Session) -> None:
    _, during = seen(full, "matmul-bf16")
    assert reading(during, "power_w") == Reading("power_w", None, None, None, 0, "stale")


def test_without_samples_every_reading_has_its_status(h200: Session) -> None:
    h200.samples.clear()
    _, during = seen(h200, "add_scalar-fp16")
    assert [r.median for r in during.readings] == [None] * 5
    assert all(r.why for r in during.readings)
    assert not during.told_reasons
