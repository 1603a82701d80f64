"""Rank 0 takes each rank's line as it comes, and names those that died or stand still."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import msgspec

from roofwatch.fleet.life import STILL_S
from roofwatch.fleet.meeting import Meeting, Unreadable
from roofwatch.fleet.not_met import MeetingLost
from roofwatch.session.events import UNDECODABLE
from roofwatch.session.fleet.lines import ABSENT, FAILED, SILENT, RankLine

LOOK_S = 0.05
BEATS_S = 1.0  # between two looks at the beats of those that are waited for
STILL_HURRY_S = 5.0  # once a signal has come
MOST_LOOK_S = 0.5

_decoder = msgspec.json.Decoder(RankLine)


class Waiting:
    """The ranks whose lines have not come, and when each rank was last heard of."""

    def __init__(self, size: int, since_s: float | None = None) -> None:
        """``since_s``, by the monotonic clock: since when they are waited for, if not from now."""
        now_s = time.monotonic() if since_s is None else since_s
        self.ranks = set(range(size))
        self.others = range(size)  # that are heard
        self._heard = dict.fromkeys(range(size), (0, now_s))

    def hear(self, meeting: Meeting, ranks: Iterable[int]) -> None:
        """Look at the beats of these."""
        now_s = time.monotonic()
        for rank in ranks:
            beats = meeting.beats(rank)
            if beats != self._heard[rank][0]:
                self._heard[rank] = beats, now_s

    def silent_s(self, rank: int) -> float:
        """Since its last beat."""
        return time.monotonic() - self._heard[rank][1]

    def beats(self, rank: int) -> int:
        """How often it had beaten at the last look."""
        return self._heard[rank][0]

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
    own: RankLine | None = None,
    since_s: float | None = None,
) -> Waiting:
    """Until each rank's line is here or it is given up: silent for 20 s, or past the time.

    One that never came is given up ``join_s`` after ``since_s``: the ranks before this were
    waiting for it too, and measured. Without it that counts from now, as ``timeout_s`` does.

    Returns when each was last heard of, those too whose line came early.

    ``hurry_s`` says how long may still be waited once a signal has come; ``look`` is called every
    round; ``own`` is rank 0's line, which needs no store.

    Raises:
        MeetingLost: the store is gone; the ranks that it owed a line are told so.
    """
    waiting = Waiting(size, since_s)
    if own is not None:
        waiting.ranks.discard(own.rank)
        keep(own)
    try:
        _gather(meeting, waiting, keep, timeout_s, join_s, hurry_s, look)
    except MeetingLost:
        for rank in sorted(waiting.ranks):
            keep(RankLine(rank=rank, state=SILENT, why="the store was lost before its record came"))
        raise
    return waiting


def _gather(
    meeting: Meeting,
    waiting: Waiting,
    keep: Callable[[RankLine], None],
    timeout_s: float,
    join_s: float,
    hurry_s: Callable[[], float | None],
    look: Callable[[], None],
) -> None:
    began_s = time.monotonic()
    heard_s = 0.0
    while waiting.ranks:
        look()
        for rank in sorted(waiting.ranks):
            line = _line(meeting, rank)
            if line is not None:
                waiting.ranks.discard(rank)
                keep(line)
        now_s = time.monotonic()
        if waiting.ranks and now_s - heard_s > BEATS_S:
            heard_s = now_s
            waiting.hear(meeting, waiting.others)
        hurry = hurry_s()
        over = now_s - began_s > timeout_s or (hurry is not None and hurry <= 0)
        for rank in sorted(waiting.ranks):
            came = waiting.came(rank)
            most_s = STILL_S if came else join_s
            if hurry is not None:
                most_s = min(most_s, STILL_HURRY_S)
            if over or waiting.silent_s(rank) > most_s:
                waiting.ranks.discard(rank)
                quiet = waiting.silent_s(rank) > most_s - BEATS_S  # it is heard so late
                keep(_given_up(meeting, rank, waiting, now_s - began_s, quiet))
        if waiting.ranks:
            time.sleep(min(MOST_LOOK_S, LOOK_S * max(1.0, len(waiting.ranks) / 64)))


def _line(meeting: Meeting, rank: int) -> RankLine | None:
    """A rank's line, if it has come. One that is none, or another's, is that rank's failure."""
    try:
        raw = meeting.take(rank)
        if raw is None:
            return None
        raw.decode()  # a record is kept as it came, and the decoder does not look into it
        line = _decoder.decode(raw)
        why = f"it is of rank {line.rank}" if line.rank != rank else ""
    except (Unreadable, *UNDECODABLE) as error:
        why = str(error)
    if not why:
        return line
    host, node, card = _place(meeting, rank)
    said = f"its line is unreadable: {why}"
    return RankLine(rank=rank, host=host, node=node, card=card, state=FAILED, why=said)


def _place(meeting: Meeting, rank: int) -> tuple[str, str, int]:
    told = (meeting.said(f"host/{rank}") or "").rsplit("/", 2)
    host, node, card = told if len(told) == 3 else ("", "", "")
    small = card.isascii() and card.isdigit() and len(card) < 7
    return host, node, int(card) if small else 0


def _given_up(
    meeting: Meeting, rank: int, waiting: Waiting, after_s: float, quiet: bool
) -> RankLine:
    """Of one that came; ``quiet``: so long that it counts as dead, however much time is left."""
    host, node, card = _place(meeting, rank)
    silent = waiting.silent_s(rank)
    if not waiting.came(rank):
        return RankLine(rank=rank, state=ABSENT, why=f"never came, in {silent:.0f} s")
    last = f"last word: {meeting.doing(rank) or 'none'}"
    why = (
        f"no sign of life for {silent:.0f} s: killed, or it hangs"
        if quiet
        else f"not done after {after_s:.0f} s"
    )
    return RankLine(
        rank=rank,
        host=host,
        node=node,
        card=card,
        state=SILENT,
        why=f"{why}; {last}",
    )
