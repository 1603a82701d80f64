"""The list of saved sessions: newest first, a little at a time, whatever lies in the folder."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.session import entry as entry_module
from roofwatch.session.began import began_s
from roofwatch.session.entry import COMPLETE, CUT_SHORT, UNREAD, UNREADABLE, Entry, entry_of
from roofwatch.session.file import UnreadableSession, events, sessions_folder
from roofwatch.session.fold import fold
from roofwatch.session.listing import Listing
from roofwatch.session.log_entry import session_log
from roofwatch.session.roofs import roofs

SESSIONS = Path(__file__).parents[1] / "sessions"


def read(path: Path) -> Entry:
    """The whole entry of one file."""
    return [e for e in entry_of(path) if e is not None][-1]


def listed(*folders: Path, now: Path | None = None) -> Listing:
    """A listing that has read everything."""
    found = Listing(now, folders)
    while found.advance(1.0):
        pass
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three sessions of one card."""
    made = tmp_path / "kept"
    made.mkdir()
    for i in (1, 2, 3):
        shutil.copy(SESSIONS / f"h200-quick-{i}.jsonl", made)
    return made


MEASURED = [p for p in sorted(SESSIONS.glob("h200-*.jsonl")) if "watch" not in p.stem]


@pytest.mark.parametrize("path", MEASURED, ids=lambda p: p.stem)
def test_an_entry_says_what_the_whole_fold_says(path: Path) -> None:
    session = fold(events(path))
    own = roofs(session)
    main = own.compute[own.main_key or ""]
    found = read(path)
    assert (found.id, found.started_at, found.suite) == (
        session.id,
        session.started_at,
        session.suite,
    )
    assert (found.card, found.host) == ("NVIDIA H200", "vm")
    assert (found.driver, found.torch) == ("580.159.04", "2.11.0+cu130")
    assert found.duration_s == session.duration_s
    assert found.bandwidth_gbs == own.bandwidth_gbs
    assert (found.peak_key, found.burst_tflops) == ("bf16", main.burst_tflops)
    assert found.sustained_tflops == main.sustained_tflops
    assert (found.state, found.faults, found.problem, found.partly) == (COMPLETE, 0, None, False)


def test_the_newest_stands_first_by_its_own_word(folder: Path) -> None:
    os.utime(folder / "h200-quick-1.jsonl")  # copied or touched last, yet begun first
    found = listed(folder)
    assert [e.path.stem for e in found.entries] == ["h200-quick-3", "h200-quick-2", "h200-quick-1"]


def test_before_they_are_read_files_stand_there_with_their_names(folder: Path) -> None:
    found = Listing(None, [folder])
    found.refresh()
    assert {e.state for e in found.entries} == {UNREAD}
    assert {e.size_bytes > 0 for e in found.entries} == {True}
    before = found.revision
    assert not found.advance(5.0)
    assert {e.state for e in found.entries} == {COMPLETE}
    assert found.revision == before + 3


def test_a_small_budget_reads_less_at_a_time(folder: Path) -> None:
    for i in range(40):
        shutil.copy(SESSIONS / "h200-decode-1.jsonl", folder / f"d{i:02}.jsonl")
    found = Listing(None, [folder])
    calls = 1
    while found.advance(0.0):
        calls += 1
    assert calls > 3
    assert not any(e.state == UNREAD for e in found.entries)


def test_a_file_that_grew_is_read_again_and_one_that_went_is_gone(folder: Path) -> None:
    path = folder / "h200-quick-1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    found = listed(folder)
    assert [e.state for e in found.entries] == [COMPLETE, COMPLETE, CUT_SHORT]
    path.write_bytes(whole)
    (folder / "h200-quick-3.jsonl").unlink()
    found.refresh()
    assert [e.state for e in found.entries] == [COMPLETE, CUT_SHORT]  # as it was, until read
    assert not found.advance(1.0)
    assert [e.state for e in found.entries] == [COMPLETE, COMPLETE]


def test_nothing_new_changes_nothing(folder: Path) -> None:
    found = listed(folder)
    before = found.revision
    found.refresh()
    assert not found.advance(1.0)
    assert found.revision == before


def test_the_session_on_show_is_now_while_it_is_written(folder: Path) -> None:
    path = folder / "h200-quick-2.jsonl"
    os.utime(path)
    found = listed(folder, now=path)
    states = {e.path.stem: found.state(e) for e in found.entries}
    assert states["h200-quick-2"] == "now"
    assert states["h200-quick-1"] == COMPLETE
    assert [found.shows(e) for e in found.entries] == [False, True, False]
    os.utime(path, (1.7e9, 1.7e9))
    found = listed(folder, now=path)
    assert {found.state(e) for e in found.entries} == {COMPLETE}


def test_by_default_it_lists_our_folder_and_that_of_the_session_on_show(folder: Path) -> None:
    own = sessions_folder()
    own.mkdir(parents=True)
    shutil.copy(SESSIONS / "h200-full-1.jsonl", own)
    found = Listing(folder / "h200-quick-1.jsonl")
    while found.advance(1.0):
        pass
    assert found.entries[0].suite == "full"
    assert len(found.entries) == 4
    assert Listing().folders == (own,)


def test_of_a_foreign_folder_only_sessions_stand_there(tmp_path: Path, folder: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for place in (own, folder):
        (place / "rows.jsonl").write_text('{"op": "matmul", "m": 4096}\n')
    found = listed(own, folder)
    assert [e.path.name for e in found.entries if e.problem] == ["rows.jsonl"]
    assert [e.path.parent for e in found.entries if e.problem] == [own]


def test_links_pipes_folders_and_other_names_are_left_alone(folder: Path) -> None:
    (folder / "link.jsonl").symlink_to(folder / "h200-quick-1.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "notes.txt").write_text("x")
    assert len(listed(folder).entries) == 3


def test_a_file_that_became_a_pipe_or_a_link_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "link.jsonl").symlink_to(folder / "h200-quick-1.jsonl")
    assert read(folder / "pipe.jsonl").problem == "is no file"
    assert read(folder / "link.jsonl").state == UNREADABLE
    assert read(folder / "gone.jsonl").problem == "No such file or directory"


def test_no_folder_is_no_problem_and_one_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    found = listed(tmp_path / "none")
    assert (found.entries, found.problem, found.entry(3)) == ((), None, None)
    (tmp_path / "file").write_text("x")
    found = listed(tmp_path / "file")
    assert found.problem is not None
    assert found.problem.endswith("Not a directory")


FIRST_OF = '{"kind":"session","t":0,"schema":"roofwatch.session/1",'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a roofwatch session (no whole line)"),
        ("hello\n", "row 1: not a roofwatch session"),
        ('{"kind":"note","t":0,"text":"x"}\n', "row 1: not a roofwatch session (no schema)"),
        ('{"kind":"session","t":0,"schema":"other/1"}\n', "row 1: not a roofwatch session (no"),
        (f'{FIRST_OF}"started_at":17}}\n', "row 1: Expected `str | null`, got `int`"),
        (f'{FIRST_OF}"hz":"ten"}}\n', "row 1: Expected `float | null`"),
        ("FIRST{}\n", "row 2: Object missing required field `kind`"),
        ("FIRST\xff\n", "row 2: not an event"),
        ("FIRSTFIRST", "row 2: a second session begins here"),
        ('FIRST{"kind":"span","t":-1,"probe":"x","edge":"begin"}\n', "row 2: Expected `float` >="),
        ("FIRST" + "[" * 100_000 + "\n", "row 2: "),
        ('FIRST{"kind":"session","t":0,"nominal":{"name":3}}\n', "Expected `str`, got `int`"),
    ],
)
def test_an_unreadable_file_has_its_one_line(tmp_path: Path, text: str, problem: str) -> None:
    first = '{"kind":"session","t":0,"schema":"roofwatch.session/1"}\n'
    path = tmp_path / "x.jsonl"
    path.write_text(text.replace("FIRST", first), encoding="latin-1")
    found = read(path)
    assert found.state == UNREADABLE
    assert found.problem is not None
    assert found.problem.startswith(problem)
    assert "\n" not in found.problem
    foreign = "not a roofwatch session" in problem
    assert found.foreign is foreign
    assert len(list(session_log([tmp_path]))) == (not foreign)  # in the log, or no session at all


def test_samples_are_not_decoded(folder: Path) -> None:
    path = folder / "h200-quick-1.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    spoiled = [
        '{"kind":"sample","t":1,"no sample"}\n' if '"kind":"sample"' in line else line
        for line in lines[:-3]
    ]
    path.write_text("".join(spoiled + lines[-3:]))
    assert read(path).state == COMPLETE


def test_a_torn_last_line_is_left_out(folder: Path) -> None:
    path = folder / "h200-quick-1.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    found = read(path)
    assert (found.state, found.problem) == (CUT_SHORT, None)
    assert found.burst_tflops is not None


def long_session(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that goes on for an hour after its run, against smaller limits."""
    monkeypatch.setattr(entry_module, "WHOLE_BYTES", 1 << 20)
    monkeypatch.setattr(entry_module, "HEAD_BYTES", 256 << 10)
    monkeypatch.setattr(entry_module, "TAIL_BYTES", 16 << 10)
    lines = (SESSIONS / "h200-quick-3.jsonl").read_text().splitlines(keepends=True)
    sample = json.loads(next(line for line in lines if '"kind":"sample"' in line))
    more = [
        json.dumps(sample | {"t": 20 + i / 2}, separators=(",", ":")) + "\n" for i in range(7200)
    ]
    end = next(line for line in lines if '"kind":"end"' in line)
    path.write_text("".join([*(line for line in lines if line != end), *more, end]))


def test_of_a_long_file_head_and_tail_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.jsonl"
    long_session(path, monkeypatch)
    found = read(path)
    assert (found.state, found.partly) == (COMPLETE, True)
    assert found.duration_s == 20 + 7199 / 2
    assert found.sustained_tflops == pytest.approx(688.7, abs=0.1)


def test_figures_of_a_long_file_are_those_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.jsonl"
    long_session(path, monkeypatch)
    with path.open("a") as file:  # of a second run, whose measurements lie between
        file.write('{"kind":"end","t":9000.0,"complete":true,"run":2}\n')
    found = read(path)
    assert (found.runs, found.state) == (2, COMPLETE)
    assert found.burst_tflops == pytest.approx(819.1, abs=0.1)


def test_a_long_file_whose_tail_is_damaged_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.jsonl"
    long_session(path, monkeypatch)
    with path.open("a") as file:
        file.write("oops\n")
    assert (read(path).problem or "").startswith("near its end: not an event")


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_have_an_entry(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, session: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    first = b'{"kind":"session","t":0,"schema":"roofwatch.session/1"}\n' if session else b""
    path.write_bytes(first + data)
    assert read(path).path == path


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("2026-11-29T17:30:35.277Z", True),
        ("2026-11-29T17:30:35", True),
        ("0001-01-01T00:00:00+23:59", True),
        ("yesterday", False),
        ("", False),
        (None, False),
    ],
)
def test_when_a_session_began(text: str | None, known: bool) -> None:
    assert (began_s(text) is not None) is known


def test_a_cursor_stays_on_the_list(folder: Path) -> None:
    found = listed(folder)
    assert [found.held(i) for i in (-3, 0, 2, 9)] == [0, 0, 2, 2]
    last = found.entry(9)
    assert last is not None
    assert found.find(last.path) == last
    assert found.find(None) is None


@pytest.mark.parametrize("content", [b'{"a":1}', b"\x00\x01" * 5000, b""])
def test_a_file_without_a_whole_line_is_no_session(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(content)
    found = read(path)
    assert found.foreign
    assert found.problem


def test_without_a_home_folder_there_is_nothing_to_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "~")
    listing = Listing()
    assert not listing.advance(0.01)
    assert (listing.folders, listing.entries, listing.problem) == ((), (), None)
    assert Listing(now=tmp_path / "s.jsonl").folders == (tmp_path,)


@pytest.mark.parametrize("kind", [b'{"kind":"sample"', b'{"kind":"series"'])
def test_a_session_that_show_refuses_is_unreadable_in_the_log(tmp_path: Path, kind: bytes) -> None:
    lines = (SESSIONS / "h200-quick-1.jsonl").read_bytes().splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if line.startswith(kind)][3]
    lines[at] = kind + b',"t":"never"}\n'
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(lines))
    with pytest.raises(UnreadableSession, match=f"row {at + 1}"):
        fold(events(path))
    (told,) = session_log([tmp_path])
    assert told.state == UNREADABLE
    assert f"row {at + 1}" in (told.problem or "")
