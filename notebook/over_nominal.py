"""Over nominal: a bandwidth no memory of this card can carry, or FLOP its clock cannot do."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import BYTES, FLOP, NOTE, SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading


def impossible(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """Above 102 % of what the silicon could do, and no rule can say why."""
    if not reading.over or any(f.severity == WRONG for f in found):
        return None
    if reading.op == "decode" and reading.judged == "gbs" and not reading.stated and found:
        return None  # the bytes are ours: what each token reads is not known
    rate, nominal, ceiling = reading.rate, reading.nominal, reading.ceiling
    assert rate
    assert nominal
    assert ceiling
    of_bytes = reading.judged == "gbs"
    return finding(
        "impossible",
        "bandwidth" if of_bytes else "compute",
        root=BYTES if of_bytes else FLOP,
        severity=WRONG,
        subject=reading.subject,
        rate=rate,
        unit=reading.unit,
        times=rate / nominal,
        nominal=nominal,
        ceiling=ceiling,
        peak_key=reading.peak_key,
    )


def other_ceiling(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """The time passes the ceiling that the number is not judged by, and no rule says why."""
    other = passed(reading)
    if other is None or any(f.severity == WRONG or f.code == "E5" for f in found):
        return None
    return finding(
        "impossible",
        "bytes_in_time" if other.of_bytes else "flop_in_time",
        root=BYTES if other.of_bytes else FLOP,
        severity=WRONG if other.sure else SUSPECT,
        subject=reading.subject,
        rate=other.rate,
        unit=other.unit,
        times=other.rate / other.ceiling,
        nominal=other.nominal,
        ceiling=other.ceiling,
        time_us=other.time_s * 1e6 if other.time_s else None,
        least_us=other.least_s * 1e6 if other.time_s else None,
        said={
            "work_mb": other.work / 1e6,
            "work_gflop": other.work / 1e9,
            "batch": other.shared(reading),
            "packed_mb": other.packed_mb(reading),
            "params": "params" if reading.op == "decode" else None,
        },
    )


def over_every_peak(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """No type is named, and none of this card's peaks is that high, the sparse ones included."""
    top, sparse = reading.highest, reading.highest_sparse
    if top is None or reading.ours or any(f.severity == WRONG for f in found):
        return None
    if not reading.exceeds(sparse):
        return None
    assert reading.rate
    return finding(
        "impossible",
        "any_type",
        root=FLOP,
        severity=WRONG,
        subject=reading.subject,
        rate=reading.rate,
        unit=reading.unit,
        ceiling=sparse,
        dense_tflops=top[1],
        peak_key=top[0],
    )


def boost_clock(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """Above nominal and under the ceiling: the clock went over the datasheet's.

    A good reason, unless the number lies over its range too: that needs another one.
    """
    rate, nominal, ceiling = reading.tflops, reading.nominal_tflops, reading.ceiling_tflops
    if reading.judged != "tflops" or reading.ours or not (rate and nominal and ceiling):
        return None
    if reading.over or rate <= nominal * 1.005 or reading.math == "sparse":
        return None
    own = reading.ceilings_tflops.get(reading.peak_key or "", ceiling)
    if own < nominal * 1.01 or rate > own or reading.emulated:
        return None  # rounding or another unit, not a clock
    if any(f.severity == WRONG for f in found) or passed(reading) is not None:
        return None
    return finding(
        "boost-clock",
        "above_range" if reading.above else "above_nominal",
        severity=NOTE,
        subject=reading.subject,
        tflops=rate,
        of_nominal=rate / nominal,
        peak_key=reading.peak_key,
        nominal_tflops=nominal,
        ceiling_tflops=ceiling,
    )
