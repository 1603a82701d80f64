"""Rank 0's gathering against a meeting that is made up: who is late, silent, or never came."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofwatch.fleet import gather as gathering
from roofwatch.fleet import rank as ranks
from roofwatch.fleet.gather import gather
from roofwatch.fleet.own_suite import Outcome
from roofwatch.fleet.rank import Rank
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import world
from roofwatch.session.fleet.lines import RankLine, encode


class Made:
    """A meeting: each rank's beats at a look, and when its line comes."""

    def __init__(self, beats: dict[int, Callable[[int], int]], lines: dict[int, int]) -> None:
        self.looks = 0
        self._beats = beats
        self._lines = lines
        self.counted: dict[str, int] = {}
        self.told: dict[str, str] = {}

    def beats(self, rank: int) -> int:
        self.looks += 1
        return self._beats[rank](self.looks)

    def doing(self, rank: int) -> str:
        return "measuring matmul"

    def said(self, key: str) -> str | None:
        return {"host/1": "n1/1/3"}.get(key)

    def take(self, rank: int) -> bytes | None:
        self.looks += 1
        due = self._lines.get(rank)
        return encode(RankLine(rank=rank)) if due is not None and self.looks >= due else None

    def say(self, key: str, text: str) -> None:
        self.told[key] = text

    def count(self, key: str, by: int = 0) -> int:
        self.counted[key] = self.counted.get(key, 0) + by
        return self.counted[key]

    def beat(self, doing: str) -> None:
        pass


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twentieths of a second for seconds."""
    for name in ("LOOK_S", "BEATS_S", "STILL_S", "STILL_HURRY_S"):
        monkeypatch.setattr(gathering, name, getattr(gathering, name) / 40)


def gathered(meeting: Made, size: int, **more: float) -> list[RankLine]:
    kept: list[RankLine] = []
    told = {"timeout_s": 30.0, "join_s": 0.3} | more
    hurry = told.pop("hurry_s", None)
    gather(meeting, size, kept.append, told["timeout_s"], told["join_s"], lambda: hurry)  # type: ignore[arg-type]
    return kept


def test_lines_are_taken_as_they_come() -> None:
    alive = {r: lambda looks: looks for r in range(3)}
    lines = gathered(Made(alive, {0: 50, 1: 2, 2: 9}), 3)
    assert [line.rank for line in lines] == [1, 2, 0]
    assert {line.state for line in lines} == {"done"}


def test_a_silent_rank_is_given_up_with_its_last_word_and_its_place() -> None:
    beats: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: 7}
    lines = {line.rank: line for line in gathered(Made(beats, {0: 1}), 2)}
    assert lines[0].state == "done"
    assert (lines[1].state, lines[1].host, lines[1].card) == ("silent", "n1", 3)
    assert "last word: measuring matmul" in lines[1].why


def test_one_that_never_came_is_absent() -> None:
    beats: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: 0}
    lines = {line.rank: line for line in gathered(Made(beats, {0: 1}), 2)}
    assert lines[1].state == "absent"
    assert "never came" in lines[1].why


def test_nobody_is_waited_for_beyond_the_time_or_a_signal() -> None:
    alive: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: n}
    late = {line.rank: line for line in gathered(Made(alive, {0: 1}), 2, timeout_s=0.3)}
    assert late[1].why.startswith("not done after 0 s")
    ended = gathered(Made(alive, {0: 1}), 2, hurry_s=0.0)
    assert {line.rank for line in ended} == {0, 1}


def test_what_breaks_in_a_rank_is_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "READY_S", 1.0)
    meeting = Made({}, {})
    me = Rank(world({}, "here"), meeting, Stopping(), 60.0)  # type: ignore[arg-type]

    def broken(*_: object) -> Outcome:
        raise RuntimeError("a library broke")

    line = me.measured(broken)
    assert (line.state, line.why) == ("failed", "RuntimeError: a library broke")
    assert meeting.counted == {"ready": 1}  # nobody waits for it
    assert meeting.told == {"host/0": "here/0/0"}
