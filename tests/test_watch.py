"""``roofwatch watch`` for real: around commands, alone, on a terminal, on the driver's stand-in."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nvml_stub
import pytest

from roofwatch.session.events import Sample, decode
from roofwatch.session.replay import Replay
from roofwatch.session.watch.summary import watched

ME = [sys.executable, "-m", "roofwatch", "watch"]
PYTHON = [sys.executable, "-c"]
needs_stub = [
    pytest.mark.skipif(nvml_stub.compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(importlib.util.find_spec("pynvml") is None, reason="needs nvidia-ml-py"),
    pytest.mark.skipif(sys.platform != "linux", reason="pynvml loads a .so by its name"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return nvml_stub.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Ctrl-C is heard: a job in the background is started with it ignored, and so its children."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def run(*words: str, environ: dict[str, str] | None = None, **how: Any) -> Any:
    told = subprocess.run(
        [*ME, *words], capture_output=True, text=True, timeout=60, env=environ, **how
    )
    assert "Traceback" not in told.stderr, told.stderr
    return told


def test_a_command_keeps_its_streams_and_its_code(tmp_path: Path) -> None:
    code = (
        "import sys; print(sys.stdin.read() + ' out'); print('err', file=sys.stderr); sys.exit(3)"
    )
    told = run("--save", str(tmp_path / "s.jsonl"), "--", *PYTHON, code, input="in")
    assert told.returncode == 3
    assert told.stdout == "in out\n"
    assert "err" in told.stderr
    assert "exit code 3" in told.stderr
    session = Replay(tmp_path / "s.jsonl").session
    assert session.complete
    assert session.suite == "watch"
    assert session.command is not None
    assert session.command[0] == os.path.basename(sys.executable)
    assert "sys.exit" not in (tmp_path / "s.jsonl").read_text()


@pytest.mark.parametrize(
    "words", [["--lr", "-0.1"], ["--seconds", "1"], ["--", "--json"], ["-1/h"]]
)
def test_its_arguments_are_not_ours(words: list[str]) -> None:
    told = run("--", *PYTHON, "import sys, json; print(json.dumps(sys.argv[1:]))", *words)
    assert told.returncode == 0
    assert json.loads(told.stdout) == words


def test_with_json_readings_alone_stand_on_stdout() -> None:
    told = run("--json", "--", *PYTHON, "import time; print('theirs'); time.sleep(0.6)")
    assert told.returncode == 0
    events = [decode(line) for line in told.stdout.splitlines()]
    assert len(events) >= 5
    assert all(isinstance(event, Sample) for event in events)
    assert "theirs" in told.stderr


def test_a_reader_that_goes_away_does_not_end_the_work(tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = f"import time; time.sleep(1.0); open({str(done)!r}, 'w')"
    child = subprocess.Popen(
        [*ME, "--json", "--", *PYTHON, code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(30) == 0
    assert done.exists()
    assert "Traceback" not in child.stderr.read()
    child.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_is_the_commands(number: signal.Signals) -> None:
    code = f"""
import signal, sys, time
seen = []
signal.signal({int(number)}, lambda n, _: seen.append(n))
print("ready", flush=True)
end = time.monotonic() + 20
while not seen and time.monotonic() < end: time.sleep(0.01)
time.sleep(0.2)
sys.exit(40 + len(seen))
"""
    child = subprocess.Popen(
        [*ME, "--", *PYTHON, code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(number)
    assert child.wait(30) == 41  # once
    assert "Traceback" not in (said := child.stderr.read())
    assert "exit code 41" in said
    child.stdout.close()
    child.stderr.close()


def test_a_signal_that_ends_it_is_told_as_a_shell_does() -> None:
    told = run("--", *PYTHON, "import os; os.kill(os.getpid(), 9)")
    assert told.returncode == 137
    assert "ended by SIGKILL" in told.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--", "no-such-command"], 127, "no-such-command: there is no such command"),
        (["--", "/etc/passwd"], 126, "/etc/passwd: Permission denied"),
        (["--"], 2, "there is no command behind --"),
        (["train.py"], 2, "a command stands behind --"),
        (["--seconds", "5", "--", "true"], 2, "--seconds is of watching without a command"),
        (["--seconds", "nan"], 2, "'nan' is not a number of seconds"),
        (["--device", "gpu"], 2, "'gpu' is not auto, all, cpu or cuda:N"),
        (["--metrics", "/nowhere/m", "--", "true"], 2, "/nowhere: there is no such folder"),
        (["--save", "/etc/passwd", "--", "true"], 2, "/etc/passwd: has content already"),
    ],
)
def test_a_mistake_is_one_line(words: list[str], code: int, said: str, own_data: Path) -> None:
    told = run(*words)
    assert told.returncode == code
    assert said in told.stderr
    assert told.stderr.count("\n") == 1
    assert not list(own_data.rglob("*.jsonl"))


def test_a_card_that_is_absent_runs_nothing(tmp_path: Path) -> None:
    told = run("--device", "cuda:7", "--", "touch", str(tmp_path / "ran"))
    assert told.returncode == 3
    assert not (tmp_path / "ran").exists()
    assert told.stderr.count("\n") == 1


def test_marks_from_the_command(tmp_path: Path) -> None:
    saved = tmp_path / "s.jsonl"
    code = """
import roofwatch, time
assert roofwatch.mark("first")
time.sleep(0.4)
roofwatch.mark("second")
time.sleep(0.3)
"""
    assert run("--save", str(saved), "--", *PYTHON, code).returncode == 0
    seen = watched(Replay(saved).session, {})
    assert [m.name for m in seen.marks] == ["first", "second"]
    assert seen.marks[0].seconds == pytest.approx(0.4, abs=0.15)
    assert sum(m.seconds for m in seen.marks) < seen.seconds


def test_metrics_are_left_as_old(tmp_path: Path) -> None:
    path = tmp_path / "gpu.prom"
    assert run("--metrics", str(path), "--", "sleep", "0.3").returncode == 0
    text = path.read_text()
    assert "roofwatch_sm_clock_hertz" in text
    assert "roofwatch_watching 0\n" in text


def test_alone_it_says_a_line_a_second_and_sums_up() -> None:
    told = run("--seconds", "1.3", "--device", "cpu")
    assert told.returncode == 0
    lines = told.stdout.splitlines()
    assert 1 <= len(lines) <= 2
    assert all("MHz" in line for line in lines)
    assert "watched the card" in told.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_alone_it_ends_when_nobody_reads(more: list[str]) -> None:
    child = subprocess.Popen(
        [*ME, "--device", "cpu", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(20) == 0
    assert "Traceback" not in child.stderr.read()
    child.stderr.close()


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_ends_nothing(closed: str, tmp_path: Path) -> None:
    script = f'"$@" {closed}>&-'
    words = [*ME, "--json", "--", "touch", str(tmp_path / "ran")]
    told = subprocess.run(["sh", "-c", script, "sh", *words], capture_output=True, timeout=60)
    assert told.returncode == 0
    assert (tmp_path / "ran").exists()
    assert b"Traceback" not in told.stderr


def test_alone_a_signal_ends_it() -> None:
    child = subprocess.Popen(
        [*ME, "--device", "cpu"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stderr is not None
    assert "MHz" in child.stdout.readline()
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130
    assert "watched the card" in (said := child.stderr.read())
    assert "Traceback" not in said
    child.stdout.close()
    child.stderr.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_who_kills_the_watcher_does_not_kill_the_work(tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = f"import time; print('ready', flush=True); time.sleep(1.0); open({str(done)!r}, 'w')"
    child = subprocess.Popen([*ME, "--", *PYTHON, code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait()
    child.stdout.close()
    end = time.monotonic() + 10
    while not done.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert done.exists()


class TestOnTheStub:
    pytestmark = needs_stub

    @pytest.fixture
    def environ(self, library: Path, own_data: Path) -> Iterator[dict[str, str]]:
        with contextlib.suppress(KeyError):
            yield nvml_stub.environment(library, "cards=2") | {"XDG_DATA_HOME": str(own_data)}

    def test_a_card_is_summed_up(self, environ: dict[str, str], tmp_path: Path) -> None:
        saved = tmp_path / "s.jsonl"
        told = run("--save", str(saved), "--", "sleep", "2.2", environ=environ)
        assert told.returncode == 0
        for said in ("NVIDIA H200", "SM clock", "W on average", "by the counter", "GiB"):
            assert said in told.stderr
        card = watched(Replay(saved).session, {}).cards[0]
        assert card.energy is not None
        assert card.energy.counter_j is not None
        shown = subprocess.run(
            [sys.executable, "-m", "roofwatch", "show", str(saved), "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        record = json.loads(shown.stdout)
        assert record["watch"]["cards"][0]["samples"] == card.samples
        assert record["measurements"] == []

    def test_all_cards(self, environ: dict[str, str], tmp_path: Path) -> None:
        saved = tmp_path / "s.jsonl"
        told = run("--device", "all", "--save", str(saved), "--", "sleep", "1.5", environ=environ)
        assert told.returncode == 0
        cards = watched(Replay(saved).session, {}).cards
        assert [card.gpu for card in cards] == [0, 1]
        first, second = cards
        assert second.samples == pytest.approx(first.samples, abs=2)
        assert {r.key for r in second.reasons} == {r.key for r in first.reasons}

    def test_a_card_that_is_lost_is_said_and_the_command_goes_on(
        self, library: Path, own_data: Path
    ) -> None:
        orders = "nvmlDeviceGetPowerUsage=after:8:15"
        environ = nvml_stub.environment(library, orders) | {"XDG_DATA_HOME": str(own_data)}
        told = run("--", *PYTHON, "import time; time.sleep(1.5); print('done')", environ=environ)
        assert (told.returncode, told.stdout) == (0, "done\n")
        assert "lost" in told.stderr


@pytest.mark.pty
def test_on_a_terminal_the_clocks_stand_alone() -> None:
    terminal = pytest.importorskip("terminal")
    screen = terminal.Terminal([*ME, "--device", "cpu"])
    try:
        assert screen.when(lambda text: "MHz" in text and "2 Clocks]" in text, 30) is not None
        screen.type("r")
        assert screen.when(lambda text: "only watched here" in text, 10) is not None
        screen.type("q")
        assert screen.when(lambda text: "watched the card" in text, 10) is not None
        assert screen.process.wait(10) == 0
    finally:
        screen.close()


@pytest.mark.pty
def test_on_a_terminal_ctrl_c_reaches_the_command_once() -> None:
    terminal = pytest.importorskip("terminal")
    code = """
import signal, sys, time
seen = []
signal.signal(signal.SIGINT, lambda n, _: seen.append(n))
print("ready", sys.stdin.isatty(), sys.stdout.isatty(), flush=True)
while not seen: time.sleep(0.01)
time.sleep(0.3)
print("heard", len(seen), flush=True)
"""
    screen = terminal.Terminal([*ME, "--", *PYTHON, code], owned=True)
    try:
        assert screen.when(lambda text: "ready True True" in text, 30) is not None
        screen.type("\x03")
        assert screen.when(lambda text: "heard 1" in text, 10) is not None
        assert screen.when(lambda text: "exit code 0" in text, 10) is not None
        assert screen.process.wait(10) == 0
    finally:
        screen.close()
