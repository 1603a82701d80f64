"""Torch's global switches, read before someone's code runs and put back before ours does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch


def kept() -> Callable[[], None]:
    """What puts back the switches as they stand now.

    Default device and type, threads, grad mode, deterministic mode, and the precision of products.
    """
    device = _device()
    dtype = torch.get_default_dtype()
    threads = torch.get_num_threads()
    grad = torch.is_grad_enabled()
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    precision = {at: _read(*at) for at in _SWITCHES}

    def put_back() -> None:
        if _device() != device:
            torch.set_default_device(None if device == torch.device("cpu") else device)
        if torch.get_default_dtype() != dtype:
            torch.set_default_dtype(dtype)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        torch.set_grad_enabled(grad)
        torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
        for at, value in precision.items():
            if value is not None and _read(*at) != value:
                with contextlib.suppress(RuntimeError):
                    setattr(_owner(at[0]), at[1], value)

    return put_back


_SWITCHES = (
    ("cuda.matmul", "allow_tf32"),
    ("cuda.matmul", "fp32_precision"),
    ("cudnn", "allow_tf32"),
    ("cudnn", "benchmark"),
    ("mkldnn.matmul", "fp32_precision"),
)
"""Of ``torch.backends``; torch has two names for some of them, and refuses where both were set."""


def _owner(where: str) -> Any:
    owner: Any = torch.backends
    for part in where.split("."):
        owner = getattr(owner, part)
    return owner


def _read(where: str, name: str) -> object:
    """None where this torch has no such switch, or does not tell."""
    try:
        return getattr(_owner(where), name)
    except (AttributeError, RuntimeError):
        return None


def _device() -> torch.device:
    """Where tensors are made that name no device; older torch does not tell, but can be asked."""
    if hasattr(torch, "get_default_device"):
        return torch.get_default_device()
    return torch.empty(0).device
