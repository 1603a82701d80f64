"""The session file: created with care, readable after any death, errors name file, row, field."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from roofwatch.session.events import Beat, Note, SessionInfo, encode
from roofwatch.session.file import (
    SaveRefused,
    UnreadableSession,
    events,
    last_moment,
    read,
    sessions_folder,
    slug,
)
from roofwatch.session.kept_file import create

FIRST = SessionInfo(t=0.0, schema="roofwatch.session/1", id="abc")


def test_a_new_file_is_private_and_in_the_users_folder() -> None:
    file = create(None, "20260101T000000Z", "abc123")
    file.write(FIRST)
    file.close()
    assert file.path == sessions_folder() / "20260101T000000Z-abc123.jsonl"
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert list(events(file.path)) == [FIRST]


def test_beats_are_not_kept(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    file.write(FIRST)
    file.write(Beat(t=1.0, instrument="probes", state="waiting"))
    assert len((tmp_path / "s.jsonl").read_bytes().splitlines()) == 1


def test_every_event_is_on_disk_at_once(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    for i in range(3):
        file.write(Note(t=float(i), text="n"))
        assert len((tmp_path / "s.jsonl").read_bytes().splitlines()) == i + 1


def test_renamed_once_the_card_is_known_but_never_over_another(tmp_path: Path) -> None:
    file = create(tmp_path / "a.jsonl", "x", "y")
    (tmp_path / "taken.jsonl").write_text("mine")
    file.rename(tmp_path / "taken.jsonl")
    assert file.path == tmp_path / "a.jsonl"
    file.rename(tmp_path / "b.jsonl")
    file.write(FIRST)
    assert list(events(tmp_path / "b.jsonl")) == [FIRST]
    assert (tmp_path / "taken.jsonl").read_text() == "mine"


def test_content_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("something")
    with pytest.raises(SaveRefused, match=r"s\.jsonl: has content already"):
        create(path, "x", "y")
    assert path.read_text() == "something"


def test_links_are_not_followed_when_writing(tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(SaveRefused):
        create(tmp_path / "link", "x", "y")


@pytest.mark.parametrize("name", ["no/such/folder/s.jsonl", "."])
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(SaveRefused) as raised:
        create(tmp_path / name, "x", "y")
    assert "\n" not in str(raised.value)


def test_a_full_disk_is_said_once_and_nothing_raises() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    file = create(Path("/dev/full"), "x", "y")
    file.write(FIRST)
    assert file.problem is not None
    assert "No space left" in file.problem
    file.write(FIRST)


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(encode(FIRST) + encode(Note(t=1.0, text="kept")) + b'{"kind":"note","t":2')
    assert [type(e).__name__ for e in events(path)] == ["SessionInfo", "Note"]


@pytest.mark.parametrize(
    ("rest", "moment"),
    [
        (b"", 0.0),
        (encode(Note(t=4.5, text="x")) + b'{"kind":"note","t":9', 4.5),
        (encode(Note(t=4.5, text="x")) + encode(Note(t=3.0, text="told late")), 4.5),
        (encode(Note(t=4.5, text="x")) + b"damage\n[1]\n\xff\n", 4.5),
        (encode(Note(t=4.5, text="x")) + b'{"t":-1}\n{"t":"9"}\n', 4.5),
        (encode(Note(t=4.5, text="x")) * 5000, 4.5),
        (encode(Note(t=4.5, text="x" * (1 << 17))), 4.5),  # longer than the tail that is looked at
    ],
)
def test_the_last_moment_is_read_from_the_end(tmp_path: Path, rest: bytes, moment: float) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(encode(FIRST) + rest)
    assert last_moment(path) == moment


def test_a_file_without_a_moment_has_none_and_no_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"no line feed")
    assert last_moment(path) == 0.0
    with pytest.raises(UnreadableSession, match="No such file"):
        last_moment(tmp_path / "none.jsonl")


def test_raw_lines_of_a_newer_version_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    future = b'{"kind":"hologram","t":1,"x":[1,2]}\n'
    path.write_bytes(encode(FIRST) + future)
    lines = list(read(path))
    assert lines[1].raw == future
    assert lines[1].event is None
    first, told = events(path)
    assert first == FIRST
    assert isinstance(told, Note)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello\n", "row 1: not an event"),
        (encode(Note(t=0.0, text="x")), "row 1: not a roofwatch session"),
        (encode(FIRST) + b'{"kind":"note","t":"x","text":"y"}\n', r"row 2: .*\$\.t"),
        (encode(FIRST) + b"\xff\xfe\n", "row 2"),
        (encode(FIRST) + b"[1]\n", "row 2"),
        (encode(FIRST) + b"\n", "row 2"),
        (encode(FIRST) + encode(FIRST), "row 2: a second session begins here"),
        (encode(SessionInfo(t=0.0, schema="other/1")), "row 1: not a roofwatch session"),
        (b"", "row 1: not a roofwatch session"),
        (b"no line feed", "row 1: not a roofwatch session"),
    ],
)
def test_damage_is_named_by_file_row_and_field(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnreadableSession, match=rf"bad\.jsonl: {says}") as raised:
        list(events(path))
    assert "\n" not in str(raised.value)


def test_a_line_without_end_is_not_read_for_ever(tmp_path: Path) -> None:
    zeros = tmp_path / "zeros"
    zeros.touch()
    os.truncate(zeros, 1 << 30)
    with pytest.raises(UnreadableSession, match="longer than any event"):
        list(events(zeros))
    with pytest.raises(UnreadableSession, match="is a device, not a file"):
        list(events(Path("/dev/zero")))


def test_a_pipe_is_refused_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SaveRefused):
        create(tmp_path / "pipe", "x", "y")


def test_a_relative_data_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "rel/data")
    assert sessions_folder().is_absolute()


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UnreadableSession):
            list(events(path))


def test_slug_is_a_safe_file_name() -> None:
    assert slug("NVIDIA H200") == "nvidia-h200"
    assert slug("../../etc\n\x1b[31m") == "etc-31m"
    assert slug("…") == "device"


def test_without_a_home_folder_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    for home in ("", "~", "a/relative/one"):
        monkeypatch.setenv("HOME", home)
        with pytest.raises(SaveRefused, match="no home folder: set HOME or XDG_DATA_HOME, or say"):
            create(None, "stamp", "id")


def test_a_refusal_is_one_line_whatever_the_name(tmp_path: Path) -> None:
    for name in ("a\nb\x1b[2J\u202e", "x" * 200, "\x00"):
        with pytest.raises(UnreadableSession) as refused:
            list(events(tmp_path / name))
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) <= 400
