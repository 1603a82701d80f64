"""The record table in words: cells of a row for text and Markdown, lines of CSV."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.checks import FAILED, NOT_OF_THIS, OK, Check
from roofwatch.session.rate_scale import RateScale
from roofwatch.session.record_rows import NOMINAL, TableRow
from roofwatch.session.record_table import OneSession, RecordTable
from roofwatch.session.three_digits import three_digits

HEADS = ("", "nominal", "expected", "measured", "share")
CSV_HEADS = (
    *("item", "what", "unit", "nominal", "expected_low", "expected_high", "measured", "said"),
    *("share", "share_of", "within_expected", "note", "missing", "session", "doubt"),
)
EMPTY = "-"
EXPLAINS = "the parts explain "  # how the check of each decode step begins


class Cells(NamedTuple):
    """One row as it is read."""

    what: str
    nominal: str
    expected: str
    measured: str
    share: str


def cells(row: TableRow, scale: RateScale, dash: str = "–") -> Cells:
    """A row in words; ``dash`` parts the ends of a range.

    Rates stand in the unit that ``scale`` says: a CPU's in GFLOP/s.
    """
    unit = scale.named(row.unit)
    factor = scale.factor_of(row.unit)
    expected = EMPTY
    if row.low is not None and row.high is not None:
        expected = f"{_figure(row.low, factor)} {dash} {_figure(row.high, factor)}"
        if row.low == row.high:
            expected = f"about {_figure(row.low, factor)}"
    measured = row.said or _figure(row.measured, factor)
    if not row.filled:
        measured = "none" if row.missing.startswith(NOT_OF_THIS) else "missing"
    share = EMPTY
    if row.share is not None:
        share = per_cent(row.share)
        share += f" {row.share_of}" if row.share_of != NOMINAL else ""
    return Cells(
        what=f"{row.what}, {unit}" if unit else row.what,
        nominal=_figure(row.nominal, factor),
        expected=expected,
        measured=measured,
        share=share,
    )


def about(row: TableRow) -> str:
    """What stands below a row or behind it: what its figure is of, or what would fill it.

    Where its mark does not say it by the range already, also why it is not to be believed.
    """
    if not row.filled:
        return row.missing
    doubt = f"not to be believed: {row.doubt}" if row.doubt and row.within is not False else ""
    return "; ".join(filter(None, (row.note, doubt)))


def session_said(s: OneSession) -> str:
    """What of the record a session has given: rows of the table, answers, both or neither."""
    rows = f"{len(s.rows)} row{'s' * (len(s.rows) != 1)}" if s.rows else ""
    told = ", ".join(map(str, s.answers))
    answers = f"answer{'s' * (len(s.answers) != 1)} {told}" if s.answers else ""
    return "; ".join(filter(None, (rows, answers))) or "nothing that another has not"


def check_said(check: Check) -> str:
    """A check in a line, behind its mark: its word, what it is, its figure, or what would tell."""
    if check.word in (OK, FAILED) and check.ratio is not None:
        figure = f" ({_figure(check.ratio)} {check.of})" if check.of else ""
        return f"{check.word}: {check.check}{figure}"
    return f"{check.word}: {check.check}" + (f" ({check.fill})" if check.fill else "")


def grouped(checks: list[Check], most: int = 6) -> list[Check]:
    """Checks that are read one by one: of many alike one line says how many held."""
    alike = [c for c in checks if c.check.startswith(EXPLAINS)]
    if len(alike) <= most:
        return checks
    held = sum(c.ok for c in alike)
    ratios = [c.ratio for c in alike if c.ratio is not None]
    one = Check(
        check=f"{EXPLAINS}{held} of {len(alike)} steps within 10 %, all by {min(ratios):.2f} to "
        f"{max(ratios):.2f}",
        word=OK if held == len(alike) else FAILED,
        ok=held == len(alike),
    )
    return [one, *(c for c in checks if c not in alike)]


def csv_text(table: RecordTable) -> str:
    """The table as CSV: figures as they are, empty where there is none."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_HEADS)
    for r in table.rows:
        row = (
            *(r.item, r.what, r.unit, r.nominal, r.low, r.high, r.measured, r.said),
            *(r.share, r.share_of if r.share is not None else "", r.within, r.note),
            *(r.missing, r.session, r.doubt),
        )
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> object:
    """Text that no spreadsheet takes for a formula; no control characters."""
    from roofwatch.session.printable import shown

    if not isinstance(value, str):
        return "" if value is None else value
    text = shown(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def _figure(value: float | None, factor: float = 1.0) -> str:
    return EMPTY if value is None else three_digits(value * factor)
