"""The kernel map's table: a kernel a line, as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, head_of, row
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.kernels.kernel_rows import BOUND, IN_TERA, letters
from roofwatch.tui.kernels.roof_share import share_said

BAR_CELLS, RATE = 12, 9
FIGURES = 42  # cells of the columns beside the name, without bar and TFLOP/s
LEAST_NAME, NAME = 16, 20  # cells of the name, and those that TFLOP/s leaves it
MARK, BOUND_CELLS = 3, 11  # cells before the name, and of the last column
BAR = "bar"


class _Columns(NamedTuple):
    """Cells of the name, and which others stand beside it."""

    name: int
    shown: tuple[str, ...]


COLUMNS = {"FLOP/B": 7, "GB/s": 7, "TFLOP/s": RATE, "time": 9, "of roof": 9, BAR: BAR_CELLS + 1}
GIVE_WAY = ((BAR, 99), ("TFLOP/s", NAME), ("FLOP/B", LEAST_NAME), ("GB/s", 12), ("time", 12))
"""What goes first where that leaves the name fewer cells than it needs, or than these."""


def _columns(mapped: Sequence[KernelPoint], cells: int) -> _Columns:
    names = list(COLUMNS)
    most = longest(mapped)

    def room() -> int:
        return cells - MARK - BOUND_CELLS - sum(COLUMNS[n] for n in names)

    for name, least in GIVE_WAY:
        if room() < min(most, least):
            names.remove(name)
    return _Columns(max(1, min(most, room())), tuple(names))


def around(
    mapped: Sequence[KernelPoint],
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale = IN_TERA,
) -> list[Row]:
    """The head, then the kernels around the cursor, and how many there are besides."""
    if height < 2:
        return []
    lines = height - 1
    if lines < len(mapped) and lines > 1:
        lines -= 1  # for how many more there are
    first = min(max(0, at - lines // 2), max(0, len(mapped) - lines))
    chosen = range(first, min(len(mapped), first + lines))
    out = lines_of(mapped, chosen, at, cells, glyphs, scale)
    if 1 + lines < height and lines < len(mapped):
        out.append(fit(row((_more(first, len(mapped) - first - lines, glyphs), "dim")), cells))
    return out


def _more(above: int, below: int, glyphs: Glyphs) -> str:
    """How many rows are out of sight, and the keys that lead there."""
    told = [more_rows(n, key) for n, key in zip((above, below), arrows(glyphs), strict=True) if n]
    return f"   {', '.join(told)}"


def lines_of(
    mapped: Sequence[KernelPoint],
    chosen: Sequence[int],
    at: int | None,
    cells: int,
    glyphs: Glyphs,
    scale: RateScale = IN_TERA,
) -> list[Row]:
    """The head and the chosen kernels, the one under the cursor marked."""
    columns = _columns(mapped, cells)
    head = f"   {'kernel':<{columns.name}}"
    head += "".join(f"{'' if n == BAR else scale.named(n):>{COLUMNS[n]}}" for n in columns.shown)
    out: list[Row] = [fit(row((f"{head}  bound", "dim")), cells)]
    marks = letters(mapped)
    for i in chosen:
        line = _line(marks[i], mapped[i], columns, i == at, glyphs, scale)
        out.append(fit(line, cells))
    return out


def _line(
    mark: str, p: KernelPoint, columns: _Columns, here: bool, glyphs: Glyphs, scale: RateScale
) -> list[Piece]:
    label = head_of(shown(p.label), columns.name, glyphs.ellipsis)
    label += " " * (columns.name - cell_len(label))
    full = p.of_roof is not None and p.of_roof >= STOP
    filled = round(min(1.0, max(0.0, p.of_roof or 0.0)) * BAR_CELLS)
    plain = "strong" if here else ""
    texts = {
        "FLOP/B": (significant(p.intensity, decimals=3), plain),
        "GB/s": (significant(p.gbs, decimals=3), plain),
        "TFLOP/s": (significant(p.tflops * scale.factor), plain),
        "time": (time_said(p.time_s), plain),
        "of roof": (share(p), "ok" if full else plain),
        BAR: (
            glyphs.full * filled + glyphs.empty * (BAR_CELLS - filled),
            "ok" if full else "spark",
        ),
    }
    pieces: list[Piece] = [
        (f"{glyphs.here if here else ' '}{mark} ", "taken" if here else "strong"),
        (label, plain),
    ]
    pieces += [(f"{texts[n][0]:>{COLUMNS[n]}}", texts[n][1]) for n in columns.shown]
    return [*pieces, (f"  {p.bound:<8}", BOUND.get(p.bound, ""))]


def share(p: KernelPoint) -> str:
    """Of the roof."""
    return share_said(p.of_roof)


def longest(mapped: Sequence[KernelPoint]) -> int:
    """Cells of the longest name."""
    return max(cell_len(shown(p.label)) for p in mapped)
