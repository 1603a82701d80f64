"""The table under the roofline: each point's three distances, MFU, and what to work on.

Below the points the figure's attribution from nominal down, and the common work between the ridges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.roof import INTENSITY, KERNEL, LIBRARY, STOP_HERE
from roofwatch.session.attribution import attributed, bandwidth_attributed
from roofwatch.session.awaited import STREAM
from roofwatch.session.events import Expect
from roofwatch.session.fold import Session
from roofwatch.session.points import Point
from roofwatch.session.printable import shown
from roofwatch.session.ridges import between_ridges
from roofwatch.session.roofs import Roofs
from roofwatch.session.sm_clock import SPIN
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, signed
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, hung, row, wrapped
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.roofline.shares import share

RATE, ADVICE = "rate", "work on"
MARK = 4  # cells before the name
SIZES = {"FLOP/B": 6, RATE: 8, "roof": 7, "ridge": 6, "card": 6, "MFU": 7, "at most": 9, ADVICE: 11}
NEEDS = {"MFU": 78, "at most": 108}  # cells: MFU is at the flat what the card's share is
WIDE = 108  # cells from which the advice is long too
LEAST_NAME, MOST_NAME = 15, 24
LEAST_WHY = 16
HEAD_OF_WAITS = "    not measured yet: where it should land"
SHORT = {KERNEL: "kernel", INTENSITY: STOP_HERE, LIBRARY: "library"}


def in_order(points: Sequence[Point]) -> list[Point]:
    """As the table has them: the lettered ones, then those of a sweep."""
    return sorted(points, key=lambda p: p.style == "sweep")


def letters(points: Sequence[Point], glyphs: Glyphs) -> list[str]:
    """A mark for each point: a letter, of the points of a sweep one sign for all."""
    found: list[str] = []
    for p in points:
        lettered = sum(mark != glyphs.sweep for mark in found)
        found.append(glyphs.sweep if p.style == "sweep" else chr(ord("A") + lettered))
    return found


def table(
    session: Session,
    own: Roofs,
    key: str | None,
    points: Sequence[Point],
    waits: Mapping[str, Expect],
    cells: int,
    g: Glyphs,
    at: int | None = None,
) -> list[Row]:
    """Rows of the table, each of ``cells``, the most telling first; ``waits`` is still awaited.

    With a cursor at one of the points all of them stand together, so that it moves row by row.
    """
    if not points and not waits:
        return []
    names = _names(session, key, waits)
    columns = _columns([*(shown(p.name) for p in points), *names.values()], cells)
    rate = unit(key) if key else "TFLOP/s"
    rows = []
    for i, (mark, p) in enumerate(zip(letters(points, g), points, strict=True)):
        line = _row(mark, p, columns, g)
        rows.append(_here(line, cells, g) if i == at else fit(line, cells))
    main = len(rows) if at is not None else sum(p.style != "sweep" for p in points)
    ranges = {w: f"{short(e.low)}{g.dash}{short(e.high)}" for w, e in waits.items()}
    size = max(map(len, ranges.values()), default=0)
    below = [
        _awaited(names[w], f"{ranges[w]:>{size}}", e, columns, cells, g) for w, e in waits.items()
    ]
    below += [*_attribution(session, own, key, cells, g), *_changing(own, key, cells)]
    head = _head(columns, rate, cells) if points else fit(row((HEAD_OF_WAITS, "dim")), cells)
    return [head, *rows[:main], *(fit(line, cells) for line in below), *rows[main:]]


def _names(session: Session, key: str | None, waits: Mapping[str, Expect]) -> dict[str, str]:
    """What people call the numbers that are awaited, as the points that they will be."""
    return {w: session.label(e.probe) if w == STREAM else f"{key} {w}" for w, e in waits.items()}


def _awaited(name: str, its_range: str, e: Expect, columns: _Columns, cells: int, g: Glyphs) -> Row:
    """A number that is not there yet: its range, and why that."""
    said = f" {set_cell_size(head_of(name, columns.name - 1, g.ellipsis), columns.name)}"
    said += f"{its_range} {e.unit} expected"
    room = cells - MARK - cell_len(said) - 1
    why = f": {head_of(shown(e.why), room, g.ellipsis)}" if e.why and room > LEAST_WHY else ""
    return row((" ", ""), (f"{g.shade} ", "dim"), (said, ""), (why, "dim"))


def rows_to_show(rows: Sequence[Row], count: int, at: int | None) -> list[Row]:
    """The heading and as many rows as there is room for, the one at the cursor among them."""
    if at is None or count >= len(rows):
        return list(rows[:count])
    first = max(1, at + 2 - (count - 1))
    return [*rows[:1], *rows[first : first + count - 1]] if count > 1 else [rows[at + 1]][:count]


class _Columns(NamedTuple):
    """The width of the name and which columns have room: they give way from the last one on."""

    name: int
    kept: tuple[str, ...]
    wide: bool


def _columns(names: Sequence[str], cells: int) -> _Columns:
    wide = cells >= WIDE
    longest = max(cell_len(name) + 1 for name in names)
    name = max(LEAST_NAME, min(longest, MOST_NAME))
    kept = {n: size for n, size in SIZES.items() if cells >= NEEDS.get(n, 0)}
    for giving_way in (ADVICE, "card", "ridge", "roof", "FLOP/B"):
        if MARK + name + sum(kept.values()) > cells:
            kept.pop(giving_way, None)
    room = cells - MARK - sum(kept.values())
    return _Columns(max(2, min(max(LEAST_NAME, longest), room)), tuple(kept), wide)


def _head(columns: _Columns, rate: str, cells: int) -> Row:
    line = " " * MARK + f"{'point':<{columns.name}}"
    for name in columns.kept:
        line += (
            f"  {name}" if name == ADVICE else f"{rate if name == RATE else name:>{SIZES[name]}}"
        )
    return fit(row((line, "dim")), cells)


def _row(mark: str, p: Point, columns: _Columns, g: Glyphs) -> Row:
    name = head_of(shown(p.name), columns.name - 1, g.ellipsis)
    gaps = p.distances
    values = {
        "FLOP/B": _cell(p.intensity, SIZES["FLOP/B"]),
        RATE: _cell(p.tflops, SIZES[RATE] - 1),
        "roof": share(gaps.of_roof, "%") if gaps else "",
        "ridge": share(gaps.of_ridge, "%") if gaps else "",
        "card": share(gaps.of_nominal, "%") if gaps else "",
        "MFU": share(p.mfu, "%"),
        "at most": share(p.mfu_ceiling, "%"),
    }
    line = f" {set_cell_size(name, columns.name)}"
    line += "".join(f"{values[name]:>{SIZES[name]}}" for name in columns.kept if name in values)
    advice = f"  {_advice(p, columns.wide)}" if ADVICE in columns.kept else ""
    return row((" ", ""), (f"{mark} ", f"point-{p.style}"), line, (advice, "dim"))


def _here(line: Row, cells: int, g: Glyphs) -> Row:
    """The row under the cursor: pointed at, and lit as a whole."""
    (mark, style), *rest = line[1:]
    badge = (mark, f"{style}-here" if style == "point-sweep" else style)  # a letter has a ground
    pieces = [(g.here, "strong-here"), badge, *((text, f"{style}-here") for text, style in rest)]
    return fit(pieces, cells, "-here")


def _cell(value: float, size: int) -> str:
    """A figure; one that has no room in its column with an exponent."""
    text = figure(value)
    return text if len(text) <= size else f"{value:.0e}"


def _advice(p: Point, wide: bool) -> str:
    if p.work_on is None:
        return ""
    return p.work_on if wide else SHORT.get(p.work_on, p.work_on)


def _attribution(session: Session, own: Roofs, key: str | None, cells: int, g: Glyphs) -> list[Row]:
    """From nominal down to what was measured, one row a figure; with room in per cent too."""
    rows: list[Row] = []
    wide = cells >= WIDE
    flat = own.compute.get(key or "")
    for which in ("burst", "sustained"):
        found = attributed(session, flat, which) if flat else None
        if found is None:
            continue
        t = found.terms
        pieces = [f"{figure(t.nominal)} nominal"]
        by = "" if found.clock.source == SPIN else " NVML"
        for value, what in (
            (t.clock, f"clock {found.clock.mhz:.0f} MHz{by}"),
            (t.waves, "waves" if found.tile_known else "waves?"),
            (t.remainder, "rest"),
        ):
            share = f" ({value / t.nominal:+.1%})" if wide else ""
            pieces.append(f"{signed(value)}{share} {what}")
        rows += hung(f" {which:<10}", f" {g.dot} ".join(pieces), cells, of_head=which)
    parts = bandwidth_attributed(session, own)
    if parts is not None:
        pieces = [f"{parts.nominal:.0f} nominal", f"{parts.clock:+.0f} mem clock"]
        if parts.turnaround:
            pieces.append(f"{parts.turnaround:+.0f} turnaround")
        pieces.append(f"{parts.remainder:+.0f} rest")
        text = f" {g.dot} ".join(pieces)
        rows += hung(" GB/s      ", text, cells, of_head="point-stream-text")
    return rows


def _changing(own: Roofs, key: str | None, cells: int) -> list[Row]:
    """Common work that lies between the ridges."""
    names = between_ridges(own, key)
    if names is None:
        return []
    text = ", ".join(names) or "nothing common"
    return wrapped(f"between the ridges: {text}", cells - 2, "dim", " ")
