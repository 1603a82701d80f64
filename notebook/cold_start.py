"""The first launches: libraries load, pages are touched, clocks come up."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

LIMIT = 0.05
LAUNCH_S = 6e-5  # an eager call at its slowest
TIMES = 3.0  # over the work and a launch, from which initialisation is likely
LONGEST_S = 5e-3  # of work beside which tens of milliseconds of loading are seen


def cold_start(reading: Reading) -> Finding | None:
    """Our warm-up's first repetitions are 5 % and more slower than the settled ones."""
    ratio = reading.first_block_ratio
    if ratio is None or ratio <= 1 + LIMIT:
        return None
    return finding(
        "cold-start",
        "first_block",
        severity=NOTE,
        subject=reading.subject,
        ratio=ratio,
        said={"longer": ratio - 1},
    )


def no_warm_up(reading: Reading) -> Finding | None:
    """Far longer than the work and a launch together: something was set up inside the time."""
    time, shortest = reading.time_s, reading.expected_s
    if reading.ours or not reading.below or not time or reading.op in ("h2d", "d2h"):
        return None
    if shortest is None or shortest > LONGEST_S:
        return None
    usual = shortest + LAUNCH_S
    if time < TIMES * usual:
        return None
    return finding(
        "cold-start",
        "no_warm_up",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.95 if shortest < LAUNCH_S else 0.5,
        time_us=time * 1e6,
        usual_us=usual * 1e6,
        times=time / usual,
    )
