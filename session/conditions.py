"""What the card did while a number was measured: medians of the samples inside, counters across."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.reasons import decode
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement, Sample
from roofwatch.session.fold import Session

REFRESH_S = 0.1  # NVML renews its values every 100 ms
COUNTED_S = 1.0  # a counter's reading further from a span's edge says little of it


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """Medians over the timed part; null where nothing could be read, with the reason in status."""

    sm_mhz: float | None = None  # NVML's, up to 100 ms old
    sm_mhz_spin: float | None = None  # read on the device
    mem_mhz: float | None = None
    power_w: float | None = None
    temp_c: float | None = None
    reasons: list[str] = []
    power_cap_share: float | None = None
    thermal_share: float | None = None
    samples: int = 0
    status: dict[str, str] = {}


def conditions(session: Session, measurement: Measurement) -> Conditions:
    """Conditions of one measurement, by the samples of ``samples_of``.

    A burst is shorter than NVML's refresh: its power is ``stale``, 20 ms of load beside 80 ms of
    rest. The shares are of the whole span, from counters that accumulate: power cap, and heat
    (software and hardware slowdown together).
    """
    inside = samples_of(session, measurement)
    status: dict[str, str] = {}

    def middle(field: str) -> float | None:
        values = [v for s in inside if (v := getattr(s, field)) is not None]
        if values:
            return round(median(values), 1)
        known = next((s.status[field] for s in inside if field in s.status), None)
        status[field] = known or ("stale" if session.samples else "error")
        return None

    mask = 0
    for sample in inside:
        mask |= sample.reasons or 0
    power = "power_w" if measurement.protocol == "sustained" else "power_instant_w"
    power_w = middle(power)
    if measurement.protocol in ("burst", "mistake") and power_w is not None:
        power_w, status[power] = None, "stale"
    begin, end = span_of(session, measurement)
    capped = counter_share(session, ("power_cap",), begin, end)
    hot = counter_share(session, ("sw_thermal", "hw_thermal"), begin, end)
    for name, share in (("power_cap_share", capped), ("thermal_share", hot)):
        if share is None:
            status[name] = "not_supported"
    if power_w is None:
        status["power_w"] = status.pop(power)
    if not measurement.clock_mhz:
        status["sm_mhz_spin"] = measurement.status.get("clock_mhz", "not_measured")
    return Conditions(
        sm_mhz=middle("sm_mhz"),
        sm_mhz_spin=round(median(measurement.clock_mhz), 1) if measurement.clock_mhz else None,
        mem_mhz=middle("mem_mhz"),
        power_w=power_w,
        temp_c=middle("temp_c"),
        reasons=decode(mask),
        power_cap_share=capped,
        thermal_share=hot,
        samples=len(inside),
        status=status,
    )


def samples_of(session: Session, measurement: Measurement) -> list[Sample]:
    """The samples that tell of a measurement.

    A burst is shorter than NVML's refresh: the reading it began with counts. So it is with a
    mistake. A stream's warm-up is the same load and counts.
    """
    early_s = {
        "burst": REFRESH_S,
        "mistake": REFRESH_S,
        "stream": max(0.0, sum(measurement.warmup_times_s) - REFRESH_S),
    }.get(measurement.protocol, 0.0)
    return session.between(measurement.begin_s - early_s, measurement.end_s)


def span_of(session: Session, measurement: Measurement) -> tuple[float, float]:
    """Begin and end of the probe's span around it; the timed part where there is none.

    A block that was repeated lies in a span of its own.
    """
    own = [s for s in session.spans if s.probe == measurement.probe and s.run == measurement.run]
    begins = [s.t for s in own if s.edge == "begin" and s.t <= measurement.begin_s]
    ends = [s.t for s in own if s.edge == "end" and s.t >= measurement.end_s]
    return max(begins, default=measurement.begin_s), min(ends, default=measurement.end_s)


def counter_share(
    session: Session, names: tuple[str, ...], begin_s: float, end_s: float
) -> float | None:
    """Growth of accumulated counters over the samples around [begin, end], as a share of time.

    None when the card has none of them.
    """

    first, last = session.samples.before(begin_s), session.samples.after(end_s)
    if first is None or last is None or max(begin_s - first.t, last.t - end_s) > COUNTED_S:
        return None
    both = [n for n in names if n in first.counters and n in last.counters]
    if not both or last.t <= first.t:
        return None
    grown_s = sum(last.counters[n] - first.counters[n] for n in both) / 1e9
    return round(min(1.0, max(0.0, grown_s / (last.t - first.t))), 4)
