"""Torch's switches after someone's code changed them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import torch_settings  # noqa: E402

pytestmark = pytest.mark.torch


def settings() -> tuple[object, ...]:
    return (
        torch.empty(0).device,
        torch.empty(0).dtype,
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        torch.are_deterministic_algorithms_enabled(),
        torch.backends.cudnn.benchmark,
        torch.get_float32_matmul_precision(),
    )


def test_what_was_changed_is_put_back() -> None:
    before = settings()
    put_back = torch_settings.kept()
    try:
        torch.set_default_device("meta")
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(torch.get_num_threads() + 1)
        torch.set_grad_enabled(False)
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = not torch.backends.cudnn.benchmark
        torch.set_float32_matmul_precision("medium")
        assert all(new != old for new, old in zip(settings(), before, strict=True))
    finally:
        put_back()
    assert settings() == before


def test_a_default_device_of_the_callers_stays() -> None:
    with torch.device("meta"):
        torch_settings.kept()()
        assert torch.empty(0).device.type == "meta"
    assert torch.empty(0).device.type == "cpu"
