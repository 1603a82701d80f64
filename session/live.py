"""A live session: starts the instruments, watches them, and hands on what they say.

Everything here runs on the main thread. Reader threads (session/child.py) keep events in the file
as they come, so a screen that cannot draw loses nothing.
"""

from __future__ import annotations

import datetime
import os
import queue
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import roofwatch
from roofwatch.roofline.model import Model
from roofwatch.session import file as session_file
from roofwatch.session.busy import Busy, busy, finding_flag
from roofwatch.session.child import Child, Gone
from roofwatch.session.events import (
    SCHEMA,
    AnyEvent,
    Beat,
    End,
    Fault,
    Note,
    Price,
    SessionInfo,
    Software,
)
from roofwatch.session.fold import Session

if TYPE_CHECKING:
    from roofwatch.roofline.nominal import Card

IDENTITY_PATIENCE_S = 5.0
SAMPLES_TO_JUDGE = 3

Cards = Callable[[], "tuple[tuple[Card, ...], frozenset[str]]"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a live session was asked for."""

    device: str = "auto"  # "auto" | "cpu" | "cuda:N"
    suite: str = "quick"
    sustain_s: float | None = None
    hold: tuple[str, ...] = ()  # precisions to hold; empty: the suite's own
    models: tuple[Model, ...] = ()  # of the decode suite; empty where another runs
    contexts: tuple[int, ...] = ()
    price: Price | None = None
    save: Path | None = None
    hz: float = 10.0
    probes: bool = True  # False: telemetry only


class Live:
    """The instruments of one session. ``session`` is the fold of all that ``poll`` returned."""

    def __init__(self, options: Options, cards: Cards) -> None:
        self.options = options
        self.session = Session()
        self._cards = cards
        self._t0_ns = time.monotonic_ns()
        self._inbox: queue.SimpleQueue[AnyEvent | Gone] = queue.SimpleQueue()
        self._children: dict[str, Child] = {}
        self._run = 1
        self._told_go = False
        self._expected_revision = -1
        self._file_problem_said = False
        self._news: list[AnyEvent] = []
        now = datetime.datetime.now(datetime.timezone.utc)
        self._stamp = now.strftime("%Y%m%dT%H%M%SZ")
        self._started_at = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._id = os.urandom(3).hex()
        self.file = session_file.create(options.save, self._stamp, self._id)

    def now(self) -> float:
        """Seconds since the session began."""
        return (time.monotonic_ns() - self._t0_ns) / 1e9

    def start(self) -> None:
        """Write the first event and start telemetry. Main thread only."""
        self._tell(
            SessionInfo(
                t=0.0,
                schema=SCHEMA,
                id=self._id,
                started_at=self._started_at,
                host=os.uname().nodename,
                suite=self.options.suite,
                sustain_s=self.options.sustain_s,
                hold=list(self.options.hold),
                models=[msgspec.to_builtins(m) for m in self.options.models],
                contexts=list(self.options.contexts),
                price=self.options.price,
                software=Software(
                    roofwatch=roofwatch.__version__, python=".".join(map(str, sys.version_info[:3]))
                ),
            )
        )
        device = self.options.device
        self._spawn_telemetry("host" if device == "cpu" else "auto", device)

    def start_probes(self) -> None:
        """Start the probe instrument: torch takes seconds, so a screen paints first."""
        if self.options.probes:
            self._spawn_probes()

    def _spawn(self, instrument: str, arguments: list[str]) -> None:
        previous = self._children.get(instrument)
        if previous is not None:
            previous.end()
        try:
            child = Child(instrument, arguments, self._t0_ns, self.file, self._inbox)
        except OSError as error:
            what = f"the {instrument} instrument cannot be started: {error.strerror}"
            self._tell(Fault(t=self.now(), instrument=instrument, what=what, run=self._run))
            if instrument == "probes":
                self._tell(End(t=self.now(), complete=False, why=what, run=self._run))
            return
        self._children[instrument] = child

    def _spawn_telemetry(self, source: str, device: str) -> None:
        arguments = ["--source", source, "--hz", str(self.options.hz)]
        if device not in ("auto", "cpu"):
            arguments += ["--device", device]
        self._spawn("telemetry", arguments)

    def _spawn_probes(self) -> None:
        arguments = ["--device", self.options.device, "--suite", self.options.suite]
        arguments += ["--run", str(self._run)]
        if self.options.sustain_s:
            arguments += ["--sustain", str(self.options.sustain_s)]
        if self.options.hold:
            arguments += ["--hold", ",".join(self.options.hold)]
        if self.options.models:
            arguments += ["--models", msgspec.json.encode(self.options.models).decode()]
        if self.options.contexts:
            arguments += ["--contexts", ",".join(map(str, self.options.contexts))]
        self._told_go = False
        self._spawn("probes", arguments)

    def poll(self, look_up: bool = True) -> list[AnyEvent]:
        """Everything that has come since the last call, folded; also looks after the children.

        ``look_up``: find the card's nominal figures and write the ranges, once it is known. That
        takes longer than a first paint may.
        """
        while True:
            try:
                item = self._inbox.get_nowait()
            except queue.Empty:
                break
            if isinstance(item, Gone):
                self._gone(item.child)
                continue
            self.session.add(item)
            self._news.append(item)
            if isinstance(item, SessionInfo) and item.device is not None:
                self._learned(item)
            elif isinstance(item, End) and item.complete:
                self._say_unflagged()
        if look_up:
            self._expect()
        if self.file.problem and not self._file_problem_said:
            self._file_problem_said = True
            self._tell(Fault(t=self.now(), instrument="file", what=self.file.problem))
        news, self._news = self._news, []
        return news

    def _say_unflagged(self) -> None:
        """A mistake that was made and that no rule saw: worth a word, and no fault."""
        from roofwatch.session.mistakes import mistakes  # long after the first paint

        for made in mistakes(self.session):
            if not made.flagged:
                self._note(f"{made.probe}: {made.message}")

    def _learned(self, info: SessionInfo) -> None:
        """An instrument said which device it sees; pair them and name the file."""
        telemetry = self.session.told_by("telemetry")
        probes = self.session.told_by("probes")
        if telemetry and probes and info.instrument == "probes":
            if probes.kind == "cpu" and telemetry.kind == "cuda":
                self._note("this torch cannot use the GPU: the CPU is measured instead")
                self._spawn_telemetry("host", "cpu")
            elif (
                probes.kind == telemetry.kind == "cuda"
                and probes.uuid
                and telemetry.uuid
                and probes.uuid.lower() != telemetry.uuid.lower()
                and not telemetry.uuid.startswith("MIG")
            ):
                self._note(f"telemetry was on another card; paired with torch's {probes.uuid}")
                self._spawn_telemetry("nvml", probes.uuid)
        name = self.session.device.name
        if name and self.options.save is None:
            folder = self.file.path.parent
            self.file.rename(folder / f"{self._stamp}-{session_file.slug(name)}-{self._id}.jsonl")

    def _paired(self) -> bool:
        """Both instruments have said what they see (or telemetry will not), of one device."""
        probes = self.session.told_by("probes")
        if probes is None:
            return False
        telemetry = self.session.told_by("telemetry")
        child = self._children.get("telemetry")
        if telemetry is None:
            gone = child is None or child.process.poll() is not None
            return gone or self.now() > IDENTITY_PATIENCE_S
        if telemetry.kind != probes.kind:
            return probes.kind == "cuda"  # NVML is missing, torch works: go without
        if telemetry.uuid and probes.uuid and not telemetry.uuid.startswith("MIG"):
            return telemetry.uuid.lower() == probes.uuid.lower()
        return True

    def _expect(self) -> None:
        """Write the nominal card and the ranges once a device is known; again if it changes."""
        device = self.session.device
        unchanged = self.session.revision == self._expected_revision
        if device.kind is None or self._told_go or unchanged:
            return
        from roofwatch.session.expectation import expectations, nominal_of  # after the first paint

        cards, user_keys = self._cards()
        nominal = nominal_of(device, cards, user_keys)
        t = self.now()
        if nominal != self.session.nominal:
            self._tell(SessionInfo(t=t, nominal=msgspec.to_builtins(nominal)))
        for expect in expectations(self.session.specs, device, nominal, t, self._run):
            known = self.session.expect(expect.probe, self._run)
            if known is None or (known.low, known.high) != (expect.low, expect.high):
                self._tell(expect)
        self._expected_revision = self.session.revision

    def _tell(self, event: AnyEvent) -> None:
        """Keep and fold an event of the parent's own, and hand it on with the next poll's."""
        self.file.write(event)
        self.session.add(event)
        self._news.append(event)

    def _note(self, text: str) -> None:
        self._tell(Note(t=self.now(), text=text, run=self._run))

    @property
    def waiting(self) -> bool:
        """The probe instrument is ready, the ranges are written: only ``go`` is missing."""
        if self._told_go or "probes" not in self._children or not self._paired():
            return False
        telemetry = self._children.get("telemetry")
        enough = len(self.session.samples) >= SAMPLES_TO_JUDGE
        silent = telemetry is None or telemetry.process.poll() is not None
        return enough or silent or self.now() > IDENTITY_PATIENCE_S

    def busy(self) -> Busy | None:
        """Who else is on the card, judged by the samples before our own work began."""
        return busy(self.session)

    def go(self) -> None:
        """Let the probes measure; a busy card is written down as a finding."""
        child = self._children.get("probes")
        if child is None:  # it ended while the question stood
            return
        occupied = self.busy()
        if occupied is not None:
            self._tell(finding_flag(occupied, self.session, self.now(), self._run))
        self._told_go = True
        nominal = self.session.nominal
        if nominal is not None and any(s.mistake for s in self.session.specs):
            child.tell(f"peaks {msgspec.json.encode(nominal.peaks_tflops).decode()}")
        child.tell("go")

    def stand_down(self) -> None:
        """Do not measure: the user would rather leave a busy card alone."""
        self._told_go = True
        child = self._children.pop("probes", None)
        if child is None:
            return
        child.end()
        why = "not started: the card was busy"
        self._tell(End(t=self.now(), complete=False, why=why, run=self._run))

    @property
    def path(self) -> Path:
        """Where the session is kept."""
        return self.file.path

    @property
    def probing(self) -> bool:
        """The probe instrument of this run has not ended."""
        return "probes" in self._children and self._run not in self.session.ends

    def rerun(self) -> bool:
        """Begin the next run in the same session; False while one is under way."""
        if self.probing:
            return False
        self._run += 1
        telemetry = self._children.get("telemetry")
        if telemetry is None or telemetry.process.poll() is not None:
            host = self.session.device.kind == "cpu"
            self._spawn_telemetry("host" if host else "auto", self.options.device)
        self._expected_revision = -1
        self._note(f"run {self._run}")
        self._spawn_probes()
        return True

    @property
    def silence(self) -> tuple[str, float] | None:
        """An instrument that should speak and does not, with its last word's age in seconds.

        Nobody is expected to speak while torch is imported or a device is opened.
        """
        for name, patience_s in (("telemetry", 2.0), ("probes", 5.0)):
            child = self._children.get(name)
            if child is None or child.process.poll() is not None or child.silent_s < patience_s:
                continue
            beat = child.beat
            if name == "telemetry" or (beat is not None and beat.state in ("waiting", "measuring")):
                return name, child.silent_s
        return None

    def beat(self, instrument: str) -> Beat | None:
        """The last heartbeat of an instrument."""
        child = self._children.get(instrument)
        return child.beat if child else None

    def _gone(self, child: Child) -> None:
        """An instrument's pipe closed: a fault, unless its end was wanted or its work was done."""
        if child.retired:
            return
        code = child.wait(2.0)
        current = self._children.get(child.instrument) is child
        probes = current and child.instrument == "probes"
        if not (probes and self._run in self.session.ends):
            self._fault(child, code)
        if probes:
            del self._children["probes"]
            if self._run not in self.session.ends:
                why = "the instrument ended"
                self._tell(End(t=self.now(), complete=False, why=why, run=self._run))
        child.end()

    def _fault(self, child: Child, code: int | None) -> None:
        probe = self.session.running() if child.instrument == "probes" else None
        already = any(
            f.instrument == child.instrument and f.run == self._run for f in self.session.faults
        )
        if already and code in (3, 4):
            return  # it said itself what happened
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        self._tell(
            Fault(
                t=self.now(),
                instrument=child.instrument,
                what=f"the {child.instrument} instrument ended: {how}",
                probe=probe,
                exit_code=code,
                log=child.log_tail(),
                run=self._run,
            )
        )

    def close(self) -> None:
        """End both instruments, keep their last words, close the file."""
        for child in self._children.values():
            child.end()
        self.poll()
        if self.options.probes and self._run not in self.session.ends:
            self._tell(End(t=self.now(), complete=False, why="quit", run=self._run))
        self.session.closed = True
        self.file.close()
