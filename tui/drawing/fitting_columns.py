"""Which columns of a table stand where there is room for some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def fitting(columns: Mapping[str, int], give_way: Iterable[str], cells: int) -> dict[str, int]:
    """The columns, each with its cells, that fit together into ``cells``.

    Those named by ``give_way`` go, in that order, until the others fit; none is cut.
    """
    kept = dict(columns)
    for name in give_way:
        if sum(kept.values()) <= cells:
            break
        kept.pop(name, None)
    return kept


def filled(texts: Mapping[str, str], columns: Mapping[str, int]) -> str:
    """One line: each column's text at the right end of its cells."""
    return "".join(f"{texts[name]:>{size}}" for name, size in columns.items())
