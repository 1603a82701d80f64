"""What the CPU path reads of the machine, from files of our own making."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.probes.cpu import available_bytes, has_fast_bf16, last_level_cache_bytes


def cache(folder: Path, index: int, level: str, size: str) -> None:
    place = folder / f"index{index}"
    place.mkdir()
    (place / "level").write_text(level + "\n")
    (place / "size").write_text(size + "\n")


def test_the_highest_level_counts(tmp_path: Path) -> None:
    cache(tmp_path, 0, "1", "48K")
    cache(tmp_path, 1, "2", "2048K")
    cache(tmp_path, 2, "3", "300M")
    assert last_level_cache_bytes(tmp_path) == 300 << 20


def test_nonsense_is_passed_over(tmp_path: Path) -> None:
    cache(tmp_path, 0, "x", "48K")
    cache(tmp_path, 1, "2", "lots")
    assert last_level_cache_bytes(tmp_path) == 0
    assert last_level_cache_bytes(tmp_path / "none") == 0


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
    (tmp_path / "cpuinfo").write_text(line)
    assert has_fast_bf16(tmp_path / "cpuinfo") is fast
    assert not has_fast_bf16(tmp_path / "none")


def test_some_memory_is_available() -> None:
    assert available_bytes() > 1 << 20


@pytest.mark.parametrize("key", ["fp32", "fp64", "bf16"])
def test_every_cpu_precision_multiplies_right(key: str) -> None:
    torch = pytest.importorskip("torch")
    from roofwatch.probes import operands
    from roofwatch.probes.shapes import Shape
    from roofwatch.roofline.suite import matmul_spec

    spec = matmul_spec(key)
    for layout in operands.layouts(spec.dtype):
        a, b = operands.pair(spec, Shape(64, 48, 32), layout, torch.device("cpu"))
        right = a.double() @ b.double()
        error = (operands.multiply(spec, a, b)().double() - right).norm() / right.norm()
        assert float(error) < {"fp64": 1e-12, "fp32": 1e-5, "bf16": 2e-2}[key]
