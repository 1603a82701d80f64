"""What rank 0 does besides: keep every line, plan the links, and end the file."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

import roofwatch
from roofwatch.fleet.gather import gather
from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.rank import LEFT, NO_LINKS, OVER, PLAN, Rank
from roofwatch.session import kept_file
from roofwatch.session.asked import birth
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import fleets_folder
from roofwatch.session.fleet.lines import (
    DONE,
    FAILED,
    PARTIAL,
    SCHEMA,
    AnyLine,
    EndLine,
    Header,
    NoteLine,
    RankLine,
    encode,
)
from roofwatch.session.fleet.missing_links import NO_LINKS as WITHOUT_LINKS
from roofwatch.session.kept_file import SessionFile

LOOK_S = 0.05
LINKS_STILL_S = 90.0  # at one step of the links; a collective itself is given up after 60
GRACE_S = 10.0  # for our own part to notice that another's has ended
LEAVE_S = 3.0  # for the others to leave the store: they look at it ten times a second
LEVEL = 6  # of zlib, for records that are kept to be printed


class Lead:
    """Rank 0's books: the fleet's fold, its file, and the records for ``--json``."""

    def __init__(self, save: Path | None, keep_records: bool) -> None:
        """Open the file.

        Raises:
            SaveRefused: it cannot be the one to save to.
        """
        self.fleet = Fleet()
        stamp, self._started_at, self._id = birth()
        folder = fleets_folder() if save is None else None
        self.file: SessionFile = kept_file.create(save, stamp, f"fleet-{self._id}", folder)
        self._began_s = time.monotonic()
        self._records: dict[int, bytes] | None = {} if keep_records else None
        self._hosts: dict[tuple[str, str], str] = {}

    def begin(
        self, world: int, suite: str, device: str, launcher: str, torch: str, nccl: str = ""
    ) -> None:
        """The first line."""
        self.keep(
            Header(
                schema=SCHEMA,
                id=self._id,
                started_at=self._started_at,
                world=world,
                suite=suite,
                device=device,
                launcher=launcher,
                roofwatch=roofwatch.__version__,
                torch=torch,
                nccl=nccl,
            )
        )

    def keep(self, line: AnyLine) -> None:
        """Into the file and the fold. A record that is none is said, and left out."""
        try:
            self.fleet.add(line)
        except msgspec.DecodeError as error:
            assert isinstance(line, RankLine)
            line = msgspec.structs.replace(
                line, state="failed", why=f"its record is unreadable: {error}", record=msgspec.Raw()
            )
            self.fleet.add(line)
        self.file.append(encode(line))

    def rank(self, line: RankLine) -> None:
        """A rank's line: its node gets a name of its own where two hosts have one."""
        if line.host:
            of_host = [key for key in self._hosts if key[0] == line.host]
            key = (line.host, line.node)
            if key not in self._hosts:
                self._hosts[key] = f"{line.host}#{len(of_host) + 1}" if of_host else line.host
            line = msgspec.structs.replace(line, node=self._hosts[key])
        self.keep(line)
        if self._records is not None:
            self._records[line.rank] = zlib.compress(encode(line), LEVEL)

    def lines(self) -> Iterator[RankLine]:
        """The ranks' lines with their records, by number."""
        decoder = msgspec.json.Decoder(RankLine)
        for rank in sorted(self._records or {}):
            yield decoder.decode(zlib.decompress((self._records or {})[rank]))

    def note(self, text: str, rank: int | None = None) -> None:
        """For whoever reads the report."""
        self.keep(NoteLine(t=self._now(), text=text, rank=rank))

    def _now(self) -> float:
        return round(time.monotonic() - self._began_s, 3)

    def collect(
        self, me: Rank, timeout_s: float, join_s: float, tell: Callable[[str], None]
    ) -> None:
        """Every rank's line."""
        size, told = me.world.size, [0]

        def keep(line: RankLine) -> None:
            self.rank(line)
            told[0] += 1
            if size <= 16 or line.state != DONE:
                why = f": {line.why}" if line.why else ""
                tell(f"rank {line.rank} {line.state}{why} ({told[0]} of {size})")

        gather(
            me.meeting,
            size,
            keep,
            timeout_s,
            join_s,
            me.stopping.hurry_s,
            lambda: me.beat("gathering"),
        )

    def plan(self, me: Rank, device: str, most_bytes: int | None) -> Plan | None:
        """Who takes part in the links: those that have handed in and wait. None of fewer than 2."""
        nodes = {
            name: [r.rank for r in ranks if r.state in (DONE, PARTIAL)]
            for name, ranks in self.fleet.nodes.items()
        }
        nodes = {name: ranks for name, ranks in nodes.items() if ranks}
        members = [rank for ranks in nodes.values() for rank in ranks]
        if len(members) < 2:
            return None
        place = {rank: i for i, rank in enumerate(members)}
        return Plan(
            members=members,
            nodes=[[place[r] for r in ranks] for ranks in nodes.values()],
            names=list(nodes),
            address=me.meeting.address,
            port=me.meeting.port,
            device=device,
            most_bytes=most_bytes,
        )

    def links(self, me: Rank, plan: Plan, own_device: str, tell: Callable[[str], None]) -> str:
        """Measure them with the others; why it ended early, or nothing."""
        me.meeting.say(PLAN, msgspec.json.encode(plan).decode())
        own = msgspec.structs.replace(plan, device=own_device)
        place = plan.members.index(me.world.rank)
        process = LinksProcess(own, place)
        given_up_s: float | None = None
        why, doing = "", process.doing
        try:
            while not process.over():
                self._take(process)
                me.beat(f"links: {process.doing}")
                if (step := _step(process.doing)) != doing:
                    doing = step
                    tell(f"links: {doing}")
                failed = me.meeting.said("links/failed")
                now_s = time.monotonic()
                if failed is not None and given_up_s is None:
                    given_up_s = now_s + GRACE_S
                    why = self._failed(me, int(failed))
                if me.stopping.number:
                    return me.stopping.why
                if process.still_s > LINKS_STILL_S:
                    return why or f"hangs at {process.doing}"
                if given_up_s is not None and now_s > given_up_s:
                    return why
                time.sleep(LOOK_S)
            return why or process.how()
        finally:
            self._take(process)
            process.kill()

    def _failed(self, me: Rank, rank: int) -> str:
        r = self.fleet.ranks.get(rank)
        how = me.meeting.said(f"links/{rank}") or "ended"
        return f"rank {rank} ({r.place if r else '?'}): {how}"

    def _take(self, process: LinksProcess) -> None:
        for line in process.lines():
            self.keep(line)

    def no_links(self, me: Rank, why: str = "") -> None:
        """Nobody need wait for a plan; ``why`` is for whoever reads the report."""
        me.meeting.say(PLAN, NO_LINKS)
        if why:
            self.note(f"{WITHOUT_LINKS}{why}")

    def end(self, me: Rank | None, complete: bool, why: str) -> None:
        """The last line; the others may go."""
        self.keep(EndLine(t=self._now(), complete=complete, why=why))
        self.file.close()
        if me is not None:
            me.meeting.say(OVER, why)

    def see_off(self, me: Rank) -> None:
        """Wait until those that are there have left: rank 0 holds the store, and whoever still asks
        it when it goes prints torch's backtrace."""
        there = sum(r.state in (DONE, PARTIAL, FAILED) for r in self.fleet.in_order) - 1
        until_s = time.monotonic() + LEAVE_S
        while me.meeting.count(LEFT) < there and time.monotonic() < until_s:
            time.sleep(LOOK_S)


def _step(doing: str) -> str:
    """What the links' process is at, as progress says it: "all_reduce", "importing torch"."""
    return doing.removeprefix("measuring ").split(" ")[0] if "measuring" in doing else doing
