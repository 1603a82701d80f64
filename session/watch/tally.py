"""What a card did over a stretch of time, added up from its samples in one pass.

A reading holds until the next one, but no longer than ``GAP_S``: what lies beyond was not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from roofwatch.roofline.reasons import (
    APP_CLOCKS,
    BOARD_LIMIT,
    HW_SLOWDOWN,
    HW_THERMAL,
    IDLE,
    POWER_BRAKE,
    POWER_CAP,
    RELIABILITY,
    SW_THERMAL,
    SYNC_BOOST,
    bits,
)
from roofwatch.session.events import Sample
from roofwatch.session.samples import Samples

GAP_S = 2.0
BLOCK = 4096  # samples that are built at a time: a day has 864,000
LIMITING = (
    POWER_CAP
    | HW_SLOWDOWN
    | SYNC_BOOST
    | SW_THERMAL
    | HW_THERMAL
    | POWER_BRAKE
    | BOARD_LIMIT
    | RELIABILITY
    | APP_CLOCKS
)
"""Clocks event reasons that hold the clock down while there is work."""


class Tally(msgspec.Struct, kw_only=True):
    """Sums over the samples from the first to the last of a stretch; seconds unless named else.

    ``clock_s`` and ``limited_clock_s`` are seconds at each clock in whole MHz, the second under a
    limiting reason only. ``energy_j`` is the integral of power (instant where the card has it) over
    ``power_s``; ``counter_j`` what the card's own counter rose by, over ``counter_s``, and
    ``beside_j`` the integral over those very seconds. ``work_s`` is from the first to the last
    reading of work, ``starved_s`` what of it passed without: utilisation 0, or where there is none
    the idle reason, which a card gives only after seconds of rest. ``counters_ns`` rose between
    the first and the last sample that has them.
    """

    samples: int = 0
    begin_s: float = 0.0
    end_s: float = 0.0
    read_s: float = 0.0
    clock_s: dict[int, float] = {}
    limited_clock_s: dict[int, float] = {}
    power_s: float = 0.0
    energy_j: float = 0.0
    power_max_w: float | None = None
    counter_j: float | None = None
    counter_s: float = 0.0
    beside_j: float = 0.0
    util_s: float = 0.0  # utilisation times its time
    util_read_s: float = 0.0
    reasons_s: dict[int, float] = {}
    reasons_read_s: float = 0.0
    work_s: float = 0.0
    starved_s: float = 0.0
    counters_ns: dict[str, int] = {}
    counters_s: float = 0.0
    memory_max_bytes: int | None = None
    temp_max_c: float | None = None
    fewest_processes: int | None = None
    status: dict[str, str] = {}  # why a field was never read

    @property
    def unread_s(self) -> float:
        """Seconds between the first and the last sample in which nothing was read."""
        return max(0.0, self.end_s - self.begin_s - self.read_s)


def tally(samples: Samples, begin_s: float, end_s: float) -> Tally:
    """Add up the samples with begin <= t <= end."""
    out = Tally()
    before: Sample | None = None
    first_counters: Sample | None = None
    last_counters: Sample | None = None
    energy: tuple[float, float, float] | None = None  # first reading: t, J, the integral there
    idle_s = 0.0  # since work was last seen
    first_work_s: float | None = None
    for sample in _between(samples, begin_s, end_s):
        if before is None:
            out.begin_s = sample.t
        else:
            held_s = min(sample.t - before.t, GAP_S)
            out.read_s += held_s
            _hold(out, before, held_s)
            _integrate(out, before, sample, held_s)
            if (works := _works(before)) is True:
                first_work_s = before.t if first_work_s is None else first_work_s
                out.starved_s += idle_s
                out.work_s = sample.t - first_work_s
                idle_s = 0.0
            elif works is False:
                idle_s += held_s if first_work_s is not None else 0.0
        if sample.energy_j is not None:
            if energy is None:
                energy = sample.t, sample.energy_j, out.energy_j
            elif sample.energy_j >= energy[1]:
                out.counter_j = sample.energy_j - energy[1]
                out.counter_s = sample.t - energy[0]
                out.beside_j = out.energy_j - energy[2]
        if sample.counters:
            first_counters = first_counters or sample
            last_counters = sample
        _extremes(out, sample)
        out.samples += 1
        out.end_s = sample.t
        before = sample
    if first_counters is not None and last_counters is not None:
        out.counters_s = last_counters.t - first_counters.t
        out.counters_ns = {
            name: max(0, value - first_counters.counters[name])
            for name, value in last_counters.counters.items()
            if name in first_counters.counters
        }
    return out


def energy_j(samples: Samples, begin_s: float, end_s: float) -> tuple[float, float]:
    """Power times time from ``begin_s`` to ``end_s``, and of how many of those seconds it is.

    Between two readings by the trapezoid, at both edges too; where none lies beyond an edge the
    nearest holds. What lies further than ``GAP_S`` from a reading is left out.
    """
    first, last = samples.places(begin_s, end_s)
    around = samples[max(0, first - 1) : last + 1]
    points = [(s.t, w) for s in around if (w := _power_w(s)) is not None]
    if points and points[0][0] > begin_s:
        points.insert(0, (max(begin_s, points[0][0] - GAP_S), points[0][1]))
    if points and points[-1][0] < end_s:
        points.append((min(end_s, points[-1][0] + GAP_S), points[-1][1]))
    joules = covered_s = 0.0
    for (a, at_a), (b, at_b) in pairwise(points):
        low, high = max(a, begin_s), min(b, end_s)
        if high <= low or b - a > GAP_S:
            continue
        slope = (at_b - at_a) / (b - a)
        joules += (at_a + slope * ((low + high) / 2 - a)) * (high - low)
        covered_s += high - low
    return joules, covered_s


def _works(sample: Sample) -> bool | None:
    """Whether some kernel ran; None where nobody can say."""
    if sample.util is not None:
        return sample.util > 0
    return None if sample.reasons is None else not sample.reasons & IDLE


def _between(samples: Samples, begin_s: float, end_s: float) -> Iterator[Sample]:
    first, last = samples.places(begin_s, end_s)
    for place in range(first, last, BLOCK):
        yield from samples[place : min(place + BLOCK, last)]


def _hold(out: Tally, sample: Sample, held_s: float) -> None:
    """What a reading says of the time until the next one."""
    limited = sample.reasons is not None and bool(sample.reasons & LIMITING)
    if sample.sm_mhz is not None:
        mhz = round(sample.sm_mhz)
        out.clock_s[mhz] = out.clock_s.get(mhz, 0.0) + held_s
        if limited:
            out.limited_clock_s[mhz] = out.limited_clock_s.get(mhz, 0.0) + held_s
    if sample.util is not None:
        out.util_s += sample.util * held_s
        out.util_read_s += held_s
    if sample.reasons is not None:
        out.reasons_read_s += held_s
        for bit in bits(sample.reasons):
            out.reasons_s[bit] = out.reasons_s.get(bit, 0.0) + held_s


def _integrate(out: Tally, before: Sample, sample: Sample, held_s: float) -> None:
    """Power by the trapezoid between two readings; of one that is missing nothing is claimed."""
    a, b = _power_w(before), _power_w(sample)
    if a is not None and b is not None:
        out.energy_j += (a + b) / 2 * held_s
        out.power_s += held_s


def _power_w(sample: Sample) -> float | None:
    return sample.power_instant_w if sample.power_instant_w is not None else sample.power_w


def _extremes(out: Tally, sample: Sample) -> None:
    power_w = _power_w(sample)
    if power_w is not None:
        out.power_max_w = max(power_w, out.power_max_w or 0.0)
    if sample.mem_used_bytes is not None:
        out.memory_max_bytes = max(sample.mem_used_bytes, out.memory_max_bytes or 0)
    if sample.temp_c is not None:
        hottest = out.temp_max_c
        out.temp_max_c = sample.temp_c if hottest is None else max(hottest, sample.temp_c)
    if sample.processes is not None:
        fewest = out.fewest_processes
        out.fewest_processes = sample.processes if fewest is None else min(fewest, sample.processes)
    for name, why in sample.status.items():
        out.status.setdefault(name, why)
