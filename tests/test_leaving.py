"""The real program's end: whatever ends it, in time, with nothing left behind."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold

pytestmark = [pytest.mark.pty]
terminal = pytest.importorskip("terminal")
ME = [sys.executable, "-m", "roofwatch"]
LEFT = b"\x1b[?1049l"
END_S = 4.0  # two seconds on a machine that does nothing else


def command(verb: list[str], saved: Path) -> list[str]:
    return [*ME, *verb, "--device", "cpu", "--save", str(saved)]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def opened(saved: Path, before: Sequence[str] = (), **how: Any) -> Any:
    """The screen with both instruments under way; ``before`` starts it."""
    screen = terminal.Terminal([*before, *command([], saved)], **how)
    assert screen.when(lambda text: "MHz" in text and "quit" in text, 30) is not None
    wait_for(lambda: len(children(screen)) == 2)
    return screen


def children(screen: Any) -> list[psutil.Process]:
    return psutil.Process(screen.process.pid).children(recursive=True)


def wait_for(what: Any, timeout_s: float = 20.0) -> None:
    end = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.02)


def ended(screen: Any, family: list[psutil.Process], saved: Path) -> int:
    """The exit code, where all is as it should be at the end."""
    code = screen.process.wait(END_S)
    wait_for(lambda: not any(c.is_running() for c in family), 2)
    assert fold(events(saved)).ends
    return code


def of(saved: Path) -> Session:
    return fold(events(saved)) if saved.exists() and saved.stat().st_size else Session()


@pytest.mark.parametrize("how", ["with SIGHUP", "without", "SIGHUP ignored"])
def test_a_terminal_that_vanishes_ends_the_screen(saved: Path, how: str) -> None:
    before = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"] if how == "SIGHUP ignored" else []
    screen = opened(saved, before, owned=how != "without")
    family = children(screen)
    screen.hang_up()
    assert ended(screen, family, saved) == 129


def test_a_terminal_that_is_gone_before_the_screen_opens_starts_no_run(saved: Path) -> None:
    late = ["sh", "-c", 'sleep 0.5; exec "$@"', "sh"]  # a fast machine would be on the screen
    screen = terminal.Terminal([*late, *command([], saved)])
    screen.hang_up()
    assert screen.process.wait(END_S) == 129
    assert not saved.exists()


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
    ],
)
def test_a_signal_ends_it_while_the_terminal_reads_nothing(saved: Path, number: int) -> None:
    screen = opened(saved)
    screen.hold()
    press_until_held_up(screen)
    family = children(screen)
    os.kill(screen.process.pid, number)
    assert ended(screen, family, saved) == 128 + number
    assert fold(events(saved)).ends[1].why == signal.Signals(number).name
    restored(screen)


@pytest.mark.parametrize("key", ["q", pytest.param("\x03", marks=pytest.mark.long)])
def test_a_key_ends_it_while_the_terminal_reads_nothing(saved: Path, key: str) -> None:
    screen = opened(saved)
    screen.hold()
    press_until_held_up(screen)
    family = children(screen)
    screen.type(key)
    assert ended(screen, family, saved) == 0
    restored(screen)


def press_until_held_up(screen: Any) -> None:
    """Have it draw more than the terminal takes."""
    for _ in range(40):
        screen.type("\x0c")  # everything anew
        time.sleep(0.03)
    time.sleep(0.3)


def restored(screen: Any) -> None:
    assert screen.modes() == screen.modes_before
    screen.go_on()
    wait_for(lambda: LEFT in screen.raw and b"\x1b[?25h" in screen.raw, 3)
    assert b"\x1b[?1049h" not in screen.raw[screen.raw.rindex(LEFT) :]


def test_a_key_that_quits_is_text_where_a_value_is_typed(saved: Path) -> None:
    screen = opened(saved)
    screen.type("\x10")  # the palette
    assert screen.when(lambda text: "Commands" in text, 10) is not None
    screen.hold()
    screen.type("q")
    time.sleep(2.0)
    assert screen.process.poll() is None
    screen.go_on()
    screen.type("\x1b")
    assert screen.when(lambda text: "Commands" not in text, 10) is not None
    time.sleep(0.3)  # Esc and a key at once would be another key
    assert screen.close() == 0


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.2])
def test_ctrl_c_while_it_loads_prints_no_traceback(
    saved: Path, first_line: Any, after_s: float
) -> None:
    options = command([], saved)[len(ME) :]
    screen = terminal.Terminal(first_line.command("roofwatch", *options), owned=True)
    first_line.wait()
    time.sleep(after_s)
    screen.type("\x03")
    assert screen.process.wait(10) in (130, -signal.SIGINT, 0)
    time.sleep(0.1)
    assert b"Traceback" not in screen.raw
    assert screen.raw.count(b"\x1b[?1049h") == 0 or LEFT in screen.raw
    assert screen.modes() == screen.modes_before


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
    ],
)
def test_a_signal_on_the_first_frame_gives_the_usual_screen_back(saved: Path, number: int) -> None:
    screen = terminal.Terminal(command([], saved))
    wait_for(lambda: b"loading" in screen.raw)
    os.kill(screen.process.pid, number)
    assert screen.process.wait(END_S) == 128 + number
    restored(screen)
    assert fold(events(saved)).ends


@pytest.mark.parametrize("verb", [["check", "-"], ["show", "/dev/stdin"], ["plan"]])
def test_ctrl_c_in_any_verb_prints_no_traceback(verb: list[str], first_line: Any) -> None:
    read, write = os.pipe()  # a standard input on which nothing comes
    told = subprocess.PIPE
    started = first_line.command("roofwatch", *verb)
    process = subprocess.Popen(started, stdin=read, stdout=told, stderr=told, text=True)
    first_line.wait()
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    os.close(read)
    os.close(write)
    assert process.returncode in (130, -signal.SIGINT, 0 if verb == ["plan"] else 130)
    assert "Traceback" not in out + err
    assert err.count("\n") <= 1


@pytest.mark.long
def test_it_stops_and_comes_back_twice_while_it_measures(saved: Path) -> None:
    pytest.importorskip("torch")
    screen = opened(saved)
    wait_for(lambda: of(saved).spans, 60)
    for columns, rows in ((100, 30), (80, 24)):
        stop_and_resume(screen, lambda c=columns, r=rows: screen.resize(c, r))

        def drawn(text: str, last: int = rows - 1) -> bool:
            return "MHz" in text and "quit" in text.splitlines()[last]

        assert screen.when(drawn, 20) is not None, screen.text()
    assert screen.close() == 0
    assert screen.modes() == screen.modes_before
    moments = [s.t for s in fold(events(saved)).samples]
    assert max(b - a for a, b in itertools.pairwise(moments)) < 1.0


def stop_and_resume(screen: Any, meanwhile: Any) -> None:
    process = psutil.Process(screen.process.pid)
    screen.type("\x1a")
    wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
    assert screen.modes()[3] & termios.ECHO  # type: ignore[operator]
    assert screen.modes()[3] & termios.ICANON  # type: ignore[operator]
    wait_for(lambda: screen.raw.rfind(LEFT) > screen.raw.rfind(b"\x1b[?1049h"), 2)
    meanwhile()
    time.sleep(1.0)
    seen = len(screen.raw)
    process.send_signal(signal.SIGCONT)
    wait_for(lambda: b"\x1b[?1049h" in screen.raw[seen:])


def test_a_screen_in_the_background_waits_for_fg(h200_file: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    shell = terminal.Terminal(["bash", "--noprofile", "--norc", "-i"], owned=True)
    show = shlex.join([sys.executable, "-m", "roofwatch", "show", str(h200_file), "--replay"])
    shell.type(f"{show} &\n")
    for _ in range(2):  # bg changes nothing

        def stopped() -> bool:
            jobs = psutil.Process(shell.process.pid).children()
            return bool(jobs) and jobs[0].status() == psutil.STATUS_STOPPED

        wait_for(stopped)
        assert b"\x1b[?1049h" not in shell.raw
        before = len(shell.raw)
        shell.type("bg\n")
        wait_for(lambda seen=before: shell.raw.count(b"]+ ", seen))
    wait_for(stopped)
    shell.type("fg\n")
    assert shell.when(lambda text: "quit" in text.splitlines()[-1], 20) is not None, shell.text()
    shell.type("q")
    wait_for(lambda: not psutil.Process(shell.process.pid).children())
    shell.type("echo code=$?; exit\n")
    wait_for(lambda: b"code=0" in shell.raw)
    assert shell.process.wait(END_S) == 0


def test_a_stop_from_outside_leaves_the_terminal_as_it_was_at_the_end(saved: Path) -> None:
    screen = opened(saved)
    process = psutil.Process(screen.process.pid)
    process.suspend()
    wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
    process.resume()
    time.sleep(0.5)
    assert screen.close() == 0
    assert screen.modes() == screen.modes_before


def test_a_plain_run_ends_in_order_when_its_terminal_is_gone(saved: Path) -> None:
    screen = terminal.Terminal(command(["run"], saved), owned=True)
    wait_for(lambda: of(saved).samples)
    family = children(screen)
    screen.hang_up()
    assert ended(screen, family, saved) == 129


@pytest.mark.long
def test_a_plain_run_measures_though_nobody_reads_its_progress(saved: Path) -> None:
    pytest.importorskip("torch")
    screen = terminal.Terminal(command(["run"], saved))
    screen.hold()
    wait_for(lambda: len(of(saved).measurements) > 1, 60)
    family = children(screen)
    os.kill(screen.process.pid, signal.SIGTERM)
    assert ended(screen, family, saved) == 143


def test_a_plain_run_stops_and_comes_back(saved: Path) -> None:
    screen = terminal.Terminal(command(["run"], saved), owned=True)
    wait_for(lambda: of(saved).samples and b"\x1b[?25l" in screen.raw)
    process = psutil.Process(screen.process.pid)
    for _ in range(2):
        os.kill(process.pid, signal.SIGTSTP)
        wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
        wait_for(lambda: screen.raw.rfind(b"\x1b[?25h") > screen.raw.rfind(b"\x1b[?25l"), 2)
        time.sleep(0.5)
        process.resume()
        wait_for(lambda: screen.raw.rfind(b"\x1b[?25l") > screen.raw.rfind(b"\x1b[?25h"), 2)
    screen.type("\x03")
    assert screen.process.wait(END_S) == 130
    wait_for(lambda: b"ended by SIGINT" in screen.raw, 2)
    moments = [s.t for s in fold(events(saved)).samples]
    assert max(b - a for a, b in itertools.pairwise(moments)) < 1.0


def test_a_record_of_which_only_the_first_line_is_read(h200_file: Path) -> None:
    shown = subprocess.run(
        f"{sys.executable} -m roofwatch show {h200_file} | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.count("\n") == 1
    assert shown.stderr == ""


def test_a_plain_run_goes_on_where_a_hang_up_is_ignored(saved: Path) -> None:
    """As ``nohup`` starts it."""
    before = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"]
    screen = terminal.Terminal([*before, *command(["run"], saved)], owned=True)
    wait_for(lambda: of(saved).samples)
    screen.hang_up()
    heard = len(of(saved).samples)
    wait_for(lambda: len(of(saved).samples) > heard + 5)
    family = children(screen)
    os.kill(screen.process.pid, signal.SIGTERM)
    assert ended(screen, family, saved) == 143


def test_the_terminals_own_size_counts_whatever_a_shell_has_exported(saved: Path) -> None:
    command = [*ME, "--device", "cpu", "--save", str(saved)]
    screen = terminal.Terminal(command, owned=True, COLUMNS="60", LINES="12")

    def drawn(rows: int) -> Any:
        return lambda text: "MHz" in text and "quit" in text.splitlines()[rows - 1]

    assert screen.when(drawn(24), 30) is not None, screen.text()
    screen.resize(100, 30)
    assert screen.when(drawn(30), 20) is not None, screen.text()
    assert screen.close() == 0
