"""The end of a session that nobody could close."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.events import SCHEMA, End, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.live import Live, Options
from roofwatch.tui.screen.last_word import last_word


def begun(path: Path) -> Live:
    """A live session whose first event is written; no instrument is started."""
    live = Live(Options(device="cpu", save=path), lambda: ((), frozenset()))
    first = SessionInfo(t=0.0, schema=SCHEMA, id="x")
    live.file.write(first)
    live.session.add(first)
    return live


def test_it_ends_the_run_and_says_why(tmp_path: Path) -> None:
    live = begun(tmp_path / "s.jsonl")
    assert last_word(live)("SIGTERM") == 0
    session = fold(events(live.path))
    assert [(e.complete, e.why) for e in session.ends.values()] == [(False, "SIGTERM")]


def test_an_end_that_a_reader_thread_has_kept_stands(tmp_path: Path) -> None:
    live = begun(tmp_path / "s.jsonl")
    live.file.write(End(t=3.0, complete=True))  # on disk, not folded yet
    last_word(live)("SIGHUP")
    ends = [e for e in events(live.path) if isinstance(e, End)]
    assert [e.complete for e in ends] == [True]


def test_a_file_that_holds_nothing_is_taken_away(tmp_path: Path) -> None:
    live = Live(Options(device="cpu", save=tmp_path / "s.jsonl"), lambda: ((), frozenset()))
    last_word(live)("SIGINT")
    assert not live.path.exists()
    live.file.close()
