"""The answer beside the check form: what is asked back, or verdict, rates, range and findings."""

from __future__ import annotations

import re
from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.notebook.catalog import label
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import BELIEVABLE, Verdict, check_fields
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Piece, Row, row, spread, width, wrapped
from roofwatch.tui.notebook.check_fields import LABELS, Entry
from roofwatch.tui.notebook.verdict_body import (
    STYLE,
    body,
    expected_rows,
    is_near,
    mark,
    number_of,
    of_nominal,
)

OF_FIELD = re.compile(r"field (\w+): (.*)", re.DOTALL)
LEAD = "  "
NO_OP = "op is what ran: type its first letters"


class Answer(NamedTuple):
    """``verdict`` on what can be read so far; ``unfinished`` is what the open field lacks."""

    verdict: Verdict
    unfinished: str = ""
    asked: bool = False  # a number was given


def answer_to(entry: Entry, cards: Cards) -> Answer:
    """The answer; a text that is still being typed is left out of it, not held against anyone."""
    given = entry.given()
    if "op" not in given:
        return Answer(Verdict(id=None, verdict=None), unfinished=NO_OP)
    verdict = check_fields(given, cards, "")
    unfinished = ""
    name, said = of_field(verdict.error)
    if verdict.error and name in given and LABELS[name] == LABELS[entry.open]:
        unfinished = f"{LABELS[name]} {said}"
        del given[name]
        verdict = check_fields(given, cards, "")
    return Answer(verdict, unfinished, bool(given.keys() & {"time", "claimed"}))


def of_field(error: str | None) -> tuple[str, str]:
    """The field that an error names, and what is said of it."""
    found = OF_FIELD.fullmatch(error or "")
    name = found[1] if found else ""
    return (name, found[2]) if found and name in LABELS else ("", error or "")


def rows(answer: Answer, cells: int, glyphs: Glyphs) -> list[Row]:
    """The answer as rows; calm while there is no number yet."""
    verdict = answer.verdict
    if verdict.error is not None:
        name, said = of_field(verdict.error)
        text = f"{LABELS[name]} {said}" if name else said
        return wrapped(text, cells, "warn", f"{glyphs.warn} ")
    if not answer.asked:
        text = "Type a time or a claimed rate: the answer stands here as you type."
        return [
            *wrapped(text, cells, "", LEAD),
            row(""),
            *expected_rows(verdict, cells, glyphs, LEAD),
        ]
    out = [_head(verdict, cells, glyphs)]
    out += body(verdict, cells, glyphs, LEAD, lambda name: LABELS.get(name, name))
    if not verdict.findings and verdict.verdict == BELIEVABLE and not is_near(verdict):
        out += [row(""), row(LEAD, (label("no_finding"), "ok"))]
    return micro(out, glyphs)


def _head(verdict: Verdict, cells: int, glyphs: Glyphs) -> Row:
    """The verdict with the number in the card's terms, and at the right what it was judged as."""
    word = verdict.verdict or "unreadable"
    left: list[Piece] = [(f"{mark(verdict.verdict, glyphs)} {label(word)}", STYLE.get(word, ""))]
    said = [(number_of(verdict), "strong")]
    if verdict.of_nominal is not None:
        said.append((of_nominal(verdict), ""))
    if verdict.intensity:
        said.append((f"{figure(verdict.intensity)} FLOP/byte", ""))
    for text, style in said:
        if text and width(left) + cell_len(text) + 3 <= cells:
            left.append((f"   {text}", style))
    return spread(left, row((shown(verdict.gpu or ""), "dim")), cells)
