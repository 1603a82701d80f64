"""What every rank does: meet, measure its own device, hand in, and take part in the links."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import msgspec

from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.meeting import Meeting, MeetingLost
from roofwatch.fleet.own_suite import Outcome
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import World
from roofwatch.session.fleet.lines import RankLine, encode

BEAT_S = 1.0
READY_S = 60.0  # for the others: all measure at the same time, as a job would
LINKS_LOOK_S = 0.1
OVER, PLAN, NO_LINKS, LEFT = "over", "plan", "none", "left"

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
        self._timeout_s = timeout_s
        meeting.say(f"host/{world.rank}", f"{world.host}/{world.node}/{world.local_rank}")

    def beat(self, doing: str) -> None:
        """Once a second, from the thread that does the work: one that hangs does not beat."""
        now_s = time.monotonic()
        if now_s - self._beaten_s >= BEAT_S:
            self._beaten_s = now_s
            self.meeting.beat(doing)

    def may_go(self) -> bool:
        """Everybody is ready, or has been waited for long enough."""
        if self.stopping.number:  # whoever is missing will not come
            return True
        now_s = time.monotonic()
        self._ready_s = self._ready(now_s)
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
        """This rank's line. What goes wrong in our own code is said in it, not raised."""
        try:
            came = measure(self.beat, self.may_go, self.stopped)
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, MeetingLost):
                raise
            came = Outcome(state="failed", why=f"{type(error).__name__}: {error}")
        self._ready(time.monotonic())  # one that could not begin keeps nobody waiting
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

    def hand_in(self, line: RankLine) -> None:
        """To rank 0."""
        self.meeting.hand_in(encode(line))

    def follow(self, patience_s: float) -> None:
        """What the ranks beside rank 0 do afterwards: wait for the plan, take part, wait for all.

        Rank 0 may be gone by then, with its store: then everything is over.
        """
        with contextlib.suppress(MeetingLost):
            plan = self._plan(patience_s)
            if plan is not None and self.world.rank in plan.members:
                self._take_part(plan, plan.members.index(self.world.rank))
            while self.meeting.said(OVER) is None and not self.stopping.number:
                self.beat("waiting for the others")
                time.sleep(LINKS_LOOK_S)
            self.meeting.count(LEFT, 1)  # the last word to the store

    def _plan(self, patience_s: float) -> Plan | None:
        until_s = time.monotonic() + patience_s
        while time.monotonic() < until_s and not self.stopping.number:
            self.beat("handed in")
            said = self.meeting.said(PLAN)
            if said is not None:
                return None if said == NO_LINKS else msgspec.json.decode(said, type=Plan)
            time.sleep(LINKS_LOOK_S * max(1, self.world.size // 64))
        return None

    def _take_part(self, plan: Plan, place: int) -> None:
        own = msgspec.structs.replace(plan, device=_own_device(plan.device, self.world))
        process = LinksProcess(own, place)
        try:
            while not process.over() and not self.stopping.number:
                self.beat(f"links: {process.doing}")
                if self.meeting.said(OVER) is not None:
                    return
                time.sleep(LINKS_LOOK_S)
            if (how := process.how()) and not self.stopping.number:
                self.meeting.say(f"links/{self.world.rank}", how)
                self.meeting.say("links/failed", str(self.world.rank))
        finally:
            process.kill()


def _own_device(kind: str, world: World) -> str:
    from roofwatch.fleet.own_device import own_device

    return own_device(kind, world.local_rank) if kind != "cpu" else "cpu"
