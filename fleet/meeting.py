"""Where the ranks meet: a TCPStore of torch.distributed, never a collective.

A collective waits for everybody; the store does not, so that a rank which has died or stands still
holds nobody up. Each rank counts its beats there, says what it is about, and hands in its record.
"""

from __future__ import annotations

import contextlib
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta

from roofwatch.fleet.asking import Asked, Asking
from roofwatch.fleet.joining import ROOM, Claim, Refused, claim, claim_of, find, publish
from roofwatch.fleet.not_met import Ended, MeetingLost, NotMet
from roofwatch.fleet.reaching import reach
from roofwatch.fleet.store_words import in_words, text_of
from roofwatch.fleet.world import World
from roofwatch.roofline.error_text import first_line

JOIN_S = 120.0  # to find rank 0: the others may start minutes apart on a slow file system
ASK_S = 20.0  # for one answer of a store that is there
MORE_S = 1.0  # than that, for torch to say itself what it waited for
LEVEL = 1  # of zlib: a record comes to a fifth
MOST_BYTES = 64 << 20  # of a record


class Unreadable(ValueError):
    """A line that is none; the rest of the message says how."""


class Meeting:
    """One rank's end of the store."""

    def __init__(
        self,
        world: World,
        fleet: str = "",
        join_s: float = JOIN_S,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Join; or begin the meeting of ``fleet``, an id, where this is rank 0.

        Raises:
            NotMet: nobody is met within ``join_s``, or another fleet.
            Ended: a signal came (``stopped``).
            MeetingLost: the store was lost again.
        """
        import torch.distributed  # noqa: F401  # may take long, and is not the others' time

        until_s = time.monotonic() + join_s
        self._held = reach(world, join_s, stopped, tell)
        self.address, self.port = world.address, self._held.port
        self._held.set_timeout(timedelta(seconds=ASK_S))
        self._asking = Asking(ASK_S + MORE_S, stopped)
        self._rank = world.rank
        room = self._under(ROOM)
        with _lost():
            if world.rank == 0:
                publish(room, world, fleet, stopped)
                self.fleet = fleet
            else:
                try:
                    self.fleet = find(room, world, until_s, stopped)
                except Refused as refused:
                    self._tell_of(room, world, refused)
                    raise
            self._store = self._under(f"{ROOM}/{self.fleet}")
            try:
                claim(self._store, world, self.fleet)
            except Refused as refused:
                self._tell_of(room, world, refused)
                raise

    @property
    def hangs(self) -> bool:
        """Whether a call into torch is still under way, so that the process has to end at once."""
        return self._asking.hangs

    def _under(self, prefix: str) -> Asked:
        import torch.distributed as dist

        return Asked(dist.PrefixStore(prefix, self._held), self._asking)  # type: ignore[attr-defined]

    def _tell_of(self, room: Asked, world: World, refused: Refused) -> None:
        """Rank 0 of the other fleet should know who was at its door."""
        if not refused.fleet:
            return
        self._store = self._under(f"{ROOM}/{refused.fleet}")
        which = f"rank {world.rank} of {world.size} on {world.host}"
        self.say(f"refused/{self.count('refused', 1)}", f"{which} was refused: {refused}")

    def refused(self, most: int) -> list[str]:
        """Who was turned away, the first so many."""
        heard = (self.said(f"refused/{i + 1}") for i in range(min(most, self.count("refused"))))
        return [said for said in heard if said is not None]

    def claim(self, rank: int) -> Claim | None:
        """The process that has a rank's number; None as long as none has."""
        with _lost():
            if not self._store.add(f"claimed/{rank}", 0):
                return None
            return claim_of(text_of(self._store.get(f"claim/{rank}")))

    def beat(self, doing: str) -> None:
        """A sign of life, and what this rank is about."""
        with _lost():
            self._store.set(f"doing/{self._rank}", doing[:200])
            self._store.add(f"beat/{self._rank}", 1)

    def beats(self, rank: int) -> int:
        """How often a rank has beaten; 0 of one that never came."""
        with _lost():
            return int(self._store.add(f"beat/{rank}", 0))

    def doing(self, rank: int) -> str:
        """What it said last."""
        with _lost():
            return text_of(self._store.get(f"doing/{rank}")) if self.beats(rank) else ""

    def say(self, key: str, text: str) -> None:
        """Something for the others."""
        with _lost():
            self._store.set(f"said/{key}", text)
            self._store.add(f"is/{key}", 1)

    def said(self, key: str) -> str | None:
        """What was said under a key; None as long as nobody has."""
        with _lost():
            if not self._store.add(f"is/{key}", 0):
                return None
            return text_of(self._store.get(f"said/{key}"))

    def count(self, key: str, by: int = 0) -> int:
        """A counter that all share."""
        with _lost():
            return int(self._store.add(f"count/{key}", by))

    def hand_in(self, line: bytes) -> None:
        """This rank's line."""
        with _lost():
            self._store.set(f"line/{self._rank}", zlib.compress(line, LEVEL))
            self._store.add(f"in/{self._rank}", 1)

    def take(self, rank: int) -> bytes | None:
        """A rank's line, once: the store forgets it. None as long as it is not there.

        Raises:
            Unreadable: it does not unpack.
        """
        with _lost():
            if self._store.add(f"in/{rank}", 0) <= 0:
                return None
            packed = self._store.get(f"line/{rank}")
            self._store.delete_key(f"line/{rank}")
            self._store.add(f"in/{rank}", -(1 << 20))  # taken
        unpack = zlib.decompressobj()
        try:
            line = unpack.decompress(packed, MOST_BYTES)
        except zlib.error as error:
            raise Unreadable(f"it does not unpack ({error})") from None
        if not unpack.eof:
            raise Unreadable(f"it is cut short, or longer than {MOST_BYTES >> 20} MiB")
        return line


@contextlib.contextmanager
def _lost() -> Iterator[None]:
    try:
        yield
    except (MeetingLost, NotMet, Ended):
        raise
    except RuntimeError as error:
        raise MeetingLost(f"the store does not answer: {in_words(first_line(error))}") from None
