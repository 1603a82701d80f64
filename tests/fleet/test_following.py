"""What a rank does once it has handed in, against a meeting that is made up."""

from __future__ import annotations

import signal
import time

import msgspec
import pytest

from roofwatch.fleet import rank as ranks
from roofwatch.fleet.life import OVER
from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_fault import KILLED, SAID, Fault
from roofwatch.fleet.not_met import MeetingLost
from roofwatch.fleet.rank import NO_LINKS, PLAN, Rank
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import world
from roofwatch.session.fleet.lines import FAILED, RankLine

HERE = world({"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "n"}, "n")


class Made:
    """A meeting at which rank 0 says something at a look, and beats until another."""

    def __init__(self, says: dict[str, tuple[int, str]], beats_until: int = 1 << 30) -> None:
        self.looks, self._says, self._beats_until = 0, says, beats_until
        self.told: dict[str, str] = {}

    def said(self, key: str) -> str | None:
        self.looks += 1
        at, text = self._says.get(key, (1 << 30, ""))
        return text if self.looks >= at else None

    def beats(self, rank: int) -> int:
        assert rank == 0
        return min(self.looks, self._beats_until)

    def beat(self, doing: str) -> None:
        pass

    def say(self, key: str, text: str) -> None:
        self.told[key] = text

    def count(self, key: str, by: int = 0) -> int:
        return 1

    def hand_in(self, line: bytes) -> None:
        pass


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "BEAT_S", 0.01)
    monkeypatch.setattr(ranks, "LINKS_LOOK_S", 0.01)
    monkeypatch.setattr(ranks, "LEAD_STILL_S", 0.3)


class Signalled(Stopping):
    """As if a signal had come; no handler is set."""

    def __init__(self, number: int = 0, agent: bool = False) -> None:
        self._agent, self.number = agent, number


def follower(made: Made, stopping: Stopping, timeout_s: float = 0.01) -> Rank:
    return Rank(HERE, made, stopping, timeout_s)  # type: ignore[arg-type]


def test_the_plan_is_waited_for_past_the_suites_time() -> None:
    made = Made({PLAN: (60, NO_LINKS), OVER: (70, "")})
    follower(made, Signalled()).follow()
    assert made.looks >= 70


@pytest.mark.parametrize("planned", [False, True])
def test_a_rank_0_that_beats_no_more_is_said(planned: bool) -> None:
    made = Made({PLAN: (5, NO_LINKS)} if planned else {}, beats_until=20)
    with pytest.raises(MeetingLost, match="rank 0 gives no sign of life for 0 s"):
        follower(made, Signalled()).follow()


@pytest.mark.parametrize(("agent", "cause"), [(False, KILLED), (True, SAID)])
@pytest.mark.parametrize("takes_part", [False, True])
def test_a_rank_that_a_signal_ends_says_so(
    agent: bool, cause: str, takes_part: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping = Signalled(agent=agent)

    class Links:
        doing, silent_s = "measuring", 0.0

        def __init__(self, *_: object) -> None:
            stopping.number = signal.SIGTERM

        def over(self) -> bool:
            return False

        def kill(self) -> None:
            pass

    monkeypatch.setattr(ranks, "LinksProcess", Links)
    plan = Plan(members=[0, 1], nodes=[[0, 1]], names=["n"], address="n", port=1, device="cpu")
    said = msgspec.json.encode(plan).decode()
    made = Made({PLAN: (3, said)} if takes_part else {})
    me = follower(made, stopping)
    me.hand_in(RankLine(rank=1))
    if not takes_part:
        stopping.number = signal.SIGTERM
    me.follow()
    fault = msgspec.json.decode(made.told["links/1"], type=Fault)
    assert (fault.cause, fault.how) == (cause, "ended by SIGTERM")


def test_a_rank_whose_process_cannot_be_started_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> object:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(ranks, "LinksProcess", none)
    plan = Plan(members=[0, 1], nodes=[[0, 1]], names=["n"], address="n", port=1, device="cpu")
    made = Made({PLAN: (3, msgspec.json.encode(plan).decode()), OVER: (9, "")})
    follower(made, Signalled()).follow()
    fault = msgspec.json.decode(made.told["links/1"], type=Fault)
    assert fault.cause == SAID
    assert fault.how == "its process cannot be started: Cannot allocate memory"


def test_one_that_would_not_be_planned_says_nothing_of_links() -> None:
    made = Made({})
    me = follower(made, Signalled(signal.SIGTERM))
    me.hand_in(RankLine(rank=1, state=FAILED))
    me.follow()
    assert "links/1" not in made.told


def test_waiting_for_a_rank_that_is_missing_is_none_of_the_suites_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranks, "READY_S", 0.4)
    me = follower(Made({}), Signalled(), timeout_s=0.2)
    began = time.monotonic()
    while not me.may_go():
        assert me.stopped() == ""
        time.sleep(0.01)
    assert time.monotonic() - began >= 0.4  # twice the suite's
    assert me.stopped() == ""
    time.sleep(0.25)
    assert me.stopped() == "not done after 0 s"
