"""The child processes of a live session: started, asked whether they live, ended."""

from __future__ import annotations

import queue
import time

from roofwatch.session.child import Child, Gone
from roofwatch.session.events import AnyEvent, Beat
from roofwatch.session.kept_file import SessionFile
from roofwatch.session.pace import pace_hz
from roofwatch.session.stuck import why_stuck

PAUSE_S = 2.0  # between two looks: we were stopped ourselves, and heard nobody
SILENT_S = {"telemetry": 2.0, "probes": 5.0}  # long before one counts as hung
OPENING_S = 20.0  # of silence, while something is opened
SPEAKING = ("waiting", "measuring")  # states in which the probes are expected to


class Instruments:
    """At most one child of a name; ``inbox`` has what they wrote, in order."""

    def __init__(self, t0_ns: int, file: SessionFile) -> None:
        self.inbox: queue.SimpleQueue[AnyEvent | Gone] = queue.SimpleQueue()
        self._t0_ns = t0_ns
        self._file = file
        self._children: dict[str, Child] = {}
        self._killed: list[Child] = []
        self._pace: dict[Child, float] = {}  # what telemetry was told, if anything
        self._looked_s = time.monotonic()

    def start(self, name: str, arguments: list[str], key: str | None = None) -> None:
        """Start one in the place of its predecessor. Main thread only.

        ``key`` names one of several of an instrument, beside the one that has its name.

        Raises:
            OSError: there is no process to be had.
        """
        key = key or name
        if (previous := self._children.get(key)) is not None and not previous.retired:
            previous.end()
        self._children[key] = Child(name, arguments, self._t0_ns, self._file, self.inbox)

    def get(self, name: str) -> Child | None:
        """The child of that name, alive or not; None once it is forgotten."""
        return self._children.get(name)

    def is_now(self, child: Child) -> bool:
        """Whether it is still the one of its name."""
        return self._children.get(child.instrument) is child

    def alive(self, name: str) -> bool:
        """Whether its process runs."""
        child = self._children.get(name)
        return child is not None and child.process.poll() is None

    def heard_out(self, name: str) -> bool:
        """Whether it is not there, or has ended and its last words were taken from ``inbox``.

        One whose process has just ended may have a fault still on its way.
        """
        child = self._children.get(name)
        return child is None or child.retired

    def older_than(self, name: str, seconds: float) -> bool:
        """Whether it was started so long ago, or is not there at all."""
        child = self._children.get(name)
        return child is None or child.age_s > seconds

    def kill(self, child: Child) -> None:
        """Kill one that hangs, without waiting: the driver may hold it for long."""
        child.kill()
        self._killed.append(child)

    def forget(self, name: str) -> Child | None:
        """Take it out, whatever becomes of it."""
        return self._children.pop(name, None)

    def end(self, *names: str) -> None:
        """End those of the names, and forget the probes: they are of one run."""
        for key, child in list(self._children.items()):
            if child.instrument in names:
                child.end()
                if child.instrument == "probes":
                    del self._children[key]
        while self._killed:
            self._killed.pop().end()

    def hung(self, lost: bool) -> list[tuple[Child, str]]:
        """Those that live and hang, and why it seems so; ``lost``: the card is.

        After a pause of our own (Ctrl-Z) nobody is blamed: their silence counts from then on.
        """
        now_s = time.monotonic()
        paused, self._looked_s = now_s - self._looked_s > PAUSE_S, now_s
        found = []
        for child in self._children.values():
            if paused:
                child.excuse()
            if child.retired or child.process.poll() is not None:
                continue
            why = why_stuck(child.instrument, child.beat, child.silent_s, child.still_s, lost)
            if why is not None:
                found.append((child, why))
        return found

    def mute(self, patience_s: float) -> tuple[Child, str] | None:
        """Telemetry that lives, and has told nothing for so long; which call it waits for."""
        child = self._children.get("telemetry")
        if child is None or child.heard or child.age_s < patience_s or not self.alive("telemetry"):
            return None
        call = child.beat.waits_for if child.beat else None
        return child, f"said nothing{f': {call} does not return' if call else ''}"

    def keep_pace(self, asked_hz: float, measuring: bool) -> None:
        """Tell telemetry how often to read, where that has changed."""
        hz = pace_hz(asked_hz, self._file.size_bytes, measuring)
        child = self._children.get("telemetry")
        if child is not None and hz != self._pace.get(child, asked_hz):
            self._pace = {child: hz}
            child.tell(f"hz {hz:g}")

    @property
    def silence(self) -> tuple[str, float] | None:
        """An instrument that should speak and does not, with its last word's age in seconds.

        While torch is imported or a device is opened nobody is expected to, for a while.
        """
        for name, patience_s in SILENT_S.items():
            child = self._children.get(name)
            if child is None or child.process.poll() is not None or child.silent_s < patience_s:
                continue
            beat = child.beat
            speaking = name == "telemetry" or (beat is not None and beat.state in SPEAKING)
            if speaking or child.silent_s > OPENING_S:
                return name, child.silent_s
        return None

    def beat(self, name: str) -> Beat | None:
        """The last heartbeat of an instrument."""
        child = self._children.get(name)
        return child.beat if child else None
