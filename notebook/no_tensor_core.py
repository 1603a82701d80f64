"""A matmul of a tensor-core precision that was multiplied on CUDA cores."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.peaks import TENSOR_KEYS

MULTIPLE = 8
LOW = 0.6  # of the range's lower end: alignment costs that much and more


def no_tensor_core(reading: Reading) -> Finding | None:
    """The peak is that of tensor cores, the kernel's name is not."""
    if reading.tensor_core is not False or reading.peak_key not in TENSOR_KEYS:
        return None
    return finding(
        "no-tensor-core",
        "kernel",
        severity=SUSPECT,
        subject=reading.subject,
        kernel=reading.kernel,
        peak_key=reading.peak_key,
    )


def misaligned(reading: Reading) -> Finding | None:
    """A dimension that keeps a library from its fast kernels."""
    rate, low = reading.tflops, reading.low
    if reading.ours or reading.op != "matmul" or reading.judged != "tflops" or not reading.below:
        return None
    if reading.on_slope:
        return None  # bytes set the time, whatever the unit
    if reading.peak_key not in TENSOR_KEYS or reading.emulated or not rate or not low:
        return None
    odd = [name for name in "mnk" if reading.shape.get(name, 0) % MULTIPLE]
    if not odd:
        return None
    return finding(
        "no-tensor-core",
        "alignment",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.9 if rate < LOW * low else 0.6,
        tflops=rate,
        peak_key=reading.peak_key,
        dimensions=", ".join(f"{name} = {reading.shape[name]}" for name in odd),
    )
