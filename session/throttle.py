"""The fall of the clock under a sustained matmul: its reason, and its price in TFLOP/s."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.finding import NOTE, Finding, finding
from roofwatch.roofline.onset import onset_s
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.probe_spec import is_matmul, matmul_precision, unheld_key
from roofwatch.roofline.reasons import decode
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import tflops

AT_TOP = 0.985  # of the highest clock: two steps of 15 MHz below it
WORTH_SAYING = 0.03  # a fall under three per cent is noise


class Fall(msgspec.Struct, frozen=True, kw_only=True):
    """What a sustained probe shows of the clock now (or at its end).

    ``price_tflops`` is the burst median of the same shape minus the rate now.
    """

    probe: str
    tflops: float
    price_tflops: float | None
    sm_mhz: float | None
    sm_max_mhz: float | None
    power_w: float | None
    power_limit_w: float | None
    reasons: list[str]

    @property
    def sentence(self) -> str:
        """One line for the screen, the record and the runner."""
        clock = "clock not readable"
        if self.sm_mhz is not None:
            clock = f"SM clock {self.sm_mhz:.0f}"
            clock += f" of {self.sm_max_mhz:.0f} MHz" if self.sm_max_mhz else " MHz"
        why = ", ".join(self.reasons) or "no reason given"
        if "power limit" in self.reasons and self.power_limit_w:
            why = f"power limit {self.power_limit_w:.0f} W reached"
        price = ""
        if self.price_tflops:
            digits = ".0f" if self.price_tflops >= 10 else ".2g"
            price = f", costs {self.price_tflops:{digits}} {self.key} {unit(self.key)}"
        return f"{clock}: {why}{price}"

    @property
    def key(self) -> str:
        """The precision that was held, as its probe names it."""
        return matmul_precision(self.probe)


def held_matmul(probe: str) -> bool:
    """Whether a probe of this key holds a matmul: a stream does not heat a card to its limit."""
    return is_matmul(probe)


def series_times(session: Session, probe: str, run: int) -> list[float]:
    """Per-launch times of a probe so far, in order."""
    return [t for s in session.series if s.probe == probe and s.run == run for t in s.times_s]


def onset_of(session: Session, probe: str, run: int) -> float | None:
    """Seconds from a sustained probe's start to the fall of its rate; None when it never fell."""
    return onset_s(series_times(session, probe, run))


def fall(session: Session, run: int | None = None, probe: str | None = None) -> Fall | None:
    """The fall in a held matmul: from its last chunk while it runs, then its window.

    Without ``probe`` it is the one that was held last in the run (the reported one by default).
    """
    wanted = run or session.reported_run
    series = [
        s
        for s in session.series
        if s.run == wanted and held_matmul(s.probe) and probe in (None, s.probe)
    ]
    if not series:
        return None
    last = series[-1]
    held = next((m for m in session.measured(wanted) if m.probe == last.probe), None)
    if held is not None:
        rate = tflops(held)
        begin, end, spun = held.begin_s, held.end_s, held.clock_mhz
    else:
        rate = (last.flop or 0.0) / median(last.times_s) / 1e12
        begin, end, spun = last.t0, last.t0 + sum(last.times_s) + 0.1, last.clock_mhz
    samples = session.between(begin, end)
    # The device's own reading where there is one: NVML's is up to 100 ms old.
    clocks = spun or [s.sm_mhz for s in samples if s.sm_mhz is not None]
    powers = [s.power_w for s in samples if s.power_w is not None]
    mask = 0
    for sample in samples:
        mask |= sample.reasons or 0
    burst = _burst_of(session, last.probe, wanted)
    device = session.device
    clock = median(clocks) if clocks else None
    # At its top the clock has cost nothing: then the difference is another's, or noise.
    fell = clock is None or not device.sm_max_mhz or clock < AT_TOP * device.sm_max_mhz
    shared = bool(device.processes)  # then what is missing is somebody else's, whatever the clock
    price = tflops(burst) - rate if burst is not None and fell and not shared else None
    return Fall(
        probe=last.probe,
        tflops=rate,
        price_tflops=price if price is not None and price > 0 else None,
        sm_mhz=clock,
        sm_max_mhz=device.sm_max_mhz,
        power_w=median(powers) if powers else None,
        power_limit_w=device.power_limit_w,
        reasons=[r for r in decode(mask) if r != "idle"],
    )


def _burst_of(session: Session, probe: str, run: int) -> Measurement | None:
    """The burst measurement of the same precision; the sustained probe holds its best shape."""
    key = unheld_key(probe)
    return next((m for m in session.measurements if m.probe == key and m.run == run), None)


def throttled(session: Session, probe: str) -> Finding | None:
    """The fall as a finding: an explanation, not a fault, when the reason is the power limit."""
    seen = fall(session, probe=probe)
    if seen is None or seen.price_tflops is None:
        return None
    before = seen.tflops + seen.price_tflops
    if seen.price_tflops < WORTH_SAYING * before or not seen.reasons:
        return None
    return finding(
        "throttled",
        "held",
        severity=NOTE,
        subject=seen.probe,
        sentence=seen.sentence,
        sm_mhz=seen.sm_mhz,
        power_w=seen.power_w,
        reasons=seen.reasons,
        burst_tflops=before,
        sustained_tflops=seen.tflops,
        onset_s=onset_of(session, seen.probe, session.reported_run),
    )
