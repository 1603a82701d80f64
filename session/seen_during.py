"""What was read while a number was measured: least, median and greatest of each reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.roofline.statistics import median
from roofwatch.session.conditions import Conditions, conditions, samples_of
from roofwatch.session.events import Measurement, Sample
from roofwatch.session.fold import Session

SPIN = "sm_mhz_spin"  # the clock that was read on the device, between launches
READINGS = ("sm_mhz", "mem_mhz", "power_w", "temp_c")
LOADED = ("burst", "mistake")  # too short for a power reading to be theirs


class Reading(NamedTuple):
    """One reading, in the unit of its name; ``why`` is the status where there is none."""

    name: str
    least: float | None
    median: float | None
    greatest: float | None
    times: int
    why: str = ""


class SeenDuring(NamedTuple):
    """The readings in their order, and the conditions that they belong to."""

    readings: list[Reading]
    conditions: Conditions
    told_reasons: bool  # whether any sample told of clocks event reasons


def seen_during(session: Session, m: Measurement) -> SeenDuring:
    """Of one measurement. The SM clock comes first as read on the device, then as NVML told it."""
    seen = conditions(session, m)
    samples = samples_of(session, m)
    readings = [_reading(SPIN, m.clock_mhz, seen)]
    for name in READINGS:
        values = [] if name == "power_w" and m.protocol in LOADED else _values(samples, m, name)
        readings.append(_reading(name, values, seen))
    return SeenDuring(readings, seen, any(s.reasons is not None for s in samples))


def _values(samples: Sequence[Sample], m: Measurement, name: str) -> list[float]:
    """As the conditions read them: instant power, but the average of a probe held for seconds."""
    field = "power_instant_w" if name == "power_w" and m.protocol != "sustained" else name
    return [v for s in samples if (v := getattr(s, field)) is not None]


def _reading(name: str, values: Sequence[float], seen: Conditions) -> Reading:
    if not values:
        return Reading(name, None, None, None, 0, seen.status.get(name, "not_measured"))
    return Reading(name, min(values), median(values), max(values), len(values))
