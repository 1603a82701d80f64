"""The doctor's short look on the CPU: what torch says of itself, then what a call costs."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from roofwatch.probes import checkup, device
from roofwatch.session.events import SessionInfo

pytestmark = pytest.mark.torch


class Heard:
    """An instrument that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[SessionInfo] = []
        self.states: list[str] = []

    def now(self) -> float:
        return float(len(self.events))

    def say(self, state: str) -> None:
        self.states.append(state)

    def write(self, event: SessionInfo) -> None:
        self.events.append(event)


def looked(name: str) -> Heard:
    heard = Heard()
    assert checkup.run(heard, name, 1.5, lambda: None, lambda: 0.1) == 0  # type: ignore[arg-type]
    return heard


def test_torch_is_told_before_the_device_is_touched() -> None:
    heard = looked("cpu")
    first, *_, last = heard.events
    assert (first.import_s, first.device) == (1.5, None)
    assert first.checkup is not None
    assert (first.checkup.torch, first.checkup.enqueue_s) == (str(torch.__version__), None)
    assert heard.states == ["waiting", checkup.OPENING, checkup.LAUNCHING]
    assert last.checkup is not None
    assert 1e-8 < (last.checkup.enqueue_s or 0) < 1e-2
    assert (last.checkup.problem, last.checkup.load_begin_s) == (None, None)


def test_a_card_that_is_not_there_is_told_not_raised() -> None:
    heard = looked("cuda:77")
    assert heard.events[-1].checkup is not None
    assert heard.events[-1].checkup.problem
    assert heard.events[-1].checkup.enqueue_s is None


def test_what_the_driver_throws_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def pick(name: str) -> None:
        raise AssertionError("CUDA error\nmore of it")

    monkeypatch.setattr(device, "pick", pick)
    told = looked("cpu").events[-1].checkup
    assert told is not None
    assert told.problem == "CUDA error"


@pytest.mark.parametrize(
    ("version", "said"), [(91002, "9.10.2"), (90100, "9.1.0"), (8907, "8.9.7")]
)
def test_cudnn_counts_in_two_ways(version: int, said: str) -> None:
    assert checkup._cudnn_said(version) == said
