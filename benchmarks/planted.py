"""Callables whose bottleneck is known, for triage: three planted ones, and tests of judgement.

The device is CUDA where there is one. Tensors are made on the first call and kept; a CPU writes
into memory that is there, since fresh pages cost it more than the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ON_CUDA = DEVICE == "cuda"
SIDE = 8192 if ON_CUDA else 2048
DTYPE = torch.bfloat16 if ON_CUDA else torch.float32
ROWS = 32 if ON_CUDA else 16  # of the chain, 64 MiB each in fp32
COLUMNS = 1 << 24
TINY = 512
PAUSE_S = 0.05 if ON_CUDA else 1.0


@lru_cache(maxsize=8)
def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device=DEVICE).to(dtype)


@lru_cache(maxsize=8)
def _room(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(*shape, device=DEVICE, dtype=dtype)


def big_matmul() -> None:
    """A large square: compute."""
    torch.mm(
        _random(SIDE, SIDE, dtype=DTYPE),
        _random(SIDE, SIDE, dtype=DTYPE),
        out=_room(SIDE, SIDE, dtype=DTYPE),
    )


def elementwise_chain() -> None:
    """Four operators over tensors far beyond any cache: memory."""
    _chain(_random(ROWS // 4, COLUMNS), _room(ROWS // 4, COLUMNS))


def tiny_kernels() -> None:
    """Hundreds of operators on 64 elements: overhead."""
    _many(_room(64))


def big_matmul_batch(batch: int = SIDE // 4) -> None:
    """The square with ``batch`` rows: compute."""
    torch.mm(
        _random(batch, SIDE, dtype=DTYPE),
        _random(SIDE, SIDE, dtype=DTYPE),
        out=_room(batch, SIDE, dtype=DTYPE),
    )


def elementwise_chain_batch(batch: int = ROWS // 8) -> None:
    """``batch`` rows of the chain: memory."""
    _chain(_random(batch, COLUMNS), _room(batch, COLUMNS))


def tiny_kernels_batch(batch: int = 1) -> None:
    """``batch`` rows of the tiny operators: overhead."""
    _many(_room(batch, 64))


def _chain(x: torch.Tensor, y: torch.Tensor) -> None:
    torch.add(x, 1, out=y)
    torch.relu_(y)
    y.mul_(0.5)
    torch.add(x, y, out=y)


def _many(x: torch.Tensor) -> None:
    for _ in range(TINY):
        x.add_(1)


def decode_step(batch: int = 1) -> None:
    """One token through a stack of weights far beyond the cache: memory (seed: intensity 1)."""
    width = 8192
    x = _random(batch, width, dtype=DTYPE)
    for weight in _stack(width):
        torch.mm(x, weight, out=_room(batch, width, dtype=DTYPE))


@lru_cache(maxsize=1)
def _stack(width: int) -> list[torch.Tensor]:
    return [torch.randn(width, width, device=DEVICE).to(DTYPE) for _ in range(4)]


def matmul_and_pause() -> None:
    """A matmul, and a host that sleeps: overhead, for the device waits."""
    big_matmul()
    time.sleep(PAUSE_S)


def asks_for_each_value() -> float:
    """``.item()`` in a loop: overhead."""
    x = _room(64)
    return sum(x.add_(1)[0].item() for _ in range(64))


def int8_matmul() -> None:
    """Integers: compute, in TOPS."""
    side = 8192 if ON_CUDA else 2048
    torch._int_mm(_int8(side, 1), _int8(side, 2).t())


@lru_cache(maxsize=2)
def _int8(side: int, _: int) -> torch.Tensor:
    return torch.randint(-127, 128, (side, side), dtype=torch.int8, device=DEVICE)


def nothing() -> None:
    """No work: it cannot be said."""


def sleeps() -> None:
    """Nothing that torch could see: it cannot be said."""
    time.sleep(0.01)


def convolution(batch: int = 32) -> None:
    """A convolution of many channels: compute."""
    with torch.no_grad():
        torch.nn.functional.conv2d(_random(batch, 128, 56, 56), _random(128, 128, 3, 3), padding=1)


def big_softmax() -> None:
    """Softmax of a tensor beyond the cache: memory."""
    rows = 65536 if ON_CUDA else 8192
    torch.softmax(_random(rows, 8192), 1, out=_room(rows, 8192))


def fused_chain() -> None:
    """The chain through torch.compile: memory, in one trip."""
    _compiled()(_random(ROWS // 4, COLUMNS))


@lru_cache(maxsize=1)
def _compiled() -> Callable[[torch.Tensor], torch.Tensor]:
    def chain(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + 1) * 0.5 + x

    return torch.compile(chain)


def attention(batch: int = 4) -> None:
    """Attention over a prompt: compute (seed, Day 17)."""
    q = _random(batch, 16, 2048, 64, dtype=DTYPE)
    torch.nn.functional.scaled_dot_product_attention(q, q, q)


def training_step(batch: int = 4096 if ON_CUDA else 256) -> None:
    """Forward, backward and the optimiser's step of a small network of wide layers: compute."""
    model, optimiser = _network()
    loss = model(_random(batch, 2048)).square().mean()
    loss.backward()
    optimiser.step()
    optimiser.zero_grad()


@lru_cache(maxsize=1)
def _network() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    layers = [torch.nn.Linear(2048, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048)]
    model = torch.nn.Sequential(*layers).to(DEVICE)
    return model, torch.optim.SGD(model.parameters(), lr=1e-6)


def typed_chain(dtype: torch.dtype = torch.float32) -> None:
    """The chain in a type to be changed: memory."""
    _chain(_random(ROWS // 4, COLUMNS, dtype=dtype), _room(ROWS // 4, COLUMNS, dtype=dtype))


def from_the_host() -> None:
    """A copy over the host link: memory, and which one is said."""
    _host().to(DEVICE)


@lru_cache(maxsize=1)
def _host() -> torch.Tensor:
    return torch.randn(1 << 26)


EXPECTED = {
    "big_matmul": "compute",
    "elementwise_chain": "memory",
    "tiny_kernels": "overhead",
    "big_matmul_batch": "compute",
    "elementwise_chain_batch": "memory",
    "tiny_kernels_batch": "overhead",
    "decode_step": "memory",
    "matmul_and_pause": "overhead",
    "asks_for_each_value": "overhead",
    "int8_matmul": "compute",
    "nothing": "cannot-say",
    "sleeps": "cannot-say",
    "convolution": "compute",
    "big_softmax": "memory",
    "fused_chain": "memory",
    "attention": "compute",
    "training_step": "compute",
    "typed_chain": "memory",
    **({"from_the_host": "memory"} if ON_CUDA else {}),
}
"""What triage must say of each."""
PLANTED = tuple(EXPECTED)[:6]
"""The three, and each with a batch to change; the others are tests of judgement."""
