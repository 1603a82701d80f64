"""Rows out of a text: one JSON object a line, a JSON array of them, or CSV with headings."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeGuard

import msgspec

from roofwatch.notebook.entry import READ, Unreadable, meant_by, plain_name

Fields = Mapping[str, object]


LINES, TABS = (".jsonl", ".ndjson"), (".tsv",)
CSV = (".csv", *TABS)
COMMENT = "#"
MOST_NAMES = 8
MOST_NAME = 100  # characters of a name that is repeated
MOST_ROWS = 1_000_000


def rows(text: str, name: str = "") -> Iterator[tuple[str, Fields | Unreadable]]:
    """Each row as («row 3», its fields), or what is wrong with it. One bad row stops nothing.

    ``name`` is the file's: its ending decides (.jsonl, .ndjson, .csv, .tsv), else the first
    character does. Past a million rows no more are read, and that is said in place of the next.
    """
    for number, row in enumerate(_every(text, name), 1):
        if number > MOST_ROWS:
            yield row[0], Unreadable(f"{row[0]}: no more than {MOST_ROWS} rows are read")
            return
        yield row


def _every(text: str, name: str) -> Iterator[tuple[str, Fields | Unreadable]]:
    text = text.removeprefix("\ufeff")
    start, ending = text.lstrip()[:1], name.lower()
    if ending.endswith(CSV) or (start not in ("{", "[") and not ending.endswith(LINES)):
        return _csv(text, "\t" if ending.endswith(TABS) else _delimiter(text))
    if start == "[" and not ending.endswith(LINES):
        return _array(text)
    return _lines(text)


def _delimiter(text: str) -> str:
    """What parts the headings: a comma, or a semicolon or tab where there is none."""
    first = next((line for line in text.split("\n") if line.strip() and line[0] != COMMENT), "")
    return next((d for d in ",;\t" if d in first), ",")


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
            yield where, _object(msgspec.json.decode(content), where, content)
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
    apart = _apart(text) if text.count(":") > sum(len(c) for c in found if is_fields(c)) else None
    for number, content in enumerate(found, 1):
        own = apart[number - 1] if apart is not None else ""
        yield f"row {number}", _object(content, f"row {number}", own)


def _apart(text: str) -> list[str] | None:
    """The text of each element of an array that was decoded."""
    try:
        return [bytes(raw).decode() for raw in msgspec.json.decode(text, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def is_fields(content: object) -> TypeGuard[dict[str, object]]:
    return isinstance(content, dict)


def _object(content: object, where: str, text: str) -> Fields | Unreadable:
    """The fields; ``text`` is what they were decoded from, where a name may stand twice in it."""
    if not is_fields(content):
        return Unreadable(f"{where}: an object with fields belongs here")
    if text.count(":") > len(content) and (twice := _twice(text)) is not None:
        return Unreadable(f"{where}, field {twice[:MOST_NAME]}: is given twice")
    return content


def _twice(text: str) -> str | None:
    """The first name that an object gives twice: the decoder keeps the last without a word."""
    found: list[str] = []

    def pairs(fields: list[tuple[str, object]]) -> dict[str, object]:
        found.extend(name for name, n in Counter(name for name, _ in fields).items() if n > 1)
        return {}

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text, object_pairs_hook=pairs, parse_int=str, parse_float=str)
    return next(iter(found), None)


def _csv(text: str, delimiter: str) -> Iterator[tuple[str, Fields | Unreadable]]:
    heading: list[str] | None = None
    number = 0
    for line, cells in _cells(text, delimiter):
        if isinstance(cells, list) and not any(cell.strip() for cell in cells):
            continue
        if heading is None and isinstance(cells, list) and cells[0].startswith(COMMENT):
            continue
        if heading is None and isinstance(cells, list):
            heading = [cell.strip() for cell in cells]
            twice = next((h for h, n in Counter(heading).items() if h and n > 1), None)
            if twice is not None:
                yield "heading", Unreadable(f"heading, field {twice[:100]}: stands there twice")
                return
            if "op" not in map(plain_name, heading):
                yield "heading", Unreadable(_without_op(heading))
                return
            continue
        number += 1
        where = _where(number, line)
        if isinstance(cells, csv.Error):
            yield where, Unreadable(f"{where}: no CSV: {cells}")
        elif heading is not None and len(cells) > len(heading):
            more = f"{len(cells)} cells under {len(heading)} headings"
            yield where, Unreadable(f"{where}: {more}")
        else:
            yield where, dict(zip(heading or (), cells, strict=False))


def _without_op(heading: list[str]) -> str:
    """One line for a table that cannot be one of ours, with what its headings may mean."""
    strange = [h for h in heading if h and plain_name(h) not in READ][:MOST_NAMES]
    meant = [f"{h[:30]} ({m})" if (m := meant_by(plain_name(h))) else h[:30] for h in strange]
    said = f"; not understood: {', '.join(meant)}" if meant else ""
    return f"heading, field op: missing{said}"


def _cells(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Cells with the line where they end. A quote that nobody closes costs its own line only."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        yield from [(reader.line_num, cells) for cells in reader]
        return
    except csv.Error:
        pass
    for line, content in enumerate(text.split("\n"), 1):
        try:
            for cells in csv.reader([content.rstrip("\r")], delimiter=delimiter, strict=True):
                yield line, cells
        except csv.Error as error:
            yield line, error


def shell_rows(said: Mapping[str, str]) -> Iterator[tuple[str, Fields | Unreadable]]:
    """Rows of numbers given by options; commas make several points of one experiment."""
    many = {n: v.split(",") for n, v in said.items() if n not in WHOLE and "," in v}
    counts = {len(v) for v in many.values()}
    if len(counts) > 1:
        lists = " and ".join(f"{len(v)} of {n}" for n, v in many.items())
        yield "", Unreadable(f"points do not pair: {lists}")
        return
    grouped = [f"{n} {said[n]}" for n in many if GROUPED.fullmatch(said[n].strip())]
    if grouped and len(many) == 1:
        whole = grouped[0].replace(",", "")
        yield "", Unreadable(f"field {grouped[0]}: commas part points; one number is {whole}")
        return
    points = max(counts, default=1)
    for i in range(points):
        fields: dict[str, object] = {n: many[n][i] if n in many else v for n, v in said.items()}
        if points > 1:
            fields.setdefault("id", "experiment")
        yield f"point {i + 1}" if points > 1 else "", fields


GROUPED = re.compile(r"\d{1,3}(,\d{3}){2,}|\d{1,3}(,\d{3})+(\.\d+)?\s*[^\d,\s].*")
"""``134,217,728`` and ``1,800 GB/s`` are one number to most people."""
WHOLE = ("id", "gpu", "model", "note")
"""Fields in which a comma is a comma."""
