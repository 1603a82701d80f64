"""Bytes counted in another way: operand loads that caches serve, a stream twice, only a part."""

from __future__ import annotations

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.read_only_bytes import ONE_WAY, partial_shares
from roofwatch.notebook.reading import ROUNDING, Reading
from roofwatch.notebook.units import OF_FLOP, slip_of

TOLERANCE = 0.06
EXACT = ("copy", "add", "add_scalar", "triad", "fill", "read", "reduce", "relu", "matmul")
"""Ops whose compulsory bytes leave no choice; norms may pass twice over their input."""


def bytes_miscounted(reading: Reading) -> Finding | None:
    """The claim's bytes are neither the compulsory ones, nor some of the streams, nor a slip."""
    if reading.claimed_bytes and reading.bytes:
        return _counted(reading, reading.claimed_bytes / reading.bytes)
    return _twice(reading)


def own_bytes_contradicted(reading: Reading) -> Finding | None:
    """The bytes that a row says it counts are not its rate times its time."""
    stated, counted = reading.stated_bytes, reading.claimed_bytes
    if not stated or not counted:
        return None
    right = bool(reading.bytes) and abs(counted / (reading.bytes or 1.0) - 1) <= TOLERANCE
    return finding(
        "bytes-miscounted",
        "contradicts",
        severity=NOTE if right else SUSPECT,
        subject=reading.subject,
        gbs=reading.gbs,
        stated_mb=stated / 1e6,
        counted_mb=counted / 1e6,
        moved_mb=reading.bytes / 1e6 if reading.bytes else None,
        said={"time_us": reading.time_s * 1e6 if reading.time_s else None},
    )


def understated(reading: Reading) -> Finding | None:
    """A matmul's row states fewer bytes than its operands have, packed as far as they can be."""
    stated = reading.understated_bytes
    if stated is None or not reading.bytes:
        return None
    return finding(
        "bytes-miscounted",
        "understated",
        severity=SUSPECT,
        subject=reading.subject,
        stated_mb=stated / 1e6,
        least_mb=reading.bytes / 1e6,
        said={
            "shape": "x".join(str(reading.shape[name]) for name in ("m", "n", "k")),
            "batch": reading.shape.get("batch"),
        },
    )


def overstated(reading: Reading) -> Finding | None:
    """A matmul's row states more bytes than its operands have, and than the memory carries."""
    ceiling, moved, counted = reading.ceiling_of("gbs"), reading.formula_bytes, reading.bytes
    if not (ceiling and moved and counted and reading.gbs and reading.time_s):
        return None
    rate = counted / reading.time_s / 1e9
    if counted <= moved * (1 + TOLERANCE) or rate * (1 - reading.rounding) <= ceiling * ROUNDING:
        return None
    if passed(reading) is not None or reading.claimed_bytes:
        return None
    return finding(
        "bytes-miscounted",
        "more",
        severity=WRONG,
        subject=reading.subject,
        gbs=rate,
        ratio=counted / moved,
        counted_mb=counted / 1e6,
        moved_mb=moved / 1e6,
        corrected_gbs=moved / reading.time_s / 1e9,
        op=reading.op,
    )


def other_run(reading: Reading) -> Finding | None:
    """Rate and time of a decode step do not belong together."""
    ratio = reading.tokens_ratio
    if ratio is None or ratio >= 1 - TOLERANCE or slip_of(ratio, 0.0, OF_FLOP):
        return None
    batch = reading.batch or 1
    return finding(
        "bytes-miscounted",
        "tokens",
        severity=SUSPECT,
        subject=reading.subject,
        tokens=ratio * batch,
        batch=batch,
    )


def does_not_fit(reading: Reading) -> Finding | None:
    """Weights larger than the card's memory: not all of them were on it."""
    weights, memory = reading.weights_bytes, reading.memory_bytes
    if not weights or not memory or weights <= memory:
        return None
    return finding(
        "bytes-miscounted",
        "does_not_fit",
        severity=WRONG if reading.over else SUSPECT,
        subject=reading.subject,
        weights_bytes=weights,
        memory_bytes=memory,
        said={"weights_gb": weights / 1e9, "memory_gb": memory / 1e9},
    )


def _counted(reading: Reading, ratio: float) -> Finding | None:
    slack = TOLERANCE + reading.rounding
    if abs(ratio - 1) <= slack or slip_of(ratio, reading.rounding):
        return None
    shares = [] if reading.op in ONE_WAY else partial_shares(reading.streams_bytes)
    if any(abs(ratio / share - 1) <= TOLERANCE + reading.rounding for share in shares):
        return None  # E1 says so
    assert reading.bytes
    assert reading.claimed_bytes
    if ratio < 1 and passed(reading) is not None:
        return None  # all bytes in that time are more than the memory carries
    exact = reading.op in EXACT and not (reading.op == "matmul" and 1 < ratio < 6)
    return finding(
        "bytes-miscounted",
        "more" if ratio > 1 else "fewer",
        severity=WRONG if exact or reading.over else SUSPECT,
        subject=reading.subject,
        gbs=reading.gbs,
        ratio=ratio,
        counted_mb=reading.claimed_bytes / 1e6,
        moved_mb=reading.bytes / 1e6,
        corrected_gbs=reading.gbs / ratio if reading.gbs else None,
        op=reading.op,
    )


def _twice(reading: Reading) -> Finding | None:
    """Over what the memory carries, and half of it would be usual."""
    if reading.judged != "gbs" or not reading.over or reading.gbs is None:
        return None
    if reading.bytes and reading.time_s:
        return None  # the arithmetic would say so
    fit = reading.fits(reading.gbs / 2)
    if fit is None:
        return None
    return finding(
        "bytes-miscounted",
        "twice",
        severity=WRONG,
        subject=reading.subject,
        fit=fit,
        gbs=reading.gbs,
        corrected_gbs=reading.gbs / 2,
        low=reading.low,
        high=reading.high,
    )
