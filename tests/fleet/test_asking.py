"""A store that stands still holds up one thread, not the rank: signals are heard, and it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from roofwatch.fleet import asking as asked
from roofwatch.fleet.asking import Asked, Asking
from roofwatch.fleet.not_met import MeetingLost


class Still:
    """A store whose ``add`` blocks until it is let go; all else is noted in order."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.heard: list[str] = []

    def add(self, key: str, by: int) -> int:
        self.heard.append(f"add {key}")
        self.go.wait()
        return by

    def set(self, key: str, value: str) -> None:
        self.heard.append(f"set {key}")

    def get(self, key: str) -> bytes:
        raise KeyError(key)


def test_past_the_limit_it_is_lost_for_good_and_nothing_more_is_asked() -> None:
    store, asking = Still(), Asking(0.4, lambda: False)
    ask = Asked(store, asking)
    ask.set("a", "1")
    began = time.monotonic()
    with pytest.raises(MeetingLost, match="stands still") as lost:
        ask.add("b", 1)
    assert lost.value.hangs
    assert asking.hangs
    assert time.monotonic() - began < 5
    store.go.set()
    began = time.monotonic()
    with pytest.raises(MeetingLost):
        ask.set("c", "1")
    assert time.monotonic() - began < 0.3  # at once, also where the store goes on
    assert store.heard == ["set a", "add b"]


def test_what_the_store_raises_is_raised_here() -> None:
    asking = Asking(5.0, lambda: False)
    with pytest.raises(KeyError, match="x"):
        Asked(Still(), asking).get("x")
    assert not asking.hangs


def test_after_a_signal_less_is_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "ENDING_S", 0.2)
    began = time.monotonic()
    with pytest.raises(MeetingLost):
        Asked(Still(), Asking(60.0, lambda: True)).add("b", 1)
    assert time.monotonic() - began < 10


PROGRAM = """
import time
from roofwatch.fleet.asking import Asked, Asking
from roofwatch.fleet.stopping import Stopping

class Store:
    def add(self, key, by):
        time.sleep(1000)

stopping = Stopping()
print("asks", flush=True)
Asked(Store(), Asking(1000.0, lambda: False)).add("a", 1)
"""


def test_a_third_signal_ends_it_at_once() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, env=dict(os.environ)
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"asks\n"
        for _ in range(3):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 128 + signal.SIGINT
