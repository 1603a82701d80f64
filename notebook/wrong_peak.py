"""E3, seed error 3: compared with the peak of another precision or unit."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.peaks import peak_key


def wrong_peak(reading: Reading) -> Finding | None:
    """The peak it was judged by is not the one its dtype, math mode and accumulator run on."""
    if reading.op != "matmul" or reading.peak_key is None:
        return None
    right = peak_key(
        reading.dtype,
        reading.math,
        reading.accumulate,
        op=reading.op,
        has_fp64_tensor=reading.has_fp64_tensor,
    )
    if right == reading.peak_key:
        return None
    return finding(
        "E3",
        root="peak",
        severity=WRONG,
        subject=reading.subject,
        message=f"A {reading.dtype} matmul in {reading.math} math was compared with the "
        f"{reading.peak_key} peak; it runs on the {right or 'emulated'} unit.",
        why="A datasheet prints one peak a precision and unit; only its own says how much is left.",
        do=f"Compare it with the dense {right} peak."
        if right
        else "No nominal peak exists for it: compare it with nothing.",
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
        root="peak",
        severity=WRONG,
        subject=reading.subject,
        message=f"Its kernel {reading.kernel} ran on tensor cores: this is TF32, compared with the "
        "fp32 peak of CUDA cores.",
        why="NVIDIA_TF32_OVERRIDE=1 and TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 beat what a program "
        "asks for.",
        do="Unset them, or compare with the tf32 peak.",
        kernel=reading.kernel,
        peak_key=reading.peak_key,
    )
