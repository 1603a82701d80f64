"""A command as if nobody were there: its code, its name, and signals passed on once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from roofwatch.session.watch.command import (
    NotStarted,
    Passing,
    code_of,
    ended,
    name_of,
)

COUNTS = """
import signal, sys, time
seen = []
for n in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
    signal.signal(n, lambda number, _: seen.append(number))
print("ready", flush=True)
end = time.monotonic() + 5
while not (signal.SIGUSR1 in seen) and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.1)
print(*map(int, seen), flush=True)
sys.exit(len(seen))
"""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["./train", "--token", "secret"], "train"),
        (["/usr/bin/python3", "-u", "src/train.py", "--key", "secret"], "python3 train.py"),
        (["python3.11", "-m", "pkg.train"], "python3.11 pkg.train"),
        (["python", "-c", "print('secret')"], "python"),
        (["torchrun", "--nproc-per-node", "8", "train.py"], "torchrun train.py"),
        (["bash", "-c", "echo secret"], "bash"),
        (["nvidia-smi"], "nvidia-smi"),
    ],
)
def test_of_a_command_only_its_name_is_kept(command: list[str], name: str) -> None:
    assert name_of(command) == name
    assert "secret" not in name_of(command)


def test_a_status_as_a_shell_says_it() -> None:
    assert (code_of(0), code_of(7), code_of(-9), code_of(-15)) == (0, 7, 137, 143)
    assert (ended(3), ended(-9), ended(-64)) == (
        "exit code 3",
        "ended by SIGKILL",
        "ended by SIGRTMAX",
    )


def test_what_cannot_be_run_says_why(tmp_path) -> None:
    with Passing() as passing:
        with pytest.raises(NotStarted, match="there is no such command") as absent:
            passing.start(["no-such-command"], os.environ, None)
        (tmp_path / "text").write_text("x")
        with pytest.raises(NotStarted, match="Permission denied") as denied:
            passing.start([str(tmp_path / "text")], os.environ, None)
        with pytest.raises(NotStarted, match="null") as null:
            passing.start(["a\0b"], os.environ, None)
    assert (absent.value.exit_code, denied.value.exit_code, null.value.exit_code) == (127, 126, 126)


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard: a job in the background is started with it ignored."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_reaches_the_command_once_and_in_order(heard: None) -> None:
    with Passing() as passing:
        process = subprocess.Popen(
            [sys.executable, "-c", "pass"]
        )  # its end wakes the wait, no more
        process.wait()
        read_end, write_end = os.pipe()
        process = passing.start([sys.executable, "-c", COUNTS], os.environ, write_end)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            assert pipe.readline() == "ready\n"
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
                os.kill(os.getpid(), number)
                passing.wait(1.0, process)
                time.sleep(0.05)
            while process.poll() is None:
                passing.wait(0.1, process)
            assert pipe.readline().split() == ["2", "15", "10"]
    assert process.returncode == 3
    assert passing.asked == []


def test_its_end_is_heard_at_once() -> None:
    with Passing() as passing:
        process = passing.start(
            [sys.executable, "-c", "import time; time.sleep(0.3)"], os.environ, None
        )
        while process.poll() is None:
            assert passing.wait(10.0, process)  # not ten seconds


def test_what_was_ignored_stays_ignored_and_masks_are_given_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    code = "import signal, sys; sys.exit(signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN)"
    masked = "import signal, sys; sys.exit(len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    try:
        with Passing() as passing:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not passing.wait(0.05, None)
            for each in (code, masked):
                process = passing.start([sys.executable, "-c", each], os.environ, None)
                while process.poll() is None:
                    passing.wait(0.1, process)
                assert process.returncode == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_comes_while_nothing_runs_is_kept() -> None:
    with Passing() as passing:
        os.kill(os.getpid(), signal.SIGTERM)
        assert passing.wait(1.0, None)
        assert passing.asked == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["bash", "-lc", "export KEY=secret; true"], "bash"),
        (["bash", "-x", "-e", "-c", "secret"], "bash"),
        (["bash", "-o", "pipefail", "-c", "secret"], "bash"),
        (["python3", "-Bc", "secret.py"], "python3"),
        (["perl", "-ne", "print secret.pl"], "perl"),
        (["python3", "-W", "ignore", "a/train.py", "secret"], "python3 train.py"),
        (["python", "-m", "torch.distributed.run", "secret"], "python torch.distributed.run"),
        (["ssh", "host", "python", "secret.py"], "ssh"),
        (["b\udcffn/sl\udcff"], "sl�"),
        (["python3", "\udcffx.py"], "python3 �x.py"),
    ],
)
def test_no_secret_and_no_bytes_that_are_no_text(command: list[str], name: str) -> None:
    assert name_of(command) == name
