"""E3, seed error 3: compared with the peak of another precision, unit or sparsity."""

from __future__ import annotations

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import SUSPECT, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.peaks import TENSOR_KEYS, peak_key

FULL = 0.55  # of CUDA cores: what their own libraries reach
LEAST, MOST = 0.25, 0.6  # a CUDA-core kernel, of its peak; and of the tensor range's lower end
NEAR = (0.84, 1.19)  # another clock behind the same units: base, boost, maximum
EXACT = 0.006  # where another card has that figure
SAME = 0.03  # printed peaks are rounded that much
OTHER_UNITS = {"fp16": ("fp16_acc16",), "fp8": ("fp8_fast",), "fp64": ("fp64_tensor",)}
OTHER_TYPES = ("fp16", "bf16")
ACCUMULATOR = 1.25  # of nominal: beyond what a clock adds
FASTER = {"fp32": ("tf32",), "fp16": ("fp16_acc16",), "fp8": ("fp8_fast",)}
"""Peaks that a switch or another accumulator reaches without the type changing."""


def wrong_peak(reading: Reading) -> Finding | None:
    """Our own probe was judged by a peak that its type, math and accumulator do not run on."""
    if reading.op != "matmul" or reading.peak_key is None or not reading.ours:
        return None
    right = peak_key(
        reading.dtype or "",
        reading.math,
        reading.accumulate,
        op=reading.op,
        has_fp64_tensor=reading.has_fp64_tensor,
    )
    if right == reading.peak_key:
        return None
    return finding(
        "E3",
        "judged_by" if right else "judged_by_none",
        severity=WRONG,
        subject=reading.subject,
        peak_key=reading.peak_key,
        right_peak_key=right,
        dtype=reading.dtype,
        math=reading.math,
    )


def tensor_core_in_ieee(reading: Reading) -> Finding | None:
    """An IEEE fp32 matmul whose kernel ran on tensor cores: a switch made it TF32."""
    if reading.tensor_core is not True or reading.peak_key != "fp32":
        return None
    return finding(
        "E3",
        "kernel",
        severity=WRONG,
        subject=reading.subject,
        kernel=reading.kernel,
        peak_key=reading.peak_key,
    )


def compared_with_other_peak(reading: Reading) -> Finding | None:
    """The figure that it was compared with is another peak of the same card, or a sparse one."""
    compared = reading.compared_tflops
    if compared is None or reading.peak_key is None:
        return None
    other = other_figure(reading, compared)
    if other is None:
        return None
    key, times = other
    if reading.op != "matmul" and times == 1 and key in OTHER_UNITS.get(reading.peak_key, ()):
        return None  # what sums or units an unnamed kernel used, nobody knows
    own = reading.nominal_tflops
    if key == reading.peak_key and times == 2:
        return _compared(reading, compared, "sparse", own)
    if times == 2:
        return _compared(reading, compared, "other_sparse", own, key)
    return _compared(reading, compared, "other", own, key)


def other_figure(reading: Reading, compared: float) -> tuple[str, int] | None:
    """Peak key of which ``compared`` is the figure on this card, 1 for dense and 2 for sparse.

    None where it is the right one, or nobody's.

    A figure near the right one is another clock's, or rounded: it is no other peak.
    """
    own, key = reading.nominal_tflops, reading.peak_key or ""
    if own is not None and not reading.emulated:
        right = (1, 2) if reading.math == "sparse" else (1,)
        if any(NEAR[0] <= compared / own / times <= NEAR[1] for times in right):
            return None
    others = [k for k in reading.peaks_tflops if k != key]
    # The same type's other accumulator first, then its own zeros, then other types; int8 last: an
    # A100's 624 is more often its sparse fp16.
    asked = [(k, 1) for k in others if k in FASTER.get(key, ())]
    asked += [(key, 2)] if reading.math != "sparse" and own and not reading.emulated else []
    asked += [(k, t) for t in (1, 2) for k in others if k != "int8"]
    asked += [(k, t) for t in (1, 2) for k in others if k == "int8"]
    for other, times in asked:
        if times == 2 and other not in TENSOR_KEYS:
            continue  # nothing skips zeros on CUDA cores
        peak = reading.peaks_tflops.get(other)
        exact = EXACT if reading.compared_is and other != key else SAME
        if peak and abs(compared / peak / times - 1) <= exact:
            return other, times
    return None


def _compared(
    reading: Reading, compared: float, case: str, own: float | None, other: str | None = None
) -> Finding:
    return finding(
        "E3",
        case,
        severity=WRONG,
        subject=reading.subject,
        tflops=reading.tflops,
        compared_tflops=compared,
        of_compared=reading.tflops / compared if reading.tflops else None,
        peak_key=reading.peak_key,
        other_key=other,
        nominal_tflops=own,
        of_nominal=reading.tflops / own if reading.tflops and own else None,
        dtype=reading.dtype,
        math=reading.math,
    )


def cuda_cores(reading: Reading) -> Finding | None:
    """Judged by tensor cores, and no more than CUDA cores give."""
    rate, low = reading.tflops, reading.low
    if reading.ours or reading.op != "matmul" or reading.judged != "tflops" or not reading.below:
        return None
    if reading.on_slope:
        return None  # bytes set the time, whatever the unit
    vector = reading.peaks_tflops.get("fp32")
    if reading.peak_key not in TENSOR_KEYS or reading.emulated or not (rate and low and vector):
        return None
    if not LEAST * vector <= rate <= min(vector, MOST * low):
        return None
    return finding(
        "E3",
        "cuda_cores",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.95 if rate >= FULL * vector else 0.55,
        tflops=rate,
        peak_key=reading.peak_key,
        nominal_tflops=reading.nominal_tflops,
        of_nominal=rate / reading.nominal_tflops if reading.nominal_tflops else None,
        other_tflops=vector,
        of_other=rate / vector,
    )


def another_unit(reading: Reading) -> Finding | None:
    """More than its unit gives, and just what a faster unit of this card would."""
    rate, key = reading.tflops, reading.peak_key
    if reading.judged != "tflops" or not rate or not key or reading.ours or not reading.above:
        return None
    if reading.share_stated or reading.op != "matmul" or passed(reading) is not None:
        return None
    if reading.on_slope and not reading.over:
        return None  # bytes set the time, whatever the unit
    severity = WRONG if reading.over else SUSPECT
    if key == "fp32" and (reading.math == "tf32" or (reading.math_stated and not reading.over)):
        return None
    if reading.emulated:
        other = next((k for k in OTHER_TYPES if rate <= reading.ceilings_tflops.get(k, 0.0)), None)
        if other:
            return _reaches(reading, "other_type", severity, other, reading.peaks_tflops[other])
    for other in FASTER.get(key, ()):
        peak = reading.peaks_tflops.get(other)
        ceiling = reading.ceilings_tflops.get(other, peak or 0.0)
        if (
            peak
            and rate <= ceiling * 1.02
            and (peak > 1.3 * (reading.nominal_tflops or 0) or other == "tf32")
        ):
            if other == "tf32":
                return _reaches(reading, "faster_unit", severity, other, peak)
            if rate > ACCUMULATOR * (reading.nominal_tflops or rate):
                return _reaches(reading, "accumulator", SUSPECT, other, peak)
    nominal = reading.nominal_tflops
    fit = reading.fits(rate / 2)
    if reading.over and nominal and key != "fp32" and fit is not None:
        return _reaches(reading, "as_sparse", severity, None, 2 * nominal, fit)
    return None


def sparse_of_no_type(reading: Reading) -> Finding | None:
    """No type is named, and the rate is over every dense peak and under the highest sparse one."""
    top, sparse = reading.highest, reading.highest_sparse
    if top is None or reading.ours or reading.math == "sparse" or passed(reading) is not None:
        return None
    if not reading.exceeds(top[1]) or reading.exceeds(sparse):
        return None
    return finding(
        "E3",
        "no_type",
        severity=SUSPECT,
        subject=reading.subject,
        tflops=reading.tflops,
        peak_key=top[0],
        dense_tflops=top[1],
        sparse_tflops=sparse,
    )


def _reaches(
    reading: Reading,
    case: str,
    severity: str,
    other: str | None,
    peak: float,
    fit: float | None = None,
) -> Finding:
    assert reading.tflops is not None
    assert reading.nominal_tflops is not None
    return finding(
        "E3",
        case,
        severity=severity,
        subject=reading.subject,
        fit=fit,
        tflops=reading.tflops,
        peak_key=reading.peak_key,
        nominal_tflops=reading.nominal_tflops,
        of_nominal=reading.tflops / reading.nominal_tflops,
        high=reading.high,
        other_key=other,
        other_tflops=peak,
        of_other=reading.tflops / peak,
    )
