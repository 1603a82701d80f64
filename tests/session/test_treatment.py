"""What treats a kernel: the same op, treated otherwise as the reason is another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofwatch.roofline import transformer_work as t
from roofwatch.roofline.workload import Work, elementwise, rowwise
from roofwatch.session.events import Measurement
from roofwatch.session.kernel_reason import Cause
from roofwatch.session.models import model_named, packaged_models
from roofwatch.session.treatment import Case, treatment

LLAMA = model_named("Llama-3-8B", packaged_models())
COS = elementwise("cos", 1 << 28, "bf16")
SOFTMAX = rowwise("softmax", 65536, 4096, "bf16")
LINEAR = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
ODD = t.layer(t.PREFILL_LINEAR, 4095, LLAMA, "bf16")
ATTENTION = t.prefill_attention(LLAMA, 8192, "bf16")
NEIGHBOURS = "fuse it with its neighbours: fewer bytes"
SIMT, TENSOR = "ampere_sgemm_128x128_tn", "nvjet_sm90_tst_128x256_64x4"
Point = Callable[..., Measurement]


def said(point: Point, work: Work, cause: Cause, kernel: str | None = None, **more: Any) -> str:
    told: dict[str, Any] = {"bound": "memory", "of_roof": 0.5, "bytes_share": 0.9}
    told |= {"fused": None, "on_cpu": False} | more
    return treatment(point(work, 1e-3, kernel=kernel), Case(cause=cause, **told))


def test_memory_at_its_roof_takes_fewer_bytes(point: Point) -> None:
    assert said(point, COS, Cause.AT_ROOF, of_roof=0.95) == NEIGHBOURS
    assert said(point, COS, Cause.UNKNOWN) == NEIGHBOURS


@pytest.mark.parametrize("work", [COS, SOFTMAX], ids=["cos", "softmax"])
def test_arithmetic_takes_cheaper_functions_and_no_fewer_bytes(point: Point, work: Work) -> None:
    words = said(point, work, Cause.ARITHMETIC, bound="compute")
    assert words.startswith("cheaper functions")
    assert "fewer bytes" not in words
    assert "64" not in words


def test_where_both_bind_both_are_said_with_what_fusion_brought(point: Point) -> None:
    words = said(point, COS, Cause.ARITHMETIC, fused=0.2)
    assert words.endswith(
        "and fewer bytes: both bind it; fusing alone brought 20 % of what bytes promise"
    )
    words = said(point, COS, Cause.BESIDE_BYTES, bound="compute", fused=-0.1)
    assert words.endswith("fewer bytes, or both overlapped; fusing alone brought nothing")
    assert "fusing" not in said(point, SOFTMAX, Cause.BESIDE_BYTES)
    assert said(point, COS, Cause.ARITHMETIC, fused=1.05).startswith(NEIGHBOURS)


def test_a_fusion_that_brought_little_is_not_the_advice(point: Point) -> None:
    words = said(point, COS, Cause.UNKNOWN, fused=0.2)
    assert words == "fewer bytes; fusing alone brought 20 % of what bytes promise"


def test_bytes_that_explain_little_are_not_the_treatment(point: Point) -> None:
    assert said(point, COS, Cause.UNKNOWN, bytes_share=0.4).startswith("not its bytes alone")
    sampling = t.sampling(1, 128256, 50, "bf16")
    assert said(point, sampling, Cause.UNKNOWN, bytes_share=0.1) == "one kernel for all its steps"


def test_a_product_hears_of_sides_and_tensor_cores_only_where_they_are_the_reason(
    point: Point,
) -> None:
    def product(work: Work, kernel: str | None, of_roof: float = 0.5, on_cpu: bool = False) -> str:
        more = {"bound": "compute", "of_roof": of_roof, "on_cpu": on_cpu}
        return said(point, work, Cause.UNKNOWN, kernel, **more)

    assert product(LINEAR, TENSOR, of_roof=0.95) == "stop here: it is at its roof"
    assert product(ODD, TENSOR) == "sides in multiples of 64"
    assert product(LINEAR, SIMT) == "a type, or a kernel, that runs on tensor cores"
    for words in (
        product(LINEAR, TENSOR),
        product(LINEAR, None),
        product(LINEAR, SIMT, on_cpu=True),
    ):
        assert words.startswith("another kernel")
    assert "tensor" not in product(ATTENTION, SIMT, on_cpu=True)


def test_attention_bound_by_its_exponentials(point: Point) -> None:
    words = said(point, ATTENTION, Cause.EXPONENTIALS, TENSOR, bound="compute")
    assert "FlashAttention-3" in words
    assert "shorter prompt" in words
    assert "cuDNN" in said(point, ATTENTION, Cause.OLDER_CARDS, bound="compute")


def test_launches_are_treated_as_they_were_launched(point: Point) -> None:
    norm = t.scaled_rows("rmsnorm", 1, 4096, "bf16")
    work = point(norm, 8e-6, timing="host", variant="eager")
    case = Case(
        cause=Cause.LAUNCHES,
        bound="overhead",
        of_roof=0.0,
        bytes_share=0.0,
        fused=None,
        on_cpu=False,
    )
    assert treatment(work, case) == "a CUDA graph, or fusion: fewer launches"
    graph = point(norm, 2e-6, timing="graph", variant="graph")
    assert treatment(graph, case) == "fusion: fewer kernels"
    assert "CUDA" not in said(point, norm, Cause.LAUNCHES, bound="overhead", on_cpu=True)


@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("bound", ["memory", "compute", "overhead"])
@pytest.mark.parametrize("work", [COS, SOFTMAX, LINEAR, ATTENTION], ids=lambda w: w.op)
def test_every_case_has_one_and_a_cpu_none_of_a_card(
    point: Point, cause: Cause, bound: str, work: Work
) -> None:
    assert said(point, work, cause, bound=bound)
    if cause not in (Cause.EXPONENTIALS, Cause.OLDER_CARDS, Cause.FEW_BLOCKS):  # no CPU has them
        words = said(point, work, cause, SIMT, bound=bound, on_cpu=True)
        assert not any(of_card in words for of_card in ("tensor", "CUDA", "blocks"))
