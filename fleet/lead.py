"""What rank 0 does besides: keep every line, plan the links, and end the file."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

import roofwatch
from roofwatch.fleet.gather import Waiting, gather
from roofwatch.fleet.life import OVER
from roofwatch.fleet.links import STILL_S, Plan
from roofwatch.fleet.links_fault import (
    BROKEN,
    FAULTS,
    SILENT,
    Fault,
    certain,
    culprit,
    fault_of,
    faults_heard,
    not_started,
)
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.not_met import MeetingLost
from roofwatch.fleet.other_schema import other_schema
from roofwatch.fleet.rank import LEFT, NO_LINKS, PLAN, TAKES_PART, Rank
from roofwatch.fleet.roll_call import roll_call
from roofwatch.session import kept_file
from roofwatch.session.asked import birth
from roofwatch.session.events import UNDECODABLE
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import fleets_folder
from roofwatch.session.fleet.lines import (
    DONE,
    FAILED,
    NO_RECORD,
    PARTIAL,
    SCHEMA,
    AnyLine,
    EndLine,
    GoneLine,
    Header,
    NoteLine,
    RankLine,
    encode,
)
from roofwatch.session.fleet.lines import SILENT as SILENT_RANK
from roofwatch.session.fleet.missing_links import NO_LINKS as WITHOUT_LINKS
from roofwatch.session.kept_file import SessionFile

LOOK_S = 0.05
GRACE_S = 10.0  # for every rank to say how its own part ended: the cause is one's alone
LEAVE_S = 5.0  # for the others to leave the store: they look at it ten times a second
MOST_REFUSED = 8  # that are noted
DEAD = "no sign of life: killed, or it hangs"
LEVEL = 6  # of zlib, for records that are kept to be printed


class Lead:
    """Rank 0's books: the fleet's fold, its file, and the records for ``--json``."""

    def __init__(self, save: Path | None, keep_records: bool) -> None:
        """Open the file.

        Raises:
            SaveRefused: it cannot be the one to save to.
        """
        self.fleet = Fleet()
        stamp, self._started_at, self.id = birth()
        folder = fleets_folder() if save is None else None
        self._made = save is None or not os.path.lexists(save)  # else it is somebody's
        self.file: SessionFile = kept_file.create(save, stamp, f"fleet-{self.id}", folder)
        self._began_s = time.monotonic()
        self._records: dict[int, bytes] | None = {} if keep_records else None
        self._hosts: dict[tuple[str, str], str] = {}
        self._heard: Waiting | None = None
        self._gone: set[int] = set()  # since their lines came
        self._strange = 0  # faults said by ranks that are not in the plan

    def abandon(self) -> None:
        """Nobody is met: no empty file stays behind."""
        if self._made and not self.file.size_bytes:
            self.file.discard()
        self.file.close()

    def begin(
        self, world: int, suite: str, device: str, launcher: str, torch: str, nccl: str = ""
    ) -> None:
        """The first line."""
        self.keep(
            Header(
                schema=SCHEMA,
                id=self.id,
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

    def keep(self, line: AnyLine) -> AnyLine:
        """Into the file and the fold; the line as it is kept. A record that is none is said, and
        left out."""
        try:
            self.fleet.add(line)
        except UNDECODABLE as error:
            assert isinstance(line, RankLine)
            why = f"its record is unreadable: {error}"
            line = msgspec.structs.replace(line, state=FAILED, why=why, record=NO_RECORD)
            self.fleet.add(line)
        self.file.append(encode(line))
        return line

    def rank(self, line: RankLine) -> None:
        """A rank's line: its node gets a name of its own where two hosts have one."""
        if line.host:
            of_host = [key for key in self._hosts if key[0] == line.host]
            key = (line.host, line.node)
            if key not in self._hosts:
                self._hosts[key] = f"{line.host}#{len(of_host) + 1}" if of_host else line.host
            line = msgspec.structs.replace(line, node=self._hosts[key])
        kept = self.keep(line)
        if schema := other_schema(line):
            self.note(f"its record is of another version: {schema}", line.rank)
        if self._records is not None:
            self._records[line.rank] = zlib.compress(encode(kept), LEVEL)

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
        self,
        me: Rank,
        own: RankLine,
        timeout_s: float,
        join_s: float,
        tell: Callable[[str], None],
    ) -> None:
        """Every rank's line; ``own`` is rank 0's.

        Raises:
            MeetingLost: the store is gone; every rank has a line all the same.
        """
        size, told = me.world.size, [0]

        def keep(line: RankLine) -> None:
            self.rank(line)
            told[0] += 1
            if size <= 16 or line.state != DONE:
                why = f": {line.why}" if line.why else ""
                tell(f"rank {line.rank} {line.state}{why} ({told[0]} of {size})")

        self._heard = gather(
            me.meeting,
            size,
            keep,
            timeout_s,
            join_s,
            me.stopping.hurry_s,
            lambda: me.beat("gathering"),
            own,
            me.met_s,
        )
        self._note_versions(me)

    def _note_versions(self, me: Rank) -> None:
        """Ranks that run another roofwatch."""
        others: dict[str, list[int]] = {}
        for rank in range(1, me.world.size):
            claim = me.meeting.claim(rank)
            if claim is not None and claim.roofwatch != roofwatch.__version__:
                others.setdefault(claim.roofwatch, []).append(rank)
        for version, ranks in others.items():
            who = ", ".join(map(str, ranks[:8])) + (", ..." if len(ranks) > 8 else "")
            ours = f"rank 0 {roofwatch.__version__}"
            self.note(f"rank {who} runs roofwatch {version[:40]}, {ours}: figures may differ")

    def note_refused(self, me: Rank) -> None:
        """Who was turned away."""
        for said in me.meeting.refused(MOST_REFUSED):
            self.note(said)

    def look_who_is_there(self, me: Rank, tell: Callable[[str], None]) -> str:
        """Who has gone since its line came is kept as such; whose end it is that may have ended
        the others, or nothing.

        Raises:
            MeetingLost: the store is gone.
        """
        there = [r.rank for r in self.fleet.in_order if r.state in (DONE, PARTIAL)]
        others = [rank for rank in there if rank != me.world.rank]
        if self._heard is None or not others:
            return ""
        found = roll_call(me, self._heard, others)
        # a signal most often comes to all of them: those that it ends are its doing
        found = {rank: f for rank, f in found.items() if f.how != me.stopping.why}
        for rank, fault in sorted(found.items()):
            self._say_gone(rank, fault)
            tell(self._blamed(rank, fault))
        worst = culprit(found)
        ended = me.stopping.number and not me.stopping.of_agent  # by a signal that is nobody's end
        return "" if worst is None or ended else self._blamed(*worst)

    def _say_gone(self, rank: int, fault: Fault) -> None:
        """Its record stays, and its figures with it."""
        self._gone.add(rank)
        state = SILENT_RANK if fault.cause == SILENT else PARTIAL
        why = f"{fault.how}, once its record had come"
        self.keep(GoneLine(t=self._now(), rank=rank, state=state, why=why))

    def plan(self, me: Rank, device: str, most_bytes: int | None) -> Plan | None:
        """Who takes part in the links: those that have handed in and wait. None of fewer than 2."""
        nodes = {
            name: [r.rank for r in ranks if r.state in (DONE, PARTIAL) and r.rank not in self._gone]
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
            fleet=me.meeting.fleet,
        )

    def links(self, me: Rank, plan: Plan, own_device: str, tell: Callable[[str], None]) -> str:
        """Measure them with the others; why it ended early, or nothing."""
        own = msgspec.structs.replace(plan, device=own_device)
        try:
            process = LinksProcess(own, plan.members.index(me.world.rank))
        except OSError as error:  # before the others hear of a plan: they have none to wait in
            me.meeting.say(PLAN, NO_LINKS)
            return self._blamed(me.world.rank, not_started(error))
        doing = process.doing
        try:
            me.meeting.say(PLAN, msgspec.json.encode(plan).decode())
            while True:
                self._take(process)
                me.beat(f"{TAKES_PART}{process.doing}")
                if (step := _step(process.doing)) != doing:
                    doing = step
                    tell(f"links: {doing}")
                fault = fault_of(process)
                if fault is None and process.over():
                    return ""
                if me.stopping.number and not me.stopping.of_agent:
                    return me.stopping.why
                if fault is not None or me.stopping.number or self._told(me, plan):
                    return self._why_failed(me, plan, fault)
                if process.still_s > STILL_S:
                    return f"hangs at {process.doing}"
                time.sleep(LOOK_S)
        finally:
            self._take(process)
            process.kill()

    def _told(self, me: Rank, plan: Plan) -> int:
        """How many that take part have said a fault; others may have, as they went."""
        count = me.meeting.count(FAULTS)
        if count > self._strange:
            others = sorted(set(self.fleet.ranks) - set(plan.members))
            self._strange = len(faults_heard(me.meeting, others))
        return count - self._strange

    def _why_failed(self, me: Rank, plan: Plan, own: Fault | None) -> str:
        """Whose fault it is, once those who know have said it."""
        others = [rank for rank in plan.members if rank != me.world.rank]
        mine = {} if own is None else {me.world.rank: own}
        beats = {rank: me.meeting.beats(rank) for rank in others}
        until_s, faults = time.monotonic() + GRACE_S, dict[int, Fault]()
        found = culprit(mine)
        while time.monotonic() < until_s:
            if me.stopping.number and not me.stopping.of_agent:
                return me.stopping.why
            if len(faults) < self._told(me, plan):  # counted a moment before it is said
                faults = faults_heard(me.meeting, others)
                found = culprit(mine | faults)
            ended = own is not None or me.stopping.number  # else its own is still to come
            if (found and certain(found[1])) or len(faults) >= len(others) + (not ended):
                break
            me.beat(f"{TAKES_PART}they have failed")
            time.sleep(LOOK_S)
        else:  # who beats no more has not even said so
            faults = faults_heard(me.meeting, others)
            away = self._away(me, others, faults, beats)
            for rank in away:
                if away[rank].how == DEAD:
                    self._say_gone(rank, away[rank])
            found = culprit(mine | faults | away)
        if found is None:
            return me.stopping.why or "they ended"
        return me.stopping.why if found[1].how == me.stopping.why else self._blamed(*found)

    def _blamed(self, rank: int, fault: Fault) -> str:
        """A fault with whose it is."""
        r = self.fleet.ranks.get(rank)
        who = f"rank {rank} ({r.place if r else '?'})"
        # of a connection that broke nobody knows which end it was
        return f"{fault.how}, says {who}" if fault.cause == BROKEN else f"{who}: {fault.how}"

    def _away(
        self, me: Rank, others: list[int], faults: dict[int, Fault], beats: dict[int, int]
    ) -> dict[int, Fault]:
        """Those of the others that beat no more, or do and take no part."""
        found = {}
        for rank in others:
            if rank in faults:
                continue
            if me.meeting.beats(rank) == beats[rank]:
                how = DEAD
            elif not (doing := me.meeting.doing(rank)).startswith(TAKES_PART):
                how = f"took no part; last word: {doing or 'none'}"
            else:
                continue
            found[rank] = Fault(cause=SILENT, how=how)
        return found

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
        if self.file.problem:  # of a full disk for instance: told in the report, as a run tells it
            self.fleet.add(NoteLine(t=self._now(), text=self.problem))
        if me is not None:
            with contextlib.suppress(MeetingLost):
                me.meeting.say(OVER, why)

    @property
    def problem(self) -> str:
        """What is wrong with the file, or nothing."""
        return (self.file.problem or "").replace("the session", "the fleet")

    def see_off(self, me: Rank) -> None:
        """Wait until those that are there have left: rank 0 holds the store, and whoever still asks
        it when it goes prints torch's backtrace."""
        there = sum(r.state in (DONE, PARTIAL, FAILED) for r in self.fleet.in_order) - 1
        until_s = time.monotonic() + LEAVE_S
        with contextlib.suppress(MeetingLost):
            while me.meeting.count(LEFT) < there and time.monotonic() < until_s:
                time.sleep(LOOK_S)


def _step(doing: str) -> str:
    """What the links' process is at, as progress says it: "all_reduce", "importing torch"."""
    if "measuring" not in doing:
        return doing
    return doing.removeprefix("measuring ").split(" ")[0].rstrip(",")
