"""The probe table: expected beside measured, share of nominal, the repetitions as a spark."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from roofwatch.notebook.finding import Finding
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.table import DONE, FAILED, RUNNING, SKIPPED, ProbeRow, probe_rows
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, percent
from roofwatch.tui.rows_of_text import Piece, Row, head_of, page, row, wrapped

RANGE, MEASURED, SHARE = 21, 8, 7
LEAST_NAME, MOST_NAME = 18, 40
BASE = 1 + RANGE + MEASURED + 3 + SHARE  # cells before repeats and findings, but for the name's
MOST_SPARK = 16


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    progress: float | None = None,
    first: int = 0,
    reach: str = "down, up",
    found: list[Finding] | None = None,
) -> list[Row]:
    """Rows of the pane from probe ``first`` on; one that runs below is followed.

    ``progress`` (0 to 1) of the running probe is known only live; ``reach`` are the keys that show
    what does not fit. ``found`` spares judging the session again where that is done.
    """
    rows = probe_rows(session, found)
    head, body = _parts(rows, cells, glyphs, progress)
    room = height - 1
    if len(body) <= room or room < 2:
        return page([head, *body], cells, height)
    running = next((i for i, r in enumerate(rows) if r.state == RUNNING), 0)
    first = min(len(body) - room + 1, max(first, running - room + 3))
    visible = body[first : first + room - 1]
    left = len(body) - first - len(visible)
    more = f"{left} more rows" if left else f"{first} rows above"
    return page([head, *visible, row((f" {more}: {reach}", "dim"))], cells, height)


def length(session: Session, cells: int, glyphs: Glyphs) -> int:
    """How many rows the table has under its head."""
    return len(_parts(probe_rows(session), cells, glyphs, None)[1])


def _parts(
    rows: Sequence[ProbeRow], cells: int, glyphs: Glyphs, progress: float | None
) -> tuple[Row, list[Row]]:
    """The head, and all rows under it: the probes, then what is to be said of some."""
    needed = max(len(w) for w in ("findings", *(_words(r) for r in rows)))
    named = [replace(r, label=head_of(r.label, MOST_NAME, glyphs.ellipsis)) for r in rows]
    name = max([LEAST_NAME, *(len(r.label) + 1 for r in named)])
    spark_cells = min(MOST_SPARK, cells - BASE - name - needed - 3)
    spark_cells = spark_cells if spark_cells >= len("repeats") else 0
    out = [_line(r, name, spark_cells, cells, glyphs, progress) for r in named]
    remarks = [
        r
        for r in named
        if r.why and (r.state in (SKIPPED, FAILED) or (r.within is False and not r.on_purpose))
    ]
    if remarks:
        out.append(row(""))
    for r in remarks:
        outside = "" if r.within is None else "outside the expected range, "
        out += wrapped(f"{r.label}: {outside}{r.why}", cells - 2, "dim", " ")
    return _head(name, spark_cells), out


def _head(name: int, spark_cells: int) -> Row:
    text = f" {'probe':<{name}}{'expected':>{RANGE - 8}}{'':8}{'measured':>{MEASURED}}  "
    text += f"{'nominal':>{SHARE + 1}}"
    text += f"  {'repeats':<{spark_cells}}" if spark_cells else ""
    return row((f"{text} findings", "dim"))


def _line(
    r: ProbeRow, name: int, spark_cells: int, cells: int, glyphs: Glyphs, progress: float | None
) -> Row:
    pieces: list[Piece] = [(f" {r.label:<{name}}", "running" if r.state == RUNNING else "")]
    pieces.append((f"{_range(r, glyphs):<{RANGE}}", "dim"))
    if r.said:
        pieces = [(f" {r.label:<{name}}", ""), (f"{r.said:<{RANGE + MEASURED + 3 + SHARE}}", "")]
        pieces.append(("  " + " " * spark_cells if spark_cells else "", ""))
        pieces.append((f" {_words(r)}", _style(r)))
    elif r.state == DONE:
        mark, style = _mark(r, glyphs)
        pieces.append((f"{figure(r.measured):>{MEASURED}}", "strong"))
        pieces.append((f" {mark:<2}", style))
        pieces.append((f"{percent(r.of_nominal) if r.of_nominal else '':>{SHARE}}", ""))
        if spark_cells:
            pieces.append((f"  {spark(r.rates, spark_cells, glyphs):<{spark_cells}}", "spark"))
        pieces.append((f" {_words(r)}", _style(r)))
    elif r.state == RUNNING:
        bar_cells = min(20, cells - 1 - name - RANGE - 10)
        filled = round((progress or 0.0) * bar_cells)
        bar = glyphs.full * filled + glyphs.empty * (bar_cells - filled)
        pieces.append((f"  {bar} ", "running"))
        pieces.append(("running", "running"))
    else:
        pieces.append((f"{r.state:>{MEASURED}}", "wrong" if r.state == FAILED else "dim"))
    return tuple(pieces)


def _words(r: ProbeRow) -> str:
    """What the findings column says."""
    words = list(map(shown, r.codes))
    words += ["library"] if r.library_limited else []
    if r.on_purpose:  # its label names the mistake
        words = ["on purpose"] if words else ["not flagged"]
    return " ".join(words)


def _style(r: ProbeRow) -> str:
    """Of what it says: a mistake that was made is a warning where nothing was said of it."""
    if r.on_purpose:
        return "note" if r.codes else "warn"
    return "warn" if r.grave else "note" if r.codes else "dim"


def _range(r: ProbeRow, glyphs: Glyphs) -> str:
    if r.low is None or r.high is None:
        return f"{'no expectation':>{RANGE - 8}}"
    text = f"{figure(r.low)} {glyphs.dash} {figure(r.high)}"
    return f"{text:>{RANGE - 8}} {r.unit}"


def _mark(r: ProbeRow, glyphs: Glyphs) -> tuple[str, str]:
    if (r.within is None and not r.grave) or (r.on_purpose and r.codes):
        return "", ""  # a number that was made wrong is meant to lie outside
    return (glyphs.ok, "ok") if r.within and not r.grave else (glyphs.warn, "warn")


def spark(values: Sequence[float], cells: int, glyphs: Glyphs) -> str:
    """The repetitions in order as a row of blocks; a level row within 2 % is drawn level."""
    if not values or cells < 1:
        return ""
    count = min(cells, len(values))
    means = []
    for i in range(count):
        part = values[i * len(values) // count : (i + 1) * len(values) // count]
        means.append(sum(part) / len(part))
    low, high = min(means), max(means)
    reach = max(high - low, 0.02 * high) or 1.0
    top = len(glyphs.spark) - 1
    return "".join(glyphs.spark[min(top, int((m - low) / reach * top + 0.5))] for m in means)
