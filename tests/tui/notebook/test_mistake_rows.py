"""Mistakes made on purpose on the screen: their table, the line below, no marks beside them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from roofwatch.notebook import catalog
from roofwatch.session.events import Measurement
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.mistakes import mistakes
from roofwatch.session.replay import Replay
from roofwatch.session.table import probe_rows
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.notebook import notebook_pane
from roofwatch.tui.notebook.error_page import ErrorPage
from roofwatch.tui.notebook.finding_rows import mark_of
from roofwatch.tui.notebook.mistake_rows import MADE, first_sentence, mistake_rows
from roofwatch.tui.printed import plain
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.screen import small_pane
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.message import message

FILE = Path(__file__).parent.parent.parent / "sessions" / "h200-mistakes-1.jsonl"
CODES = ["E1", "E2", "E3", "E4", "E5"]


@pytest.fixture
def made() -> Session:
    """The recorded session of the suite."""
    return Replay(FILE).session


def missed() -> Session:
    """The same, but nothing is wrong with what is called E1."""

    def right(e: object) -> object:
        if isinstance(e, Measurement) and e.mistake == "E1" and e.claim is not None:
            claim = msgspec.structs.replace(e.claim, claimed_gbs=(e.claim.claimed_gbs or 0) * 2)
            return msgspec.structs.replace(e, claim=claim)
        return e

    return fold(right(e) for e in events(FILE))  # type: ignore[misc]


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize("cells", [40, 48, 60, 80, 120])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_table_stands_above_the_findings(made: Session, cells: int, glyphs: object) -> None:
    rows = notebook_pane.rows(made, cells, glyphs)  # type: ignore[arg-type]
    table = mistake_rows(made, cells, glyphs)  # type: ignore[arg-type]
    assert rows[: len(table)] == table
    assert "read-only-bytes" in text_of(rows[len(table)])
    assert [line.split()[0] for line in lines(table) if line.startswith(" E")] == CODES
    if cells >= 48:
        assert max(map(width, table)) <= cells
        assert sum(line.endswith(" flagged") for line in lines(table)) == 5


def test_the_report_has_it_once(made: Session) -> None:
    text = lines(report(made, None, 80, UNICODE))
    assert text.count(f" {MADE}") == 1
    at = text.index(f" {MADE}")
    table = lines(mistake_rows(made, 80, UNICODE))
    assert text[at : at + len(table)] == table


def test_where_it_is_narrow_what_was_flagged_has_no_sentence(made: Session) -> None:
    assert len(mistake_rows(made, 48, UNICODE)) == 2 + len(CODES) + 1
    assert any("no rule flagged" in line for line in lines(mistake_rows(missed(), 48, UNICODE)))


def test_other_sessions_have_no_table(h200: Session) -> None:
    assert mistake_rows(h200, 80, UNICODE) == []


def test_the_findings_lie_where_the_cursor_looks_for_them(made: Session) -> None:
    found = findings(made)
    spans, length = notebook_pane.spans(made, 80, UNICODE, found)
    rows = lines(notebook_pane.rows(made, 80, UNICODE, found))
    assert length == len(rows)
    for f, (first, _) in zip(found, spans, strict=True):
        assert rows[first].split()[1] == f.code


async def test_at_80_columns_the_cursor_walks_from_the_table_to_the_findings() -> None:
    app = RoofwatchApp(Replay(FILE), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.4)
        pane = app.dashboard.pane("notebook")
        assert pane.lines[0].startswith(f" {MADE}")
        assert sum("✓ flagged" in line for line in pane.lines) == 5
        for _ in range(12):
            if any(line.startswith("▸") for line in pane.lines):
                break
            await pilot.press("down")
            await pilot.pause(0.05)
        seen = []
        for _ in range(3):
            seen += [line.split()[1] for line in pane.lines if line.startswith("▸")]
            await pilot.press("down")
            await pilot.pause(0.05)
        assert seen == ["E1", "E2", "E3"]
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert isinstance(app.screen, ErrorPage)
        await pilot.press("escape", *["up"] * 40)
        await pilot.pause(0.1)
        assert pane.lines[0].startswith(f" {MADE}")


async def test_beside_the_other_panes_all_five_are_seen() -> None:
    app = RoofwatchApp(Replay(FILE), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.5)
        shown = app.dashboard.pane("notebook").lines
        assert sum(line.rstrip().endswith("✓ flagged") for line in shown) == 5
        assert (
            app.dashboard.pane("message")
            .lines[0]
            .startswith(" ✓ 5 mistakes made on purpose, 5 flagged")
        )


def test_the_line_below_counts_them(made: Session) -> None:
    line = message(made, findings(made), 80, UNICODE)
    assert text_of(line).rstrip() == " ✓ 5 mistakes made on purpose, 5 flagged"
    assert line[0][1] == "ok"
    running = message(made, findings(made), 80, UNICODE, "measuring E5")
    assert text_of(running).rstrip() == " measuring E5"


@pytest.mark.parametrize("state", ["", "measuring E5"])
def test_one_that_was_not_flagged_is_a_warning(state: str) -> None:
    session = missed()
    assert [m.flagged for m in mistakes(session)] == [False, True, True, True, True]
    line = message(session, findings(session), 80, UNICODE, state)
    assert text_of(line).rstrip() == " ▲ 5 mistakes made on purpose, 4 flagged"
    assert line[0][1] == "warn"


def test_a_right_number_that_is_wrong_comes_before_the_count(made: Session) -> None:
    found = findings(made)
    other = msgspec.structs.replace(found[0], subject="matmul-bf16")
    text = text_of(message(made, [*found, other], 80, UNICODE))
    assert text.startswith(" ✗ matmul-bf16, E1: ")


def test_a_number_that_was_made_wrong_has_the_mark_of_what_was_found(made: Session) -> None:
    rows = [plain.line_of(r, UNICODE) for r in probe_rows(made, [])]
    wrong = [line for line in rows if line.endswith("on purpose")]
    assert len(wrong) == 5
    assert not any(mark in line for line in wrong for mark in "✓▲")
    assert all("✓" in line for line in rows if line not in wrong)
    table = [t for t in lines(probes_pane.build(made, 80, 20, UNICODE)) if re.match(r" E\d ", t)]
    assert len(table) == 5
    marks = {f.code: mark_of(f, UNICODE) for f in findings(made)}
    assert "✗" in marks.values()
    assert {t[1:3]: next(c for c in t if c in "✓▲✗") for t in table} == marks
    small = [t for t in lines(small_pane.build(made, 60, 40, findings(made), glyphs=UNICODE)) if t]
    assert {t[3:5]: t[1] for t in small if re.match(r"E\d", t[3:])} == marks


def test_in_the_probe_table_one_that_was_not_flagged_says_so() -> None:
    session = missed()
    rows = probe_rows(session)
    unflagged = next(r for r in rows if r.probe == "mistake-E1")
    assert not unflagged.codes
    shown = lines(probes_pane.build(session, 90, 20, UNICODE))
    (line,) = [one for one in shown if one.startswith(" E1 ")]
    assert line.endswith("not flagged")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("0.50 of them. All streams", "0.50 of them."),
        ("是 35.5 倍。实际至少要 476 µs。", "是 35.5 倍。"),
        ("是 35.5 倍。", "是 35.5 倍。"),
        ("no stop at all", "no stop at all."),
        ("ends at 4.5", "ends at 4.5."),
        ("ends.", "ends."),
    ],
)
def test_the_first_sentence_has_one_full_stop(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_nor_has_it_two_in_chinese(made: Session) -> None:
    catalog.choose("zh-CN")
    try:
        said = "\n".join(lines(mistake_rows(made, 80, UNICODE)))
    finally:
        catalog.choose("en")
    assert "。" in said
    assert "。." not in said
