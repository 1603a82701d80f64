"""What a caller says of a function, checked and as a claim: its counts are judged like anyone's."""

from __future__ import annotations

import inspect
import math as mathematics
from collections.abc import Callable, Sequence
from numbers import Real

import msgspec

from roofwatch.library.dtype_word import dtype_word
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.entry import OP_WORDS, Unreadable, claim_of
from roofwatch.session.printable import shown

ROWWISE = ("softmax", "layernorm", "rmsnorm", "embedding")
MOST_NAME = 80
MOST_SECONDS = 3600.0
MOST = 1e24
COUNTED = {"flop_counted": "flop", "bytes_counted": "bytes"}


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A function's name and the claim about one call of it; its time is measured."""

    name: str
    claim: Claim


def said_of(
    fn: Callable[[], object],
    *,
    flop: float | None,
    bytes: float | None,
    dtype: object,
    math: str | None,
    op: str,
    shape: Sequence[int] | None,
    sides: dict[str, int | None],
    name: str | None,
    nominal_gbs: float | None,
    nominal_tflops: float | None,
) -> Said:
    """Check the arguments of ``measure``.

    Raises:
        TypeError: something is of the wrong type.
        ValueError: a figure or a word makes no sense. Both in one line that names the argument.
    """
    if not callable(fn):
        raise TypeError(f"fn is {_kind(fn)}, which cannot be called")
    if inspect.iscoroutinefunction(fn) or inspect.isgeneratorfunction(fn):
        raise TypeError(
            "fn only makes a coroutine or generator when it is called: wrap what runs it"
        )
    if not isinstance(op, str):
        raise TypeError(f"op is {_kind(op)} where a word belongs")
    figures = {
        "flop_counted": number("flop", flop) or None,  # 0 FLOP: a copy, nothing to judge
        "bytes_counted": number("bytes", bytes),
        "nominal_gbs": number("nominal_gbs", nominal_gbs),
        "nominal_tflops": number("nominal_tflops", nominal_tflops),
    }
    given = {side: number(side, value) for side, value in sides.items()}
    if shape is not None:
        if any(value is not None for value in given.values()):
            raise ValueError("shape: give it, or m, n, k and elements, not both")
        given = dict(_sides(op, shape))
    fields = {"op": op, "dtype": dtype_word(dtype), "math": math, **figures, **given}
    try:
        claim = claim_of(fields)
    except Unreadable as error:
        text = str(error).removeprefix("field ")
        for field, argument in COUNTED.items():
            text = text.replace(field, argument)
        raise ValueError(text) from None
    return Said(name=_name(fn, name, op), claim=claim)


def number(argument: str, value: object) -> float | int | None:
    """A finite number from 0, whoever's type it has. Raises TypeError or ValueError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{argument} is {_kind(value)} where a number belongs")
    if isinstance(value, int) and abs(value) > MOST:  # too large to become a float
        raise ValueError(f"{argument} is a number beyond {MOST:g}")
    plain = int(value) if isinstance(value, int) else float(value)
    if plain < 0 or plain > MOST or not mathematics.isfinite(plain):
        raise ValueError(f"{argument} is {plain}, not a number from 0")
    return plain


def cap_s(seconds: object) -> float:
    """The time that measuring may take. Raises TypeError or ValueError."""
    value = number("seconds", seconds)
    if value is None or not 0 < value <= MOST_SECONDS:
        raise ValueError(f"seconds is {seconds}, not above 0 and up to {MOST_SECONDS:g}")
    return float(value)


def _sides(op: str, shape: Sequence[int]) -> dict[str, int | float | None]:
    """(m, n, k) of a matmul, (rows, columns) of a norm, of all else any shape of one tensor."""
    try:
        shape = tuple(shape)
    except TypeError:
        raise TypeError(f"shape is {_kind(shape)} where a list of sizes belongs") from None
    sizes = [number("shape", size) for size in shape]
    if OP_WORDS.get(op, op) == "matmul":
        if len(sizes) != 3:
            raise ValueError(f"shape of a matmul is (m, n, k), not {len(sizes)} sizes")
        return dict(zip("mnk", sizes, strict=True))
    if op in ROWWISE and len(sizes) == 2:
        return dict(zip("mn", sizes, strict=True))
    if any(size != int(size or 0) for size in sizes):
        raise ValueError(f"shape is {tuple(shape)}, not of whole numbers")
    return {"elements": mathematics.prod(int(size or 0) for size in sizes)}


def _name(fn: Callable[[], object], name: str | None, op: str) -> str:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name is {_kind(name)} where text belongs")
    own = getattr(fn, "__name__", "")
    own = own if isinstance(own, str) else ""
    found = name or (own if own and own != "<lambda>" else "") or (op if op != "other" else "fn")
    return shown(found)[:MOST_NAME]


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"
