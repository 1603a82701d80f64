"""What the doctor found as rows of text: counts worst first, then its checks by group."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from roofwatch.session.doctor.checks import GROUPS, counted
from roofwatch.session.doctor.said import FAIL, OK, UNKNOWN, WARN
from roofwatch.session.doctor.said import Row as Checked
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row, width

STYLES = {OK: "ok", WARN: "warn", FAIL: "wrong", UNKNOWN: "note"}
NAME_CELLS = max(len(key) for checks in GROUPS.values() for key in checks)
STATUS_CELLS = len(UNKNOWN)
BESIDE_FROM = 110  # columns: what is expected stands beside what was found
FOUND_CELLS = 44


def mark(status: str, glyphs: Glyphs) -> str:
    """The glyph of a status; each has its word beside it."""
    return {OK: glyphs.ok, WARN: glyphs.warn, FAIL: glyphs.wrong}.get(status, "?")


def summary(found: Sequence[Checked], glyphs: Glyphs) -> Row:
    """How many of each, the worst first."""
    pieces = [
        (f" {mark(word, glyphs)} {count} {word}  ", STYLES[word]) for word, count in counted(found)
    ]
    return row(*pieces)


def doctor_rows(found: Sequence[Checked], cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole answer; what is not as it should be says what to expect, and what to do."""
    by_key = {one.check: one for one in found}
    out = [summary(found, glyphs)]
    for group, checks in GROUPS.items():
        out += [row(""), row((f" {group}", "title"))]
        of_group = [by_key[key] for key in checks]
        if len({(one.status, one.found) for one in of_group}) == 1 != len(of_group):
            of_group = [replace(of_group[0], check=f"all {len(of_group)}")]
        for one in of_group:
            out += _one(one, cells, glyphs)
    return out


def _one(one: Checked, cells: int, glyphs: Glyphs) -> list[Row]:
    sign = mark(one.status, glyphs)
    head = (
        f" {sign:<{max(1, len(glyphs.ok))}} {one.status:<{STATUS_CELLS}} {one.check:<{NAME_CELLS}} "
    )
    indent = " " * len(head)
    wide = cells >= BESIDE_FROM and bool(one.expected)
    room = len(head) + FOUND_CELLS if wide else cells
    first, *rest = hung(head, one.found, room, of_head=STYLES[one.status])
    said = [first, *rest]
    troubled = one.status in (WARN, FAIL)
    if wide and width(first) <= room and one.status != UNKNOWN:
        gap = " " * (room + 2 - width(first))
        beside = hung(" " * (room + 2), f"expected: {one.expected}", cells, "dim")
        said[0] = (*first, (gap, ""), (beside[0][1][0], "dim"))
        said[1:1] = beside[1:]
    elif troubled and one.expected:
        said += hung(f"{indent}expected: ", one.expected, cells)
    if one.do and one.status != OK:
        said += hung(f"{indent}do: ", one.do, cells)
    return said
