"""What every rank does: meet, measure its own device, hand in, and take part in the links."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from roofwatch.fleet.life import OVER
from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_fault import KILLED, SAID, Fault, fault_of, not_started, say_fault
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.meeting import Meeting
from roofwatch.fleet.not_met import MeetingLost
from roofwatch.fleet.own_device import own_device
from roofwatch.fleet.own_suite import Outcome
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import World
from roofwatch.session.fleet.lines import DONE, FAILED, PARTIAL, RankLine, encode

BEAT_S = 1.0
READY_S = 60.0  # for the others: all measure at the same time, as a job would
LINKS_LOOK_S = 0.1
LEAD_STILL_S = 60.0  # of rank 0, whose disk may be slow
TAKES_PART = "links: "  # begins the last word of a rank that does
PLAN, NO_LINKS, LEFT = "plan", "none", "left"

T = TypeVar("T")
Measure = Callable[[Callable[[str], None], Callable[[], bool], Callable[[], str]], Outcome]


class Rank:
    """One rank at the meeting."""

    def __init__(
        self, world: World, meeting: Meeting, stopping: Stopping, timeout_s: float
    ) -> None:
        self.world = world
        self.meeting = meeting
        self.stopping = stopping
        self._beaten_s = 0.0
        self._began_s = time.monotonic()
        self._ready_s: float | None = None
        self._until_s = self._began_s + timeout_s
        self._timeout_s = self._left_s = timeout_s
        self.lost: MeetingLost | None = None  # while measuring
        self._lead_heard = -1, 0.0  # rank 0's beats, and since when there are so many
        self._may_be_planned = False
        meeting.say(f"host/{world.rank}", f"{world.host}/{world.node}/{world.local_rank}")

    @property
    def met_s(self) -> float:
        """When it had come to the meeting, by the monotonic clock."""
        return self._began_s

    def beat(self, doing: str) -> None:
        """Once a second, from the thread that does the work: one that hangs does not beat."""
        now_s = time.monotonic()
        if now_s - self._beaten_s >= BEAT_S:
            self._beaten_s = now_s
            self.meeting.beat(doing)

    def may_go(self) -> bool:
        """Everybody is ready, or has been waited for long enough: that is none of the suite's
        time."""
        if self.stopping.number:  # whoever is missing will not come
            return True
        now_s = time.monotonic()
        first = self._ready_s is None
        self._ready_s = self._ready(now_s)
        if first:
            self._left_s = self._until_s - now_s
        self._until_s = now_s + self._left_s
        everybody = self.meeting.count("ready") >= self.world.size
        return everybody or now_s - self._ready_s > READY_S

    def _ready(self, now_s: float) -> float:
        """Since when; the others hear it once."""
        if self._ready_s is None:
            self.meeting.count("ready", 1)
        return now_s if self._ready_s is None else self._ready_s

    def stopped(self) -> str:
        """Why the suite is to end early, or nothing."""
        if self.stopping.at_once:
            return self.stopping.why
        if time.monotonic() > self._until_s:
            return f"not done after {self._timeout_s:.0f} s"
        return ""

    def measured(self, measure: Measure) -> RankLine:
        """This rank's line. What goes wrong in our own code is said in it, not raised.

        Where the store is lost measuring ends, with what has come: ``lost`` says so.
        """

        def may_go() -> bool:
            return bool(self._safely(self.may_go)) or self.lost is not None

        def stopped() -> str:
            return str(self.lost) if self.lost else self.stopped()

        try:
            came = measure(lambda doing: self._safely(lambda: self.beat(doing)), may_go, stopped)
        except (OSError, ValueError, RuntimeError) as error:
            came = Outcome(state=FAILED, why=f"{type(error).__name__}: {error}")
        self._safely(lambda: self._ready(time.monotonic()))  # one that failed holds nobody up
        return RankLine(
            t=round(time.monotonic() - self._began_s, 3),
            rank=self.world.rank,
            host=self.world.host,
            node=str(self.world.node),
            card=self.world.local_rank,
            state=came.state,
            why=came.why,
            no_device=came.absent,
            record=msgspec.Raw(came.record),
        )

    def _safely(self, ask: Callable[[], T]) -> T | None:
        """Ask the store; None once it is lost."""
        if self.lost is None:
            try:
                return ask()
            except MeetingLost as error:
                self.lost = error
        return None

    def hand_in(self, line: RankLine) -> None:
        """To rank 0."""
        if self.lost is not None:
            raise self.lost
        self._may_be_planned = line.state in (DONE, PARTIAL)
        self.meeting.hand_in(encode(line))

    def follow(self) -> None:
        """What the ranks beside rank 0 do afterwards: wait for the plan, take part, wait for all.

        Raises:
            MeetingLost: the store or rank 0 is gone before all was over.
        """
        plan = self._plan()
        if plan is not None and self.world.rank in plan.members:
            self._take_part(plan, plan.members.index(self.world.rank))
        while self.meeting.said(OVER) is None and not self.stopping.number:
            self._wait("waiting for the others")
            time.sleep(LINKS_LOOK_S)
        with contextlib.suppress(MeetingLost):
            self.meeting.count(LEFT, 1)  # the last word to the store

    def _wait(self, doing: str) -> None:
        """Beat, and see that rank 0 does: an agent's store outlives it."""
        now_s = time.monotonic()
        if now_s - self._beaten_s < BEAT_S:
            return
        self.beat(doing)
        beats, since_s = self.meeting.beats(0), self._lead_heard[1]
        if beats != self._lead_heard[0]:
            self._lead_heard = beats, now_s
        elif now_s - since_s > LEAD_STILL_S:
            how = f"no sign of life for {now_s - since_s:.0f} s: killed, or it hangs"
            raise MeetingLost(f"rank 0 gives {how}")

    def _plan(self) -> Plan | None:
        """As long as rank 0 lives: it may be waiting for a rank whose time is not over yet."""
        while not self.stopping.number:
            self._wait("handed in")
            said = self.meeting.said(PLAN)
            if said is not None:
                return None if said == NO_LINKS else self._read_plan(said)
            if self.meeting.said(OVER) is not None:
                return None
            time.sleep(LINKS_LOOK_S * max(1, self.world.size // 64))
        if self._may_be_planned:
            self._say_that_it_goes()
        return None

    def _say_that_it_goes(self) -> None:
        """A signal came. torchrun's most often comes of another rank's end, which is the cause."""
        cause = SAID if self.stopping.of_agent else KILLED
        say_fault(self.meeting, self.world.rank, Fault(cause=cause, how=self.stopping.why))

    def _read_plan(self, said: str) -> Plan | None:
        try:
            return msgspec.json.decode(said, type=Plan)
        except (msgspec.DecodeError, RecursionError) as error:
            fault = Fault(cause=SAID, how=f"the plan is unreadable: {error}")
            say_fault(self.meeting, self.world.rank, fault)
            return None

    def _take_part(self, plan: Plan, place: int) -> None:
        device = own_device(plan.device, self.world.local_rank)
        try:
            process = LinksProcess(msgspec.structs.replace(plan, device=device), place)
        except OSError as error:
            say_fault(self.meeting, self.world.rank, not_started(error))
            return
        try:
            while not self.stopping.number:
                self._wait(f"{TAKES_PART}{process.doing}")
                if (fault := fault_of(process)) is not None:
                    say_fault(self.meeting, self.world.rank, fault)
                    return
                if process.over() or self.meeting.said(OVER) is not None:
                    return
                time.sleep(LINKS_LOOK_S)
            self._say_that_it_goes()
        finally:
            process.kill()
