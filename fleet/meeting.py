"""Where the ranks meet: a TCPStore of torch.distributed, never a collective.

A collective waits for everybody; the store does not, so that a rank which has died or stands still
holds nobody up. Each rank counts its beats there, says what it is about, and hands in its record.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from datetime import timedelta

from roofwatch.fleet.world import World

JOIN_S = 120.0  # to find rank 0: the others may start minutes apart on a slow file system
ASK_S = 20.0  # for one answer of a store that is there
LEVEL = 1  # of zlib: a record comes to a fifth
MOST_BYTES = 64 << 20  # of a record


class MeetingLost(RuntimeError):
    """The store does not answer: rank 0, or torchrun's agent, has ended."""


class Meeting:
    """One rank's end of the store."""

    def __init__(self, world: World, join_s: float = JOIN_S) -> None:
        """Join, or hold the store where this is rank 0 and no agent does.

        Raises:
            MeetingLost: nobody is met.
        """
        import torch.distributed as dist

        holds = world.rank == 0 and not world.agent_store
        try:
            self._held = dist.TCPStore(  # type: ignore[attr-defined]
                world.address,
                world.port,
                is_master=holds,
                timeout=timedelta(seconds=join_s),
                wait_for_workers=False,
            )
        except (RuntimeError, ValueError) as error:
            what = f"rank 0 is not met at {world.address}:{world.port}: {_first(error)}"
            raise MeetingLost(what) from None
        self.address, self.port = world.address, self._held.port
        self._held.set_timeout(timedelta(seconds=ASK_S))
        self._store = dist.PrefixStore("roofwatch", self._held)  # type: ignore[attr-defined]
        self._rank = world.rank

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
            return _text(self._store.get(f"doing/{rank}")) if self.beats(rank) else ""

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
            return _text(self._store.get(f"said/{key}"))

    def count(self, key: str, by: int = 0) -> int:
        """A counter that all share."""
        with _lost():
            return int(self._store.add(f"count/{key}", by))

    def hand_in(self, line: bytes) -> None:
        """This rank's line."""
        with _lost():
            self._store.set(f"line/{self._rank}", zlib.compress(line, LEVEL))  # type: ignore[arg-type]
            self._store.add(f"in/{self._rank}", 1)

    def take(self, rank: int) -> bytes | None:
        """A rank's line, once: the store forgets it. None as long as it is not there."""
        with _lost():
            if self._store.add(f"in/{rank}", 0) <= 0:
                return None
            packed = self._store.get(f"line/{rank}")
            self._store.delete_key(f"line/{rank}")
            self._store.add(f"in/{rank}", -(1 << 20))  # taken
        unpack = zlib.decompressobj()
        return unpack.decompress(packed, MOST_BYTES)


def _text(raw: bytes | str) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def _first(error: Exception) -> str:
    from roofwatch.roofline.error_text import first_line

    return first_line(error)


@contextlib.contextmanager
def _lost() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise MeetingLost(f"the store does not answer: {_first(error)}") from None
