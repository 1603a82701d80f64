"""E1, seed error 1: the bytes that were counted miss the writes, or a whole stream."""

from __future__ import annotations

from itertools import combinations

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading

TOLERANCE = 0.035
ONE_WAY = ("reduce", "read", "fill", "h2d", "d2h", "matmul")  # nothing written, or nothing read
SHARES: dict[str, tuple[float, ...]] = {
    "add": (1 / 3, 2 / 3),
    "triad": (1 / 3, 2 / 3),
    "decode": (1 / 2, 2 / 3),  # keys without values
    "attention": (1 / 2, 2 / 3),
}
"""Shares of the traffic that a count of some streams makes, where sizes are not given."""


def read_only_bytes(reading: Reading) -> Finding | None:
    """By arithmetic where time and size allow it; else one suspect among several."""
    if reading.op in ONE_WAY:
        return None
    if reading.claimed_bytes and reading.bytes:
        return _counted(reading, reading.claimed_bytes / reading.bytes)
    return _hidden(reading)


def partial_shares(streams: tuple[float, ...]) -> list[float]:
    """Shares of all bytes that some of the streams make, without the others."""
    total = sum(streams)
    shares = {
        round(sum(some) / total, 4)
        for size in range(1, len(streams))
        for some in combinations(streams[:4], size)
    }
    return sorted(share for share in shares if share > 0)


def _counted(reading: Reading, ratio: float) -> Finding | None:
    shares = partial_shares(reading.streams_bytes)
    slack = TOLERANCE + reading.rounding
    share = min(shares, key=lambda s: abs(ratio / s - 1), default=None)
    if share is None or abs(ratio / share - 1) > slack or abs(ratio - 1) <= slack:
        return None
    assert reading.bytes
    assert reading.claimed_bytes
    if passed(reading) is not None:
        return None  # all streams in that time are more than the memory carries
    gbs = reading.gbs
    return finding(
        "E1",
        "counted",
        severity=WRONG,
        subject=reading.subject,
        gbs=gbs,
        share=ratio,
        counted_mb=reading.claimed_bytes / 1e6,
        moved_mb=reading.bytes / 1e6,
        corrected_gbs=gbs / share if gbs else None,
        corrected_of_nominal=gbs / share / reading.nominal_gbs
        if gbs and reading.nominal_gbs
        else None,
        op=reading.op,
    )


def _hidden(reading: Reading) -> Finding | None:
    if reading.judged != "gbs" or not reading.below or reading.gbs is None:
        return None
    if reading.bytes and reading.time_s:
        return None  # the rate was computed from all streams
    best: tuple[float, float] | None = None
    for share in SHARES.get(reading.op, (1 / 2,)):
        fit = reading.fits(reading.gbs / share)
        if fit is not None and (best is None or fit > best[0]):
            best = (fit, share)
    if best is None:
        return None
    fit, share = best
    return finding(
        "E1",
        "hidden",
        severity=SUSPECT,
        subject=reading.subject,
        fit=fit,
        gbs=reading.gbs,
        share=share,
        corrected_gbs=reading.gbs / share,
        low=reading.low,
        high=reading.high,
        op=reading.op,
    )
