"""E5, seed error 5: the clock stopped when the work was queued, not when it was done."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.ceilings import Passed, passed
from roofwatch.notebook.finding import SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import ROUNDING, Reading

DEVICE_TIMERS = ("event", "graph", "profiler")
FLOOR_S = 1.5e-6  # no kernel starts and ends in less; 0.48 µs is a tick of a timer
OVER = 1.5  # times the ceiling from which a missing synchronise is the likeliest
MOST_CACHE = 32.0
WITHOUT_TIME = {"gbs": 5.0, "tflops": 3.0}
CALL_S = 2e-4  # a host call that only queues: 20 to 140 µs were seen


def missing_sync(reading: Reading) -> Finding | None:
    """A timer without a synchronise, a time under any launch, or that of a queued call."""
    if reading.timing in DEVICE_TIMERS or reading.ours:
        return None
    if reading.synchronized is False:
        return _say(reading, "unsynchronised")
    if reading.synchronized or reading.rate is None:
        return None
    if reading.time_s and reading.time_s < FLOOR_S and reading.op != "decode":
        return _say(reading, "under_floor")
    queued = reading.time_s is not None and reading.time_s < CALL_S
    if queued and _beyond(reading):
        return _say(reading, "over")
    other = passed(reading)
    return (
        _say_other(reading, other) if queued and other and _other_beyond(reading, other) else None
    )


def maybe_queued(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """A rate beyond any ceiling in a longer time, or in none that is told, and no rule says why."""
    if reading.timing in DEVICE_TIMERS or reading.ours or reading.synchronized:
        return None
    if any(f.severity == WRONG or f.code == "E5" for f in found):
        return None
    if _beyond(reading):
        return _say(reading, "over", fit=0.5)
    other = passed(reading)
    if other is None or not _other_beyond(reading, other):
        return None
    return _say_other(reading, other, fit=0.5 if other.sure else None)


def _other_beyond(reading: Reading, other: Passed) -> bool:
    """The ceiling that the number is not judged by: over it by more than a count would be off."""
    if other.time_s is None or reading.of_tokens:
        return False  # no clock was read, or a server's: what was counted is wrong
    return other.rate / other.ceiling >= OVER or other.time_s < CALL_S


def _beyond(reading: Reading) -> bool:
    """Over the ceiling by more than another peak, a double count or the cache would give."""
    ceiling, rate = reading.ceiling, true_rate(reading)
    if not reading.over or not ceiling or not rate or reading.of_tokens:
        return False
    if reading.op == "decode" and reading.judged == "gbs":
        return False  # tokens a step may explain it, or else ``passed`` says so
    times = rate / ceiling
    if reading.op in ("h2d", "d2h"):
        return times > ROUNDING  # no cache stands behind a link
    size, cache = reading.working_set_bytes, reading.cache_bytes
    if reading.judged == "gbs" and size and cache and size < 2 * cache and times < MOST_CACHE:
        return False  # the cache explains it
    if reading.time_s is None:
        large = reading.judged == "gbs" and size and cache and size >= 2 * cache
        return times >= (OVER if large else WITHOUT_TIME[reading.judged or "gbs"])
    return times >= OVER or (times > ROUNDING and reading.time_s < CALL_S)


def true_rate(reading: Reading) -> float | None:
    """What time and work give, whatever was claimed; the claim where they are not known."""
    if not reading.time_s:
        return reading.rate
    if reading.judged == "gbs":
        return reading.bytes / reading.time_s / 1e9 if reading.bytes else reading.rate
    return reading.flop / reading.time_s / 1e12 if reading.flop else reading.rate


def _say(reading: Reading, case: str, fit: float | None = None) -> Finding:
    ceiling = reading.ceiling
    times = reading.rate / ceiling if reading.rate and ceiling else None
    return finding(
        "E5",
        case,
        severity=WRONG,
        subject=reading.subject,
        fit=fit,
        rate=reading.rate,
        unit=reading.unit,
        time_us=reading.time_s * 1e6 if reading.time_s else None,
        nominal=reading.nominal,
        ceiling=ceiling,
        times=times,
        least_us=reading.expected_s * 1e6 if reading.expected_s else None,
    )


def _say_other(reading: Reading, other: Passed, fit: float | None = None) -> Finding:
    """The time judged by bytes does too many FLOP, or the other way round."""
    return finding(
        "E5",
        "over_bytes" if other.of_bytes else "over_flop",
        severity=WRONG if other.sure else SUSPECT,
        subject=reading.subject,
        fit=fit,
        rate=other.rate,
        unit=other.unit,
        time_us=other.time_s * 1e6 if other.time_s else None,
        nominal=other.nominal,
        ceiling=other.ceiling,
        times=other.rate / other.ceiling,
        least_us=other.least_s * 1e6,
        said={
            "work_mb": other.work / 1e6,
            "work_gflop": other.work / 1e9,
            "batch": other.shared(reading),
            "packed_mb": other.packed_mb(reading),
            "params": "params" if reading.op == "decode" else None,
        },
    )
