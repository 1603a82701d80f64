"""The table of a trace's kernels: a kernel a line, as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.trace.report import KernelRow, TraceReport
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, row
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.drawing.told_apart import told_apart
from roofwatch.tui.trace.kernel_label import kernel_label

BOUND = {"memory": "burst", "compute": "ok", "overhead": "warn", "unknown": "dim"}
"""Styles of the bounds; the word stands beside."""
NONE = "–"  # what is not known, where n/a in every line would be loud
BAR, BAR_CELLS = "bar", 12
MARK, BOUND_CELLS = 2, 11
COLUMNS = {
    "share": 7,
    "time": 8,
    "count": 7,
    "FLOP/B": 7,
    "GB/s": 6,
    "TFLOP/s": 8,
    "of roof": 8,
    BAR: BAR_CELLS + 1,
}
GIVE_WAY = ((BAR, 44), ("FLOP/B", 30), ("TFLOP/s", 20), ("count", 14), ("GB/s", 12), ("time", 10))
"""What goes first where that leaves the name fewer cells than these."""
LOW, NEARLY = 0.0005, 0.985  # beyond which a share is not rounded to nothing, or to all


def mark_of(index: int) -> str:
    """The letter by which picture and table are read together; there are 26."""
    return chr(ord("A") + index) if index < 26 else " "


class _Columns(NamedTuple):
    name: int
    names: tuple[str, ...]
    bound: bool


def share_said(share: float | None, glyphs: Glyphs) -> str:
    """A share with a decimal below ten per cent; what is less than one tenth is not nothing."""
    if share is None:
        return "-" if glyphs is ASCII else NONE
    if 0 < share < LOW:
        return "<0.1 %"
    near = share < 0.0995 or NEARLY <= share < 0.9995
    return f"{share * 100:.1f} %" if near else percent(share)


def _columns(rows: Sequence[KernelRow], cells: int, device: bool, lettered: bool) -> _Columns:
    names = [n for n in COLUMNS if device or n not in ("of roof", BAR)]
    most = max((cell_len(kernel_label(r)) for r in rows), default=10)
    bound = device

    def room() -> int:
        return (
            cells - MARK - lettered - (BOUND_CELLS if bound else 0) - sum(COLUMNS[n] for n in names)
        )

    for name, least in GIVE_WAY:
        if name in names and room() < min(most, least):
            names.remove(name)
    return _Columns(max(1, min(most, room())), tuple(names), bound)


def lines_of(
    r: TraceReport,
    chosen: Sequence[int],
    at: int | None,
    cells: int,
    glyphs: Glyphs,
    lettered: bool = False,
) -> list[Row]:
    """The head and the chosen kernels, the one under the cursor marked; ``lettered`` as in the
    picture beside."""
    columns = _columns([r.kernels[i] for i in chosen], cells, r.device, lettered)
    what = "kernel" if r.device else "operator"
    head = f"{' ' * (MARK + lettered)}{what:<{columns.name}}"
    head += "".join(f"{'' if n == BAR else n:>{COLUMNS[n]}}" for n in columns.names)
    out = [fit(row((head + ("  bound" if columns.bound else ""), "dim")), cells)]
    names = told_apart([kernel_label(r.kernels[i]) for i in chosen], columns.name, glyphs.ellipsis)
    for i, name in zip(chosen, names, strict=True):
        mark = mark_of(i) if lettered else ""
        out.append(fit(_line(r.kernels[i], name, mark, columns, i == at, glyphs), cells))
    return out


def around(
    r: TraceReport, at: int, cells: int, height: int, glyphs: Glyphs, lettered: bool = False
) -> list[Row]:
    """The head, then the kernels around the cursor, and how many there are besides."""
    if height < 2:
        return []
    count, lines = len(r.kernels), height - 1
    if lines < count and lines > 1:
        lines -= 1  # for how many more there are
    first = min(max(0, at - lines // 2), max(0, count - lines))
    chosen = range(first, min(count, first + lines))
    out = lines_of(r, chosen, at, cells, glyphs, lettered)
    if 1 + lines < height and lines < count:
        sides = zip((first, count - first - lines), arrows(glyphs), strict=True)
        told = [more_rows(n, key) for n, key in sides if n]
        out.append(fit(row((f"  {', '.join(told)}", "dim")), cells))
    return out


def _line(
    k: KernelRow, name: str, mark: str, columns: _Columns, here: bool, glyphs: Glyphs
) -> list[Piece]:
    label = name + " " * (columns.name - cell_len(name))
    plain = "strong" if here else ""
    full = k.of_roof is not None and k.of_roof >= STOP
    filled = round(min(1.0, max(0.0, k.of_roof or 0.0)) * BAR_CELLS)
    empty = "-" if glyphs is ASCII else NONE
    texts = {
        "share": (share_said(k.share, glyphs), plain),
        "time": (time_said(k.time_s), plain),
        "count": (f"{k.count}", plain),
        "FLOP/B": (empty if k.intensity is None else significant(k.intensity, decimals=2), plain),
        "GB/s": (empty if k.gbs is None else significant(k.gbs, decimals=2), plain),
        "TFLOP/s": (empty if k.tflops is None else significant(k.tflops, decimals=3), plain),
        "of roof": (share_said(k.of_roof, glyphs), "ok" if full else plain),
        BAR: (
            glyphs.full * filled + glyphs.empty * (BAR_CELLS - filled)
            if k.of_roof is not None
            else "",
            "ok" if full else "spark",
        ),
    }
    pieces: list[Piece] = [
        (f"{glyphs.here if here else ' '}{mark} ", "taken" if here else "strong"),
        (label, plain),
    ]
    pieces += [(f"{texts[n][0]:>{COLUMNS[n]}}", texts[n][1]) for n in columns.names]
    if columns.bound:
        pieces.append((f"  {k.bound:<{BOUND_CELLS - 2}}", BOUND.get(k.bound, "")))
    return pieces
