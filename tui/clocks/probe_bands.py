"""The probes as bands under the clock, each with a name that fits, else with a letter and a key."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.roofline.probe_spec import GROUPS, ProbeSpec
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, Row, head_of, width
from roofwatch.tui.drawing.time_columns import TimeColumns

MOST_A_CELL = 2  # probes, on the whole
LONGEST_NAME = 24  # of a key's entry; a name of a file may be of any length
SHORT_OPS = {"add_scalar": "add"}
TAILS = {"sustained": "held", "sweep": "sizes"}


class Band(NamedTuple):
    """One probe's time; ``letter`` is its own whatever part of the session is on show."""

    names: tuple[str, ...]  # the longest first
    letter: str
    run: int
    begin_s: float
    end_s: float
    running: bool


class Placed(NamedTuple):
    """A band in its cells, with what is written in it."""

    band: Band
    first: int
    cells: int
    text: str


def shown_bands(session: Session, columns: TimeColumns) -> tuple[str, list[Placed]]:
    """What the bands are, and they in their cells: probes, or runs where most would share one."""
    probes = _bands(session, columns)
    out = placed(probes, columns)
    if len(probes) <= MOST_A_CELL * len(out):
        return "probe", out
    runs: dict[int, list[Band]] = {}
    for band in probes:
        runs.setdefault(band.run, []).append(band)
    whole = [
        Band(
            (f"run {run}", str(run)),
            _letter(run - 1),
            run,
            parts[0].begin_s,
            last.end_s,
            last.running,
        )
        for run, parts in runs.items()
        for last in (max(parts, key=lambda band: band.end_s),)
    ]
    return "run", placed(whole, columns)


def _bands(session: Session, columns: TimeColumns) -> list[Band]:
    """The probes of the window, in order."""
    names = {spec.key: names_of(spec) for spec in session.specs}
    found: list[Band] = []
    opened: dict[tuple[int, str], tuple[float, str]] = {}
    begun = 0

    def add(run: int, probe: str, end_s: float, running: bool = False) -> None:
        begin_s, letter = opened[run, probe]
        if columns.holds(begin_s, end_s):
            told = names.get(probe, (shown(probe),))
            found.append(Band(told, letter, run, begin_s, end_s, running))

    for span in session.spans:
        if span.edge == "begin":
            opened[span.run, span.probe] = span.t, _letter(begun)
            begun += 1
        elif (span.run, span.probe) in opened:
            add(span.run, span.probe, span.t)
            del opened[span.run, span.probe]
    probe = session.running()
    if probe is not None and (session.run, probe) in opened:
        add(session.run, probe, session.duration_s, running=True)
    return sorted(found, key=lambda band: band.begin_s)


def _letter(at: int) -> str:
    return string.ascii_letters[at % len(string.ascii_letters)]


def names_of(spec: ProbeSpec) -> tuple[str, ...]:
    """What a band may be called, the longest first; the shortest still says which probe it is."""
    op = SHORT_OPS.get(spec.op, spec.op)
    if spec.mistake:
        return f"{spec.mistake} {op} {spec.peak_key or spec.dtype}", spec.mistake
    if spec.model:
        return f"{op} {spec.model}", spec.model, op
    if spec.protocol in GROUPS:
        return (spec.key.replace("-", " "),)
    tail = TAILS.get(spec.protocol)
    if tail is None:
        return (f"{op} {spec.dtype}", op) if spec.peak_key is None else (spec.peak_key,)
    return (f"{spec.peak_key or op} {tail}",)


def placed(found: Iterable[Band], columns: TimeColumns) -> list[Placed]:
    """Bands in their cells; where two touch, one that has several gives one up as a gap.

    Of several in one cell the first has it: a shorter window tells them apart.
    """
    out: list[Placed] = []
    for band in found:
        first = max(0, columns.at(band.begin_s))
        end = min(columns.size, max(first + 1, columns.at(band.end_s)))
        if out and first <= (taken := out[-1].first + out[-1].cells):
            first = taken
            if out[-1].cells > 1:
                out[-1] = out[-1]._replace(cells=out[-1].cells - 1)
            elif end - first > 1:
                first += 1
        if first < end:
            out.append(Placed(band, first, end - first, ""))
    return [each._replace(text=_text(each)) for each in out]


def _text(each: Placed) -> str:
    fits = (name for name in each.band.names if cell_len(name) == len(name) <= each.cells)
    return next(fits, each.band.letter)


def band_cells(found: Sequence[Placed], count: int, glyphs: Glyphs) -> Row:
    """One row of ``count`` cells; a line parts neighbours, whose names would be read as one."""
    canvas = Canvas(count, 1)
    for i, (band, first, cells, text) in enumerate(found):
        fill = glyphs.band if band.running else glyphs.horizontal
        style = "band-running" if band.running else f"band-{i % 2}"
        name = f" {text} " if text and cells >= len(text) + 4 else text
        canvas.write(first, 0, f"{name:{fill}^{cells}}", style)
    for before, after in pairwise(found):
        gap = before.first + before.cells
        if after.first - gap == 1:
            canvas.put(gap, 0, glyphs.vertical, "axis")
    return canvas.row(0)


def explained(
    found: Sequence[Placed], cells: int, glyphs: Glyphs, reach: str = ""
) -> tuple[list[Placed], tuple[Piece, ...]]:
    """The bands, and what their letters mean: of the newest, as many as ``cells`` have room for.

    A band whose letter is not explained has none; before the others stands how many those are, and
    the key that tells them (``reach``).
    """
    lettered = [e.band for e in found if e.text == e.band.letter and e.text not in e.band.names]
    short = [band.names[-1] for band in lettered]
    entries: list[tuple[Piece, Piece]] = []
    told: set[str] = set()
    key = f": {reach}" if reach else ""
    left = cells - cell_len(f"{len(lettered)} earlier{key}  ")
    for band in reversed(lettered):
        name = band.names[-1 if short.count(band.names[-1]) == 1 else 0]
        name = head_of(name, LONGEST_NAME, glyphs.ellipsis)
        entry = ((band.letter, "strong"), (f" {name}  ", "dim"))
        if (left := left - width(entry)) < 0:
            break
        entries.insert(0, entry)
        told.add(band.letter)
    hidden = len(lettered) - len(entries)
    more: list[Piece] = [(f"{hidden} earlier{key}  ", "dim")] if hidden else []
    without = {band.letter for band in lettered} - told
    kept = [e._replace(text="") if e.text in without else e for e in found]
    return kept, (*more, *(piece for entry in entries for piece in entry)) if entries else ()
