"""Answers about a person's numbers, as rows of text: a page for a few, a line each for many."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.notebook.catalog import label
from roofwatch.notebook.verdict import VERDICTS, Verdict
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, row, width, wrapped
from roofwatch.tui.notebook.finding_rows import name_of, style_of
from roofwatch.tui.notebook.verdict_body import (
    STYLE,
    body,
    is_possible,
    mark,
    number_of,
    of_nominal,
    range_of,
    share_of,
)

GAP, MOST_NAME, MOST_NUMBER, MOST_SHARE, LONGEST_CODE = 2, 22, 16, 8, 18
MAKERS = re.compile(r"^(?:(?:NVIDIA|Tesla|GeForce|AMD|Instinct|Radeon)\s+)+")
LEAD = "   "
MANY = 8  # answers from which one line each is easier to read
HINT = "--full prints a page for each row"


def answers(found: Sequence[Verdict], cells: int, glyphs: Glyphs, full: bool = False) -> list[Row]:
    """All answers in order, and a count below where there are several."""
    out: list[Row] = []
    if full or len(found) < MANY:
        for one in found:
            out += [*answer(one, cells, glyphs), row("")]
        if len(found) > 1:
            return micro([*out, *counts(found, cells, glyphs)], glyphs)
        return micro(out[:-1], glyphs)
    out = [*lines(found, cells, glyphs), row(""), *counts(found, cells, glyphs)]
    return [*out, row((f" {HINT}", "dim"))] if any(v.error is None for v in found) else out


def counts(found: Sequence[Verdict], cells: int, glyphs: Glyphs) -> list[Row]:
    """How many of each verdict, in one row or two."""
    number = Counter(v.verdict for v in found)
    total = (f" {len(found)} {label('rows')}", "dim")
    pieces: list[tuple[str, str]] = []
    for verdict in (*VERDICTS, None):
        if number[verdict]:
            word = label(verdict or "unreadable")
            style = STYLE.get(verdict or "", "wrong")
            pieces.append((f"   {mark(verdict, glyphs)} {number[verdict]} {word}", style))
    if width([total, *pieces]) <= cells:
        return [row(total, *pieces)]
    return [row(total), fit([(text[2:], style) for text, style in pieces], cells)]


def id_of(verdict: Verdict) -> str:
    """What a row is called; of one experiment's rows with what tells it from the others."""
    if verdict.id is None:
        return ""
    name = shown(str(verdict.id))
    return f"{name}, {verdict.point}" if verdict.point is not None else name


def answer(verdict: Verdict, cells: int, glyphs: Glyphs) -> list[Row]:
    """One answer in full: verdict and number, range, findings with why and do."""
    if verdict.error is not None:
        return wrapped(verdict.error, cells - 2, "wrong", f" {mark(None, glyphs)} ")
    assert verdict.verdict is not None
    style = STYLE[verdict.verdict]
    first: Row = ((f" {mark(verdict.verdict, glyphs)} {label(verdict.verdict)}", style),)
    said: Row = ()
    number = number_of(verdict)
    if number:
        said = (("   ", ""), (number, "strong"))
    if verdict.of_nominal is not None:
        said = (*said, (f"  {of_nominal(verdict)}", ""))
    if verdict.id is not None:
        first = (*first, ("   ", ""), (id_of(verdict), "dim"))
    gpu = shown(verdict.gpu or "")
    left = cells - width(first) - width(said) - 3  # the number matters more than the card
    if gpu and left > cell_len(glyphs.ellipsis):
        first = (*first, ("   ", ""), (head_of(gpu, left, glyphs.ellipsis), "dim"))
    first = (*first, *said)
    first = first if width(first) <= cells else fit(first, cells)
    return [first, *body(verdict, cells, glyphs, LEAD)]


def lines(found: Sequence[Verdict], cells: int, glyphs: Glyphs) -> list[Row]:
    """One line each: name, verdict, number, share, range, the first finding.

    Of a row that cannot be read only where it stands: the sentence is told elsewhere.
    """
    names = [called(v, i, glyphs) for i, v in enumerate(found, 1)]
    words = max(width([(label(v), "")]) for v in (*VERDICTS, "unreadable"))
    columns = [
        [(name, "") for name in names],
        [(f"{mark(v.verdict, glyphs)} {_word(v)}", _style(v)) for v in found],
        [(number_of(v), "strong") for v in found],
        [(share_of(v.of_nominal) if v.of_nominal is not None else "", "") for v in found],
        [(range_of(v, glyphs), "dim") for v in found],
    ]
    wide = [max(width([piece]) for piece in column) for column in columns]
    wide[0], wide[1] = min(MOST_NAME, wide[0]), words + 2
    wide[2], wide[3] = min(MOST_NUMBER, wide[2]), min(MOST_SHARE, wide[3])
    left = cells - sum(wide) - len(wide) * GAP - 1
    if left < LONGEST_CODE:  # the cause matters more than the range
        left += wide.pop() + GAP
        columns.pop()
    out = []
    for i, v in enumerate(found):
        pieces: list[tuple[str, str]] = [(" ", "")]
        for column, size in list(zip(columns, wide, strict=True))[: 2 if v.error else None]:
            pieces += [*fit([column[i]], size), (" " * GAP, "")]
        pieces.append((place_of(v.error), "wrong") if v.error is not None else _first(v, left))
        line = row(*pieces)
        out.append(line if width(line) <= cells else fit(line, cells))
    return out


def called(verdict: Verdict, number: int, glyphs: Glyphs) -> str:
    """What a row is about: its id, else the card and what ran there, else its number."""
    if verdict.id is not None or verdict.error is not None:
        return id_of(verdict)  # where an unreadable one stands is said beside it
    op = shown(verdict.op or "")
    gpu = MAKERS.sub("", shown(verdict.gpu or ""))
    gpu = head_of(gpu, MOST_NAME - len(op) - 1, glyphs.ellipsis) if op else gpu
    return f"{gpu} {op}".strip() or str(number)


def place_of(error: str) -> str:
    """Row and field that an error names."""
    return shown(error.partition(": ")[0])


def _word(verdict: Verdict) -> str:
    return label(verdict.verdict or "unreadable")


def _style(verdict: Verdict) -> str:
    return STYLE.get(verdict.verdict or "", "wrong")


def _first(verdict: Verdict, cells: int) -> tuple[str, str]:
    """The first finding: code and name, the code alone where both do not fit."""
    first = next((f for f in verdict.findings if not is_possible(verdict, f)), None)
    if first is None:
        return "", ""
    both = name_of(first)
    return (both if width([(both, "")]) <= cells else shown(first.code)), style_of(first)
