"""The whole answer as rows of text, for a terminal without a screen."""

from __future__ import annotations

from roofwatch.roofline.per_cent import per_cent
from roofwatch.trace.report import TraceReport
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, row
from roofwatch.tui.trace.trace_rows import candidate_rows, note_rows, stream_rows, verdict_rows
from roofwatch.tui.trace.trace_table import lines_of

MOST_STREAMS = 8


def whole(r: TraceReport, cells: int, glyphs: Glyphs, top: int) -> list[Row]:
    """The verdict, ``top`` kernels, the streams, what could be saved, notes."""
    count = len(r.kernels)
    out = [*verdict_rows(r, cells, glyphs), row("")]
    out += lines_of(r, range(min(top, count)), None, cells, glyphs)
    if count > top:
        left = per_cent(sum(k.share for k in r.kernels[top:]), 1)
        out.append(row((f"  {count - top} more, {left} of the time: --top {count}", "dim")))
    for rows in (
        stream_rows(r, cells, MOST_STREAMS, glyphs),
        candidate_rows(r, cells, len(r.candidates), glyphs),
        note_rows(r, cells, glyphs),
    ):
        out += [row(""), *rows] if rows else []
    return micro(out, glyphs)
