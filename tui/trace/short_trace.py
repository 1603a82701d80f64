"""A trace where there is little room: the verdict in a line or two, then a kernel a line."""

from __future__ import annotations

from roofwatch.roofline.kernel_bound import BOUNDS
from roofwatch.roofline.time_said import time_said
from roofwatch.trace.report import TraceReport
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, page, row, wrapped
from roofwatch.tui.drawing.short_rows import CUT, parts
from roofwatch.tui.drawing.told_apart import told_apart
from roofwatch.tui.trace.kernel_label import kernel_label
from roofwatch.tui.trace.trace_pane import NO_TRACE
from roofwatch.tui.trace.trace_rows import main_bound
from roofwatch.tui.trace.trace_table import BOUND, share_said

FIGURES = 18  # cells of share and bound behind a name


def no_trace(cells: int, height: int) -> list[Row]:
    """What stands where no trace was given."""
    return page(wrapped(NO_TRACE, cells - 1, "dim", " "), cells, height)


def build(r: TraceReport, cells: int, height: int, glyphs: Glyphs, at: int) -> list[Row]:
    """The verdict stays; the kernels are moved by the cursor."""
    head = _head(r, cells, glyphs)[: max(1, height - 2)]
    lines = max(1, height - len(head))
    first = min(max(0, at - lines // 2), max(0, len(r.kernels) - lines))
    shown = range(first, min(first + lines, len(r.kernels)))
    names = told_apart([kernel_label(r.kernels[i]) for i in shown], _name_cells(r, cells), CUT)
    rows = [_line(r, i, name, i == at, cells, glyphs) for i, name in zip(shown, names, strict=True)]
    return micro(page([*head, *rows], cells, height), glyphs)


def _head(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    span = time_said(r.span_s)
    gap = share_said(r.gap_s / r.span_s if r.span_s else None, glyphs)
    if not r.device:
        return [row((f" no GPU in it: operators, {span}", "title"))]
    bound, share = main_bound(r)
    told = f" {bound} {share_said(share, glyphs)}"
    first = parts(
        cells, (told, BOUND.get(bound, "title")), (f" of {span}", ""), (f", gaps {gap}", "")
    )
    others = [
        f"{n} {share_said(r.bound.get(n), glyphs)}" for n in BOUNDS if n != bound and r.bound.get(n)
    ]
    return [first, *([row((f" {', '.join(others)}", "dim"))] if others else [])]


def _name_cells(r: TraceReport, cells: int) -> int:
    return max(8, cells - FIGURES - (1 if r.device else -9))


def _line(r: TraceReport, i: int, name: str, here: bool, cells: int, glyphs: Glyphs) -> Row:
    k = r.kernels[i]
    mark, style = (glyphs.here, "strong") if here else (" ", "dim")
    label = f"{mark}{name:<{_name_cells(r, cells)}}"
    bound = (f"  {k.bound}", BOUND.get(k.bound, "")) if r.device else ("", "")
    return parts(cells, (label, style), (f"{share_said(k.share, glyphs):>7}", ""), bound)
