"""The steps of the links' process: what it says while it waits, and whose patience ends first."""

from __future__ import annotations

import pytest

from roofwatch.fleet import links
from roofwatch.fleet.lead import _step
from roofwatch.fleet.links import BARRIER_S, PATIENCE_S, STILL_S, Plan, _Member


class Store:
    """Counts those that come to a barrier; another comes at each look."""

    def __init__(self, come: int) -> None:
        self.here, self._come = 0, come

    def add(self, key: str, by: int) -> int:
        assert key == "roofwatch/here/inside"
        self.here = min(self.here + 1, self._come)
        return self.here


class Instrument:
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, state: str, probe: str | None = None) -> None:
        self.said.append(state)


def waited(come: int) -> Instrument:
    instrument = Instrument()
    ranks = list(range(4))
    plan = Plan(members=ranks, nodes=[ranks], names=["n"], address="n", port=1, device="cpu")
    me = _Member(plan, 0, None, Store(come), instrument)  # type: ignore[arg-type]
    me.all_here("inside", "waiting for the other nodes")
    return instrument


def test_who_waits_for_the_others_says_so() -> None:
    assert waited(4).said == ["waiting for the other nodes"]


def test_those_who_do_not_come_are_told_before_rank_0_gives_up_the_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert PATIENCE_S < BARRIER_S < STILL_S
    monkeypatch.setattr(links, "BARRIER_S", 0.1)
    with pytest.raises(RuntimeError, match="not all ranks came to inside in 0 s"):
        waited(3)


def test_rounds_of_pairs_are_steps_of_their_own_and_one_line_of_progress() -> None:
    said = ["measuring pairs 1 of 2, waiting for the others", "measuring pairs 1 of 2"]
    assert {_step(each) for each in said} == {"pairs"}
    assert _step("waiting for the other nodes") == "waiting for the other nodes"
