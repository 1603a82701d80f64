"""The table under the roofline: each point's three distances, MFU, and what to work on.

Below the points the figure's attribution from nominal down, and the common work between the ridges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from roofwatch.roofline.per_cent import spaced
from roofwatch.roofline.roof import INTENSITY, KERNEL, LIBRARY, STOP_HERE
from roofwatch.session.awaited import STREAM
from roofwatch.session.events import Expect
from roofwatch.session.fold import Session
from roofwatch.session.points import Point
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roof_doubts import Remark, remark
from roofwatch.session.roofs import Roofs
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, broken, fit, head_of, row
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.roofline.distance_line import PARTS
from roofwatch.tui.roofline.roof_terms import attribution, changing
from roofwatch.tui.roofline.shares import share

RATE, ADVICE = "rate", "work on"
MARK = 4  # cells before the name
SIZES = {"FLOP/B": 6, RATE: 8, "roof": 7, "ridge": 6, "card": 6, "MFU": 7, "at most": 9, ADVICE: 12}
LONG = {"roof": ("of roof", 9), "ridge": ("of ridge", 10)}  # headings, where there is room
NEEDS = {"MFU": 78, "at most": 108}  # cells: MFU is at the flat what the card's share is
OF_NOMINAL = ("card", "MFU", "at most")
OWN = "own"  # in place of its share of a roof that it is
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
    doubts: Mapping[str, str],
    cells: int,
    g: Glyphs,
    at: int | None = None,
) -> list[Row]:
    """Rows of the table, each of ``cells``, the most telling first; ``waits`` is still awaited.

    ``doubts`` are those of session/roof_doubts.py. With a cursor at one of the points all of them
    stand together, so that it moves row by row.
    """
    if not points and not waits:
        return []
    names = _names(session, key, waits)
    scale = rate_scale(session)
    with_nominal = any(p.mfu is not None for p in points)
    columns = _columns([*(shown(p.name) for p in points), *names.values()], cells, with_nominal)
    rows = []
    for i, (mark, p) in enumerate(zip(letters(points, g), points, strict=True)):
        line = _row(mark, p, remark(p, own, key, doubts), scale, columns, cells, g)
        rows.append(_here(line, cells, g) if i == at else fit(line, cells))
    main = len(rows) if at is not None else sum(p.style != "sweep" for p in points)
    ranges = {w: _range(e, scale, g) for w, e in waits.items()}
    size = max(map(len, ranges.values()), default=0)
    below = [
        _awaited(names[w], f"{ranges[w]:>{size}} {scale.named(e.unit)}", e, columns, cells, g)
        for w, e in waits.items()
    ]
    below += [*attribution(session, own, key, cells, g), *changing(own, key, cells)]
    head = (
        _head(columns, scale.of(key), cells) if points else fit(row((HEAD_OF_WAITS, "dim")), cells)
    )
    return [head, *rows[:main], *(fit(line, cells) for line in below), *rows[main:]]


def _names(session: Session, key: str | None, waits: Mapping[str, Expect]) -> dict[str, str]:
    """What people call the numbers that are awaited, as the points that they will be."""
    return {w: session.label(e.probe) if w == STREAM else f"{key} {w}" for w, e in waits.items()}


def _range(e: Expect, scale: RateScale, g: Glyphs) -> str:
    factor = 1.0 if scale.named(e.unit) == e.unit else scale.factor
    return f"{short(e.low * factor)}{g.dash}{short(e.high * factor)}"


def _awaited(name: str, its_range: str, e: Expect, columns: _Columns, cells: int, g: Glyphs) -> Row:
    """A number that is not there yet: its range, and why that."""
    said = f" {set_cell_size(head_of(name, columns.name - 1, g.ellipsis), columns.name)}"
    said += f"{its_range} expected"
    room = cells - MARK - cell_len(said) - 1
    why = f": {_first_words(spaced(e.why), room, g.ellipsis)}" if e.why and room > LEAST_WHY else ""
    return row((" ", ""), (f"{g.shade} ", "dim"), (said, ""), (why, "dim"))


def _first_words(text: str, cells: int, ellipsis: str) -> str:
    """As many whole words as there is room for, and the sign that there are more."""
    lines = broken(text, cells)
    if len(lines) < 2:
        return "".join(lines)
    return broken(text, cells - cell_len(ellipsis))[0].rstrip(" ,;:x") + ellipsis


def rows_to_show(rows: Sequence[Row], count: int, at: int | None) -> list[Row]:
    """The heading and as many rows as there is room for, the one at the cursor among them."""
    if at is None or count >= len(rows):
        return list(rows[:count])
    first = max(1, at + 2 - (count - 1))
    return [*rows[:1], *rows[first : first + count - 1]] if count > 1 else [rows[at + 1]][:count]


class _Columns(NamedTuple):
    """The width of the name and which columns have room: they give way from the last one on."""

    name: int
    kept: dict[str, int]
    heads: dict[str, str]


def _columns(names: Sequence[str], cells: int, with_nominal: bool) -> _Columns:
    longest = max(cell_len(name) + 1 for name in names)
    name = max(LEAST_NAME, min(longest, MOST_NAME))
    kept = {n: size for n, size in SIZES.items() if cells >= NEEDS.get(n, 0)}
    if not with_nominal:
        kept = {n: size for n, size in kept.items() if n not in OF_NOMINAL}
    for giving_way in (ADVICE, "card", "ridge", "roof", "FLOP/B"):
        if MARK + name + sum(kept.values()) > cells:
            kept.pop(giving_way, None)
    heads = {n: n for n in kept}
    longer = kept | {n: size for n, (_, size) in LONG.items() if n in kept}
    if MARK + name + sum(longer.values()) <= cells:
        kept, heads = longer, heads | {n: text for n, (text, _) in LONG.items() if n in kept}
    room = cells - MARK - sum(kept.values())
    return _Columns(max(2, min(max(LEAST_NAME, longest), room)), kept, heads)


def _head(columns: _Columns, rate: str, cells: int) -> Row:
    line = " " * MARK + f"{'point':<{columns.name}}"
    for name, size in columns.kept.items():
        text = rate if name == RATE else columns.heads[name]
        line += f"  {text}" if name == ADVICE else f"{text:>{size}}"
    return fit(row((line, "dim")), cells)


def _row(
    mark: str, p: Point, of: Remark, scale: RateScale, columns: _Columns, cells: int, g: Glyphs
) -> Row:
    name = head_of(shown(p.name), columns.name - 1, g.ellipsis)
    gaps = p.distances
    values = {
        "FLOP/B": _cell(p.intensity, SIZES["FLOP/B"]),
        RATE: _cell(p.tflops * scale.factor, SIZES[RATE] - 1),
        "roof": "" if not gaps else OWN if of.defines else share(gaps.of_roof),
        "ridge": share(gaps.of_ridge) if gaps else "",
        "card": share(gaps.of_nominal) if gaps else "",
        "MFU": share(p.mfu),
        "at most": share(p.mfu_ceiling),
    }
    line = f" {set_cell_size(name, columns.name)}"
    line += "".join(f"{values[n]:>{size}}" for n, size in columns.kept.items() if n in values)
    advice = ""
    if ADVICE in columns.kept:
        room = cells - MARK + 1 - cell_len(line) - 2
        advice = f"  {next((a for a in _advice(p, of, g) if cell_len(a) <= room), '')}"
    style = "warn" if of.doubt else "dim"
    return row((" ", ""), (f"{mark} ", f"point-{p.style}"), line, (advice, style))


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


def _advice(p: Point, of: Remark, g: Glyphs) -> tuple[str, ...]:
    """What to work on, the longest wording first. Under a roof in doubt, or where the point is its
    own roof, a share of it tells nothing."""
    if p.work_on is None:
        return ("",)
    if of.doubt:
        return (
            f"{g.warn} not to be believed: {of.doubt}",
            f"{g.warn} not to be believed",
            f"{g.warn} in doubt",
        )
    if of.defines and p.work_on != LIBRARY:
        return f"defines the {PARTS[of.defines]}", "defines it"
    return p.work_on, SHORT.get(p.work_on, p.work_on)
