"""A finding as rows: its mark and name, the sentence, why it matters, what to do."""

from __future__ import annotations

import re

from rich.cells import cell_len, set_cell_size

from roofwatch.notebook.catalog import chosen, label
from roofwatch.notebook.experiment import Experiment
from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, wrapped

STEP = re.compile(r"[;；]\s*(?=[1-9]\. ?\D)")
NUMBER = re.compile(r"[1-9]\. ?(?=\D)")


def style_of(f: Finding) -> str:
    """Style of a severity."""
    return "wrong" if f.severity == WRONG else "note" if f.severity == NOTE else "warn"


def mark_of(f: Finding, glyphs: Glyphs) -> str:
    """Glyph of a severity: never colour alone."""
    if f.severity == WRONG:
        return glyphs.wrong
    return glyphs.note if f.severity == NOTE else glyphs.warn


def name_of(f: Finding) -> str:
    """``E2 l2-hit``, or the one word that both are."""
    return shown(f.code if f.code == f.name else f"{f.code} {f.name}")


def severity_of(f: Finding) -> str:
    """Its severity in the chosen language."""
    return chosen().labels.get(f.severity, shown(f.severity))


def told(f: Finding | Experiment, cells: int) -> list[Row]:
    """The sentence, why it matters and what to do."""
    why, do = label("why"), label("do")
    size = max(3, cell_len(why), cell_len(do)) + 2
    out = wrapped(f.message, cells, "strong")
    out += hung(set_cell_size(why, size), f.why, cells)
    return out + steps(f.do, set_cell_size(do, size), cells)


def steps(do: str, head: str, cells: int) -> list[Row]:
    """What to do beside its head; what is numbered stands a step a row."""
    size = cell_len(head)
    out: list[Row] = []
    found = STEP.split(do)
    if len(found) > 1:  # a row each: none of them ends a sentence
        found[-1] = found[-1].rstrip(".。")
    for step in found:
        number = NUMBER.match(step)
        lead = number[0] if number else ""
        for one in wrapped(step[len(lead) :], cells - size, "", lead):
            out.append(((" " * size if out else head, "dim"), *one))
    return out
