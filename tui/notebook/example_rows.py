"""The seeds' worked examples as rows of text, under the names of their documents."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.example import Example
from roofwatch.roofline.worked_examples import TITLES, WHOSE
from roofwatch.tui.drawing.rows_of_text import Piece, Row, broken, row, width, wrapped

GAP = 2
HEAD = f"{WHOSE[:1].upper()}{WHOSE[1:]}, worked out anew; seed: the note's own figure if another."
PAIRS = "The cards and models of the notes that the project grew from; --gpu, --model: others."


def head_rows(text: str, cells: int) -> list[Row]:
    """A sentence that says what stands below."""
    return [*wrapped(text, cells, "", " "), row("")]


def example_rows(examples: Sequence[Example], cells: int) -> list[Row]:
    """What, how = the figure worked out, and the seed's own where that is another."""
    label = max((len(e.what) for e in examples), default=0) + GAP
    rows: list[Row] = []
    for seed, title in TITLES.items():
        of_seed = [e for e in examples if e.seed == seed]
        rows += [row("")] if rows and of_seed else []
        rows += [row((f" {title}", "title"))] if of_seed else []
        for e in of_seed:
            rows += _lines(e, label, cells)
    return rows


def _lines(e: Example, label: int, cells: int) -> list[Row]:
    """A line, or as many as are needed: neither a figure nor the seed's is broken."""
    indent = label + 1
    first, *more = broken(e.how, cells - indent)
    lines: list[list[Piece]] = [[(f" {e.what:<{label}}", "dim"), (first, "")]]
    lines += [[(" " * indent, ""), (line, "")] for line in more]
    parts = [(f" = {e.figure}", "strong"), *([(f"; seed: {e.said}", "note")] if e.slip else [])]
    for text, style in parts:
        if width(lines[-1]) + len(text) > cells:
            lines.append([(" " * indent, "")])
            text = text.lstrip("; ")
        lines[-1].append((text, style))
    return [row(*line) for line in lines]
