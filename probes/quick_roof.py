"""A short measurement of the roof, for work that must be held against one now: seconds, no search.

Bandwidth by y = x + 1 as the suite's first probe, a peak by the suite's burst of the largest shape
that fits; both by the house's own timers.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import torch

from roofwatch.probes import matmul, operands, streams
from roofwatch.probes.device import Target
from roofwatch.probes.matmul import Candidate
from roofwatch.probes.shapes import candidates
from roofwatch.probes.timing import Timed, steady
from roofwatch.roofline.probe_spec import MATMUL_KEYS, ProbeSpec, matmul_spec
from roofwatch.roofline.statistics import median

STREAM_BYTES = {"cuda": 2 << 30, "cpu": 512 << 20}  # of a tensor at most
STREAM_S = {"cuda": (0.3, 0.3), "cpu": (0.3, 0.7)}  # to warm up, to measure
SHAPES = 2  # the largest of the suite's: no search
REDUCTIONS = (
    "allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduced_precision_reduction",
)
STREAM_DTYPE = "fp32"  # its bytes are those of any other type


def bandwidth_gbs(target: Target) -> float:
    """GB/s of y = x + 1, reads and writes counted. Raises RuntimeError where no memory is free."""
    size, _ = streams.tensor_bytes(target, "add_scalar")
    size = min(size, STREAM_BYTES[target.kind])
    work, launch = streams.prepare(target, "add_scalar", STREAM_DTYPE, size)
    warm_s, cap_s = STREAM_S[target.kind]
    timed = steady(
        target.timer(),
        launch,
        warm_s=warm_s,
        warm_cap_s=2 * warm_s,
        min_count=5,
        cap_s=cap_s,
    )
    return work.bytes / _time_s(target, timed) / 1e9


def peak_tflops(target: Target, peak_key: str) -> float:
    """TFLOP/s (int8: TOPS) of a burst of matmuls judged by ``peak_key``.

    Torch's switches are put back as they were. Raises RuntimeError where it cannot be multiplied.
    """
    if peak_key not in MATMUL_KEYS:
        raise RuntimeError(f"there is no matmul of {peak_key}")
    spec = matmul_spec(peak_key)
    why = operands.missing(spec)
    if why is not None:
        raise RuntimeError(why)
    with torch.no_grad(), _math(target, spec):
        budget = matmul.flop_budget(target, spec)
        layout = operands.layouts(spec.dtype)[-1]
        finalists = [
            Candidate(
                shape=shape,
                layout=layout,
                launch=operands.prepare(spec, shape, layout, target.torch_device),
            )
            for shape in candidates(target.units, budget, spec.dtype)[:SHAPES]
        ]
        best, timed = matmul.measure(target, finalists, None, time.sleep)
    return best.shape.flop / _time_s(target, timed) / 1e12


def _time_s(target: Target, timed: Timed) -> float:
    """The median, as everywhere; on a CPU the best: what others take of it is no roof."""
    return min(timed.times_s) if target.kind == "cpu" else median(timed.times_s)


@contextlib.contextmanager
def _math(target: Target, spec: ProbeSpec) -> Iterator[None]:
    """The math mode of the probe, and afterwards what the caller had."""
    if target.kind != "cuda":
        yield
        return
    switches = torch.backends.cuda.matmul
    before: dict[str, Any] = {name: getattr(switches, name) for name in REDUCTIONS}
    for name in REDUCTIONS:  # later torch keeps two switches under one name
        with contextlib.suppress(AttributeError):
            before[name] = before[name], getattr(switches, f"{name}_split_k")
    precision = "fp32_precision" if hasattr(switches, "fp32_precision") else "allow_tf32"
    before[precision] = getattr(switches, precision)
    try:
        operands.set_math(spec)
        yield
    finally:
        for name, value in before.items():
            setattr(switches, name, value)
