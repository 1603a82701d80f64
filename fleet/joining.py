"""Who belongs to a fleet: rank 0 says which one it is, each rank claims its number, once.

Two fleets may meet at one port, one of them by mistake. All that a fleet says stands in the store
under its id; a rank learns that from the one word outside it, and compares before it measures.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import msgspec

import roofwatch
from roofwatch.fleet.asking import Asked
from roofwatch.fleet.life import Life
from roofwatch.fleet.not_met import FAILED, USAGE, Ended, NotMet
from roofwatch.fleet.store_words import text_of
from roofwatch.fleet.world import BY_HAND, World
from roofwatch.session.events import UNDECODABLE
from roofwatch.session.fleet.lines import SCHEMA

ROOM = "roofwatch"  # before every key of ours
NOW, NOW_IS = "now", "is/now"  # the fleet that meets here, and whether one does
LOOK_S = 0.05
MOST_LOOK_S = 0.5
NEWER_S = (
    15.0  # for a fleet as new as this rank, where one lives: agents may count their starts apart
)


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """A fleet, as its rank 0 says it."""

    id: str
    world: int
    schema: str = SCHEMA
    roofwatch: str = ""
    launch: str = ""
    restart: int = 0
    host: str = ""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A rank's number, taken by a process."""

    host: str
    pid: int
    roofwatch: str
    token: str = ""  # no two processes have the same


class Refused(NotMet):
    """Another fleet meets here, or has the number already."""

    def __init__(self, world: World, said: str, fleet: str) -> None:
        super().__init__(said, USAGE if world.launcher == BY_HAND else FAILED)
        self.fleet = fleet  # that it was refused by


def publish(room: Asked, world: World, fleet: str, stopped: Callable[[], bool]) -> None:
    """Say that this fleet meets here. One of an earlier start of torchrun's gives way: where that
    has the same number, once it has ended.

    Raises:
        Refused: another's rank 0 is here.
        Ended: a signal came.
    """
    mine = Identity(
        id=fleet,
        world=world.size,
        roofwatch=roofwatch.__version__,
        launch=world.launch,
        restart=world.restart,
        host=world.host,
    )
    said = msgspec.json.encode(mine).decode()
    before = text_of(room.get(NOW)) if room.add(NOW_IS, 0) else ""
    there = _identity(before) if before else None
    if there is None or there.restart < world.restart or _ended(room, world, there, stopped):
        before = text_of(room.compare_set(NOW, before, said))
        there = _identity(before)
    if before != said:
        raise Refused(
            world, f"rank 0 of {_named(there)} is here already", there.id if there else ""
        )
    room.add(NOW_IS, 1)


def _ended(room: Asked, world: World, there: Identity, stopped: Callable[[], bool]) -> bool:
    """Whether it is a dead fleet of the same launch, in a store that outlives fleets."""
    if not world.agent_store or there.launch != world.launch:
        return False
    life = Life()
    life.look(room, there.id)
    while not (life.alive or life.ended):
        if stopped():
            raise Ended
        time.sleep(LOOK_S)
        life.look(room, there.id)
    return life.ended


def find(room: Asked, world: World, until_s: float, stopped: Callable[[], bool]) -> str:
    """The id of the fleet that meets here, once it is there and is this rank's own.

    Raises:
        NotMet: none is there in time.
        Refused: it is another.
        Ended: a signal came.
    """
    look_s = min(MOST_LOOK_S, LOOK_S * max(1.0, world.size / 64))
    newer_s, life, first = time.monotonic() + NEWER_S, Life(), ""
    where, met = f"{world.address}:{world.port}", "no fleet's rank 0"
    while True:
        if room.add(NOW_IS, 0):
            there = _identity(text_of(room.get(NOW)))
            if there is None:
                break
            first, met = first or there.id, f"only {_named(there)}, which has ended or will,"
            newer = there.restart >= world.restart or there.id != first
            life.look(room, there.id)
            # a store that rank 0 holds has ended with it
            lives = life.alive or not world.agent_store
            if lives and newer:
                break
            # an earlier start's, not yet aware whose place this rank takes, is none to join
            taken = world.agent_store and room.add(f"{there.id}/claimed/{world.rank}", 0) > 0
            if lives and not taken and time.monotonic() > newer_s:
                break
        if stopped():
            raise Ended
        if time.monotonic() > until_s:
            raise NotMet(f"{met} has come to {where}")
        time.sleep(look_s)
    if there is None or there.schema != SCHEMA:
        what = there.schema if there else "unreadable"
        said = f"{_named(there)} speaks another version ({what}, here {SCHEMA})"
        raise Refused(world, said, there.id if there else "")
    for what, theirs, ours in (
        ("WORLD_SIZE", there.world, world.size),
        ("launch", there.launch, world.launch),
    ):
        if theirs != ours and (what != "launch" or (theirs and ours)):
            said = f"{_named(there)} meets here: its {what} is {theirs}, this rank's {ours}"
            raise Refused(world, said, there.id)
    return there.id


def claim(store: Asked, world: World, fleet: str) -> None:
    """Take this rank's number.

    Raises:
        Refused: another process has it.
    """
    mine = Claim(
        host=world.host, pid=os.getpid(), roofwatch=roofwatch.__version__, token=os.urandom(8).hex()
    )
    said = msgspec.json.encode(mine).decode()
    there = text_of(store.compare_set(f"claim/{world.rank}", "", said))
    if there != said:
        by = claim_of(there)
        who = f"{by.host} (process {by.pid})" if by else "another process"
        raise Refused(world, f"rank {world.rank} of fleet {fleet} is taken, by {who}", fleet)
    store.add(f"claimed/{world.rank}", 1)


def claim_of(said: str) -> Claim | None:
    """A claim as it stands in the store; None of what is none."""
    try:
        return msgspec.json.decode(said, type=Claim)
    except UNDECODABLE:
        return None


def _identity(said: str) -> Identity | None:
    try:
        return msgspec.json.decode(said, type=Identity)
    except UNDECODABLE:
        return None


def _named(there: Identity | None) -> str:
    return f"fleet {there.id} of {there.host}" if there else "another fleet"
