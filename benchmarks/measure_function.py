"""What ``roofwatch.measure`` says of four functions on this card, and of their usual mistakes.

    python benchmarks/measure_function.py [--json FILE]

A large y = x + 1 counted right and counted without its writes, one that fits in the cache, an fp32
matmul held against the fp16 peak, and matrices of 512. Prints the flat dicts as JSON, the two-line
summaries on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from where import where

import roofwatch

H200_FP16_TFLOPS = 989.5
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def add(elements: int, name: str, share: float = 1.0) -> roofwatch.Measured:
    """y = x + 1 in fp16 with ``share`` of its bytes counted."""
    x = torch.randn(elements, device=DEVICE).to(torch.float16)
    y = torch.empty_like(x)
    return roofwatch.measure(
        lambda: torch.add(x, 1, out=y),
        op="add_scalar",
        shape=x.shape,
        dtype=x.dtype,
        bytes=share * 2 * x.nbytes,
        name=name,
    )


def square(side: int, dtype: torch.dtype, name: str, **compared: float) -> roofwatch.Measured:
    """A square matmul."""
    a = torch.randn(side, side, device=DEVICE).to(dtype)
    b = torch.randn(side, side, device=DEVICE).to(dtype)
    return roofwatch.measure(
        lambda: a @ b,
        op="matmul",
        shape=(side, side, side),
        dtype=dtype,
        flop=2.0 * side**3,
        name=name,
        **compared,  # type: ignore[arg-type]
    )


def cases() -> Iterator[roofwatch.Measured]:
    """One after the other; a CPU gets smaller ones."""
    gpu = DEVICE == "cuda"
    large = 1 << (30 if gpu else 27)
    yield add(large, "add")
    yield add(large, "add, x counted alone", share=0.5)
    yield add(2 << 20, "add in the cache")
    side = 8192 if gpu else 2048
    yield square(side, torch.float32, "fp32 matmul", nominal_tflops=H200_FP16_TFLOPS)
    yield square(512, torch.bfloat16, "matmul of 512")


def main() -> None:
    """Print each answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    answers: list[dict[str, Any]] = []
    begin = time.monotonic()
    for got in cases():
        print(f"{got}\n  {time.monotonic() - begin:.1f} s", file=sys.stderr)
        answers.append(got.flat())
        begin = time.monotonic()
    text = json.dumps({**where(), "measured": answers}, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text)


if __name__ == "__main__":
    main()
