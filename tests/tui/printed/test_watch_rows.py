"""The summary as text: every word of it, at two widths, and what is left out."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.session.findings import findings
from roofwatch.session.replay import Replay
from roofwatch.session.saved_session import Saved
from roofwatch.session.watch.summary import Watched, watched
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.printed.report import report
from roofwatch.tui.printed.watch_rows import MOST_MARKS, duration, joules, rows

SESSIONS = Path(__file__).parents[2] / "sessions" / "watch"


@pytest.fixture(scope="module")
def session():
    return Replay(SESSIONS / "h200-2.jsonl").session


def seen_by(session, h200_file: Path) -> Watched:
    saved = {"NVIDIA H200": Saved(h200_file, Replay(h200_file).session, own=True)}
    return watched(session, saved)


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_it_fits(session, h200_file: Path, cells: int) -> None:
    out = rows(seen_by(session, h200_file), findings(session), cells, UNICODE)
    assert max(width(r) for r in out) <= cells


@pytest.mark.parametrize("name", ["h200-1", "h200-2"])
def test_its_report_fits(name: str) -> None:
    watched_file = SESSIONS / f"{name}.jsonl"
    out = report(Replay(watched_file).session, Path("s.jsonl"), 60, UNICODE)
    assert max(width(r) for r in out) <= 60


def test_it_says_all_that_was_asked_for(session, h200_file: Path) -> None:
    out = rows(seen_by(session, h200_file), findings(session), 120, UNICODE)
    text = "\n".join(text_of(r).rstrip() for r in out)
    for said in (
        "watched python3 matmul_loop.py   15.7 s, exit code 0",
        "some kernel ran 50 % of the time; of 10.0 s of work 16 % without one",
        "1386 of 1980 MHz on average",
        "1440 – 1530 MHz  42 %      6.5 s  ████████",
        "413 W on average, 937 W at the most, the limit is 700 W",
        "the counter says 6.36 kJ, power times time 6.37 kJ",
        "power limit: 9.4 s by the counter (60 %), 60 % of the samples",
        "of this card's",
        "1.0 of 140 GiB, 61 °C at the most",
        "part 4",
        "host-bound",
        "throttled",
    ):
        assert said in text, said
    assert "by the counter" in text


def test_in_ascii_nothing_else(session, h200_file: Path) -> None:
    out = rows(seen_by(session, h200_file), findings(session), 80, ASCII)
    assert all(text_of(r).isascii() for r in out)


def test_a_name_of_theirs_cannot_act(session, h200_file: Path) -> None:
    seen = seen_by(session, h200_file)
    marks = [msgspec.structs.replace(seen.marks[0], name="\x1b[2J" + "x" * 200)]
    hostile = msgspec.structs.replace(seen, command="a\nb", ended="\x1b[0m", marks=marks)
    out = rows(hostile, [], 80, UNICODE)
    assert all(text_of(r).isprintable() for r in out)
    assert max(width(r) for r in out) <= 80


def test_many_marks_are_counted(session, h200_file: Path) -> None:
    seen = seen_by(session, h200_file)
    many = msgspec.structs.replace(seen, marks=[seen.marks[0]] * (MOST_MARKS + 7))
    text = "\n".join(text_of(r) for r in rows(many, [], 80, UNICODE))
    assert text.count("warm up") == MOST_MARKS
    assert "7 more" in text


def test_the_report_of_such_a_session_is_the_clocks_and_the_sum(session) -> None:
    text = "\n".join(text_of(r) for r in report(session, Path("x.jsonl"), 80, UNICODE))
    assert "NVIDIA H200" in text
    assert "power limit" in text
    assert "watched python3 matmul_loop.py" in text
    assert "probe would tell" not in text
    assert "is not complete" not in text


def test_words_for_amounts() -> None:
    assert [duration(s) for s in (0.04, 9.96, 125, 7260, 360000)] == [
        "0.0 s",
        "10.0 s",
        "2 min 05 s",
        "2 h 01 min",
        "100 h 00 min",
    ]
    assert [joules(j) for j in (12.3, 4612.0, 3.6e6)] == ["12.3 J", "4.61 kJ", "3.6 MJ (1 kWh)"]
