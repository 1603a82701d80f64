"""Rank 0's gathering against a meeting that is made up: who is late, silent, or never came."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from roofwatch.fleet import gather as gathering
from roofwatch.fleet import rank as ranks
from roofwatch.fleet.gather import gather
from roofwatch.fleet.meeting import Unreadable
from roofwatch.fleet.not_met import MeetingLost
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
    assert lines[1].why == "never came, in 0 s"


def test_one_that_never_came_is_waited_for_since_the_meeting() -> None:
    beats: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: 0, 2: lambda n: n}
    kept: list[RankLine] = []
    began_s = time.monotonic()
    since_s = began_s - 100.0
    gather(
        Made(beats, {0: 1, 2: 9}),  # type: ignore[arg-type]
        3,
        kept.append,
        30.0,
        100.2,
        lambda: None,
        since_s=since_s,
    )
    assert time.monotonic() - began_s < 5.0
    lines = {line.rank: line for line in kept}
    assert (lines[1].state, lines[1].why) == ("absent", "never came, in 100 s")
    assert lines[2].state == "done"  # which has come, so that its silence counts from then


def test_nobody_is_waited_for_beyond_the_time_or_a_signal() -> None:
    alive: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: n}
    late = {line.rank: line for line in gathered(Made(alive, {0: 1}), 2, timeout_s=0.3)}
    assert late[1].why.startswith("not done after 0 s")
    ended = gathered(Made(alive, {0: 1}), 2, hurry_s=0.0)
    assert {line.rank for line in ended} == {0, 1}


@pytest.mark.parametrize(
    ("hurry_s", "said"),
    [(None, "not done after 0 s; last word: measuring matmul"), (1.0, "no sign of life for 0 s")],
)
def test_a_rank_is_called_dead_at_the_silence_that_counts_then(
    hurry_s: float | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "STILL_S", 5.0)
    beats: dict[int, Callable[[int], int]] = {0: lambda n: n, 1: lambda n: 7}
    kept: list[RankLine] = []
    gather(Made(beats, {0: 1}), 2, kept.append, 0.4, 0.3, lambda: hurry_s)  # type: ignore[arg-type]
    assert {line.rank: line.why for line in kept}[1].startswith(said)


class Broken(Made):
    """Of three ranks the first hands in a line that is none, then the store is gone."""

    def take(self, rank: int) -> bytes | None:
        if rank == 2:
            raise MeetingLost("the store does not answer")
        return [b"", b'{"kind":"rank","rank":1,"state":["done"]}'][rank]


def test_a_lost_store_costs_what_had_not_come_and_nothing_else() -> None:
    kept: list[RankLine] = []
    own = RankLine(rank=0)
    with pytest.raises(MeetingLost):
        gather(
            Broken({}, {}),  # type: ignore[arg-type]
            4,
            kept.append,
            30.0,
            0.3,
            lambda: None,
            own=own,
        )
    assert [(line.rank, line.state) for line in kept] == [
        (0, "done"),
        (1, "failed"),
        (2, "silent"),
        (3, "silent"),
    ]
    assert "unreadable: Expected `str`, got `array`" in kept[1].why
    assert kept[1].host == "n1"
    assert "the store was lost" in kept[2].why


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "unreadable"),
        (b'{"kind":"rank","rank":7}', "it is of rank 7"),
        (b'{"kind":"rank","rank":1,"why":"\xff"}', "unreadable"),
        (b'{"kind":"rank","rank":1,"record":"\xff"}', "can't decode byte 0xff"),
        (b'{"kind":"rank","rank":1,"record":' + b"[" * 100_000, "unreadable"),
        (Unreadable("it does not unpack"), "unreadable: it does not unpack"),
    ],
)
def test_a_line_that_is_none_is_its_ranks_failure(raw: bytes | Exception, why: str) -> None:
    class Odd(Made):
        def take(self, rank: int) -> bytes | None:
            if isinstance(raw, Exception):
                raise raw
            return raw

    kept = gathered_of(Odd({}, {}), 2)
    assert [line.state for line in kept] == ["done", "failed"]
    assert why in kept[1].why


def gathered_of(meeting: Made, size: int) -> list[RankLine]:
    kept: list[RankLine] = []
    gather(meeting, size, kept.append, 30.0, 0.3, lambda: None, own=RankLine(rank=0))  # type: ignore[arg-type]
    return kept


def test_a_store_that_is_lost_while_measuring_costs_no_record() -> None:
    class Lost(Made):
        def beat(self, doing: str) -> None:
            raise MeetingLost("the store does not answer: Broken pipe")

    me = Rank(world({}, "here"), Lost({}, {}), Stopping(), 60.0)  # type: ignore[arg-type]

    def measure(
        doing: Callable[[str], None], may_go: Callable[[], bool], stopped: Callable[[], str]
    ) -> Outcome:
        assert not stopped()
        doing("measuring matmul")
        assert may_go()
        return Outcome(state="partial", why=stopped(), record=b"{}")

    line = me.measured(measure)
    assert (line.state, line.why) == ("partial", "the store does not answer: Broken pipe")
    assert bytes(line.record) == b"{}"
    with pytest.raises(MeetingLost):
        me.hand_in(line)


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
