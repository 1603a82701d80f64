"""Why a kernel stays under 90 % of its roof: a computed bound that explains its time, or a known
property of the op that is said to be no more than that. What neither gives is not known."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

import msgspec

from roofwatch.roofline.arithmetic_time import WHAT, Cost
from roofwatch.roofline.time_said import time_said
from roofwatch.roofline.transformer_work import (
    BIAS_GELU_DROPOUT,
    DECODE_ATTENTION,
    DECODE_LINEAR,
    PREFILL_ATTENTION,
    PREFILL_LINEAR,
    SAMPLING,
)
from roofwatch.session.arithmetic import AtClock, at_clock
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import time_s

EXPLAINS = 0.75  # of the time: a lower bound this near to it is what binds
OVERLAPS = 0.5  # of the time: from here on it counts beside the bytes
CONTRADICTS = 1.1  # of the time: a bound above it was counted for another kernel
MOST = 0.5  # of what the bytes leave of the time
COVERS = 0.9  # of the time: what two bounds must come to when they take turns
ROWWISE = ("rmsnorm", "layernorm", "softmax")
NOT_KNOWN = "not known"

_FLASH_FOR_AMPERE = "flash_fwd"  # FlashAttention-2, which knows mma.sync and no wgmma
_LIBRARY = (DECODE_LINEAR, PREFILL_LINEAR, DECODE_ATTENTION, PREFILL_ATTENTION)
_PROPERTY = {
    "embedding": "gathers its rows by index",
    "rmsnorm": "reduces each row before it writes",
    "layernorm": "reduces each row before it writes",
    "softmax": "reduces each row twice before it writes",
    BIAS_GELU_DROPOUT: "draws a random number an element",
    SAMPLING: "takes many small steps one after the other",
}
"""Of an op, whatever the card."""

_NEW_MEMORY = ("rmsnorm", "layernorm", BIAS_GELU_DROPOUT)
"""Their result is new memory at each call; a CPU touches its pages first."""


class Cause(Enum):
    """Why a kernel is no faster, as far as it is known: what treats it follows from this."""

    AT_ROOF = auto()
    CACHE = auto()  # over any memory's rate
    ROOF_LOW = auto()
    LAUNCHES = auto()
    LAUNCH_PART = auto()  # of what its bytes leave
    ARITHMETIC = auto()
    BESIDE_BYTES = auto()  # arithmetic and bytes take turns
    EXPONENTIALS = auto()  # beside an attention's products
    FEW_BLOCKS = auto()
    SPLIT = auto()  # several kernels make one op
    OLDER_CARDS = auto()  # a library's kernel that was written for them
    NEW_MEMORY = auto()
    UNKNOWN = auto()


class Why(NamedTuple):
    """A cause, and the sentence that says it."""

    cause: Cause
    said: str


NOTHING = Why(Cause.UNKNOWN, "")


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """Least seconds by each of the three bottlenecks; None where nothing tells.

    ``bytes_s`` at the kernel's own roof, ``compute_s`` at the best measured matmul or by its
    arithmetic, ``launch_s`` of ``launches`` launches as the kernel was launched.
    """

    bytes_s: float | None
    compute_s: float | None
    launch_s: float | None
    launches: int = 1


def launch_reason(session: Session, m: Measurement, terms: Terms, assumed: bool) -> Why:
    """For a kernel whose launches cost more than its bytes and FLOP."""
    many = terms.launches > 1
    what = f"{terms.launches} launches alone cost" if many else "a launch alone costs"
    said = f"launch: of {time_said(time_s(m))} {what} {time_said(terms.launch_s or 0.0)}"
    if assumed:
        said += " (5 us each are assumed)"
    if terms.bytes_s is not None:
        said += f", the bytes need {time_said(terms.bytes_s)}"
    units, rows = session.device.sm_count, m.shape.get("rows")
    if m.op in ROWWISE and units and rows and rows < units:
        said += f"; {_rows(rows)} on {units} SMs"
    elif m.op == SAMPLING:
        said += f"; it {_PROPERTY[SAMPLING]}"
    return Why(Cause.LAUNCHES, said)


def reason(session: Session, m: Measurement, terms: Terms, cost: Cost | None) -> Why:
    """One short sentence, for a kernel that is not bound by its launch."""
    taken = time_s(m)
    if m.op == PREFILL_ATTENTION:
        return _attention(session, m, terms) or _known(session, m)
    rows, units = m.shape.get("rows"), session.device.sm_count
    if m.op in ROWWISE and rows and units and rows < units:
        return Why(Cause.FEW_BLOCKS, f"too few blocks: {_rows(rows)} on {units} SMs")
    explained = arithmetic_reason(session, m, cost, terms.bytes_s) if cost else NOTHING
    if explained.said:
        return explained
    kernels = m.shape.get("kernels", 1)
    if kernels > 1 and m.op in ROWWISE:
        said = f"torch makes {kernels} kernels of it: what lies between them moves again"
        return Why(Cause.SPLIT, said)
    missing_s = taken - (terms.bytes_s or taken)
    if terms.launch_s and terms.launch_s >= MOST * missing_s > 0:
        said = f"launch: {time_said(terms.launch_s)} of the {time_said(missing_s)} over its bytes"
        return Why(Cause.LAUNCH_PART, said)
    return _known(session, m)


def arithmetic_reason(session: Session, m: Measurement, cost: Cost, bytes_s: float | None) -> Why:
    """What the arithmetic of ``cost`` an element explains of the time; NOTHING when it does not."""
    bound = arithmetic_bound(session, m, cost)
    if bound is None:
        return NOTHING
    taken, seconds = time_s(m), bound.arithmetic.seconds
    if seconds >= EXPLAINS * taken:
        said = f"{_arithmetic(m, bound)} take {time_said(seconds)} of {time_said(taken)}"
        return Why(Cause.ARITHMETIC, said)
    if bytes_s and seconds >= OVERLAPS * taken and seconds + bytes_s >= COVERS * taken:
        said = (
            f"{_arithmetic(m, bound)} take {time_said(seconds)} beside {time_said(bytes_s)} of "
            "bytes: they overlap only in part"
        )
        return Why(Cause.BESIDE_BYTES, said)
    return NOTHING


def arithmetic_bound(session: Session, m: Measurement, cost: Cost) -> AtClock | None:
    """The least time of the arithmetic; None where it is not known or the time belies it."""
    bound = at_clock(session, m, cost)
    if bound is None or bound.arithmetic.seconds > CONTRADICTS * time_s(m):
        return None
    return bound


def _arithmetic(m: Measurement, bound: AtClock) -> str:
    each = bound.arithmetic
    return (
        f"{WHAT.get(m.op, m.op)}: {each.each:.0f} {each.unit} an element "
        f"({each.lanes} a clock and SM at {bound.sm_mhz:.0f} MHz)"
    )


def _attention(session: Session, m: Measurement, terms: Terms) -> Why | None:
    """An exponential a score beside the products (Shah et al., 2024: FlashAttention-3)."""
    tokens = m.shape["tokens"]
    scores = m.shape["heads"] * tokens * (tokens + 1) / 2
    bound = at_clock(session, m, Cost(instructions=0.0, special=1.0), scores)
    if bound is None or terms.compute_s is None:
        return None
    seconds = bound.arithmetic.seconds
    if seconds + terms.compute_s < EXPLAINS * time_s(m):
        return None
    said = (
        f"special functions: an exp a score ({bound.arithmetic.lanes} a clock and SM) takes "
        f"{time_said(seconds)} beside {time_said(terms.compute_s)} of products: they overlap only "
        "in part"
    )
    return Why(Cause.EXPONENTIALS, said)


def _known(session: Session, m: Measurement) -> Why:
    """A property of the op, said as such; the name of a library's kernel; else that it is not
    known."""
    capability = session.device.compute_capability or ""
    if m.op in _LIBRARY:
        if m.kernel and _FLASH_FOR_AMPERE in m.kernel and capability.startswith("9."):
            said = "library kernel: torch's flash attention is written for Ampere's tensor cores"
            return Why(Cause.OLDER_CARDS, said)
        name = f" {short_name(m.kernel)}" if m.kernel else ""
        return Why(Cause.UNKNOWN, f"{NOT_KNOWN}: the library's kernel{name}")
    on_cpu = session.device.kind == "cpu"
    if on_cpu and m.op in _NEW_MEMORY:
        said = f"{NOT_KNOWN} in figures: its result is new memory at each call"
        return Why(Cause.NEW_MEMORY, said)
    if m.op in _PROPERTY:
        return Why(Cause.UNKNOWN, f"{NOT_KNOWN} in figures: it {_PROPERTY[m.op]}")
    return Why(Cause.UNKNOWN, NOT_KNOWN)


def short_name(kernel: str) -> str:
    """A kernel's name without its namespaces, arguments and templates."""
    bare = kernel.removeprefix("void ").split("<")[0].split("(")[0]
    return bare.rpartition("::")[2] or kernel


def _rows(rows: int) -> str:
    return "one row keeps one block busy" if rows == 1 else f"{rows} rows keep {rows} blocks busy"
