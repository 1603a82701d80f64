"""Which argument of a function an experiment may change, and to what. No torch is needed to ask."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

BATCH_NAMES = ("batch", "batch_size", "bs", "n", "b")
DTYPE_NAME = "dtype"
FACTORS = (8, 2)
"""Tried in this order, as memory and time allow (the seed's self-test goes from 8 to 64)."""

OTHER_ON_CUDA = {"float32": "float16", "float16": "float32", "bfloat16": "float32"}
"""The seed's: fp32 to fp16, or back."""
OTHER_ON_CPU = {"float32": "float64", "float64": "float32", "bfloat16": "float32"}
"""A CPU converts its short types element by element: fp64 is the other size that it works in."""
SHORT = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}
LONG = {short: long for long, short in SHORT.items()}


class NoArgument(ValueError):
    """The argument that was named cannot be changed; the message says why, in one line."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One argument with another value; ``factor`` is None for one that is no number."""

    name: str
    value: Any
    what: str  # "batch 8 to 64"
    factor: float | None = None


def arguments(fn: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """The parameters of a function; of a module of torch those of its ``forward``."""
    own = inspect.unwrap(fn)
    asked = own.forward if hasattr(own, "forward") and hasattr(own, "state_dict") else own
    try:
        return dict(inspect.signature(asked).parameters)
    except (TypeError, ValueError):  # written in C: nobody knows
        return {}


def required(fn: Callable[..., object]) -> list[str]:
    """Names of the parameters that a call without arguments would miss."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        name
        for name, p in arguments(fn).items()
        if p.default is inspect.Parameter.empty and p.kind not in kinds
    ]


def batch_argument(fn: Callable[..., object], named: str | None) -> tuple[str, int] | None:
    """The batch's parameter and its default. Raises NoArgument for a named one that has none."""
    known = arguments(fn)
    if named is not None:
        if named not in known:
            raise NoArgument(f"there is no parameter {named!r} to change")
        default = known[named].default
        if not _is_count(default):
            raise NoArgument(f"parameter {named!r} has no whole number from 1 as its default")
        return named, default
    for name in BATCH_NAMES:
        if name in known and _is_count(known[name].default) and _by_name(known[name]):
            return name, known[name].default
    return None


def dtype_argument(fn: Callable[..., object]) -> tuple[str, Any] | None:
    """The parameter ``dtype`` and its default, a type of torch's or a word for one."""
    found = arguments(fn).get(DTYPE_NAME)
    if found is None or not _by_name(found) or _dtype_name(found.default) is None:
        return None
    return DTYPE_NAME, found.default


def changed_batch(name: str, batch: int, factor: float) -> Change:
    """The batch times ``factor``; rounded down where it is divided."""
    value = max(1, int(batch * factor))
    return Change(name=name, value=value, what=f"{name} {batch} to {value}", factor=value / batch)


def changed_dtype(default: Any, kind: str) -> Change | None:
    """The other element type in the form of the default; None where there is none to try."""
    name = _dtype_name(default)
    other = (OTHER_ON_CUDA if kind == "cuda" else OTHER_ON_CPU).get(name or "")
    if name is None or other is None:
        return None
    what = f"{SHORT[name]} to {SHORT[other]}"
    if isinstance(default, str):
        word = SHORT[other] if default in LONG else default.replace(name, other)
        return Change(name=DTYPE_NAME, value=word, what=what)
    import torch

    return Change(name=DTYPE_NAME, value=getattr(torch, other), what=what)


def _dtype_name(value: object) -> str | None:
    """``float32`` of torch.float32, "float32", "torch.float32" or "fp32"; None for all else."""
    text = value if isinstance(value, str) else str(value)
    name = LONG.get(text, text.removeprefix("torch."))
    if name not in SHORT or not (isinstance(value, str) or text.startswith("torch.")):
        return None
    return name


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _by_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
