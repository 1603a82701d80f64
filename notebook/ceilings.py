"""A time is held against both ceilings: its bytes against the memory, its FLOP against the units.

Whatever a number is judged by, the same seconds must do both. A matmul of one row is judged by
TFLOP/s and bound by bytes; a step of a thousand sequences is judged by GB/s and bound by FLOP.
"""

from __future__ import annotations

import msgspec

from roofwatch.notebook.reading import ROUNDING, Reading

MOST_CACHE = 20.0  # times nominal memory: no last-level cache of a GPU is faster than that
UNKNOWN_CACHE_BYTES = float(256 << 20)  # the largest there is, for a card that nobody knows
NEVER_DRAM = ("h2d", "d2h")


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """A ceiling that the least work of a reading passes in its time.

    Rates in GB/s where ``of_bytes``, else in TFLOP/s; ``work`` in bytes or FLOP. ``sure`` is False
    where another way to read the row stays below it.
    """

    of_bytes: bool
    rate: float
    nominal: float | None
    ceiling: float
    work: float
    time_s: float | None
    sure: bool

    @property
    def unit(self) -> str:
        """Of the rate."""
        return "GB/s" if self.of_bytes else "TFLOP/s"

    @property
    def least_s(self) -> float:
        """What the work takes at the ceiling."""
        return self.work / (self.ceiling * (1e9 if self.of_bytes else 1e12))

    def shared(self, reading: Reading) -> int | None:
        """The batch whose matmuls would stay below it, had they an operand in common."""
        return reading.batch if not self.sure and reading.op == "matmul" else None


def passed(reading: Reading) -> Passed | None:
    """The ceiling that rules about the judged rate do not see, and that its time passes.

    None where the judged rate itself is over (its own rules say so), and for a rate of bytes that
    a cache explains: that is E2's.
    """
    for of_bytes in (False, True):
        found = _held(reading, of_bytes)
        if found is None:
            continue
        if of_bytes == (reading.judged == "gbs") and (reading.over or reading.highest):
            continue
        if of_bytes and (_of_decode(reading) or cached(reading, found)):
            continue
        return found
    return None


def passed_memory(reading: Reading) -> Passed | None:
    """The memory's ceiling, where the bytes of a reading pass it in its time, cached or not."""
    return _held(reading, True)


def cached(reading: Reading, found: Passed) -> bool:
    """Whether the last-level cache may have carried it: a set under twice that, at its rate."""
    if reading.op in NEVER_DRAM:
        return False
    size = reading.working_set_bytes or reading.bytes or found.work
    cache = reading.cache_bytes or UNKNOWN_CACHE_BYTES
    return bool(size and size < 2 * cache and found.rate <= MOST_CACHE * found.ceiling)


def _of_decode(reading: Reading) -> bool:
    """A step judged by its bytes: several tokens a pass explain those, so its own rules say."""
    return reading.op == "decode" and reading.judged == "gbs"


def _held(reading: Reading, of_bytes: bool) -> Passed | None:
    least = reading.least
    ceiling = reading.ceiling_of("gbs" if of_bytes else "tflops")
    if reading.emulated and reading.op == "decode" and not of_bytes:
        ceiling = reading.any_dense  # four-bit weights may be multiplied in any type
    if least is None or ceiling is None:
        return None
    work = least.bytes if of_bytes else least.flop
    sure = least.sure_bytes if of_bytes else least.sure_flop
    if not work:
        return None
    limit = ceiling * ROUNDING * least.time_s * (1e9 if of_bytes else 1e12)
    if work * (1 - reading.rounding) <= limit:
        return None
    return Passed(
        of_bytes=of_bytes,
        rate=work / least.time_s / (1e9 if of_bytes else 1e12),
        nominal=reading.nominal_gbs if of_bytes else reading.nominal_tflops,
        ceiling=ceiling,
        work=work,
        time_s=least.time_s if least.timed else None,
        sure=(sure or 0.0) * (1 - reading.rounding) > limit,
    )
