"""The probe table: expected beside measured, shares of nominal and roof, the repetitions' spark."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from roofwatch.notebook.finding import WRONG, Finding
from roofwatch.session.fold import Session
from roofwatch.session.rate_scale import rate_scale, scaled
from roofwatch.session.roof_doubts import burst_roof, doubted
from roofwatch.session.roofs import roofs
from roofwatch.session.table import DONE, FAILED, RUNNING, SKIPPED, ProbeRow, probe_rows
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, head_of, page, row, wrapped
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.drawing.spark import spark
from roofwatch.tui.drawing.telling import arrows
from roofwatch.tui.probes.probe_columns import (
    MOST_NAME,
    NO_RANGE,
    Columns,
    columns_for,
    over,
    words_of,
)
from roofwatch.tui.probes.probe_mark import mark_of

BAR_CELLS = 20
ROOF = len("100 %") + 1
OVER_SIGN = "+"  # its page says why


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    progress: float | None = None,
    first: int = 0,
    reach: str = "",
    found: list[Finding] | None = None,
    at: int | None = None,
) -> list[Row]:
    """Rows of the pane, the one of the cursor ``at`` (counted in probes) kept in view.

    Without a cursor they begin at row ``first``, and a probe that runs below is followed.
    ``progress`` (0 to 1) of the running probe is known only live; ``reach`` are the keys that show
    what does not fit. ``found`` spares judging the session again where that is done.
    """
    rows = probe_rows(session, found)
    if at is not None:
        at = min(len(rows) - 1, max(0, at))
    head, body = _parts(session, rows, cells, glyphs, progress, at, found)
    room = height - 1
    if len(body) <= room or room < 2:
        return page([head, *body], cells, height)
    lines = room - 1
    last = len(body) - lines
    if at is not None:
        first = last if at == len(rows) - 1 else min(last, max(0, at - lines // 2))
    else:
        running = next((i for i, r in enumerate(rows) if r.state == RUNNING), 0)
        first = min(last, max(first, running - lines + 2, 0))
    visible = body[first : first + lines]
    below = len(body) - first - len(visible)
    parts = [f"{first} row{'s' if first > 1 else ''} above"] if first else []
    parts += [f"{below} more row{'s' if below > 1 else ''}"] if below else []
    up, down = arrows(glyphs)
    keys = ", ".join([up] * bool(first) + [down] * bool(below))
    more = row((f" {', '.join(parts)}: {reach or keys}", "dim"))
    return page([head, *visible, more], cells, height)


def length(session: Session, cells: int, glyphs: Glyphs) -> int:
    """How many rows the table has under its head."""
    return len(_parts(session, probe_rows(session), cells, glyphs, None, None)[1])


def count(session: Session) -> int:
    """How many probes the cursor can stand on."""
    return len(session.specs)


def key_at(session: Session, at: int) -> str | None:
    """The key of the probe under the cursor; None in a session without any."""
    specs = session.specs
    return specs[min(len(specs) - 1, max(0, at))].key if specs else None


def start(session: Session) -> int:
    """Where a cursor begins: at the probe that runs, else at the first."""
    running = session.running()
    return next((i for i, s in enumerate(session.specs) if s.key == running), 0)


def _parts(
    session: Session,
    rows: Sequence[ProbeRow],
    cells: int,
    glyphs: Glyphs,
    progress: float | None,
    at: int | None,
    found: list[Finding] | None = None,
) -> tuple[Row, list[Row]]:
    """The head, and all rows under it: the probes, then what is to be said of some."""
    own, scale, nominal = roofs(session), rate_scale(session), session.nominal
    doubts = doubted(session, own, found)
    keys = {s.key: s.peak_key for s in session.specs}
    known = nominal is not None and bool(nominal.bandwidth_gbs or nominal.peaks_tflops)
    rows = [scaled(r, scale) for r in rows]
    columns = columns_for(rows, cells, glyphs, known)
    out = []
    for i, r in enumerate(rows):
        roof = burst_roof(own, keys.get(r.probe)) if over(r) else None
        line = _line(r, columns, cells, glyphs, progress, roof is not None and roof.probe in doubts)
        out.append(_here(line, cells, glyphs) if i == at else row(" ", *line))
    remarks = [
        r
        for r in rows
        if r.why and (r.state in (SKIPPED, FAILED) or (r.within is False and not r.on_purpose))
    ]
    if remarks:
        out.append(row(""))
    for r in remarks:
        outside = "" if r.within is None else "outside the expected range, "
        name = head_of(r.label, MOST_NAME, glyphs.ellipsis)
        out += wrapped(f"{name}: {outside}{r.why}", cells - 2, "dim", " ")
    return _head(columns), out


def _here(line: Sequence[Piece], cells: int, glyphs: Glyphs) -> Row:
    """The row under the cursor: a mark before it, and its ground up to the edge."""
    pieces = [(glyphs.here, "strong-here"), *((text, f"{style}-here") for text, style in line)]
    return fit(pieces, cells, "-here")


def _head(c: Columns) -> Row:
    """Over each column its name, as the figures stand."""
    text = f" {'probe':<{c.name}}"
    if c.expected:
        text += f"{'expected':>{c.expected}}{'':<{c.unit}}{'measured':>{c.measured}}"
    else:
        text += f"{'measured':>{c.measured}}{'':<{c.unit}}"
    text += " " * c.mark
    text += f"{'nominal':>{c.nominal}}" if c.nominal else ""
    text += f"{'roof':>{ROOF}}{'':<{c.roof - ROOF}}" if c.roof else ""
    text += f"  {'repeats':<{c.spark}}" if c.spark else ""
    text += " findings" if c.words >= len("findings") else ""
    return row((text, "dim"))


def _line(
    r: ProbeRow,
    c: Columns,
    cells: int,
    glyphs: Glyphs,
    progress: float | None,
    in_doubt: bool,
) -> list[Piece]:
    """One probe, but for the cell of the cursor; ``in_doubt`` is the roof that it lies over."""
    name = set_cell_size(head_of(r.label, c.name - 1, glyphs.ellipsis), c.name)
    pieces: list[Piece] = [(name, "running" if r.state == RUNNING else "")]
    if r.said:
        between = c.before_words - 1 - c.name
        pieces.append((f"{head_of(r.said, between, glyphs.ellipsis):<{between}}", ""))
        return [*pieces, *_findings(r, c, glyphs)]
    if c.expected:
        pieces.append((_range(r, c, glyphs), "dim"))
    if r.state == DONE:
        return [*pieces, *_figures(r, c, glyphs, in_doubt), *_findings(r, c, glyphs)]
    if r.state == RUNNING:
        used = 1 + c.name + (c.expected + c.unit if c.expected else 0)
        bar_cells = max(0, min(BAR_CELLS, cells - used - len("  running ") - 1))
        filled = round(min(1.0, max(0.0, progress or 0.0)) * bar_cells)
        bar = glyphs.full * filled + glyphs.empty * (bar_cells - filled)
        return [*pieces, (f"  {bar} running", "running")]
    mark = f"{glyphs.wrong} " if r.state == FAILED else ""
    said = f" {mark + r.state:>{c.measured - 1}}"
    return [*pieces, (said, "wrong" if r.state == FAILED else "dim")]


def _range(r: ProbeRow, c: Columns, glyphs: Glyphs) -> str:
    """Low and high with the dashes under each other, and the unit of the row."""
    if r.low is None or r.high is None:
        return f"{NO_RANGE:>{c.expected}}".ljust(c.expected + c.unit)
    dash = glyphs.dash if c.tight else f" {glyphs.dash} "
    text = f"{short(r.low):>{c.low}}{dash}{short(r.high):>{c.high}}"
    return f"{text:>{c.expected}}" + f" {r.unit}".ljust(c.unit)


def _figures(r: ProbeRow, c: Columns, glyphs: Glyphs, in_doubt: bool) -> list[Piece]:
    """What was measured, its mark, its shares, its repetitions."""
    mark, style = mark_of(r, glyphs)
    figure = short(r.measured) if r.measured is not None else ""
    pieces: list[Piece] = [(f"{figure:>{c.measured}}", "strong")]
    if not c.expected:
        pieces.append((f" {r.unit}".ljust(c.unit), "dim"))
    pieces.append((f" {mark}".ljust(c.mark), style))
    if c.nominal:
        pieces.append((f"{_share(r.of_nominal, c.nominal):>{c.nominal}}", ""))
    if c.roof:
        sign = c.roof - ROOF  # a cell for it, where any share is over
        pieces.append((f"{_share(r.of_roof, ROOF):>{ROOF}}", ""))
        over_it = (glyphs.warn, "warn") if in_doubt else (OVER_SIGN, "note")
        pieces.append(over_it if over(r) and sign else (" " * sign, ""))
    if c.spark:
        pieces.append((f"  {spark(r.rates, c.spark, glyphs):<{c.spark}}", "spark"))
    return pieces


def _share(ratio: float | None, cells: int) -> str:
    """A share; nothing where there is none, or one that no card has."""
    said = "" if ratio is None else percent(ratio)
    return said if len(said) < cells else "over"


def _findings(r: ProbeRow, c: Columns, glyphs: Glyphs) -> list[Piece]:
    """The last column, cut with a sign where it is short."""
    if not c.words:
        return []
    return [(f" {_fitting(words_of(r, glyphs), c.words, glyphs)}", _style(r))]


def _fitting(words: Sequence[str], cells: int, glyphs: Glyphs) -> str:
    """The first of them that fit, and how many more there are."""
    for kept in range(len(words), 0, -1):
        more = f" +{len(words) - kept}" if kept < len(words) else ""
        said = " ".join(words[:kept]) + more
        if cell_len(said) <= cells:
            return said
    return head_of(words[0], cells, glyphs.ellipsis) if words else ""


def _style(r: ProbeRow) -> str:
    """Of what it says: a mistake that was made is a warning where nothing was said of it."""
    if r.on_purpose:
        return "note" if r.codes else "warn"
    return "wrong" if WRONG in r.severities else "warn" if r.grave else "note" if r.codes else "dim"
