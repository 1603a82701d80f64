"""The quick suite's order, and the precisions a card is not asked for."""

from __future__ import annotations

import pytest

from roofwatch.roofline.precision import lacks
from roofwatch.roofline.suite import matmul_spec, quick


def test_the_two_probes_of_the_first_roofline_come_first_and_the_load_last() -> None:
    keys = [s.key for s in quick("cuda", "9.0")]
    assert keys[:2] == ["add_scalar-fp16", "matmul-bf16"]
    assert keys[-2:] == ["add_scalar-fp32", "matmul-bf16-sustained"]
    assert len(set(keys)) == len(keys)


def test_a_card_without_bf16_is_loaded_with_fp16() -> None:
    keys = [s.key for s in quick("cuda", "7.5")]
    assert keys[1] == "matmul-fp16"
    assert keys[-1] == "matmul-fp16-sustained"


def test_seconds_are_in_the_label() -> None:
    assert quick("cpu", None, 10.0)[-1].label == "matmul fp32 10 s"
    assert matmul_spec("fp8_fast").label == "matmul fp8_fast"


def test_tf32_is_fp32_in_another_mode() -> None:
    spec = matmul_spec("tf32")
    assert (spec.dtype, spec.math, spec.peak_key) == ("fp32", "tf32", "tf32")


@pytest.mark.parametrize(
    ("key", "capability", "missing"),
    [
        ("bf16", "7.5", True),
        ("bf16", "8.0", False),
        ("tf32", "7.0", True),
        ("fp8", "8.6", True),
        ("fp8_fast", "8.9", False),
        ("int8", "7.0", True),
        ("fp32", "6.0", False),
        ("bf16", None, False),
        ("bf16", "gfx942", False),
        ("fp8", "10.0", False),
    ],
)
def test_units_by_capability(key: str, capability: str | None, missing: bool) -> None:
    assert (lacks(key, capability) is not None) is missing


def test_the_reason_says_emulated() -> None:
    assert "emulated" in (lacks("bf16", "7.5") or "")
