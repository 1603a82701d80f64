"""A matmul on the other unit than its peak: CUDA cores for a tensor peak, or TF32 for fp32."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, WRONG, Finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge
from roofwatch.roofline.kernel_name import uses_tensor_cores

SIMT = "cutlass_80_simt_sgemm_256x128_8x4_nn_align1"
TENSOR = "cutlass_80_tensorop_s1688gemm_256x128_16x3_tn_align4"


def found(key: str, dtype: str, kernel: str | None, **fields: object) -> list[Finding]:
    base: dict[str, object] = {
        "subject": f"matmul-{key}",
        "op": "matmul",
        "dtype": dtype,
        "peak_key": key,
        "protocol": "burst",
        "kernel": kernel,
        "tensor_core": uses_tensor_cores(kernel) if kernel else None,
    }
    return judge(Reading(**{**base, **fields}))  # type: ignore[arg-type]


@pytest.mark.parametrize(("key", "dtype"), [("bf16", "bf16"), ("fp16", "fp16"), ("int8", "int8")])
def test_a_tensor_precision_on_cuda_cores(key: str, dtype: str) -> None:
    (one,) = found(key, dtype, SIMT)
    assert one.code == one.name == "no-tensor-core"
    assert (one.severity, one.root) == (SUSPECT, "peak")
    assert one.subject == f"matmul-{key}"
    assert SIMT in one.message
    assert one.evidence == {"kernel": SIMT, "peak_key": key}


def test_tf32_and_fp64_by_tensor_cores_are_tensor_precisions() -> None:
    (one,) = found("tf32", "fp32", SIMT, math="tf32")
    assert one.code == "no-tensor-core"
    fields = {"has_fp64_tensor": True}
    (one,) = found("fp64_tensor", "fp64", "volta_dgemm_64x64_nt", **fields)
    assert one.evidence["peak_key"] == "fp64_tensor"


@pytest.mark.parametrize(("key", "dtype"), [("bf16", "bf16"), ("fp16", "fp16"), ("fp8", "fp8")])
def test_a_tensor_precision_on_tensor_cores_is_silent(key: str, dtype: str) -> None:
    assert found(key, dtype, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT") == []


def test_fp32_and_fp64_belong_on_cuda_cores() -> None:
    assert found("fp32", "fp32", SIMT) == []
    assert found("fp64", "fp64", "volta_dgemm_64x64_nt") == []


def test_fp32_on_tensor_cores_is_tf32() -> None:
    (one,) = found("fp32", "fp32", TENSOR)
    assert (one.code, one.name) == ("E3", "wrong-peak")
    assert (one.severity, one.root) == (WRONG, "peak")
    assert TENSOR in one.message
    assert "NVIDIA_TF32_OVERRIDE" in one.why
    assert one.evidence == {"kernel": TENSOR, "peak_key": "fp32"}


def test_tf32_asked_for_is_right() -> None:
    assert found("tf32", "fp32", TENSOR, math="tf32") == []


@pytest.mark.parametrize("kernel", [None, "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN"])
def test_a_silent_name_accuses_nobody(kernel: str | None) -> None:
    assert found("bf16", "bf16", kernel) == []
    assert found("fp32", "fp32", kernel) == []


def test_a_stream_has_no_unit() -> None:
    assert judge(Reading(subject="x", op="copy", dtype="fp16", tensor_core=False, kernel="k")) == []
