"""Two or more points of one experiment, read as the seeds read them: what grew, and did time grow?

Seed, Day 1: batch 8 to 64 and 10 to 11 ms is not compute-bound; memory or the host set the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from roofwatch.notebook.catalog import chosen, fill
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_work import LINK_OPS, STREAMS, kv_bytes, work_of
from roofwatch.roofline.time_said import time_said
from roofwatch.roofline.workload import ROWWISE_FLOP

VARIED = ("batch", "m", "n", "k", "elements", "context", "kv_len")
HELD = ("op", "gpu", "dtype", "math", "params", "weight_bytes", "kv_bytes_per_token", "timing")
LINEAR = 0.75  # of the growth of the work, in logarithms: time goes with it
FLAT, BENT = 0.25, 0.5
SHORT_S = 2e-4  # a host call that only queues
GROWN = 2.0  # of a matmul's bytes: less is mostly the operand that all rows share
KV_BENDS = 1.05  # growth of a step's bytes from which KV can bend a curve
KV_FITS = 0.12  # L4, 32k of fp8 KV: 23 % more bytes, 21 % more time
OF_KV = ("context", "kv_len")
OF_BYTES = frozenset((*STREAMS, *ROWWISE_FLOP, *LINK_OPS, "embedding"))
"""Their bytes go with every size."""
AT_ODDS = ("stream_flat", "batch_flat")
OF_MATRICES = ("matmul", "attention")  # in a batch each has operands of its own


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One row of an experiment."""

    claim: Claim
    gbs: float | None = None
    tflops: float | None = None


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """What two ends of an experiment say together. ``bound`` names what is left as the limit.

    ``at_odds``: each size has bytes of its own, and the time did not grow with them, so that the
    rows cannot all be right.
    """

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
    at_odds: bool = False


def varied_of(claims: Sequence[Claim]) -> str | None:
    """The one size in which the claims differ; None where several or none do."""
    differ = [name for name in VARIED if len({getattr(c, name) for c in claims}) > 1]
    squares = set(differ) == {"m", "n", "k"}
    if squares and all(c.m == c.n == c.k for c in claims):
        return "n"
    known = len(differ) == 1 and all(getattr(c, differ[0]) for c in claims)
    return differ[0] if known else None


def told_apart(claims: Sequence[Claim]) -> list[str]:
    """What tells each of several claims of one name from the others: its sizes, else its place."""
    differ = [name for name in VARIED if len({getattr(c, name) for c in claims}) > 1]
    if set(differ) == {"m", "n", "k"} and all(c.m == c.n == c.k for c in claims):
        return [f"m = n = k = {c.n}" for c in claims]
    told = [", ".join(f"{n} {v}" for n in differ if (v := getattr(c, n))) for c in claims]
    if all(told) and len(set(told)) == len(told):
        return told
    return [f"{place}/{len(claims)}" for place in range(1, len(claims) + 1)]


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
    middle = 0 if bytes_ratio else _bend(sizes, times)
    grown = math.log(time_ratio) / math.log(work_ratio)
    if bytes_ratio is not None and bytes_ratio >= KV_BENDS:
        case, bound = _reconcile(time_ratio / bytes_ratio)
    else:
        case, bound = _read(grown, ordered[0].op, times[-1], middle > 0, name)
        moved = _operands_ratio(ordered[0], ordered[-1])
        if case == "flat" and moved and math.log(time_ratio) <= FLAT * math.log(moved):
            case, bound = _operands_stand()
            bytes_ratio = moved
    words = chosen().pages["experiment"].cases[case]
    evidence = {
        "varied": "m = n = k" if cube else name,
        "first": f"{sizes[0]:.0f}",
        "middle": f"{sizes[middle]:.0f}",
        "last": f"{sizes[-1]:.0f}",
        "first_time": time_said(times[0], 4),
        "last_time": time_said(times[-1], 4),
        "first_part": times[middle] / times[0],
        "last_part": times[-1] / times[middle],
        "size_ratio": size_ratio,
        "work_ratio": work_ratio,
        "time_ratio": time_ratio,
        "bytes_ratio": bytes_ratio,
        "kv_unknown": _kv_unknown(ordered[-1]) or None,
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
        at_odds=case in AT_ODDS,
    )


def _bytes_ratio(first: Claim, last: Claim) -> float | None:
    """How the bytes of a decode step grow, weights and KV; None where its KV is not known."""
    both = [work_of(claim) for claim in (first, last)]
    if first.op != "decode" or not all(kv_bytes(claim) for claim in (first, last)):
        return None
    before, after = both
    return after.bytes / before.bytes if before and after else None


def _kv_unknown(claim: Claim) -> str:
    """The fields that would tell the KV bytes of a decode step, which grow with the batch."""
    if claim.op != "decode" or kv_bytes(claim) is not None:
        return ""
    told = {"kv_bytes_per_token": claim.kv_bytes_per_token, "kv_len": claim.kv_len or claim.context}
    return ", ".join(name for name, value in told.items() if not value)


def _operands_ratio(first: Claim, last: Claim) -> float | None:
    """How the bytes of a matmul grow; None where most of them are shared, or not known."""
    both = [work_of(msgspec.structs.replace(c, dtype=c.dtype or "fp16")) for c in (first, last)]
    before, after = both
    if first.op != "matmul" or not before or not after:
        return None
    ratio = after.bytes / before.bytes
    return ratio if ratio >= GROWN else None


def _bend(sizes: Sequence[float], times: Sequence[float]) -> int:
    """The inner point of three or more up to which the time stays flat, and then grows; else 0."""
    if len(set(sizes)) < len(sizes):
        return 0  # a size that was measured twice
    for i in range(len(sizes) - 2, 0, -1):
        before = math.log(times[i] / times[0]) / math.log(sizes[i] / sizes[0])
        after = math.log(times[-1] / times[i]) / math.log(sizes[-1] / sizes[i])
        if before <= FLAT and after >= BENT:
            return i
    return 0


def _reconcile(time_over_bytes: float) -> tuple[str, list[str]]:
    """Whether a decode step grew as its bytes did."""
    if abs(time_over_bytes - 1) <= KV_FITS:
        return "kv_explains", ["memory"]
    return "kv_leaves", ["memory", "overhead"]


def _operands_stand() -> tuple[str, list[str]]:
    """A matmul of more FLOP and more bytes, in no more time."""
    return "matrix_flat", ["overhead", "synchronise"]


def _read(grown: float, op: str, time_s: float, bends: bool, varied: str) -> tuple[str, list[str]]:
    """By how the time grew with the work, in logarithms: 1 with it, 0 not at all."""
    apart = op in OF_MATRICES and varied == "batch"
    if bends and (apart or op in OF_BYTES):
        return "bends_apart", ["overhead"]  # nothing is shared that the memory could be at
    if bends:
        return "bends", ["memory", "overhead"]
    if grown >= LINEAR and op == "decode":
        return "with_batch", ["compute", "memory"]
    if grown >= LINEAR:
        return "with_work", ["compute", "memory"]
    if grown > FLAT:
        return "between", ["memory", "overhead"]
    if op in OF_BYTES:
        return "stream_flat", ["overhead", "synchronise"]
    if apart:
        return "batch_flat", ["overhead", "synchronise"]
    if time_s < SHORT_S:
        return "flat_short", ["overhead", "synchronise"]
    return "flat", ["memory", "overhead"]
