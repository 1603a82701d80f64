"""Whoever reads stdout may leave at any moment: exit code and stderr are what they are without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ME = [sys.executable, "-m", "roofwatch"]
SESSIONS = Path(__file__).parent / "sessions"


def told(arguments: list[str], out: int, **environ: str) -> tuple[int, str]:
    done = subprocess.run(
        [*ME, *arguments],
        stdout=out,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
        env={**os.environ, **environ},
        check=False,
    )
    return done.returncode, done.stderr


def unread() -> int:
    """A pipe that nobody reads any more."""
    reads, writes = os.pipe()
    os.close(reads)
    return writes


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    bad, wrong, slow = folder / "bad.jsonl", folder / "wrong.jsonl", folder / "slow.jsonl"
    bad.write_text('{"op": "nothing"}\n' * 400)
    row = {"gpu": "T4", "op": "add_scalar", "elements": 524288, "dtype": "fp16"}
    wrong.write_text((json.dumps({**row, "time_us": 2.0}) + "\n") * 400)
    session = SESSIONS / "h200-quick-1.jsonl"
    lines = []
    for line in session.read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "measurement":
            event["times_s"] = [t * 1.5 for t in event["times_s"]]
        lines.append(json.dumps(event))
    slow.write_text("\n".join(lines) + "\n")
    return {"BAD": str(bad), "WRONG": str(wrong), "SLOW": str(slow), "FILE": str(session)}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check BAD --json", 2),
        ("check WRONG --strict --json", 5),
        ("check WRONG --strict --full", 5),
        ("compare FILE SLOW --strict", 5),
        ("compare FILE SLOW --strict --json", 5),
        ("show FILE", 0),
        ("show FILE --json", 0),
        ("show FILE --table csv", 0),
        ("plan", 0),
        ("quiz --gpu T4 --seed 1 --answers", 0),
        ("quiz --gpu T4 --seed 1", 0),
        ("--help", 0),
        ("check --help", 0),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_code_and_stderr_are_the_same(
    files: dict[str, str], command: str, code: int, unbuffered: str
) -> None:
    arguments = [files.get(word, word) for word in command.split()]
    heard = told(arguments, subprocess.DEVNULL, PYTHONUNBUFFERED=unbuffered)
    assert heard[0] == code
    gone = unread()
    try:
        assert told(arguments, gone, PYTHONUNBUFFERED=unbuffered) == heard
    finally:
        os.close(gone)


def test_a_reader_of_one_line(files: dict[str, str]) -> None:
    command = f"{' '.join(ME)} check {files['BAD']} --json | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["2"]
    assert done.stderr.count("\n") == 400


@pytest.mark.parametrize("more", [["--json"], ["--metrics", "METRICS"]])
def test_watching_alone_ends_where_nobody_reads(more: list[str], tmp_path: Path) -> None:
    gone = unread()
    command = [*ME, "watch", "--device", "cpu", *more, "--save", str(tmp_path / "s.jsonl")]
    command = [str(tmp_path / "m.prom") if word == "METRICS" else word for word in command]
    with subprocess.Popen(command, stdout=gone, stderr=subprocess.DEVNULL) as watch:
        os.close(gone)
        try:
            assert watch.wait(30) == 0
        finally:
            watch.send_signal(signal.SIGKILL)


def test_a_broken_pipe_of_their_own_is_an_error_of_theirs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "theirs.py").write_text("def step():\n    raise BrokenPipeError('their pipe')\n")
    arguments = ["triage", f"{tmp_path / 'theirs.py'}:step", "--device", "cpu"]
    code, said = told(arguments, subprocess.DEVNULL)
    assert code == 4
    assert "BrokenPipeError" in said
