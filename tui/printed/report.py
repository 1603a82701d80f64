"""The record for reading: the screen's panes one under the other, as text. No Textual."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.probe_spec import TRANSFER
from roofwatch.roofline.suite import WATCH
from roofwatch.session.began import said_minute
from roofwatch.session.cards_table import cards_table
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.links import links
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM
from roofwatch.session.roofs import roofs
from roofwatch.session.watch.card_roofs import card_roofs
from roofwatch.session.watch.summary import watched
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.clocks.clocks_view import WHOLE, ClocksView
from roofwatch.tui.decode import decode_pane
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row, text_of
from roofwatch.tui.kernels import (
    cards_rows,
    kernel_rows,
    launch_rows,
    link_rows,
    sweeps_plot,
)
from roofwatch.tui.notebook import notebook_pane, record_rows
from roofwatch.tui.printed import watch_rows
from roofwatch.tui.printed.cost_rows import cost_rows
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen import header

PLOT_ROWS = 22
CLOCK_ROWS = 24
ALL = ClocksView(length_s=WHOLE)


def report(
    session: Session, path: Path | None, cells: int, glyphs: Glyphs, key: str | None = None
) -> list[Row]:
    """Device, roofline (of ``key``), clocks, probes, findings, record, questions, bill, file."""
    found = findings(session)
    if session.suite == WATCH:
        return _watched(session, path, cells, glyphs, found)
    own = roofs(session)
    key = key or own.main_key
    rows = header.build(session, cells, key, glyphs, found)
    if session.nominal is not None and session.nominal.note:
        rows.append(row((f" nominal: {shown(session.nominal.note)}", "dim")))
    rows.append(row((f" {recorded_when(session)}{_length(session)}", "dim")))
    if not session.complete:
        rows.append(row((f" {glyphs.warn} this session is not complete{_why(session)}", "warn")))
        rows.append(row((f"   {PROGRAM} --resume FILE measures the rest", "dim")))
    if any(m.protocol != TRANSFER for m in session.measured()):
        rows += [row(""), *roofline_pane.build(session, cells, PLOT_ROWS, key, glyphs)]
    if session.samples:
        rows += [row(""), *clocks_pane.build(session, cells, CLOCK_ROWS, glyphs, ALL)]
    rows += [row(""), *_trimmed(probes_pane.build(session, cells, 60, glyphs)), row("")]
    rows += cards_rows.build(cards_table(session), cells, glyphs)
    rows += sweeps_plot.build(session, own, cells, glyphs)
    rows += decode_pane.told(session, cells, glyphs)
    rows += kernel_rows.build(session, cells, 400, glyphs)
    rows += launch_rows.build(session, own, cells, glyphs)
    rows += link_rows.build(links(session), cells, glyphs)
    rows += [*_trimmed(notebook_pane.build(session, cells, 400, glyphs, found)), row("")]
    rows += record_rows.session_rows(session, own, found, cells, glyphs)
    bill = cost_rows(session, own, cells, found=found)
    rows += [row(""), *bill] if bill else []
    if path is not None:
        rows += [row(""), row((f" session {shown(str(path))}", "dim"))]
    return rows


def _watched(
    session: Session, path: Path | None, cells: int, glyphs: Glyphs, found: list[Finding]
) -> list[Row]:
    """Of somebody else's work: the clocks, and what they come to."""
    out = header.build(session, cells, None, glyphs)[:1]
    out.append(row((f" {recorded_when(session)}{_length(session)}", "dim")))
    if not session.complete:
        out.append(row((f" {glyphs.warn} cut short{_why(session)}", "warn")))
    if session.samples:
        out += [row(""), *clocks_pane.build(session, cells, CLOCK_ROWS, glyphs, ALL)]
    out += [row(""), *watch_rows.rows(watched(session, card_roofs(session)), found, cells, glyphs)]
    return [*out, row((f" session {shown(str(path))}", "dim"))] if path is not None else out


def recorded_when(session: Session) -> str:
    """When a session that is not live was recorded."""
    return f"recorded {said_minute(session.started_at)}"


def _length(session: Session) -> str:
    again = f", run {session.reported_run} of {session.run}" if session.run > 1 else ""
    return f", {session.duration_s:.0f} s{again}"


def _why(session: Session) -> str:
    end = session.ends.get(session.run)
    return f": {shown(end.why)}" if end and end.why else ": it has no end"


def _trimmed(rows: Sequence[Row]) -> list[Row]:
    kept = list(rows)
    while kept and not text_of(kept[-1]).strip():
        kept.pop()
    return kept
