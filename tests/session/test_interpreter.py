"""What lies in the current folder is not imported by an instrument."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import roofwatch
from roofwatch.session import interpreter
from roofwatch.session.interpreter import start_of

ARGUMENTS = ["--source", "host", "--seconds", "0.1"]


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules that nobody asked for; the path that appears when one is run."""
    sprung = tmp_path / "sprung"
    for name in ("json", "torch", "psutil", "argparse", "pynvml"):
        (tmp_path / f"{name}.py").write_text(f"open({str(sprung)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    return sprung


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 13, 1)])
def test_a_module_that_lies_in_the_way_is_passed_by(
    trap: Path, version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if version >= (3, 11) > sys.version_info[:2]:
        pytest.skip("this Python has no -P")
    told = SimpleNamespace(flags=sys.flags, executable=sys.executable, version_info=version)
    monkeypatch.setattr(interpreter, "sys", told)
    command = start_of("roofwatch.telemetry")
    assert ("-P" in command) == (version >= (3, 11))
    done = subprocess.run([*command, *ARGUMENTS], capture_output=True, text=True, check=True)
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert "sample" in kinds
    assert not trap.exists()
    plain = [sys.executable, "-m", "roofwatch.telemetry", *ARGUMENTS]  # as it would be without
    subprocess.run(plain, capture_output=True)
    assert trap.exists()


def test_the_folder_stays_where_roofwatch_itself_lies_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(roofwatch, "__file__", str(tmp_path / "roofwatch" / "__init__.py"))
    monkeypatch.setattr(
        interpreter, "sys", SimpleNamespace(flags=SimpleNamespace(), executable="python")
    )
    assert start_of("roofwatch.probes") == ["python", "-m", "roofwatch.probes"]
