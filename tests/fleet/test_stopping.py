"""Signals: a person's ends at once, torchrun's leaves time to measure what can be measured."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from roofwatch.fleet.stopping import HEARD, Stopping


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in HEARD}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_nothing_came() -> None:
    stopping = Stopping(agent=True)
    assert (stopping.number, stopping.why, stopping.at_once) == (0, "", False)
    assert stopping.hurry_s() is None


@pytest.mark.parametrize(
    ("agent", "number", "at_once"),
    [(True, signal.SIGTERM, False), (False, signal.SIGTERM, True), (True, signal.SIGINT, True)],
)
def test_only_torchruns_own_leaves_time(agent: bool, number: signal.Signals, at_once: bool) -> None:
    stopping = Stopping(agent)
    os.kill(os.getpid(), number)
    assert stopping.at_once is at_once
    assert stopping.why == f"ended by {number.name}"
    left = stopping.hurry_s()
    assert left is not None
    assert left < 30  # then torchrun kills
    assert (left > 10) is not at_once
