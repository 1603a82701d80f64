"""A profiler's trace on the card's roofline: verdict, kernels, streams, what could be saved."""

from __future__ import annotations

from roofwatch.roofline.time_said import time_said
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM
from roofwatch.trace.report import KernelRow, TraceReport
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import Row, head_of, page, row, wrapped
from roofwatch.tui.trace.kernel_label import kernel_label
from roofwatch.tui.trace.trace_plot import plot
from roofwatch.tui.trace.trace_rows import (
    candidate_rows,
    note_rows,
    stream_rows,
    verdict_rows,
)
from roofwatch.tui.trace.trace_table import around, share_said

BESIDE = 112  # cells from which streams and candidates stand beside the table
LEAST_TABLE = 5
KEPT = 4  # rows for streams, candidates and notes, whatever the table would take
MOST_TOLD = 3  # rows of one kernel under the table
ROOMY = 26  # rows from which there is space between the parts
MOST_PLOT, MOST_SAID = 34, 6
NO_TRACE = f"no trace was given: {PROGRAM} --trace FILE opens one here"
HOW = (
    "FILE is a Chrome trace of torch.profiler, .json or .json.gz (record it with "
    "record_shapes=True: a kernel's FLOP and bytes follow from its operator's shapes), or an "
    f"Nsight Systems export (nsys export --type sqlite). {PROGRAM} trace FILE prints the same.",
    "Each kernel then stands on the roofline of this card: what binds it, how near it is to its "
    "roof, how much of the time is gaps, and what fusion or a CUDA graph would give back.",
)


def keys(r: TraceReport | None) -> list[Offer]:
    """What the pane's own keys do."""
    if r is None or not r.kernels:
        return []
    return [("{ud}", "kernel"), ("Enter", "open")]


def no_trace(cells: int, height: int) -> list[Row]:
    """What stands where no trace was given."""
    out: list[Row] = [row(""), *wrapped(NO_TRACE, cells - 2, "strong", " ")]
    for text in HOW:
        out += [row(""), *wrapped(text, min(cells - 2, 92), "dim", " ")]
    return page(out, cells, height)


def build(r: TraceReport, cells: int, height: int, glyphs: Glyphs, at: int) -> list[Row]:
    """Rows of the pane, the kernel ``at`` under the cursor."""
    head = verdict_rows(r, cells, glyphs)
    space = [row("")] if height >= ROOMY else []
    room = height - len(head) - len(space)
    if cells >= BESIDE:
        body = _side_by_side(r, at, cells, room, glyphs)
    else:
        body = _under_each_other(r, at, cells, room, glyphs, bool(space))
    return micro(page([*head, *space, *body], cells, height), glyphs)


def _under_each_other(
    r: TraceReport, at: int, cells: int, height: int, glyphs: Glyphs, spaced: bool
) -> list[Row]:
    """The table first; below it as much of the rest as leaves it room."""
    told = kernel_said(r.kernels[at], cells, glyphs)[:MOST_TOLD] if r.kernels else []
    below = len(stream_rows(r, cells, 3, glyphs)) + len(candidate_rows(r, cells, 3, glyphs))
    below = min(KEPT, below + len(note_rows(r, cells, glyphs)))
    table = min(len(r.kernels) + 1, max(LEAST_TABLE, height - len(told) - below))
    left = height - table - len(told)
    streams = stream_rows(r, cells, max(0, min(3, left)), glyphs)
    left -= len(streams)
    saved = candidate_rows(r, cells, 3, glyphs)[: max(0, left)]
    left -= len(saved)
    notes = note_rows(r, cells, glyphs)[: max(0, left)]
    parts = [part for part in (streams, saved, notes) if part]
    left -= len(notes)
    out = [*around(r, at, cells, table, glyphs), *told]
    for part in parts:
        if spaced and left > 0:
            out.append(row(""))
            left -= 1
        out += part
    return out


def _side_by_side(r: TraceReport, at: int, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """The table left, streams, candidates and notes below it; right the roof and one kernel."""
    left = cells * 60 // 100
    right = cells - left - 2
    lower: list[Row] = []
    for part in (
        stream_rows(r, left, 6, glyphs),
        candidate_rows(r, left, 4, glyphs),
        note_rows(r, left, glyphs),
    ):
        lower += [row(""), *part] if part else []
    lower = lower[: max(0, height - min(len(r.kernels) + 1, LEAST_TABLE))]
    said = kernel_said(r.kernels[at], right, glyphs) if r.kernels else []
    picture = plot(r, at, right, min(MOST_PLOT, height - MOST_SAID - 1), glyphs)
    lettered = bool(picture)
    table = around(r, at, left, height - len(lower), glyphs, lettered)
    beside = page([*picture, *([row("")] if picture else []), *said], right, height)
    both = page([*table, *lower], left, height)
    return [(*a, ("  ", ""), *b) for a, b in zip(both, beside, strict=True)]


def kernel_said(k: KernelRow, cells: int, glyphs: Glyphs) -> list[Row]:
    """One kernel in a few lines: its shapes, its least time, why this bound."""
    out = [
        row(
            (
                f" {head_of(shown(k.shapes) or kernel_label(k), cells - 2, glyphs.ellipsis)}",
                "strong",
            )
        )
    ]
    each = time_said(k.time_s / k.count) if k.count else ""
    said = f"{each} each"
    if k.least_s is not None and k.count and k.known_s:
        said += f", at the roof {time_said(k.least_s / k.count)} ({share_said(k.of_roof, glyphs)})"
    if k.why:
        said += f"; {shown(k.why)}"
    return [*out, *wrapped(said, cells - 1, "dim", " ")]
