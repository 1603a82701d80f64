"""More than two sessions as rows: a column each, the first one's figures, the others' ratios."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.cells import set_cell_size

from roofwatch.session.compare import FASTER, SLOWER, Pair
from roofwatch.session.comparison_markdown import letter
from roofwatch.session.comparison_words import (
    DOUBTED,
    FEW,
    HOST,
    UNLIKE,
    UNSURE,
    method,
    noise_said,
    verdict,
)
from roofwatch.session.pair_scale import side_by_side_shown
from roofwatch.session.printable import shown
from roofwatch.session.side_by_side import SideBySide
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.sessions.comparison_rows import (
    condition_said,
    doubts,
    figure_said,
    ratio_said,
    who,
)

NAME, SIDE, UNIT, RATIO = 21, 7, 10, 8
MARKS = {FASTER: "+", SLOWER: "-"}
UNLIKE_MARK, OPEN_MARK, DOUBTED_MARK = "*", "?", "~"
OF_WORD = {
    UNLIKE: UNLIKE_MARK,
    HOST: UNLIKE_MARK,
    FEW: OPEN_MARK,
    UNSURE: OPEN_MARK,
    DOUBTED: DOUBTED_MARK,
}
LEGEND = (
    "A ratio is the session's figure over A's: + better, - worse outside noise; * outside, and not "
    "measured alike or neither better nor worse; ~ doubted; ? too few repetitions to tell, or too "
    "scattered; else within noise. "
    "Of two alone every interval is shown."
)


def rows(told: SideBySide, cells: int, glyphs: Glyphs) -> list[Row]:
    """Who they are, what differs, a table of ratios, what it means."""
    out = [who("A", told.others[0].told.a, cells, glyphs)]
    out += [who(letter(i), o.told.b, cells, glyphs) for i, o in enumerate(told.others, 1)]
    out.append(row(""))
    for i, other in enumerate(told.others, 1):
        out += hung(f"{letter(i)}  ", verdict(other.told, letter(i)), cells, "strong")
        for c in other.told.conditions:
            said = " | ".join(condition_said(c, value, glyphs) for value in (c.a, c.b))
            out += hung(f"   {c.what}  ", f"A | {letter(i)}: {said}", cells, "note")
    table = _table(side_by_side_shown(told), cells, glyphs)
    of_a = {p.what: p for o in told.others for p in o.told.pairs if "a" in p.doubts}
    doubted = doubts(list(of_a.values()), [("a", "A")], cells)
    for i, other in enumerate(told.others, 1):
        doubted += doubts(other.told.pairs, [("b", letter(i))], cells)
    table += [row(""), *doubted] if doubted else []
    return [*out, *table, row(""), *_meaning(told, cells)]


def _meaning(told: SideBySide, cells: int) -> list[Row]:
    said = method(*(other.told for other in told.others))
    return [*wrapped(LEGEND, cells, "dim"), *wrapped(said, cells, "dim")]


def _table(told: SideBySide, cells: int, glyphs: Glyphs) -> list[Row]:
    """Blocks of as many sessions as stand beside each other."""
    room = max(1, (cells - NAME - SIDE - UNIT) // RATIO)
    out: list[Row] = []
    for begin in range(0, len(told.others), room):
        at = range(begin, min(begin + room, len(told.others)))
        out += _block(told, at, cells, glyphs)
    return out


def _block(told: SideBySide, at: Sequence[int], cells: int, glyphs: Glyphs) -> list[Row]:
    by_name = [{(p.what, p.unit): p for p in told.others[i].told.pairs} for i in at]
    every = {key: p for pairs in reversed(by_name) for key, p in pairs.items()}
    order = {key: n for n, key in enumerate(dict.fromkeys(k for ps in by_name for k in ps))}
    head = "".join(f"{letter(i + 1) + ' / A':>{RATIO - 1}} " for i in at)
    out: list[Row] = []
    for group, found in groupby(sorted(every, key=order.__getitem__), lambda k: every[k].group):
        name = set_cell_size(head_of(shown(group), NAME - 1, glyphs.ellipsis), NAME)
        out += [row(""), row((name, "title"), (f"{'A':>{SIDE}}{'':{UNIT}}{head}".rstrip(), "dim"))]
        for key in found:
            figure, unit = figure_said(every[key], glyphs)
            name = head_of(shown(every[key].name), NAME - 1, glyphs.ellipsis)
            line = row(set_cell_size(name, NAME), (f"{figure:>{SIDE}}", "strong"))
            line += row((f" {unit:<{UNIT - 1}}", "dim"))
            for pairs in by_name:
                line += row(_cell(pairs.get(key)))
            out.append(line)
            if every[key].by:
                out += wrapped(f"by {shown(every[key].by)}", cells, "dim", "  ")
    return out


def _cell(p: Pair | None) -> tuple[str, str]:
    if p is None:
        return " " * RATIO, ""
    otherwise = UNLIKE_MARK if p.beyond else " "
    mark = MARKS.get(p.verdict) or OF_WORD.get(noise_said(p), otherwise)
    style = {FASTER: "ok", SLOWER: "warn"}.get(p.verdict, "note" if p.beyond else "dim")
    return f"{ratio_said(p.ratio):>{RATIO - 1}}{mark}", style
