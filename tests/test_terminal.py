"""The real program in a pseudo-terminal: alive, killed, interrupted, restored."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import fold

pytest.importorskip("torch")  # without it the probe instrument ends before anything can be seen
pytestmark = [pytest.mark.pty, pytest.mark.torch]
terminal = pytest.importorskip("terminal")
ME = [sys.executable, "-m", "roofwatch"]


@pytest.fixture
def started(tmp_path: Path):  # type: ignore[no-untyped-def]
    command = [*ME, "--device", "cpu", "--save", str(tmp_path / "s.jsonl")]
    screen = terminal.Terminal(command)
    screen.session = tmp_path / "s.jsonl"
    assert screen.when(lambda text: "MHz" in text and "quit" in text, 30) is not None
    yield screen
    screen.close()


def family(screen) -> dict[str, psutil.Process]:  # type: ignore[no-untyped-def]
    """The instruments by name."""
    found = {}
    for child in psutil.Process(screen.process.pid).children(recursive=True):
        for name in ("telemetry", "probes"):
            if f"roofwatch.{name}" in child.cmdline():
                found[name] = child
    return found


def wait_for(what, timeout_s: float = 20.0) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < end, "never happened"
        time.sleep(0.05)


def test_the_screen_is_alive_while_torch_is_imported(started) -> None:  # type: ignore[no-untyped-def]
    text = started.text()
    assert re.search(r"\d+/\d+ MHz", text)
    started.type("3")
    assert started.when(lambda t: re.search(r"matmul fp32 +[\d.]+ ?– *[\d.]+ [GT]FLOP/s", t), 30)


@pytest.mark.parametrize("name", ["telemetry", "probes"])
def test_a_killed_instrument_is_shown_and_the_screen_lives(started, name: str) -> None:  # type: ignore[no-untyped-def]
    wait_for(lambda: name in family(started))
    os.kill(family(started)[name].pid, signal.SIGKILL)
    said = f"the {name} instrument ended: killed by signal 9"
    assert started.when(lambda text: said in text, 20) is not None
    started.type("2")
    assert started.when(lambda text: "[2 Clocks]" in text, 10) is not None
    if name == "telemetry":  # it comes back
        wait_for(lambda: not fold(events(started.session)).open_faults)
    assert started.close() == (0 if name == "telemetry" else 4)
    session = fold(events(started.session))
    assert [f.exit_code for f in session.faults] == [-9]
    shown = subprocess.run(
        [*ME, "show", str(started.session)], capture_output=True, text=True, check=True
    )
    assert said in shown.stdout


def test_killed_probes_go_on_with_what_remains(started) -> None:  # type: ignore[no-untyped-def]
    wait_for(lambda: fold(events(started.session)).running(), 60)
    died_in = fold(events(started.session)).running()
    os.kill(family(started)["probes"].pid, signal.SIGKILL)
    said = "killed by signal 9; started again, "
    assert started.when(lambda text: said in " ".join(text.split()), 20) is not None
    wait_for(lambda: fold(events(started.session)).measurements, 60)  # nobody is asked again
    measured = {m.probe for m in fold(events(started.session)).measurements}
    assert died_in not in measured
    assert started.close() == 4


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_quitting_at_any_moment_exits_0_and_leaves_nothing(started, key: str) -> None:  # type: ignore[no-untyped-def]
    wait_for(lambda: len(family(started)) == 2)
    children = family(started).values()
    started.type(key)
    assert started.process.wait(10) == 0
    wait_for(lambda: not any(c.is_running() for c in children), 3)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_restores_the_terminal_and_exits_128_plus_n(started, number: int) -> None:  # type: ignore[no-untyped-def]
    wait_for(lambda: len(family(started)) == 2)
    children = family(started).values()
    os.kill(started.process.pid, number)
    assert started.process.wait(10) == 128 + number
    wait_for(lambda: b"\x1b[?1049l" in started.raw and b"\x1b[?25h" in started.raw, 3)
    wait_for(lambda: not any(c.is_running() for c in children), 3)


def test_a_dumb_terminal_gets_the_plain_run(tmp_path: Path) -> None:
    screen = terminal.Terminal(
        [*ME, "--device", "cpu", "--save", str(tmp_path / "s.jsonl")], term="dumb"
    )
    assert screen.when(lambda text: "session" in text, 20) is not None
    assert b"\x1b[?1049h" not in screen.raw
    os.kill(screen.process.pid, signal.SIGINT)
    assert screen.process.wait(10) == 130
    assert screen.when(lambda text: "what was measured is in" in text, 1) or (
        b"what was measured is in" in screen.raw
    )


def test_a_terminal_that_stops_reading_loses_no_sample(started) -> None:  # type: ignore[no-untyped-def]
    started.type("2")
    assert started.when(lambda text: "[2 Clocks]" in text, 10) is not None
    time.sleep(1.0)
    started.stall(3.0)
    started.type("3")
    assert started.when(lambda text: "[3 Probes]" in text, 20) is not None
    assert started.close() == 0
    samples = fold(events(started.session)).samples
    moments = [s.t for s in samples][-35:]
    assert len(moments) == 35
    assert max(b - a for a, b in itertools.pairwise(moments)) < 0.5  # at 10 Hz, on a busy machine


def test_it_stops_and_comes_back_as_a_shell_asks(started) -> None:  # type: ignore[no-untyped-def]
    process = psutil.Process(started.process.pid)
    started.type("\x1a")
    wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
    wait_for(lambda: b"\x1b[?1049l" in started.raw, 2)
    seen = len(started.raw)
    process.send_signal(signal.SIGCONT)
    wait_for(lambda: b"\x1b[?1049h" in started.raw[seen:])
    started.type("2")
    assert started.when(lambda text: "[2 Clocks]" in text, 60) is not None
    assert re.search(r"\d+/\d+ MHz", started.text())
    assert started.close() == 0


@pytest.mark.long
def test_what_the_terminal_shows_is_what_the_screen_drew(tmp_path: Path) -> None:
    """Only cells that differ are sent: after many keys none may be left behind."""
    session = Path(__file__).parent / "sessions" / "h200-full-1.jsonl"
    ended = subprocess.run(
        [*ME, "show", str(session), "--probe", "matmul-bf16"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "831 TFLOP/s" in ended.stdout
    screens = []
    for keys in ("", "2345678?\x1b1jjk\x1b3jjj\x1b4j\x1b8\x1b2+-\x1b[D\x1b[Dttt1"):
        screen = terminal.Terminal([*ME, "show", str(session), "--replay"])
        assert screen.when(lambda text: "quit" in text, 20) is not None
        time.sleep(1.0)
        for key in re.findall(r"\x1b\[\w|.", keys, re.DOTALL):
            screen.type(key)
            time.sleep(0.12)
        time.sleep(7.0 if keys else 0.5)  # notes fade
        screens.append(screen.text().splitlines())
        screen.close()
    fresh, used = screens
    assert used == fresh


@pytest.mark.long
def test_a_whole_session_on_the_cpu(tmp_path: Path) -> None:
    saved = tmp_path / "whole.jsonl"
    screen = terminal.Terminal(
        [*ME, "--device", "cpu", "--sustain", "1", "--save", str(saved)], 120, 36
    )
    assert screen.when(lambda text: "MHz" in text and "1 Roofline" in text, 240) is not None
    assert screen.when(lambda text: "measuring" in text, 240) is not None
    for key in "\t\t?x2":
        screen.type(key)
        time.sleep(0.3)
    assert screen.when(lambda text: "[2 Clocks]" in text, 240) is not None
    screen.type("2")
    done = '"kind":"end"'
    assert screen.when(lambda _: saved.exists() and done in saved.read_text(), 240) is not None
    screen.type("3")
    assert screen.when(lambda text: re.search(r"matmul fp32 .*✓|matmul fp32 .*▲", text), 240)
    screen.type("y")
    assert screen.when(lambda text: "copied: the record as Markdown" in text, 240) is not None
    assert b"\x1b]52;c;" in screen.raw
    screen.type("8")
    assert screen.when(lambda text: "[8 Sessions]" in text and "quick" in text, 240) is not None
    assert screen.close() == 0
    session = fold(events(saved))
    assert session.complete
    assert not session.faults
    assert {m.probe for m in session.measured()} >= {"add_scalar-fp32", "matmul-fp32"}
