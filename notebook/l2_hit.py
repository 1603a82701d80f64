"""E2, seed error 2: the tensors fit in the last-level cache, so the memory was never measured."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, WRONG, Finding, finding
from roofwatch.notebook.over_nominal import ROUNDING
from roofwatch.notebook.reading import Reading

MIB = 1 << 20
ENOUGH = 20  # our own probes' multiple


def l2_hit(reading: Reading) -> Finding | None:
    """Under 1x the cache, or under 2x and over nominal: wrong. To 4x: a note."""
    size, cache = reading.working_set_bytes, reading.cache_bytes
    if not size or not cache or reading.gbs is None or reading.op == "matmul":
        return None
    multiple = size / cache
    nominal = reading.nominal_gbs
    over = nominal is not None and reading.gbs > ROUNDING * max(nominal, reading.ceiling_gbs or 0.0)
    if multiple >= 4 or (multiple >= 2 and over):
        return None  # above twice the cache the cache cannot explain it
    wrong = multiple < 1 or (multiple < 2 and over)
    against = f"; nominal is {nominal:.0f} GB/s" if nominal else ""
    return finding(
        "E2",
        root="bytes",
        severity=WRONG if wrong else NOTE,
        subject=reading.subject,
        message=f"{reading.gbs:.0f} GB/s with all tensors together {size / MIB:.1f} MiB, "
        f"{multiple:.2g} times the {cache / MIB:.4g} MiB last-level cache{against}.",
        why="After the first pass data that fits never leaves the chip: this is the cache's rate."
        if wrong
        else "A set a few times the cache still finds part of itself there.",
        do=f"1. measure with at least {ENOUGH * cache / MIB:.0f} MiB ({ENOUGH} x the cache); "
        "2. look where a size sweep levels out; 3. only then doubt the card.",
        gbs=reading.gbs,
        working_set_bytes=size,
        cache_bytes=cache,
        nominal_gbs=nominal,
    )
