"""A held probe through time: its rate and the SM clock, from its first launch on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofwatch.session.events import Series
    from roofwatch.session.fold import Session

Through = list[tuple[float, float]]
"""(seconds since the probe's first launch, figure), by rising time."""


def held_rates(session: Session, probe: str, run: int, multiplies: bool, parts: int = 1) -> Through:
    """TFLOP/s of what multiplies, else GB/s: each series, a quarter of a second, in ``parts``.

    The moment of a rate is the middle of its part.
    """
    series = _of(session, probe, run)
    found: Through = []
    for one in series:
        work = (one.flop or 0.0) / 1e12 if multiplies else (one.bytes or 0.0) / 1e9
        if not work:
            continue
        at_s = one.t0 - series[0].t0
        count = max(1, len(one.times_s) // max(1, parts))
        for i in range(0, len(one.times_s), count):
            part = one.times_s[i : i + count]
            if i and len(part) < count:
                break  # what is left over: too few launches for a rate of their own
            took_s = sum(part)
            found.append((at_s + took_s / 2, work * len(part) / took_s))
            at_s += took_s
    return sorted(found)


def held_clocks(session: Session, probe: str, run: int) -> tuple[Through, bool]:
    """The SM clock in MHz, and whether it was read on the device; else as telemetry told it."""
    series = _of(session, probe, run)
    if not series:
        return [], False
    begin_s, last = series[0].t0, series[-1]
    read = [
        (t - begin_s, mhz) for s in series for t, mhz in zip(s.clock_t_s, s.clock_mhz, strict=True)
    ]
    if read:
        return sorted(read), True
    samples = session.between(begin_s, last.t0 + sum(last.times_s))
    return [(s.t - begin_s, s.sm_mhz) for s in samples if s.sm_mhz], False


def held_begin_s(session: Session, probe: str, run: int) -> float | None:
    """When its first launch began, on the session's clock; None where no series tells."""
    series = _of(session, probe, run)
    return series[0].t0 if series else None


def _of(session: Session, probe: str, run: int) -> list[Series]:
    found = [s for s in session.series if s.probe == probe and s.run == run]
    return sorted(found, key=lambda s: s.t0)
