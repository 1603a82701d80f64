"""Common transformer work with its intensity, and what changes side between two ridges (Day 15)."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.workload import (
    Work,
    add,
    add_scalar,
    flash_attention,
    linear,
    matmul,
)

WIDTH = 4096  # a layer of a 7B or 8B model
ELEMENTS = 1 << 20  # of an elementwise kernel: its intensity does not depend on it
HEAD_DIM = 128
TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 8192)
SQUARES = (512, 1024, 2048, 4096, 8192)
PROMPTS = (512, 1024, 2048, 8192)
DECODE = 256  # tokens of one step above this are taken for a prompt


class Common(msgspec.Struct, frozen=True):
    """A piece of work that people know, and its intensity in FLOP per byte."""

    name: str
    intensity: float


def _linear_name(tokens: int) -> str:
    return f"decode linear b={tokens}" if tokens <= DECODE else f"prefill linear {tokens} tokens"


def common(dtype: str) -> tuple[Common, ...]:
    """The list for one element type, by rising intensity."""
    named: list[tuple[str, Work]] = [
        ("z = x + y", add(ELEMENTS, dtype)),
        ("y = x + 1", add_scalar(ELEMENTS, dtype)),
        *((_linear_name(t), linear(t, WIDTH, WIDTH, dtype)) for t in TOKENS),
        *((f"matmul {n}", matmul(n, n, n, dtype)) for n in SQUARES),
        *((f"attention {n} tokens", flash_attention(n, HEAD_DIM, dtype)) for n in PROMPTS),
    ]
    found = [Common(name, work.intensity) for name, work in named]
    return tuple(sorted(found, key=lambda c: c.intensity))


def between(work: tuple[Common, ...], one: float, other: float) -> tuple[Common, ...]:
    """What is memory-bound by one ridge and compute-bound by the other."""
    low, high = sorted((one, other))
    return tuple(c for c in work if low <= c.intensity < high)


def changing(work: tuple[Common, ...], ridges: dict[str, float]) -> dict[str, list[str]]:
    """For each ridge after the first: names of the work that changes side against the first."""
    names = list(ridges)
    return {
        f"{names[0]}/{name}": [c.name for c in between(work, ridges[names[0]], ridges[name])]
        for name in names[1:]
    }
