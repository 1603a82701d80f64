"""A time is held against both ceilings: its bytes against the memory, its FLOP against the units.

Whatever a number is judged by, the same seconds must do both. A matmul of one row is judged by
TFLOP/s and bound by bytes; a step of a thousand sequences is judged by GB/s and bound by FLOP.
"""

from __future__ import annotations

import msgspec

from roofwatch.notebook.reading import ROUNDING, Reading

MOST_CACHE = 20.0  # times nominal memory: no last-level cache of a GPU is faster than that
UNKNOWN_CACHE_BYTES = float(256 << 20)  # the largest there is, for a card that nobody knows
LEAST_PACKED = 0.12  # four bits of thirty-two
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

    def packed_mb(self, reading: Reading) -> float | None:
        """What a matmul's row counts, where that is its weights in fewer bits and could be."""
        counted = reading.claimed_bytes
        if not (self.of_bytes and reading.op == "matmul" and counted and self.time_s):
            return None
        could = counted <= self.ceiling * ROUNDING * self.time_s * 1e9
        return counted / 1e6 if could and counted >= LEAST_PACKED * self.work else None


def passed(reading: Reading) -> Passed | None:
    """The ceiling that rules about the judged rate do not see, and that its time passes.

    None where the judged rate itself is over (its own rules say so), and for a rate of bytes that
    a cache explains: that is E2's.
    """
    for of_bytes in (False, True):
        found = _held(reading, of_bytes)
        if found is None:
            continue
        step = of_bytes and _of_decode(reading)
        if step and not (step_known(reading) and found.sure):
            continue
        own = of_bytes == (reading.judged == "gbs")
        if not step and own and (reading.over or reading.highest):
            continue
        if of_bytes and cached(reading, found):
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
    if found.time_s is not None:
        size = min(size, found.work)  # a result may be as narrow as its operands
    cache = reading.cache_bytes or UNKNOWN_CACHE_BYTES
    return bool(size and size < 2 * cache and found.rate <= MOST_CACHE * found.ceiling)


def _of_decode(reading: Reading) -> bool:
    """A step judged by its bytes: several tokens a pass explain a rate of tokens over those.

    They do not explain the time of a step: it reads the weights once, whatever it yields.
    """
    return reading.op == "decode" and reading.judged == "gbs"


def step_known(reading: Reading) -> bool:
    """Whether the time of one step is: as measured, or by the tokens that it is said to yield."""
    return reading.step_timed or reading.tokens_per_step is not None


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
