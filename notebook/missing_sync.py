"""E5, seed error 5: the clock stopped when the work was queued, not when it was done."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding, finding
from roofwatch.notebook.reading import Reading

DEVICE_TIMERS = ("event", "graph", "profiler")
FLOOR_S = 1.5e-6  # no kernel starts and ends in less; 0.48 µs is a tick of a timer
OVER = 1.5  # times the ceiling from which a missing synchronise is the likeliest
WITHOUT_TIME = {"gbs": 8.0, "tflops": 3.0}
CALL_S = 2e-4  # a host call that only queues: 20 to 140 µs were seen


def missing_sync(reading: Reading) -> Finding | None:
    """A timer without a synchronise, a time under any launch, or a rate beyond any ceiling."""
    if reading.timing in DEVICE_TIMERS or reading.ours:
        return None
    if reading.synchronized is False:
        return _say(reading, "unsynchronised")
    if reading.synchronized or reading.rate is None:
        return None
    if reading.time_s and reading.time_s < FLOOR_S and reading.op != "decode":
        return _say(reading, "under_floor")
    ceiling = reading.ceiling
    if not reading.over or not ceiling or reading.op == "decode":
        return None
    size, cache = reading.working_set_bytes, reading.cache_bytes
    times = reading.rate / ceiling
    if reading.judged == "gbs" and size and cache and size < 2 * cache and times < 32:
        return None  # the cache explains it
    short = reading.time_s is not None and reading.time_s < CALL_S
    if times < OVER and not short and reading.op not in ("h2d", "d2h"):
        return None
    on_link = reading.op in ("h2d", "d2h")  # no cache stands behind a link
    if not on_link and reading.time_s is None and times < WITHOUT_TIME[reading.judged or "gbs"]:
        return None  # the cache, another peak or another count come first
    # A queued call returns in microseconds; milliseconds may be another unit, or other work.
    queued = reading.time_s is not None and reading.time_s < 5 * CALL_S
    return _say(reading, "over", fit=None if queued else 0.5)


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
