"""Mistakes made on purpose: the wrong number beside the right one, and whether it was noticed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofwatch.session.fold import Session
from roofwatch.session.mistakes import Mistake, mistakes
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped

MADE = "Mistakes, made on purpose"
BESIDE = 60  # cells from which there is room for names and sentences
SENTENCE = re.compile(r".*?(?:[。！？]|\.(?=\s|$))", re.DOTALL)


def mistake_rows(session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    """Each mistake with its two numbers, and under it the first sentence of what was found.

    Where it is narrow only what was not noticed has its sentence.
    """
    made = mistakes(session)
    if not made:
        return []
    names = {m.probe: shown(_name(m, cells)) for m in made}
    wide = max(len(name) for name in names.values()) + 2
    out = [row((f" {MADE}", "dim")), row((f" {'':<{wide}}{'wrong':>9}{'right':>9}", "dim"))]
    for m in made:
        mark, style = (glyphs.ok, "ok") if m.flagged else (glyphs.wrong, "wrong")
        numbers = f"{figure(m.wrong):>9}{figure(m.right):>9} {m.unit:<8}"
        flagged = "flagged" if m.flagged else "not flagged"
        out.append(row(f" {names[m.probe]:<{wide}}{numbers}", (f" {mark} {flagged}", style)))
        if cells >= BESIDE or not m.flagged:
            said = wrapped(first_sentence(m.message), cells - 4, "dim")
            out += [((" " * 3, ""), *r) for r in said]
    return micro([*out, row("")], glyphs)


def _name(m: Mistake, cells: int) -> str:
    return m.code if cells < BESIDE or m.name == m.code else f"{m.code} {m.name}"


def first_sentence(text: str) -> str:
    """Up to the first full stop, of either script; it has one of its own, or gets one."""
    found = SENTENCE.match(text)
    return found[0] if found else f"{text}."


def count_of(made: Sequence[Mistake]) -> str:
    """How many were made, and how many of them noticed."""
    what = "mistake" if len(made) == 1 else "mistakes"
    return f"{len(made)} {what} made on purpose, {sum(m.flagged for m in made)} flagged"
