"""What all tests share: recorded sessions, and the pseudo-terminal that benchmarks use too."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
SESSIONS = ROOT / "tests" / "sessions"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own sessions and cards."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def h200_file() -> Path:
    """A session recorded on an H200."""
    return SESSIONS / "h200-quick-1.jsonl"


@pytest.fixture
def full_file() -> Path:
    """A session of the full suite recorded on an H200."""
    return SESSIONS / "h200-full-1.jsonl"


@pytest.fixture
def full(full_file: Path) -> Session:
    """Its fold."""
    return fold(events(full_file))


@pytest.fixture
def h200(h200_file: Path) -> Session:
    """Its fold."""
    return fold(events(h200_file))
