"""A matmul of a tensor-core precision whose kernel multiplied on CUDA cores."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.peaks import TENSOR_KEYS


def no_tensor_core(reading: Reading) -> Finding | None:
    """The peak is that of tensor cores, the kernel's name is not."""
    if reading.tensor_core is not False or reading.peak_key not in TENSOR_KEYS:
        return None
    return finding(
        "no-tensor-core",
        root="peak",
        severity=SUSPECT,
        subject=reading.subject,
        message=f"Its kernel {reading.kernel} ran on CUDA cores; the {reading.peak_key} peak is "
        "that of tensor cores.",
        why="A library falls back where alignment, layout or a switch keeps it from the unit.",
        do="1. make every dimension a multiple of 8 (16 in one-byte types); 2. look at the math "
        "switches in the record; 3. update torch and its CUDA libraries.",
        kernel=reading.kernel,
        peak_key=reading.peak_key,
    )
