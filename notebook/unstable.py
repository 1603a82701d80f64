"""Repetitions that disagree, among themselves or with a control: the median may not repeat."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding, percent
from roofwatch.notebook.reading import Reading

SPREAD = 0.10
DRIFT = 0.03
HELD = 0.05  # under its power limit a clock wanders by less than this
CONTROL = 0.02  # bytes move as fast in either type (seed, Day 13)
PROFILER = 0.05  # seed, question 1: the profiler's kernel time against the events' median


def unstable(reading: Reading) -> Finding | None:
    """IQR over 10 % of the median."""
    if reading.spread is None or reading.spread <= SPREAD or reading.modes:
        return None
    return finding(
        "unstable",
        root="conditions",
        severity=SUSPECT,
        subject=reading.subject,
        message=f"The middle half of its {reading.repetitions} repetitions spans "
        f"{percent(reading.spread)} of the median.",
        why="Something else ran, or the clock moved: the median may not repeat.",
        do="Run it again; look at the clock and at other processes while it runs.",
        spread=reading.spread,
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
        root="conditions",
        severity=SUSPECT if reading.protocol == "stream" else NOTE,
        subject=reading.subject,
        message=f"Its {reading.repetitions} repetitions fall into two groups: {percent(share)} of "
        f"them take {percent(slow / fast - 1)} longer than the others.",
        why="A median of two different machines is neither: the clock has two states, or something "
        "else ran in turns.",
        do="Look at the clock and at other processes while it runs; report both groups.",
        fast_s=fast,
        slow_s=slow,
        slow_share=share,
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
        root="conditions",
        severity=NOTE if burst or reading.protocol == "sustained" else SUSPECT,
        subject=reading.subject,
        message=f"It became {percent(abs(reading.drift))} {'slower' if slower else 'faster'} from "
        f"the first to the last third of its {reading.repetitions} repetitions.",
        why="The power budget of a rested card was spent before the burst was over."
        if burst and slower
        else "The conditions changed while it ran: warm-up, clock, temperature or other work.",
        do="Read the best beside the median; rest the card longer, or compare held figures.",
        drift=reading.drift,
    )


def control(reading: Reading) -> Finding | None:
    """The same bytes in another type take another time, and did so when both were repeated."""
    if reading.control_ratio is None or abs(reading.control_ratio - 1) <= CONTROL:
        return None
    return finding(
        "unstable",
        root="bytes",
        severity=SUSPECT,
        subject=reading.subject,
        message=f"It moves bytes at {percent(reading.control_ratio)} of the rate that the same "
        "kernel reaches in the other type, also when both are repeated.",
        why="Bandwidth counts bytes, not elements: two types should agree within "
        f"{percent(CONTROL)}.",
        do="Doubt the byte count first, then the kernel of one type, then the conditions.",
        ratio=reading.control_ratio,
    )


def profiler(reading: Reading) -> Finding | None:
    """The profiler's kernel time lies 5 % from the events' median."""
    ratio = reading.profiler_ratio
    if ratio is None or reading.protocol != "stream" or abs(ratio - 1) <= PROFILER:
        return None
    return finding(
        "unstable",
        root="conditions",
        severity=SUSPECT,
        subject=reading.subject,
        message=f"The profiler's kernel time is {percent(ratio)} of the median that was timed.",
        why="Both time the same launches: more than 5 % apart, one of them sees gaps, other work "
        "or another kernel.",
        do="Run it again; look at other processes, and at the kernel's name in the record.",
        ratio=ratio,
    )
