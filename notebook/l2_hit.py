"""E2, seed error 2: the tensors fit in the last-level cache, so the memory was never measured."""

from __future__ import annotations

from roofwatch.notebook.ceilings import cached, passed_memory
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading

MIB = 1 << 20
ENOUGH = 20  # our own probes' multiple
NOT_DRAM = ("h2d", "d2h", "decode", "matmul")
MOST_CACHE = 5.0  # times nominal: no last-level cache of a GPU is faster than that


def l2_hit(reading: Reading) -> Finding | None:
    """Under 1x the cache, or under 2x and over nominal: wrong. To 4x: a note."""
    if reading.judged != "gbs" or reading.gbs is None or reading.op in NOT_DRAM:
        return _faster_than_memory(reading)
    size, cache = reading.working_set_bytes, reading.cache_bytes
    if not size:
        return _unknown_size(reading)
    if not cache:
        return None
    multiple = size / cache
    if multiple >= 4 or (multiple >= 2 and reading.over):
        return None  # above twice the cache the cache cannot explain it
    if reading.below and not reading.stated and not reading.ours:
        return None  # nobody claims a bandwidth, and the time is that of a launch
    nominal = reading.nominal_gbs
    if reading.over and nominal and reading.gbs > nominal * 4 * MOST_CACHE:
        return None  # no cache is that fast: the clock stopped early
    wrong = multiple < 1 or (multiple < 2 and reading.over)
    return _fits(reading, WRONG if wrong else NOTE, reading.gbs, size, cache)


def _fits(reading: Reading, severity: str, gbs: float, size: float, cache: float) -> Finding:
    return finding(
        "E2",
        "partly" if severity == NOTE else "fits",
        severity=severity,
        subject=reading.subject,
        gbs=gbs,
        working_set_bytes=size,
        cache_bytes=cache,
        nominal_gbs=reading.nominal_gbs,
        said={
            "working_set_mib": size / MIB,
            "cache_mib": cache / MIB,
            "multiple": size / cache,
            "enough_mib": ENOUGH * cache / MIB,
        },
    )


def _faster_than_memory(reading: Reading) -> Finding | None:
    """A matmul, a step or a rate of FLOP whose bytes no memory carries in its time, but a cache."""
    size, cache, least = (
        reading.working_set_bytes or reading.bytes,
        reading.cache_bytes,
        reading.least,
    )
    if not size or not cache or least is None or not least.bytes:
        return None
    found = passed_memory(reading)
    if found is None and reading.on_slope and reading.above and size < cache:
        return _fits(reading, SUSPECT, least.bytes / least.time_s / 1e9, size, cache)
    if found is None or not cached(reading, found):
        return None
    if reading.over and reading.judged == "tflops":
        return None  # no cache makes the units faster
    return _fits(reading, WRONG, found.rate, size, cache)


def _unknown_size(reading: Reading) -> Finding | None:
    """Over what the memory usually carries, and nobody said how large the arrays were."""
    nominal, cache = reading.nominal_gbs, reading.cache_bytes
    if not reading.above or not nominal or reading.gbs is None:
        return None
    if reading.gbs > MOST_CACHE * nominal or (reading.op == "other" and not reading.over):
        return None
    return finding(
        "E2",
        "unknown_size",
        severity=WRONG if reading.over else SUSPECT,
        subject=reading.subject,
        gbs=reading.gbs,
        nominal_gbs=nominal,
        cache_bytes=cache,
        said={
            "of_nominal": reading.gbs / nominal,
            "cache_mib": cache / MIB if cache else None,
            "enough_mib": ENOUGH * cache / MIB if cache else None,
        },
    )
