"""Who is still there before the links, against a meeting that is made up."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import msgspec
import pytest

from roofwatch.fleet import roll_call as calling
from roofwatch.fleet.gather import Waiting
from roofwatch.fleet.links_fault import SAID, SILENT, Fault
from roofwatch.fleet.rank import Rank
from roofwatch.fleet.roll_call import roll_call
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import world


class Made:
    """A meeting: each rank's beats at a look, and what ranks have said of their end."""

    def __init__(self, beats: dict[int, Callable[[int], int]], said: dict[int, str]) -> None:
        self.looks, self._beats, self._said = 0, beats, said

    def beats(self, rank: int) -> int:
        self.looks += 1
        return self._beats[rank](self.looks)

    def said(self, key: str) -> str | None:
        how = self._said.get(int(key.removeprefix("links/")))
        return msgspec.json.encode(Fault(cause=SAID, how=how)).decode() if how else None

    def count(self, key: str, by: int = 0) -> int:
        return len(self._said)

    def say(self, key: str, text: str) -> None:
        pass

    def beat(self, doing: str) -> None:
        pass


class Signalled(Stopping):
    """As if a signal had come so long ago; no handler is set."""

    def __init__(self, number: int = 0, agent: bool = False, hurry_s: float = 5.0) -> None:
        self._agent, self.number, self._hurry_s = agent, number, hurry_s

    def hurry_s(self) -> float | None:
        return self._hurry_s if self.number else None


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "LOOK_S", 0.01)
    monkeypatch.setattr(calling, "FRESH_S", 0.05)
    monkeypatch.setattr(calling, "STILL_S", 0.2)
    monkeypatch.setattr(calling, "STILL_HURRY_S", 0.1)


def living(looks: int) -> int:
    return looks


def dead(looks: int) -> int:
    return 7


def called(made: Made, ranks: list[int], stopping: Stopping | None = None) -> dict[int, Fault]:
    me = Rank(world({}, "here"), made, stopping or Signalled(), 60.0)  # type: ignore[arg-type]
    return roll_call(me, Waiting(4), ranks)


def test_where_all_beat_nobody_is_gone() -> None:
    made = Made({1: living, 2: living}, {})
    assert called(made, [1, 2]) == {}
    assert made.looks == 4  # one look at each, and one more


def test_one_that_beats_no_more_is_gone_and_one_that_says_so() -> None:
    made = Made({1: living, 2: dead, 3: living}, {3: "ended by SIGTERM"})
    gone = called(made, [1, 2, 3])
    assert sorted(gone) == [2, 3]
    assert (gone[2].cause, gone[3].how) == (SILENT, "ended by SIGTERM")
    assert gone[2].how == "no sign of life for 0 s: killed, or it hangs"


def stops_at(last: int) -> Callable[[int], int]:
    """Of one that answers, and then beats no more."""
    return lambda looks: min(looks, last)


def late(from_s: float) -> Callable[[int], int]:
    """Of one that stands still for so long."""
    until_s = time.monotonic() + from_s
    return lambda looks: 7 if time.monotonic() < until_s else looks + 7


@pytest.mark.parametrize("waited_for", ["dead", "late"])
def test_one_that_goes_after_its_answer_is_gone_while_another_is_waited_for(
    waited_for: str,
) -> None:
    first = dead if waited_for == "dead" else late(0.15)
    gone = called(Made({1: first, 2: stops_at(20), 3: living}, {}), [1, 2, 3])
    assert sorted(gone) == ([1, 2] if waited_for == "dead" else [2])
    assert gone[2].cause == SILENT


def test_one_that_says_so_after_its_answer_is_gone_too() -> None:
    class Says(Made):
        def count(self, key: str, by: int = 0) -> int:
            if self.looks > 20:
                self._said[2] = "ended by SIGTERM"
            return super().count(key, by)

    gone = called(Says({1: dead, 2: living, 3: living}, {}), [1, 2, 3])
    assert {rank: fault.cause for rank, fault in gone.items()} == {1: SILENT, 2: SAID}


def test_ranks_that_beat_slowly_are_waited_for_and_not_for_ever() -> None:
    def slow(shift_s: float) -> Callable[[int], int]:
        return lambda _: int((time.monotonic() + shift_s) / 0.16)

    began_s = time.monotonic()
    assert called(Made({1: slow(0.0), 2: slow(0.08)}, {}), [1, 2]) == {}
    assert time.monotonic() - began_s < 2.0


def test_who_said_so_and_is_asked_for_by_nobody_is_not_waited_for() -> None:
    assert called(Made({1: living}, {3: "ended by SIGTERM"}), [1]) == {}


@pytest.mark.parametrize(
    ("agent", "hurry_s", "gone"), [(False, 5.0, []), (True, 5.0, [1]), (True, -9.0, [])]
)
def test_once_a_signal_has_come_only_torchruns_is_looked_into(
    agent: bool, hurry_s: float, gone: list[int]
) -> None:
    stopping = Signalled(signal.SIGTERM, agent, hurry_s)
    assert sorted(called(Made({1: dead}, {}), [1], stopping)) == gone
