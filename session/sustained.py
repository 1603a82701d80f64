"""The sustained block of the record: onset, window, and what the card drew in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from roofwatch.roofline.onset import SETTLE_S, clock_onset_s
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops
from roofwatch.session.sm_clock import sm_clock
from roofwatch.session.throttle import onset_of

BLOCK_S = 0.1
FEWEST_BLOCKS = 6  # to tell two settled clocks apart


class Settled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The blocks of one clock inside the window: clock, rate, and rate over the peak there.

    ``efficiency`` is None where no nominal peak is known.
    """

    sm_mhz: float
    tflops: float
    efficiency: float | None = None


class Sustained(msgspec.Struct, frozen=True, kw_only=True):
    """One sustained probe. Times on the session's clock; onsets are after the probe's start.

    ``onset_s`` is by the launch times, ``clock_onset_s`` by the clock read on the device.
    ``settled`` are the slowest and the fastest third of the window's blocks by clock: the kernel's
    own efficiency should be the same at both.
    """

    measurement: str
    onset_s: float | None
    clock_onset_s: float | None
    window_s: tuple[float, float]
    tflops: float | None
    gbs: float | None
    sm_mhz: float | None
    sm_mhz_nvml: float | None
    clock_source: str | None
    power_w: float | None
    temp_c: tuple[float, float] | None  # at the window's begin and end
    energy_j: float | None
    tflops_per_w: float | None
    settled: list[Settled] = []
    status: dict[str, str] = {}


def sustained(session: Session, m: Measurement, name: str) -> Sustained:
    """Fold a sustained measurement with its series and samples."""
    inside = session.between(m.begin_s, m.end_s)
    clocks = [s.sm_mhz for s in inside if s.sm_mhz is not None]
    powers = [s.power_w for s in inside if s.power_w is not None]
    heat = [s.temp_c for s in inside if s.temp_c is not None]
    energy = _energy_j(session, m)
    multiplies = m.peak_key is not None
    rate = tflops(m)
    power = median(powers) if powers else None
    clock = sm_clock(session, m)
    onset = onset_of(session, m.probe, m.run)
    fell = clock_onset_of(session, m)
    values = {
        "onset_s": (onset, "never_fell"),
        "clock_onset_s": (fell, "never_fell" if m.clock_mhz else "not_supported"),
        "sm_mhz": (clock, "not_supported"),
        "clock_source": (clock.source if clock else None, "not_supported"),
        "sm_mhz_nvml": (clocks or None, "not_supported"),
        "power_w": (power, "not_supported"),
        "temp_c": (heat or None, "not_supported"),
        "energy_j": (energy, "not_supported"),
        "tflops_per_w": (power or None if multiplies else None, "not_supported"),
        "gbs" if multiplies else "tflops": (None, "not_measured"),
    }
    return Sustained(
        measurement=name,
        onset_s=onset,
        clock_onset_s=fell,
        window_s=(m.begin_s, m.end_s),
        tflops=rate if multiplies else None,
        gbs=None if multiplies else gbs(m),
        sm_mhz=clock.mhz if clock else None,
        sm_mhz_nvml=median(clocks) if clocks else None,
        clock_source=clock.source if clock else None,
        power_w=power,
        temp_c=(heat[0], heat[-1]) if heat else None,
        energy_j=energy,
        tflops_per_w=rate / power if power and multiplies else None,
        settled=settled(session, m) if multiplies else [],
        status={field: why for field, (value, why) in values.items() if value is None},
    )


def clock_readings(session: Session, probe: str, run: int) -> list[tuple[float, float]]:
    """(session seconds, MHz) of the SM clock as read on the device while a probe was held."""
    return [
        pair
        for s in session.series
        if s.probe == probe and s.run == run
        for pair in zip(s.clock_t_s, s.clock_mhz, strict=True)
    ]


def clock_onset_of(session: Session, m: Measurement) -> float | None:
    """Seconds from a sustained probe's start to the fall of the clock read on the device."""
    readings = clock_readings(session, m.probe, m.run)
    start = next((s.t0 for s in session.series if s.probe == m.probe and s.run == m.run), None)
    if start is None:
        return None
    return clock_onset_s([(t - start, mhz) for t, mhz in readings])


def settled(session: Session, m: Measurement) -> list[Settled]:
    """The window's blocks of 0.1 s at their lowest and at their highest clock, a third each."""
    blocks = _blocks(session, m)
    if len(blocks) < FEWEST_BLOCKS:
        return []
    blocks.sort()
    third = len(blocks) // 3
    nominal = session.nominal
    peak = nominal.peaks_tflops.get(m.peak_key or "") if nominal else None
    mhz_of_peak = nominal.clocks_mhz.get(m.peak_key or "") if nominal else None

    def one(part: Sequence[tuple[float, float]]) -> Settled:
        mhz, rate = median([b[0] for b in part]), median([b[1] for b in part])
        reachable = peak * mhz / mhz_of_peak if peak and mhz_of_peak else None
        share = rate / reachable if reachable else None
        return Settled(sm_mhz=mhz, tflops=rate, efficiency=share)

    return [one(blocks[:third]), one(blocks[-third:])]


def _blocks(session: Session, m: Measurement) -> list[tuple[float, float]]:
    """(MHz, TFLOP/s) of each 0.1 s of the window in which the clock was read."""
    readings = clock_readings(session, m.probe, m.run)
    moments = [t for t, _ in readings]
    found = []
    for series in session.series:
        if series.probe != m.probe or series.run != m.run:
            continue
        at_s, times, begin = series.t0, [], series.t0
        for time_s in series.times_s:
            times.append(time_s)
            at_s += time_s
            if at_s - begin < BLOCK_S:
                continue
            if begin >= m.begin_s:
                inside = readings[bisect_left(moments, begin) : bisect_left(moments, at_s)]
                if inside:
                    mhz = median([r[1] for r in inside])
                    found.append((mhz, m.flop * len(times) / sum(times) / 1e12))
            times, begin = [], at_s
    return found


def _energy_j(session: Session, m: Measurement) -> float | None:
    """Energy of the window, from the card's own counter.

    The counter is read once a second: its mean power between the first and the last reading under
    load (from two seconds before the window, when the load began) times the window's length.
    """
    loaded = session.between(m.begin_s - SETTLE_S, m.end_s)
    read = [(s.t, s.energy_j) for s in loaded if s.energy_j is not None]
    if len(read) < 2 or read[-1][0] <= read[0][0]:
        return None
    (t0, e0), (t1, e1) = read[0], read[-1]
    return (e1 - e0) / (t1 - t0) * (m.end_s - m.begin_s)
