"""Two sessions side by side, as rows: who they are, what differs, each figure of both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.time_said import time_scale
from roofwatch.session.began import UNKNOWN, minute_utc
from roofwatch.session.compare import FASTER, SLOWER, Comparison, Pair, Which
from roofwatch.session.comparison_words import (
    COUNTED,
    OUTSIDE,
    WITHIN,
    doubts_said,
    method,
    noise_said,
    verdict,
)
from roofwatch.session.differences import UUID, Condition, Value
from roofwatch.session.figures import HELD, HIGHER, LOWER
from roofwatch.session.pair_scale import comparison_shown
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import unit_of
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, spread, wrapped
from roofwatch.tui.drawing.significant import significant

NAME, SIDE, UNIT, RATIO, WORDS, NOISE = 21, 7, 10, 6, 17, 8
BESIDE = NAME + 2 * SIDE + UNIT + RATIO + WORDS + NOISE  # cells from which all stand in a row
STACKED = NAME + 2 * SIDE + UNIT  # from which the figures do; the ratio stands under them
MOST_NAME = 26
INTERVAL, PICTURE = 16, 17
REACHES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares from 1 that the picture of a ratio may reach."""
UNIT_SHOWN = 12  # cells of a card's UUID: its first group tells two apart
CONDITION = 22
LEAST_PLAIN, MOST_PLAIN = 0.001, 1e6  # of a condition that is written as it is
LEAST_SHOWN = 0.0005  # of a change: less is written as none
NOT_KNOWN = "not known"


class _Columns(NamedTuple):
    """Cells of the columns whose width depends on the screen; none where there is no room."""

    name: int
    interval: int
    picture: int


def head(told: Comparison, cells: int, glyphs: Glyphs) -> list[Row]:
    """A row for each of the two, and an empty one."""
    return [who("A", told.a, cells, glyphs), who("B", told.b, cells, glyphs), row("")]


def body(told: Comparison, cells: int, glyphs: Glyphs) -> list[Row]:
    """All rows under the head: the whole in a sentence, conditions, figures, what is missing."""
    columns = _columns(cells)
    out: list[Row] = [*wrapped(verdict(told), cells, "strong"), row("")]
    out += _conditions(told, cells, glyphs)
    for group, found in groupby(comparison_shown(told).pairs, key=lambda p: p.group):
        pairs = list(found)
        reach = _reach(pairs)
        out += [row(""), _heading(shown(group), reach, columns, cells, glyphs)]
        for pair in pairs:
            out += _pair(pair, reach, columns, cells, glyphs)
    below = [*doubts(told.pairs, (("a", "A"), ("b", "B")), cells), *_missing(told, cells)]
    out += [row(""), *below] if below else []
    return [*out, row(""), *wrapped(method(told), cells, "dim")] if told.pairs else out


def doubts(pairs: Sequence[Pair], sides: Sequence[tuple[str, str]], cells: int) -> list[Row]:
    """Which figures a session itself does not believe, and why, once for all rows.

    ``sides`` are "a" or "b", and the letter that it goes by.
    """
    told = [(f"doubted in {name}  ", doubts_said(pairs, side)) for side, name in sides]
    return [r for head, said in told if said for r in hung(head, f"{shown(said)}.", cells)]


def who(side: str, which: Which, cells: int, glyphs: Glyphs) -> Row:
    """One session: when, on which card, which suite, and whether it is whole."""
    when = minute_utc(which.started_at) or UNKNOWN
    name = head_of(shown(which.name or "unknown device"), 40, glyphs.ellipsis)
    suite = head_of(shown(which.suite), 12, glyphs.ellipsis)
    state = "complete" if which.complete else "cut short"
    left = row((f"{side}  ", "title"), f"{when}  ", (name, "strong"), f"  {suite}")
    right = row((state, "dim" if which.complete else "warn"))
    return spread(left, right, cells)


def _conditions(told: Comparison, cells: int, glyphs: Glyphs) -> list[Row]:
    """Those that differ, a row each; the names of those that do not."""
    side = (cells - CONDITION) // 2
    out: list[Row] = []
    if told.conditions and side >= len(NOT_KNOWN):
        out.append(row((f"{'conditions that differ':<{CONDITION}} {'A':<{side}}B", "dim")))
    elif told.conditions:
        out += wrapped("conditions that differ", cells, "dim")
    for c in told.conditions:
        a, b = (condition_said(c, value, glyphs) for value in (c.a, c.b))
        if side > max(cell_len(a), cell_len(b)):
            out.append(row(f"{c.what:<{CONDITION}} ", (set_cell_size(a, side) + b, "strong")))
        else:
            out.append(row(c.what))
            out += [*hung("  A  ", a, cells, "strong"), *hung("  B  ", b, cells, "strong")]
        out += wrapped(c.note, cells, "note", "  ") if c.note else []
    if not told.conditions:
        out += wrapped("No condition that both know differs.", cells, "dim")
    return [*out, *hung("alike  ", ", ".join(told.same), cells, "dim")] if told.same else out


def condition_said(condition: Condition, value: Value, glyphs: Glyphs) -> str:
    """One side of a condition with its unit."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        unit = condition.unit.replace("°", glyphs.degree)
        plain = figure(value, 4) if not value or LEAST_PLAIN <= abs(value) < MOST_PLAIN else ""
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain  # no digit that is none
        return f"{plain or _within(value, 9)} {unit}".rstrip()
    text = shown(value)
    return head_of(text, UNIT_SHOWN, glyphs.ellipsis) if condition.what == UUID else text


def _columns(cells: int) -> _Columns:
    spare = cells - BESIDE
    interval = INTERVAL if spare >= INTERVAL else 0
    picture = PICTURE + 1 if spare - interval >= PICTURE + 1 else 0
    name = max(NAME, min(MOST_NAME, NAME + spare - interval - picture))
    return _Columns(name, interval, picture)


def _reach(pairs: Sequence[Pair]) -> float:
    """How far from 1 the pictures of a group go."""
    ends = [abs(end - 1) for p in pairs for end in (p.ratio, *(p.interval or ()))]
    return next((r for r in REACHES if max(ends, default=0.0) <= r), REACHES[-1])


def _heading(group: str, reach: float, c: _Columns, cells: int, glyphs: Glyphs) -> Row:
    name = head_of(group, c.name - 1, glyphs.ellipsis)
    if cells < STACKED:
        return row((head_of(group, cells, glyphs.ellipsis), "title"))
    text = f"{'A':>{SIDE}}{'B':>{SIDE}}{'':{UNIT}}"
    if cells >= BESIDE:
        text += f"{'B / A':>{RATIO}}" + (
            f"{'95 % interval':>{INTERVAL - 1}} " if c.interval else ""
        )
        text += f"{'':{WORDS}} noise  "
        far = per_cent(reach)
        text += f" {'-' + far:<{PICTURE // 2}}1{'+' + far:>{PICTURE // 2}}" if c.picture else ""
    return row((set_cell_size(name, c.name), "title"), (text.rstrip(), "dim"))


def _pair(p: Pair, reach: float, c: _Columns, cells: int, glyphs: Glyphs) -> list[Row]:
    """One figure of both: a row where there is room, else two, or more where it is very narrow."""
    scale, unit = _unit(p)
    unit = unit_of(unit, glyphs)
    a, b = (_within(side / scale, SIDE - 1) for side in (p.a, p.b))
    name, (words, noise, style) = shown(p.name), _words(p, glyphs)
    if cells < STACKED:
        said = f"A {a}, B {b} {unit}; {ratio_said(p.ratio)}: {words.strip()}, {_noise(p)}"
        return [*wrapped(name, cells, ""), *wrapped(said, cells, style, "  ")]
    out: list[Row] = []
    if cell_len(name) >= c.name:  # a figure keeps its place, whatever its name
        out, name = wrapped(name, cells), ""
    figures = f"{a:>{SIDE}}{b:>{SIDE}}"
    line = row(set_cell_size(name, c.name), (figures, "strong"), (f" {unit:<{UNIT - 1}}", "dim"))
    if cells < BESIDE:
        out.append(line)
        ratio = f"  {ratio_said(p.ratio):>{RATIO}}  "
        out += hung(ratio, f"{words}, {_noise(p)}", cells, style, of_head="")
    else:
        line += row(f"{ratio_said(p.ratio):>{RATIO}}")
        line += row((f"{_interval(p, glyphs):>{INTERVAL - 1}} ", "dim")) if c.interval else ()
        line += row((f" {words:<{WORDS - 1}}", style), (f" {noise:<{NOISE - 1}}", style))
        line += row((" " + _picture(p, reach, glyphs), style)) if c.picture else ()
        out.append(line)
    notes = [f"by {shown(p.by)}", *p.notes] if p.by else p.notes
    return [*out, *(r for note in notes for r in wrapped(note, cells, "dim", "  "))]


def _words(p: Pair, glyphs: Glyphs) -> tuple[str, str, str]:
    """An arrow for the figure, a word for what it means, a word on noise, and their style."""
    change = p.ratio - 1
    if abs(change) < LEAST_SHOWN:
        words = "= the same"
    else:
        digits = 1 if abs(change) < 1 else 0
        percent = per_cent(abs(change), digits) if change < 10 else ">999 %"
        arrow = glyphs.rise_fall[0 if change > 0 else 1]
        words = f"{arrow} {percent} {_direction(p)}"
    style = {FASTER: "ok", SLOWER: "warn"}.get(p.verdict, "dim")
    if p.doubts or (p.beyond and not p.verdict):
        style = "note"
    return words, noise_said(p), style


def _direction(p: Pair) -> str:
    """What it is for B to be larger, or smaller."""
    pair = {LOWER: ("longer", "shorter"), HIGHER: ("faster", "slower")}.get(p.better)
    if pair is None or p.group == HELD or (p.better == HIGHER and not p.verdict):
        pair = ("higher", "lower")  # faster and slower are more than noise
    return pair[0] if p.ratio > 1 else pair[1]


def _noise(p: Pair) -> str:
    """The same where there is room for a sentence."""
    word = noise_said(p)
    return {OUTSIDE: "outside noise", WITHIN: "within noise", **COUNTED}[word]


def figure_said(p: Pair, glyphs: Glyphs) -> tuple[str, str]:
    """A's figure in at most six cells, and its unit."""
    scale, unit = _unit(p)
    return _within(p.a / scale, SIDE - 1), unit_of(unit, glyphs)


def _unit(p: Pair) -> tuple[float, str]:
    """What both figures are divided by, and the unit that this leaves; of a time the one that
    suits it."""
    if p.unit != "s":
        return 1.0, p.unit
    return time_scale(min(p.a, p.b))


def ratio_said(ratio: float) -> str:
    """Three decimals in at most six cells."""
    if 0.001 <= ratio < 99.9995:
        return f"{ratio:.3f}"
    if ratio < 1:
        return "<.001"
    return f"{ratio:.0f}" if ratio < 99_999 else ">99k"


def _interval(p: Pair, glyphs: Glyphs) -> str:
    if p.interval is None:
        return ""
    return f" {glyphs.dash} ".join(ratio_said(end) for end in p.interval)


def _picture(p: Pair, reach: float, glyphs: Glyphs) -> str:
    """The interval as a line around 1, the ratio as a mark on it; an arrow where the scale ends."""
    half = PICTURE // 2
    cells = [" "] * PICTURE
    if p.interval is not None:
        low, high = (_place(end, reach, half) for end in p.interval)
        cells[low : high + 1] = glyphs.horizontal * (high + 1 - low)
    cells[half] = glyphs.vertical
    cells[_place(p.ratio, reach, half)] = glyphs.full if p.beyond else glyphs.ring
    ends = [p.ratio, *(p.interval or ())]
    if 1 - min(ends) > reach:
        cells[0] = glyphs.off_edge[0]
    if max(ends) - 1 > reach:
        cells[-1] = glyphs.off_edge[1]
    return "".join(cells)


def _place(ratio: float, reach: float, half: int) -> int:
    return round(max(-1.0, min(1.0, (ratio - 1) / reach)) * half) + half


def _within(value: float, cells: int) -> str:
    """Four digits where so many cells hold them, else fewer; never in exponent form."""
    texts = (significant(value, digits, cells - 2) for digits in (4, 3, 2, 1))
    least = f"{10.0 ** (3 - cells):.{cells - 3}f}"
    beyond = f"<{least}" if abs(value) < 1 else ">" + "9" * (cells - 1)
    return next((t for t in texts if len(t) <= cells), beyond)


def _missing(told: Comparison, cells: int) -> list[Row]:
    """What only one of the two has, and why the other has it not."""
    out: list[Row] = []
    for only in ("a", "b"):
        of_side = [m for m in told.missing if m.only == only]
        for why in dict.fromkeys(m.why for m in of_side):
            names = [
                shown(m.what) + (f" ({m.count} points)" if m.count > 1 else "")
                for m in of_side
                if m.why == why
            ]
            other = "B" if only == "a" else "A"
            text = f"{', '.join(names)}. {other}: {why}."
            out += hung(f"only in {only.upper()}  ", text, cells)
    return out
