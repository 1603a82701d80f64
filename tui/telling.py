"""Which rows of a long table stand where there is room for few of them."""

from __future__ import annotations


def telling(count: int, lines: int, keep: int | None = None) -> list[int]:
    """``lines`` of ``count`` rows in their order: both ends, ``keep``, then evenly between."""
    if lines >= count:
        return list(range(count))
    order = [0, count - 1, *([] if keep is None else [keep])]
    order += [round(i * (count - 1) / max(1, lines - 1)) for i in range(lines)]
    order += list(range(count))
    return sorted(list(dict.fromkeys(order))[: max(0, lines)])
