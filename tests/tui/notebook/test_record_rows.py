"""The record as rows: whole at 80 columns, what is narrow keeps the measured figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.record_table import answers, record_table
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import style
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.notebook.record_page import RecordPage
from roofwatch.tui.notebook.record_rows import question_rows, table_rows

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
NAMES = ("h200-full-1", "h200-decode-1", "h200-kernels-1", "cpu/full-1", "cpu/decode-1")


@pytest.fixture(scope="module")
def kept() -> dict[str, Session]:
    return {name: fold(events(SESSIONS / f"{name}.jsonl")) for name in NAMES}


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_rows_fit_at_every_width(kept: dict[str, Session], glyphs: Glyphs) -> None:
    for sessions in ([kept["h200-full-1"], kept["h200-decode-1"]], [kept["cpu/decode-1"]]):
        table, found = record_table(sessions), answers(sessions)
        for cells in (40, 60, 76, 80, 120, 200):
            rows = [*table_rows(table, cells, glyphs), *question_rows(found, cells, glyphs)]
            for r in rows:
                assert width(r) <= cells, (cells, text_of(r))
                assert all(style(name) for _, name in r)
                assert glyphs is UNICODE or text_of(r).isascii()


def test_each_row_has_its_four_columns_and_its_mark(kept: dict[str, Session]) -> None:
    lines = [text_of(r) for r in table_rows(record_table([kept["h200-full-1"]]), 76, UNICODE)]
    assert lines[0].split() == ["record", "nominal", "expected", "measured", "share"]
    assert lines[1].split() == [
        "bandwidth,",
        "GB/s",
        "4800",
        "3984",
        "–",
        "4512",
        "4389",
        "91",
        "%",
        "✓",
    ]
    assert lines[2].strip() == "triad-fp16, 6144 MiB"
    missing = next(i for i, line in enumerate(lines) if line.startswith(" decode step"))
    assert lines[missing].split()[-2:] == ["missing", "-"]
    assert lines[missing + 1].strip() == "decode: roofwatch run --suite decode"
    assert any(line.startswith(" · missing: decode at batch 1") for line in lines)


def test_where_there_is_room_what_a_figure_is_of_stands_behind_it(
    kept: dict[str, Session],
) -> None:
    table = record_table([kept["h200-full-1"]])
    lines = [text_of(r) for r in table_rows(table, 120, UNICODE)]
    assert lines[1].endswith("triad-fp16, 6144 MiB")
    assert len(lines) < len(table_rows(table, 80, UNICODE))


def test_where_it_is_narrow_the_measured_figure_stays(kept: dict[str, Session]) -> None:
    table = record_table([kept["h200-full-1"]])
    lines = [text_of(r) for r in table_rows(table, 40, UNICODE)]
    assert lines[1].split() == ["bandwidth,", "GB/s", "4389", "91", "%", "✓"]


def test_a_check_that_failed_or_is_missing_has_its_own_mark(kept: dict[str, Session]) -> None:
    rows = question_rows(answers([kept["cpu/full-1"]]), 80, UNICODE)
    marks = {text_of(r).split()[0]: text_of(r).split()[1] for r in rows if ":" in text_of(r)}
    assert marks["▲"] == "failed:"
    assert marks["·"] == "missing:"
    assert marks["✓"] == "ok:"


def test_the_page_has_the_table_and_the_answers(kept: dict[str, Session]) -> None:
    page = RecordPage(kept["h200-kernels-1"], UNICODE)
    text = "\n".join(text_of(r) for r in page.whole(76))
    assert "bandwidth, GB/s" in text
    assert "5 Which kernels reach the compute roof, and which never will?" in text
    assert "ok: what reaches the flat lies right of the ridge" in text
