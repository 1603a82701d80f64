"""What all cards do at once, on a CPU: the turn is waited for, its card told, its moment kept."""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec
import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import worker  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.probes.together import together  # noqa: E402
from roofwatch.roofline.suite import at_once  # noqa: E402
from roofwatch.session import turns as words  # noqa: E402
from roofwatch.session.events import Measurement  # noqa: E402
from roofwatch.session.stuck import STAYING  # noqa: E402
from roofwatch.session.turns import FINISHED, Turns, order  # noqa: E402


class Out:
    """An instrument that keeps what it says and writes, with the card of each."""

    def __init__(self, gpu: int | None) -> None:
        self.gpu = gpu
        self.said: list[str] = []
        self.events: list[tuple[int | None, Any]] = []

    def now(self) -> float:
        return time.monotonic()

    def at(self, monotonic_s: float) -> float:
        return monotonic_s

    def write(self, event: Any) -> None:
        self.events.append((self.gpu, event))

    def say(self, state: str, probe: str | None = None, progress: float | None = None) -> None:
        if not self.said or self.said[-1] != state:
            self.said.append(state)


def a_worker(out: Any) -> worker.Worker:
    made = worker.Worker(out, CpuTarget(), 1, threading.Event())
    made._shapes["fp32"] = (Shape(64, 64, 64), "nn")
    return made


@pytest.mark.parametrize("own", [None, 3])
def test_a_turn_is_taken_for_its_card_at_its_moment(
    own: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "BETWEEN_S", 0.3)
    out: Any = Out(own)
    turns = Turns()
    # so long that a busy machine lets it come to enough launches
    held = msgspec.structs.replace(at_once("cpu", None, 0.1)[0], seconds=1.0)
    begin_s = time.monotonic() + 0.5
    assert turns.hear(order(3, round(begin_s * 1e9)))
    assert turns.hear("end")
    failed = together(a_worker(out), out, [held], turns)
    assert not failed, out.events  # with the fault
    assert out.gpu == own
    told = [(gpu, e) for gpu, e in out.events if isinstance(e, Measurement)]
    assert [(gpu, m.probe) for gpu, m in told] == [(3, "together-matmul-fp32-sustained")]
    assert {gpu for gpu, _ in out.events} == {3}
    assert told[0][1].begin_s >= begin_s
    assert out.said[0] == STAYING
    assert out.said[-1] == FINISHED


def test_without_a_turn_nothing_is_measured() -> None:
    out: Any = Out(None)
    turns = Turns()
    turns.end()
    assert together(a_worker(out), out, at_once("cpu", None, 1.0), turns) is False
    assert out.events == []


def test_each_probe_has_a_moment_of_its_own() -> None:
    turns = Turns()
    assert turns.hear("together 2 5000000000")
    turn = turns.wait()
    assert turn is not None
    first, second = turn.moments(at_once("cuda", "9.0", 4.0)).values()
    assert (first, second) == (5.0, 5.0 + 4.0 + words.BETWEEN_S)


@pytest.mark.parametrize("line", ["together", "together 1", "together a 5", "together 1 -5", "go"])
def test_what_is_no_turn_is_none(line: str) -> None:
    assert not Turns().hear(line)
