"""Rank 0 takes each rank's line as it comes, and names those that died or stand still."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from roofwatch.fleet.meeting import Meeting
from roofwatch.session.fleet.lines import ABSENT, SILENT, RankLine

LOOK_S = 0.05
BEATS_S = 1.0  # between two looks at the beats of those that are waited for
STILL_S = 20.0  # without a beat: a rank beats once a second, whatever it measures
STILL_HURRY_S = 5.0  # once a signal has come
MOST_LOOK_S = 0.5

_decoder = msgspec.json.Decoder(RankLine)


class Waiting:
    """The ranks whose lines have not come, and when each was last heard of."""

    def __init__(self, size: int) -> None:
        now_s = time.monotonic()
        self.ranks = set(range(size))
        self._heard = dict.fromkeys(range(size), (0, now_s))

    def hear(self, meeting: Meeting) -> None:
        """Look at the beats."""
        now_s = time.monotonic()
        for rank in self.ranks:
            beats = meeting.beats(rank)
            if beats != self._heard[rank][0]:
                self._heard[rank] = beats, now_s

    def silent_s(self, rank: int) -> float:
        """Since its last beat."""
        return time.monotonic() - self._heard[rank][1]

    def came(self, rank: int) -> bool:
        """Whether it was ever heard."""
        return self._heard[rank][0] > 0


def gather(
    meeting: Meeting,
    size: int,
    keep: Callable[[RankLine], None],
    timeout_s: float,
    join_s: float,
    hurry_s: Callable[[], float | None],
    look: Callable[[], None] = lambda: None,
) -> None:
    """Until each rank's line is here or it is given up: silent for 20 s, or past the time.

    ``hurry_s`` says how long may still be waited once a signal has come; ``look`` is called every
    round.
    """
    began_s = time.monotonic()
    waiting = Waiting(size)
    heard_s = 0.0
    while waiting.ranks:
        look()
        for rank in sorted(waiting.ranks):
            raw = meeting.take(rank)
            if raw is not None:
                waiting.ranks.discard(rank)
                keep(_decoder.decode(raw))
        now_s = time.monotonic()
        if waiting.ranks and now_s - heard_s > BEATS_S:
            heard_s = now_s
            waiting.hear(meeting)
        hurry = hurry_s()
        over = now_s - began_s > timeout_s or (hurry is not None and hurry <= 0)
        for rank in sorted(waiting.ranks):
            came = waiting.came(rank)
            most_s = STILL_S if came else join_s
            if hurry is not None:
                most_s = min(most_s, STILL_HURRY_S)
            if over or waiting.silent_s(rank) > most_s:
                waiting.ranks.discard(rank)
                keep(_given_up(meeting, rank, waiting, now_s - began_s))
        if waiting.ranks:
            time.sleep(min(MOST_LOOK_S, LOOK_S * max(1.0, len(waiting.ranks) / 64)))


def _given_up(meeting: Meeting, rank: int, waiting: Waiting, after_s: float) -> RankLine:
    told = (meeting.said(f"host/{rank}") or "").rsplit("/", 2)
    host, node, card = told if len(told) == 3 else ("", "", "")
    if not waiting.came(rank):
        return RankLine(rank=rank, state=ABSENT, why=f"never came, in {after_s:.0f} s")
    silent = waiting.silent_s(rank)
    last = f"last word: {meeting.doing(rank) or 'none'}"
    still = silent > 0.8 * STILL_HURRY_S
    why = (
        f"no sign of life for {silent:.0f} s: killed, or it hangs"
        if still
        else f"not done after {after_s:.0f} s"
    )
    return RankLine(
        rank=rank,
        host=host,
        node=node,
        card=int(card) if card.isdigit() else 0,
        state=SILENT,
        why=f"{why}; {last}",
    )
