"""The page of one kernel of a trace: its whole name, work, rates, roof, and why this bound."""

from __future__ import annotations

from roofwatch.roofline.kernel_bound import BOUNDS, MEMORY
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.time_said import time_said
from roofwatch.session.printable import shown
from roofwatch.trace.report import KernelRow, TraceReport
from roofwatch.tui.drawing.amount import amount
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import labelled
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, head_of, row, spread
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.trace.kernel_label import kernel_label
from roofwatch.tui.trace.trace_table import BOUND, share_said
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (100, 40)
HEAD = 2  # rows that stay
LONGEST = 4000  # characters of a name
OVER = "over its roof: what it reads was still in the cache, or the shapes say more than it did"
NOT_KNOWN = "its work is not known"


def whole(k: KernelRow, r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """All rows, the head first."""
    name = head_of(kernel_label(k), max(8, cells - 20), glyphs.ellipsis)
    bound = row(("bound by ", "dim"), (k.bound, BOUND.get(k.bound, "")))
    if k.bound == "unknown":
        bound = row(("bound unknown", "dim"))
    out: list[Row] = [spread([(name, "title")], bound if r.device else row(""), cells), row("")]
    out += labelled("name", shown(k.name[:LONGEST]), cells)
    if k.operators:
        out += labelled("operator", shown(", ".join(k.operators)[:LONGEST]), cells)
    if k.shapes:
        out += labelled("shapes", shown(k.shapes), cells)
    if k.shared:
        said = "its operator launches other kernels too: the work is shared out by time"
        out += labelled("shared", said, cells)
    each = f"{time_said(k.time_s / k.count)} each" if k.count else ""
    share = f"{share_said(k.share, glyphs)} of the span"
    count = f"{k.count} {'launches' if r.device else 'calls'}"
    out += [
        row(""),
        *labelled("time", f"{time_said(k.time_s)} in {count}, {each}; {share}", cells, "strong"),
    ]
    out += [*_work(k, cells), row(""), *_roof(k, r, cells, glyphs)]
    if len(k.bounds) > 1:
        told = ", ".join(f"{b} {time_said(k.bounds[b])}" for b in BOUNDS if b in k.bounds)
        out += labelled("by shapes", told, cells)
    if k.why:
        out += labelled("why", shown(k.why), cells, "note")
    return micro(out, glyphs)


def _work(k: KernelRow, cells: int) -> list[Row]:
    if k.flop is None or k.bytes is None:
        return labelled("work", NOT_KNOWN, cells)
    count = f", of {time_said(k.known_s)} of that time" if k.known_s < 0.999 * k.time_s else ""
    rate = f"{significant(k.gbs)} GB/s, {significant(k.tflops)} TFLOP/s"
    out = labelled("work", f"{amount(k.flop, 'FLOP')}, {amount(k.bytes, 'B')}{count}", cells)
    if k.intensity is not None:
        out += labelled("intensity", f"{significant(k.intensity)} FLOP/byte", cells)
    return [*out, *labelled("rate", rate, cells, "strong")]


def _roof(k: KernelRow, r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """Its roof, whose that is, and how near it comes."""
    card = r.card
    peak = card.peaks_tflops.get(k.peak_key or "")
    told = []
    if card.bandwidth_gbs is not None:
        told.append(f"{card.bandwidth_gbs:.0f} GB/s {card.bandwidth_origin or ''}".strip())
    if peak is not None and k.peak_key is not None:
        origin = card.origins.get(k.peak_key, "")
        told.append(f"{k.peak_key} {significant(peak)} {unit(k.peak_key)} {origin}".strip())
        if card.bandwidth_gbs:
            told.append(f"ridge {significant(peak * 1e3 / card.bandwidth_gbs)} FLOP/byte")
    if not told:
        return labelled("roof", "none is known: --gpu NAME or --session FILE gives one", cells)
    out = labelled("roof", f"{shown(card.name or '')}: {', '.join(told)}", cells)
    if k.least_s is None:
        return out
    share, least = share_said(k.of_roof, glyphs), time_said(k.least_s)
    trip = "its bytes" if k.bound == MEMORY else "its longer trip"
    said = f"{share}: at the roof {trip} would take {least}"
    out += labelled("of roof", said, cells, "strong")
    if k.of_roof is not None and k.of_roof > 1.02:
        out += labelled("", OVER, cells, "dim")
    return out


class TraceKernelPage(ScrolledSheet):
    """A kernel of a trace, opened."""

    def __init__(self, kernel: KernelRow, report: TraceReport, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD)
        self._kernel, self._of = kernel, report

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return whole(self._kernel, self._of, cells, self.glyphs)
