"""Every text of a session is shown as text: in the report, in Markdown, JSON, and while it runs."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fuzz_seeds as seeds
import pytest
from fuzz_promises import SGR, hold_text
from fuzz_session import Terminal, looked_at, whole
from hostile_text import LEAST, MARKUP, STRUCTURE, hostile

from roofwatch.cli import main
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.print_rows import print_rows
from roofwatch.tui.drawing.rows_of_text import row
from roofwatch.tui.printed import plain

CURSOR = re.compile(r"\x1b\[(?:\?25[lh]|[0-9]*[A-K])")  # what a progress bar draws itself with


def session_of(suite: str, folder: Path, keep: frozenset[str] = STRUCTURE) -> tuple[Session, Path]:
    path = folder / "s.jsonl"
    path.write_text("\n".join(hostile(seeds.session(suite), keep)) + "\n")
    session = looked_at(path)
    assert session is not None
    return session, path


@pytest.mark.parametrize("keep", [STRUCTURE, LEAST], ids=["names", "all"])
@pytest.mark.parametrize("suite", seeds.SUITES)
def test_every_form_of_a_session(suite: str, keep: frozenset[str], tmp_path: Path) -> None:
    session, path = session_of(suite, tmp_path, keep)
    assert MARKUP in (session.host or "")
    for number in range(3):  # another size of the panes each time
        whole(session, path, random.Random(number))


@pytest.mark.parametrize("how", [[], ["--json"], ["--md"], ["--probe", "matmul-bf16"]])
def test_show_prints_it_as_text(
    how: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = session_of("quick", tmp_path)
    assert main(["show", str(path), *how]) == 0
    said = capsys.readouterr().out
    hold_text(said, "stdout")
    # In Markdown what looks like a path is gone as well.
    assert (r"\[red]x\[" if how == ["--md"] else re.sub(r"\s+", "", MARKUP)[:12]) in said


def test_a_file_of_a_hostile_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "\x1b[31m\n\u202ex.jsonl"
    path.write_text("\n".join(seeds.session("quick")) + "\n")
    assert main(["show", str(path)]) == 0
    assert main(["show", f"{path}.none"]) == 2
    assert main(["check", str(path)]) == 2
    assert main(["show", str(path), "--plot", f"{path}.gif"]) == 2
    for said in capsys.readouterr():
        hold_text(said, "a stream")


def live(session: Session) -> Any:
    """What is followed of a live session that has just ended."""
    session.closed = False
    told = SimpleNamespace(
        session=Session(),
        poll=lambda: setattr(told, "session", session),
        path=Path("/x/\x1b[2J[red].jsonl"),
        file=SimpleNamespace(problem=None),
        instruments=SimpleNamespace(silence=None, beat=lambda _: None),
        waiting=False,
        probing=False,
    )
    return told


def test_the_lines_of_a_run(tmp_path: Path) -> None:
    session, _ = session_of("quick", tmp_path)
    pipe = Terminal()
    plain._follow(live(session), pipe, None, UNICODE, None)
    hold_text(pipe.getvalue(), "the progress")
    assert MARKUP in pipe.getvalue()


def test_the_bar_of_a_run_takes_no_name_for_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    session, _ = session_of("quick", tmp_path)
    monkeypatch.setattr(session, "running", lambda: f"decode-{MARKUP}")
    terminal = Terminal()
    with plain._bar(terminal) as bar:
        assert bar is not None
        plain._follow(live(session), terminal, bar, UNICODE, None)
        bar.refresh()
    said = CURSOR.sub("", SGR.sub("", terminal.getvalue())).replace("\r", "")
    hold_text(said, "the terminal")
    assert f"decode-{MARKUP}" in said


def test_rows_are_text_whoever_made_them() -> None:
    for stream in (Terminal(), io.StringIO()):
        print_rows([row(("a\x1b[2J\u202eb", "wrong"))], stream, UNICODE)
        assert SGR.sub("", stream.getvalue()) == "a�[2J�b\n"
