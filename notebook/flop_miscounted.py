"""FLOP counted in another way: a multiply-add as one or as four, a backward pass, another shape."""

from __future__ import annotations

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.units import OF_FLOP, slip_of

PRIOR = 0.95  # twice the dense rate is more often a sparse one
TOLERANCE = 0.04


def flop_miscounted(reading: Reading) -> Finding | None:
    """By arithmetic where time and shape are given; else half or twice the rate would be usual."""
    if reading.op != "matmul":
        return None if not reading.over else _hidden(reading)  # no other op has one count
    if reading.claimed_flop and reading.flop:
        return _counted(reading, reading.claimed_flop / reading.flop)
    return _hidden(reading)


def own_flop_contradicted(reading: Reading) -> Finding | None:
    """The FLOP that a row says it counts are not its rate times its time."""
    stated, counted = reading.stated_flop, reading.claimed_flop
    if not stated or not counted:
        return None
    right = bool(reading.flop) and abs(counted / (reading.flop or 1.0) - 1) <= TOLERANCE
    return finding(
        "flop-miscounted",
        "contradicts",
        severity=NOTE if right else SUSPECT,
        subject=reading.subject,
        tflops=reading.tflops,
        stated_gflop=stated / 1e9,
        counted_gflop=counted / 1e9,
        gflop=reading.flop / 1e9 if reading.flop else None,
        said={"time_us": reading.time_s * 1e6 if reading.time_s else None},
    )


def no_arithmetic(reading: Reading) -> Finding | None:
    """FLOP, or a rate of them, of an op that only moves bytes."""
    if not reading.no_arithmetic:
        return None
    return finding(
        "flop-miscounted", "none", severity=WRONG, subject=reading.subject, op=reading.op
    )


def _counted(reading: Reading, ratio: float) -> Finding | None:
    if abs(ratio - 1) <= TOLERANCE + reading.rounding or slip_of(ratio, reading.rounding, OF_FLOP):
        return None
    if ratio < 1 and passed(reading) is not None:
        return None  # all FLOP in that time are more than the card can do
    assert reading.claimed_flop
    assert reading.flop
    return finding(
        "flop-miscounted",
        "counted",
        severity=WRONG,
        subject=reading.subject,
        tflops=reading.tflops,
        ratio=ratio,
        counted_gflop=reading.claimed_flop / 1e9,
        gflop=reading.flop / 1e9,
        corrected_tflops=reading.tflops / ratio if reading.tflops else None,
        op=reading.op,
    )


def _hidden(reading: Reading) -> Finding | None:
    unverified = reading.judged == "tflops" and not (reading.time_s and reading.flop)
    if not unverified or reading.tflops is None:
        return None
    if reading.share_stated and not reading.over:
        return None  # a model's share may be any
    more = reading.above and reading.tflops > (reading.nominal_tflops or 0.0)
    factor = 2.0 if more else 0.5 if reading.below else None
    fit = reading.fits(reading.tflops / factor) if factor else None
    if fit is None or factor is None:
        return None
    return finding(
        "flop-miscounted",
        "hidden",
        severity=WRONG if reading.over else SUSPECT,
        subject=reading.subject,
        fit=round(PRIOR * fit, 3),
        tflops=reading.tflops,
        ratio=factor,
        corrected_tflops=reading.tflops / factor,
        low=reading.low,
        high=reading.high,
    )
