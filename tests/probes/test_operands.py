"""Operands, the math mode and the switches that the record keeps."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import matmul, operands  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.roofline.probe_spec import matmul_spec  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture
def own_math() -> Iterator[None]:
    """Torch's switches are put back as they stood."""
    switches = torch.backends.cuda.matmul
    names = [
        name
        for name in (
            "fp32_precision",
            "allow_fp16_reduced_precision_reduction",
            "allow_bf16_reduced_precision_reduction",
        )
        if hasattr(switches, name)
    ]
    before = {name: getattr(switches, name) for name in names}
    yield
    for name, value in before.items():
        setattr(switches, name, value)


@pytest.mark.usefixtures("own_math")
@pytest.mark.parametrize(("key", "math"), [("tf32", "tf32"), ("fp32", "ieee"), ("bf16", "ieee")])
def test_the_math_mode_that_was_set_is_the_one_in_the_record(key: str, math: str) -> None:
    operands.set_math(matmul_spec("fp32" if math == "tf32" else "tf32"))
    operands.set_math(matmul_spec(key))
    flags = operands.math_flags()
    if "fp32_precision" in flags:
        assert flags["fp32_precision"] == math
    else:
        assert flags["allow_tf32"] == str(math == "tf32").lower()
    assert flags["fp16_reduced_precision_reduction"] == "false"
    assert flags["bf16_reduced_precision_reduction"] == "false"


@pytest.mark.usefixtures("own_math")
def test_flags_are_plain_words_and_follow_the_switches() -> None:
    flags = operands.math_flags()
    assert all(isinstance(v, str) and v == v.lower() and v for v in flags.values())
    assert flags["deterministic"] == "false"
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = True
    assert operands.math_flags()["fp16_reduced_precision_reduction"] == "true"
    if "blas" in flags:
        assert "." not in flags["blas"]


def test_an_older_torch_has_other_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    old = SimpleNamespace(
        allow_tf32=True,
        allow_fp16_reduced_precision_reduction=False,
        allow_bf16_reduced_precision_reduction=True,
    )
    monkeypatch.setattr(torch.backends.cuda, "matmul", old)
    monkeypatch.delattr(torch.backends.cuda, "preferred_blas_library", raising=False)
    assert operands.math_flags() == {
        "deterministic": "false",
        "fp16_reduced_precision_reduction": "false",
        "bf16_reduced_precision_reduction": "true",
        "allow_tf32": "true",
    }
    operands.set_math(matmul_spec("fp32"))
    assert operands.math_flags()["allow_tf32"] == "false"


@pytest.mark.parametrize("key", ["fp32", "fp64", "bf16", "fp16", "int8"])
def test_operands_have_the_shape_and_the_layout_asked_for(key: str) -> None:
    spec = matmul_spec(key)
    for layout in operands.layouts(spec.dtype):
        a, b = operands.pair(spec, Shape(5, 7, 3), layout, CPU)
        assert (a.shape, b.shape) == ((5, 3), (3, 7))
        assert a.is_contiguous()
        assert (b if layout == "nn" else b.t()).is_contiguous()
        assert float(a.double().std()) > 0


def test_one_byte_types_want_their_second_operand_transposed() -> None:
    assert {operands.layouts(t) for t in ("fp8", "int8", "fp4")} == {("nt",)}
    assert operands.layouts("bf16") == ("nn", "nt")


@pytest.mark.parametrize(
    ("key", "out"), [("fp8", "bf16"), ("fp4", "bf16"), ("int8", "int32"), ("tf32", "fp32")]
)
def test_results_are_wider_where_the_library_says_so(key: str, out: str) -> None:
    assert operands.out_dtype(matmul_spec(key).dtype) == out


def test_fp4_packs_two_values_a_byte_and_scales_each_sixteen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = matmul_spec("fp4")
    why = operands.missing(spec)
    if why:
        pytest.skip(why)
    asked: dict[str, Any] = {}
    monkeypatch.setattr(torch, "_scaled_mm", lambda a, b, **keywords: asked.update(keywords))
    shape = Shape(130, 256, 96)
    a, b = operands.pair(spec, shape, "nt", CPU)
    assert (a.shape, b.shape) == ((130, 96 // 2), (96 // 2, 256))
    operands.multiply(spec, a, b)()
    # Rows go to whole tiles of 128, the 96 / 16 = 6 scales of a row to whole tiles of 4.
    assert asked["scale_a"].numel() == 256 * 8
    assert asked["scale_b"].numel() == 256 * 8
    assert asked["scale_a"].dtype == torch.float8_e4m3fn
    assert asked["scale_a"].float().unique().tolist() == [1.0]
    assert asked["out_dtype"] == torch.bfloat16
    moved = {t.name: t.read_bytes + t.write_bytes for t in matmul.work(spec, shape).tensors}
    assert moved["a"] == a.numel() * a.element_size()
    assert moved["b"] == b.numel() * b.element_size()
    assert moved["c"] == 130 * 256 * 2


@pytest.mark.parametrize(("key", "fast"), [("fp8", False), ("fp8_fast", True)])
def test_fp8_asks_for_the_accumulator_it_is_judged_by(
    monkeypatch: pytest.MonkeyPatch, key: str, fast: bool
) -> None:
    spec = matmul_spec(key)
    why = operands.missing(spec)
    if why:
        pytest.skip(why)
    asked: dict[str, Any] = {}
    monkeypatch.setattr(torch, "_scaled_mm", lambda a, b, **keywords: asked.update(keywords))
    operands.prepare(spec, Shape(32, 32, 32), "nt", CPU)()
    assert asked["use_fast_accum"] is fast


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("fp8", ("float8_e4m3fn", "_scaled_mm")),
        ("fp4", ("float4_e2m1fn_x2", "_scaled_mm")),
        ("int8", ("_int_mm",)),
    ],
)
def test_a_torch_without_the_type_or_the_call_says_so(
    monkeypatch: pytest.MonkeyPatch, key: str, names: tuple[str, ...]
) -> None:
    for name in names:
        with monkeypatch.context() as older:
            older.delattr(torch, name, raising=False)
            assert f"no {key} matmul" in (operands.missing(matmul_spec(key)) or "")
    assert operands.missing(matmul_spec("bf16")) is None
