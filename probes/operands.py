"""Operands of a matmul in each precision, and the call that multiplies them."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch

from roofwatch.probes.shapes import Shape
from roofwatch.probes.timing import Launch
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.workload import BLOCK, RESULT

LAYOUTS = {"fp8": ("nt",), "int8": ("nt",), "fp4": ("nt",)}
SCALE_ROWS, SCALE_COLUMNS = 128, 4  # cuBLAS lays block scales out in such tiles
TORCH_DTYPE = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}


def layouts(dtype: str) -> tuple[str, ...]:
    """Layouts of the second operand to try: plain (``nn``) and stored transposed (``nt``)."""
    return LAYOUTS.get(dtype, ("nn", "nt"))


def out_dtype(dtype: str) -> str:
    """Element type of the result."""
    return RESULT.get(dtype, dtype)


def missing(spec: ProbeSpec) -> str | None:
    """Why this torch cannot run the precision, or None."""
    if spec.dtype == "fp8" and not (
        hasattr(torch, "float8_e4m3fn") and hasattr(torch, "_scaled_mm")
    ):
        return f"torch {torch.__version__} has no fp8 matmul"
    if spec.dtype == "fp4" and not (
        hasattr(torch, "float4_e2m1fn_x2") and hasattr(torch, "_scaled_mm")
    ):
        return f"torch {torch.__version__} has no fp4 matmul"
    if spec.dtype == "int8" and not hasattr(torch, "_int_mm"):
        return f"torch {torch.__version__} has no int8 matmul"
    return None


def set_math(spec: ProbeSpec, reduced_reductions: bool = False) -> None:
    """Put torch in the math mode that the probe is about: TF32 is a mode, not a type.

    ``reduced_reductions``: partial sums of a split matmul may be added in the operands' type, as
    torch does by itself; the compute roof forbids it.
    """
    matmul = torch.backends.cuda.matmul
    matmul.allow_fp16_reduced_precision_reduction = reduced_reductions
    matmul.allow_bf16_reduced_precision_reduction = reduced_reductions
    if hasattr(matmul, "fp32_precision"):
        matmul.fp32_precision = spec.math
    else:
        matmul.allow_tf32 = spec.math == "tf32"


def math_flags() -> dict[str, str]:
    """Torch's switches that decide what a matmul computes, as they stand now."""
    matmul = torch.backends.cuda.matmul
    flags = {
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "fp16_reduced_precision_reduction": matmul.allow_fp16_reduced_precision_reduction,
        "bf16_reduced_precision_reduction": matmul.allow_bf16_reduced_precision_reduction,
    }
    if hasattr(matmul, "fp32_precision"):
        flags["fp32_precision"] = matmul.fp32_precision
    else:
        flags["allow_tf32"] = matmul.allow_tf32
    if hasattr(matmul, "allow_fp16_accumulation"):
        flags["fp16_accumulation"] = matmul.allow_fp16_accumulation
    if hasattr(torch.backends.cuda, "preferred_blas_library"):
        flags["blas"] = str(torch.backends.cuda.preferred_blas_library()).rpartition(".")[2]
    return {name: str(value).lower() for name, value in flags.items()}


def _random(rows: int, columns: int, dtype: str, device: torch.device) -> torch.Tensor:
    if dtype == "int8":
        return torch.randint(-127, 128, (rows, columns), dtype=torch.int8, device=device)
    if dtype == "fp8":
        return torch.randn(rows, columns, dtype=torch.float32, device=device).to(
            torch.float8_e4m3fn
        )
    if dtype == "fp4":  # two values a byte, every bit pattern of which is a number
        raw = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device=device)
        return raw.view(torch.float4_e2m1fn_x2)
    if device.type == "cpu":
        return torch.randn(rows, columns, dtype=torch.float32, device="cpu").to(TORCH_DTYPE[dtype])
    return torch.randn(rows, columns, dtype=TORCH_DTYPE[dtype], device=device)


def pair(
    spec: ProbeSpec, shape: Shape, layout: str, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Random normal operands (uniform for int8) of [m, k] and [k, n]."""
    a = _random(shape.m, shape.k, spec.dtype, device)
    if layout == "nt":
        return a, _random(shape.n, shape.k, spec.dtype, device).t()
    return a, _random(shape.k, shape.n, spec.dtype, device)


def multiply(spec: ProbeSpec, a: torch.Tensor, b: torch.Tensor) -> Callable[[], torch.Tensor]:
    """The launch that multiplies two operands into memory of its own."""
    if spec.dtype == "int8":
        c = torch.empty(a.shape[0], b.shape[1], dtype=torch.int32, device=a.device)
        return lambda: torch._int_mm(a, b, out=c)
    if spec.dtype == "fp4":
        scale_a, scale_b = (_block_scales(t.shape[0], a.shape[1] * 2, a.device) for t in (a, b.t()))
        return lambda: torch._scaled_mm(
            a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16
        )
    if spec.dtype == "fp8":
        one = torch.ones((), dtype=torch.float32, device=a.device)
        fast = spec.accumulate == "reduced"
        return lambda: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast
        )
    c = torch.empty(a.shape[0], b.shape[1], dtype=a.dtype, device=a.device)
    return lambda: torch.mm(a, b, out=c)


def _block_scales(rows: int, k: int, device: torch.device) -> torch.Tensor:
    """Ones in fp8, one for each 16 values of a row, padded to whole tiles of the layout."""
    padded_rows = -(-rows // SCALE_ROWS) * SCALE_ROWS
    padded_columns = -(-(k // BLOCK) // SCALE_COLUMNS) * SCALE_COLUMNS
    ones = torch.ones(padded_rows * padded_columns, dtype=torch.float32, device=device)
    return ones.to(torch.float8_e4m3fn)


def prepare(spec: ProbeSpec, shape: Shape, layout: str, device: torch.device) -> Launch:
    """Operands of ``shape`` and the launch that multiplies them."""
    return multiply(spec, *pair(spec, shape, layout, device))


def quiet() -> None:
    """Torch warns about its own beta features on stderr; the record says what was used."""
    warnings.filterwarnings("ignore", module="torch")
