"""What tests of real ranks share: a record to hand in, and ports that are free."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real H200's, as JSON in a file."""
    from simulated_ranks import template

    path = tmp_path_factory.mktemp("record") / "record.json"
    path.write_text(json.dumps(template()))
    return path


@pytest.fixture
def free_port() -> Callable[[], int]:
    """One that nobody listens at, each time it is asked."""

    def find() -> int:
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            return int(held.getsockname()[1])

    return find
