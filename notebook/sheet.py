"""Rows out of a text: one JSON object a line, a JSON array of them, or CSV with headings."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

import msgspec

from roofwatch.notebook.entry import Unreadable

Fields = Mapping[str, object]


def rows(text: str, name: str = "") -> Iterator[tuple[str, Fields | Unreadable]]:
    """Each row as («row 3», its fields), or what is wrong with it. One bad row stops nothing.

    ``name`` is the file's: ``.csv`` decides for CSV, else the first character does.
    """
    text = text.removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if name.lower().endswith((".csv", ".tsv")) or start not in ("{", "["):
        return _csv(text, "\t" if name.lower().endswith(".tsv") else ",")
    return _array(text) if start == "[" else _lines(text)


def _where(number: int, line: int) -> str:
    return f"row {number}" if line == number else f"row {number} (line {line})"


def _lines(text: str) -> Iterator[tuple[str, Fields | Unreadable]]:
    number = 0
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        number += 1
        where = _where(number, line)
        try:
            yield where, _object(msgspec.json.decode(content), where)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            yield where, Unreadable(f"{where}: {_said(error)}")


def _said(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return f"no JSON object: {str(error)[:200]}"


def _array(text: str) -> Iterator[tuple[str, Fields | Unreadable]]:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        yield "row 1", Unreadable(f"row 1: the array is {_said(error)}")
        return
    for number, content in enumerate(found, 1):
        yield f"row {number}", _object(content, f"row {number}")


def _object(content: object, where: str) -> Fields | Unreadable:
    if isinstance(content, dict):
        return content
    return Unreadable(f"{where}: an object with fields belongs here")


def _csv(text: str, delimiter: str) -> Iterator[tuple[str, Fields | Unreadable]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    heading: list[str] | None = None
    number = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            number += 1
            where = _where(number, reader.line_num)
            yield where, Unreadable(f"{where}: no CSV: {error}")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if heading is None:
            heading = [cell.strip() for cell in cells]
            continue
        number += 1
        where = _where(number, reader.line_num)
        if len(cells) > len(heading):
            more = f"{len(cells)} cells under {len(heading)} headings"
            yield where, Unreadable(f"{where}: {more}")
        else:
            yield where, dict(zip(heading, cells, strict=False))


def shell_rows(said: Mapping[str, str]) -> Iterator[tuple[str, Fields | Unreadable]]:
    """Rows of numbers given by options; commas make several points of one experiment."""
    many = {n: v.split(",") for n, v in said.items() if n not in WHOLE and "," in v}
    counts = {len(v) for v in many.values()}
    if len(counts) > 1:
        lists = " and ".join(f"{len(v)} of {n}" for n, v in many.items())
        yield "", Unreadable(f"points do not pair: {lists}")
        return
    points = max(counts, default=1)
    for i in range(points):
        fields: dict[str, object] = {n: many[n][i] if n in many else v for n, v in said.items()}
        if points > 1:
            fields.setdefault("id", "experiment")
        yield f"point {i + 1}" if points > 1 else "", fields


WHOLE = ("id", "gpu", "model", "note")
"""Fields in which a comma is a comma."""
