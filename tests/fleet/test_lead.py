"""Rank 0's last duties, against a meeting that is made up."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from roofwatch.fleet import lead as leading
from roofwatch.fleet.lead import Lead
from roofwatch.fleet.rank import LEFT, Rank
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import world
from roofwatch.session.fleet.lines import ABSENT, RankLine


class Made:
    """A meeting that so many have left, one more at each look."""

    def __init__(self, leaves: int) -> None:
        self.left, self._leaves = 0, leaves

    def count(self, key: str, by: int = 0) -> int:
        assert (key, by) == (LEFT, 0)
        self.left = min(self.left + 1, self._leaves)
        return self.left

    def say(self, key: str, text: str) -> None:
        pass


@pytest.fixture
def lead() -> Lead:
    made = Lead(Path(os.devnull), keep_records=False)
    for rank in range(4):
        made.rank(RankLine(rank=rank, host="n", node="0", card=rank))
    made.rank(RankLine(rank=4, state=ABSENT, why="never came"))
    return made


def me(meeting: Made) -> Rank:
    return Rank(world({}, "here"), meeting, Stopping(), 60.0)  # type: ignore[arg-type]


def test_rank_0_leaves_last_and_waits_for_none_that_never_came(lead: Lead) -> None:
    meeting = Made(3)
    lead.see_off(me(meeting))
    assert meeting.left == 3


def test_one_that_does_not_leave_is_not_waited_for(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leading, "LEAVE_S", 0.2)
    began = time.monotonic()
    lead.see_off(me(Made(2)))
    assert time.monotonic() - began < 2


def test_a_host_that_two_nodes_have_is_numbered_and_an_absent_rank_has_none(lead: Lead) -> None:
    lead.rank(RankLine(rank=5, host="n", node="1"))
    assert list(lead.fleet.nodes) == ["n", "n#2"]
    assert lead.fleet.ranks[4].node == ""


@pytest.mark.parametrize(
    ("doing", "said"),
    [("importing torch", "importing torch"), ("measuring all_reduce 64 B", "all_reduce")],
)
def test_progress_says_what_the_links_are_at(doing: str, said: str) -> None:
    assert leading._step(doing) == said
