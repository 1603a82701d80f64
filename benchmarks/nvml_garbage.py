"""Answers that are none: what a driver or a binding has been seen to give, or might."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

Distort = Callable[[Any], Any]
HUGE = 20_000
FORMS: dict[str, tuple[Any, ...]] = {
    "max uint32": (2**32 - 1, 2**31 - 1),
    "max uint64": (2**64 - 1, 2**63 - 1),
    "zero": (0,),
    "negative": (-1, -(2**31)),
    "NaN": (float("nan"), float("inf")),
    "None": (None,),
    "wrong type": ("12", b"12", "text", object(), {}),
    "no UTF-8": (b"\xff\xfe\x80", "\ud800"),
    "short tuple": ((), (1,)),
    "empty list": ([],),
    "huge list": ([0] * HUGE,),
    "controls": ("NVIDIA\x1b[31m H200\x07\n", "GPU-\u202e00aa"),
}
"""Values of each form, put in place of the whole answer and of each part of it."""


def distortions(form: str, healthy: Any) -> Iterator[Distort]:
    """Ways to turn an answer of ``healthy``'s shape into garbage of a form."""
    for atom in FORMS[form]:
        if form == "wrong type" and isinstance(healthy, str) and isinstance(atom, (str, bytes)):
            continue  # any text could be a name
        yield lambda _, atom=atom: atom
        yield lambda answer, atom=atom: _replaced(answer, atom, None)
        for name in sorted(_names(healthy)):
            yield lambda answer, atom=atom, name=name: _replaced(answer, atom, name)
    if form == "huge list":
        yield lambda answer: answer * HUGE if isinstance(answer, list) else [answer] * HUGE
    if form == "empty list":
        yield lambda answer: answer[:-1] if isinstance(answer, list) else []


def _replaced(answer: Any, atom: Any, name: str | None) -> Any:
    """Every leaf replaced, or those of one name."""
    if isinstance(answer, (list, tuple)):
        return type(answer)(_replaced(one, atom, name) for one in answer)
    if isinstance(answer, SimpleNamespace):
        parts = vars(answer).items()
        return SimpleNamespace(
            **{key: atom if key == name else _replaced(part, atom, name) for key, part in parts}
        )
    return atom if name is None else answer


def _names(answer: Any) -> set[str]:
    if isinstance(answer, (list, tuple)):
        return {name for one in answer[:1] for name in _names(one)}
    if isinstance(answer, SimpleNamespace):
        return set(vars(answer)) | {n for part in vars(answer).values() for n in _names(part)}
    return set()
