"""Repetitions that disagree, among themselves or with the profiler: the median may not repeat."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.statistics import HELD_OVER

SPREAD = 0.10
DRIFT = 0.03
HELD = 0.05  # under its power limit a clock wanders by less than this
PROFILER = 0.05  # seed, question 1: the profiler's kernel time against the events' median


def unstable(reading: Reading) -> Finding | None:
    """IQR over 10 % of the median."""
    if reading.spread is None or reading.spread <= SPREAD or reading.modes:
        return None
    return finding(
        "unstable",
        "spread",
        severity=SUSPECT,
        subject=reading.subject,
        spread=reading.spread,
        others_cores=reading.others_cores,
        said={"repetitions": reading.repetitions, "cores": reading.cores},
    )


def bimodal(reading: Reading) -> Finding | None:
    """The repetitions fall into two groups."""
    if reading.modes is None:
        return None
    fast, slow, share = reading.modes
    if reading.protocol == "sustained" and slow / fast - 1 <= HELD:
        return None
    return finding(
        "unstable",
        "two_groups",
        severity=SUSPECT if reading.protocol == "stream" else NOTE,
        subject=reading.subject,
        fast_s=fast,
        slow_s=slow,
        slow_share=share,
        others_cores=reading.others_cores,
        said={
            "repetitions": reading.repetitions,
            "longer": slow / fast - 1,
            "cores": reading.cores,
        },
    )


def drifting(reading: Reading) -> Finding | None:
    """The last third of the repetitions lies 3 % from the first, of a held probe 5 %."""
    limit = HELD if reading.protocol == "sustained" else DRIFT
    if reading.drift is None or abs(reading.drift) <= limit or reading.modes:
        return None
    burst = reading.protocol == "burst"
    slower = reading.drift > 0
    return finding(
        "unstable",
        "burst_slower" if burst and slower else "slower" if slower else "faster",
        severity=NOTE if burst or reading.protocol == "sustained" else SUSPECT,
        subject=reading.subject,
        drift=reading.drift,
        others_cores=reading.others_cores,
        said={
            "repetitions": reading.repetitions,
            "by": abs(reading.drift),
            "cores": reading.cores,
        },
    )


def profiler(reading: Reading) -> Finding | None:
    """The profiler's kernel time lies 5 % from the events' median."""
    ratio = reading.profiler_ratio
    if ratio is None or reading.protocol != "stream" or abs(ratio - 1) <= PROFILER:
        return None
    return finding(
        "unstable",
        "profiler",
        severity=SUSPECT,
        subject=reading.subject,
        ratio=ratio,
    )


def held_noise(spread: float, held_spread: float) -> float:
    """The share by which a held rate may lie over that of the short run (both IQR over median)."""
    return max(HELD_OVER, spread + held_spread)


def held_faster(reading: Reading) -> Finding | None:
    """The same work held for seconds is faster than from rest, by more than both spreads."""
    ratio = reading.held_ratio
    noise = held_noise(reading.spread or 0.0, reading.held_spread or 0.0)
    if ratio is None or ratio - 1 <= noise:
        return None
    return finding(
        "unstable",
        "held_faster",
        severity=SUSPECT,
        subject=reading.subject,
        ratio=ratio,
        noise=noise,
        others_cores=reading.others_cores,
        said={"cores": reading.cores},
    )
