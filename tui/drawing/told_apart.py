"""Names cut to their cells, so that no two that differ are cut to the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size

from roofwatch.tui.drawing.rows_of_text import head_of

_PART = re.compile(r"[^\w]|_")  # between two parts of a kernel's or a host's name


def told_apart(names: Sequence[str], cells: int, ellipsis: str) -> list[str]:
    """The beginning of each; of those that begin alike also what differs, from its part on."""
    out = [head_of(name, cells, ellipsis) for name in names]
    _part(names, range(len(names)), out, cells, ellipsis)
    return out


def _part(
    names: Sequence[str], at: Iterable[int], out: list[str], cells: int, ellipsis: str
) -> None:
    alike: dict[str, list[int]] = {}
    for i in at:
        alike.setdefault(out[i], []).append(i)
    for cut, group in alike.items():
        different = {names[i] for i in group}
        if len(different) < 2:
            continue
        first, last = min(different), max(different)  # between them all the others lie
        differs = next(
            (n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
            len(first),
        )
        for i in group:
            out[i] = _kept(names[i], differs, cells, ellipsis)
        if any(out[i] != cut for i in group) and len({out[i] for i in group}) > 1:
            _part(names, group, out, cells, ellipsis)


def _kept(name: str, differs: int, cells: int, ellipsis: str) -> str:
    """Its beginning, and as much as there is room for from where it differs."""
    begin = max((found.end() for found in _PART.finditer(name, 0, differs)), default=0)
    room = cells - cell_len(ellipsis)
    if cell_len(name[begin:differs]) + cell_len(ellipsis) >= (room + 1) // 2:
        begin = differs  # its part is longer than what there is room for
    rest = name[begin:]
    tail = min(cell_len(rest), (room + 1) // 2)
    if begin == 0 or tail < 1:
        return head_of(name, cells, ellipsis)
    head = set_cell_size(name, max(0, room - tail)).rstrip()
    return head + ellipsis + head_of(rest, cells - cell_len(head + ellipsis), ellipsis)
