"""What the CPU path reads of the machine, from files of our own making."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.probes.cpu import available_bytes, has_fast_bf16


@pytest.mark.parametrize(
    ("line", "fast"),
    [
        ("flags\t: fpu avx512f avx512_bf16\n", True),
        ("flags\t: fpu amx_bf16\n", True),
        ("Features\t: fp asimd bf16\n", True),
        ("flags\t: fpu avx2\nmodel name: bf16\n", False),
    ],
)
def test_bf16_in_hardware(tmp_path: Path, line: str, fast: bool) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text(line)
    assert has_fast_bf16(str(tmp_path)) is fast
    assert not has_fast_bf16(str(tmp_path / "none"))


def test_some_memory_is_available() -> None:
    assert available_bytes() > 1 << 20


@pytest.mark.parametrize("key", ["fp32", "fp64", "bf16"])
def test_every_cpu_precision_multiplies_right(key: str) -> None:
    torch = pytest.importorskip("torch")
    from roofwatch.probes import operands
    from roofwatch.probes.shapes import Shape
    from roofwatch.roofline.probe_spec import matmul_spec

    spec = matmul_spec(key)
    for layout in operands.layouts(spec.dtype):
        a, b = operands.pair(spec, Shape(64, 48, 32), layout, torch.device("cpu"))
        right = a.double() @ b.double()
        error = (operands.multiply(spec, a, b)().double() - right).norm() / right.norm()
        assert float(error) < {"fp64": 1e-12, "fp32": 1e-5, "bf16": 2e-2}[key]
