"""Two or more points of one experiment, read as the seeds read them: what grew, and did time grow?

Seed, Day 1: batch 8 to 64 and 10 to 11 ms is not compute-bound; memory or the host set the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from roofwatch.notebook.catalog import chosen, fill
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_work import STREAMS, kv_bytes, work_of

VARIED = ("batch", "m", "n", "k", "elements", "context", "kv_len")
HELD = ("op", "gpu", "dtype", "math", "params", "weight_bytes", "kv_bytes_per_token", "timing")
LINEAR = 0.75  # of the growth of the work, in logarithms: time goes with it
FLAT = 0.25
KV_BENDS = 1.05  # growth of a step's bytes from which KV can bend a curve
KV_FITS = 0.12  # L4, 32k of fp8 KV: 23 % more bytes, 21 % more time
OF_KV = ("context", "kv_len")


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One row of an experiment."""

    claim: Claim
    gbs: float | None = None
    tflops: float | None = None


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """What two ends of an experiment say together. ``bound`` names what is left as the limit."""

    points: int
    varied: str
    values: list[float]
    times_s: list[float]
    size_ratio: float
    time_ratio: float
    bound: list[str]  # of "compute", "memory", "overhead", "synchronise"
    message: str
    why: str
    do: str


def varied_of(claims: Sequence[Claim]) -> str | None:
    """The one size in which the claims differ; None where several or none do."""
    differ = [name for name in VARIED if len({getattr(c, name) for c in claims}) > 1]
    squares = set(differ) == {"m", "n", "k"}
    if squares and all(c.m == c.n == c.k for c in claims):
        return "n"
    known = len(differ) == 1 and all(getattr(c, differ[0]) for c in claims)
    return differ[0] if known else None


def together(points: Sequence[Point]) -> Experiment | None:
    """The ends of an experiment in one size; None where that is not what the points are."""
    claims = [p.claim for p in points]
    name = varied_of(claims)
    if name is None or any(c.time_s is None for c in claims):
        return None
    if len({tuple(getattr(c, each) for each in HELD) for c in claims}) > 1:
        return None  # another card, type or model is another experiment
    ordered = sorted(claims, key=lambda c: getattr(c, name))
    sizes = [float(getattr(c, name)) for c in ordered]
    times = [c.time_s or 0.0 for c in ordered]
    size_ratio, time_ratio = sizes[-1] / sizes[0], times[-1] / times[0]
    if size_ratio < 1.5:
        return None
    cube = name == "n" and all(c.m == c.n == c.k for c in ordered)
    work_ratio = size_ratio**3 if cube else size_ratio
    bytes_ratio = _bytes_ratio(ordered[0], ordered[-1])
    if name in OF_KV and bytes_ratio is None:
        return None  # a longer context is more KV bytes: without them there is nothing to read
    case, bound = _read(work_ratio, time_ratio, ordered[0].op, bytes_ratio)
    words = chosen().pages["experiment"].cases[case]
    evidence = {
        "varied": name,
        "first": f"{sizes[0]:.0f}",
        "last": f"{sizes[-1]:.0f}",
        "first_ms": times[0] * 1e3,
        "last_ms": times[-1] * 1e3,
        "size_ratio": size_ratio,
        "work_ratio": work_ratio,
        "time_ratio": time_ratio,
        "bytes_ratio": bytes_ratio,
    }
    return Experiment(
        points=len(points),
        varied=name,
        values=sizes,
        times_s=times,
        size_ratio=size_ratio,
        time_ratio=time_ratio,
        bound=bound,
        message=fill(words.message, evidence),
        why=fill(words.why, evidence),
        do=fill(words.do, evidence),
    )


def _bytes_ratio(first: Claim, last: Claim) -> float | None:
    """How the bytes of a decode step grow, weights and KV; None where its KV is not known."""
    both = [work_of(claim) for claim in (first, last)]
    if first.op != "decode" or not all(kv_bytes(claim) for claim in (first, last)):
        return None
    before, after = both
    return after.bytes / before.bytes if before and after else None


def _read(
    work_ratio: float, time_ratio: float, op: str, bytes_ratio: float | None
) -> tuple[str, list[str]]:
    if bytes_ratio is not None and bytes_ratio >= KV_BENDS:
        if abs(time_ratio / bytes_ratio - 1) <= KV_FITS:
            return "kv_explains", ["memory"]
        return "kv_leaves", ["memory", "overhead"]
    grown = math.log(time_ratio) / math.log(work_ratio)
    if grown >= LINEAR and op == "decode":
        return "with_batch", ["compute", "memory"]
    if grown >= LINEAR:
        return "with_work", ["compute", "memory"]
    if grown > FLAT:
        return "between", ["memory", "overhead"]
    if op in STREAMS:
        return "stream_flat", ["overhead", "synchronise"]
    return "flat", ["memory", "overhead"]
