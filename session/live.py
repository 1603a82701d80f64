"""A live session: starts the instruments, watches them, and hands on what they say.

Everything here runs on the main thread. Reader threads (session/child.py) keep events in the file
as they come, so a screen that cannot draw loses nothing.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from roofwatch.session import kept_file
from roofwatch.session.asked import (
    Options,
    asked_before,
    birth,
    first_event,
    named_card,
    own_software,
    probe_arguments,
    telemetry_again,
    telemetry_arguments,
    telemetry_source,
)
from roofwatch.session.busy import Busy, beside, busy
from roofwatch.session.child import Child, Gone
from roofwatch.session.done import done_so_far
from roofwatch.session.events import AnyEvent, Device, End, Fault, Note, SessionInfo, Span
from roofwatch.session.file import slug
from roofwatch.session.fold import Session
from roofwatch.session.instruments import Instruments
from roofwatch.session.loaded_look import LoadedLook
from roofwatch.session.look_back import LookBack
from roofwatch.session.pairing import another, other_card, paired
from roofwatch.session.restarts import FINAL, Restarts, said_itself
from roofwatch.session.several import Several

if TYPE_CHECKING:
    from roofwatch.roofline.nominal import Card

IDENTITY_PATIENCE_S = 5.0
SAMPLES_TO_JUDGE = 3
ABSENT = 3  # as an instrument says of a device that is not there

Cards = Callable[[], "tuple[tuple[Card, ...], frozenset[str]]"]


class Live:
    """The instruments of one session. ``session`` is the fold of all that ``poll`` returned."""

    def __init__(self, options: Options, cards: Cards) -> None:
        """Opens the file.

        Raises:
            SaveRefused: it cannot be the one to save to.
            UnreadableSession: there is nothing to resume in it.
        """
        self.session = Session()
        self._cards = cards
        self._t0_ns = time.monotonic_ns()
        self._restarts = Restarts()
        self._telemetry_due_s: float | None = None
        self._without: list[str] = []  # calls of NVML that did not return
        self._told_go = False
        self._went = 0  # the run that was let go
        self._expected_revision = -1
        self._file_problem_said = False
        self._news: list[AnyEvent] = []
        self._stamp, self._started_at, self._id = birth()
        self._resumed: Device | None = None  # the device of the session that is gone on with
        self._began_s = 0.0  # when this process took the session up
        self._closing = False
        if options.resume is not None:
            from roofwatch.session.resume import resumable  # few do

            self.file, self.session = resumable(options.resume)
            options = asked_before(options, self.session)
            self._resumed = self.session.device
            self._began_s = self.session.duration_s
            self._t0_ns -= round(self.session.duration_s * 1e9)
        else:
            self.file = kept_file.create(options.save, self._stamp, self._id)
        self.options = options
        self._past = LookBack(options.history and options.probes)
        self._run = self.session.run
        self.instruments = Instruments(self._t0_ns, self.file)
        self._look = LoadedLook()
        self._several = Several(options, self.instruments, self.tell, self.now, cards)

    def now(self) -> float:
        """Seconds since the session began."""
        return (time.monotonic_ns() - self._t0_ns) / 1e9

    def start(self) -> None:
        """Write the first event and start telemetry. Main thread only."""
        if self._resumed is None:
            self.tell(first_event(self.options, self._id, self._started_at))
        else:
            self.tell(SessionInfo(t=self.now(), resumed=True, software=own_software()))
            self._note(f"gone on with at {self._started_at}")
        self._spawn_telemetry(telemetry_source(self.options), self.options.device)

    def start_probes(self) -> None:
        """Start the probe instrument: torch takes seconds, so a screen paints first."""
        if self.options.probes:
            self._spawn_probes()

    def _spawn(self, instrument: str, arguments: list[str]) -> None:
        try:
            self.instruments.start(instrument, arguments)
        except OSError as error:
            what = f"the {instrument} instrument cannot be started: {error.strerror}"
            self.tell(Fault(t=self.now(), instrument=instrument, what=what, run=self._run))
            if instrument == "probes":
                self.tell(End(t=self.now(), complete=False, why=what, run=self._run))

    def _spawn_telemetry(self, source: str, device: str) -> None:
        self._telemetry_due_s = None
        arguments = telemetry_arguments(self.options, source, device, self._without)
        self._spawn("telemetry", arguments)

    def _spawn_probes(self) -> None:
        self._told_go = False
        anew = self._resumed is not None and self._went == 0  # a resumed run tries all again
        done = done_so_far(self.session, self._run, anew)
        self._spawn("probes", probe_arguments(self.options, self._run, done))

    def poll(self, look_up: bool = True) -> list[AnyEvent]:
        """Everything that has come since the last call, folded; also looks after the children.

        ``look_up``: find the card's nominal figures and write the ranges, once it is known. That
        takes longer than a first paint may.
        """
        self._look_after()
        while True:
            try:
                item = self.instruments.inbox.get_nowait()
            except queue.Empty:
                break
            if isinstance(item, Gone):
                self._gone(item.child)
                continue
            self.session.add(item)
            self._news.append(item)
            if isinstance(item, SessionInfo) and item.device is not None:
                (self._learned if item.gpu is None else self._several.heard)(item)
            elif isinstance(item, End) and item.complete:
                from roofwatch.session.mistakes import unflagged  # long after the first paint

                for text in unflagged(self.session):
                    self._note(text)
        if look_up:
            self._expect()
        self.file.look()
        if self.file.problem and not self._file_problem_said:
            self._file_problem_said = True
            self.tell(Fault(t=self.now(), instrument="file", what=self.file.problem))
        news, self._news = self._news, []
        return news

    def _learned(self, info: SessionInfo) -> None:
        """An instrument said which device it sees; pair them and name the file."""
        telemetry, probes = (self.session.told_by(name) for name in ("telemetry", "probes"))
        if telemetry and probes and info.instrument:  # whichever spoke last
            if probes.kind == "cpu" and telemetry.kind == "cuda":
                self._note("this torch cannot use the GPU: the CPU is measured instead")
                self._spawn_telemetry("host", "cpu")
            elif other_card(telemetry, probes):
                self._note(f"telemetry was on another card; paired with torch's {probes.uuid}")
                self._spawn_telemetry("nvml", named_card(self.options, probes.uuid))
        name = self.session.device.name
        if name and self.options.save is None and self._resumed is None:
            folder = self.file.path.parent
            self.file.rename(folder / f"{self._stamp}-{slug(name)}-{self._id}.jsonl")

    def _refuse(self, device: Device) -> None:
        """Nothing of another device is added: the file stays as it was."""
        before = self._resumed.name if self._resumed else None
        what = f"the session is of {before}, this is {device.name or device.kind}: not gone on with"
        self.file.close()
        self.instruments.end("telemetry", "probes")
        self.tell(
            Fault(t=self.now(), instrument="parent", what=what, exit_code=ABSENT, run=self._run)
        )
        self.tell(End(t=self.now(), complete=False, why=what, run=self._run))

    def _paired(self) -> bool:
        """Both instruments have said what they see (or telemetry will not), of one device."""
        probes, telemetry = (self.session.told_by(name) for name in ("probes", "telemetry"))
        if probes is None:
            return False
        if telemetry is None:
            late = self.instruments.older_than("telemetry", IDENTITY_PATIENCE_S)
            return late or not self.instruments.alive("telemetry")
        return paired(telemetry, probes)

    def _expect(self) -> None:
        """Write the nominal card and the ranges once a device is known; again if more is known."""
        device = self.session.device
        if device.kind is None or self._told_go:
            return
        if not self._past.read(self.session) and self.session.revision == self._expected_revision:
            return
        from roofwatch.session.expectation import expected_anew  # after the first paint

        told = self._cards(), self.now(), self._run, self._past.best
        for event in expected_anew(self.session, *told):
            self.tell(event)
        self._expected_revision = self.session.revision

    def tell(self, event: AnyEvent) -> None:
        """Keep and fold an event of the parent's own, and hand it on with the next poll's."""
        self.file.write(event)
        self.session.add(event)
        self._news.append(event)

    def _note(self, text: str) -> None:
        self.tell(Note(t=self.now(), text=text, run=self._run))

    @property
    def waiting(self) -> bool:
        """The probe instrument is ready, the ranges are written: only ``go`` is missing."""
        probes = self.instruments.get("probes")
        if self._told_go or probes is None or not self._paired() or not self._past.done:
            return False
        if len(self.session.samples) >= SAMPLES_TO_JUDGE or probes.age_s > IDENTITY_PATIENCE_S:
            return True
        return not self.instruments.alive("telemetry")

    def busy(self) -> Busy | None:
        """Who else is on the card, judged by the samples before our own work began."""
        return busy(self.session, self._began_s)

    def go(self) -> None:
        """Let the probes measure; a busy card is written down as a finding."""
        child = self.instruments.get("probes")
        if child is None:  # it ended while the question stood
            return
        if self._resumed is not None and self.file.held:
            told = self.session.told_by("probes"), self.session.told_by("telemetry")
            if (other := another(self._resumed, *told)) is not None:
                self._refuse(other)
                return
            self.file.release()
        if self._went != self._run:
            for event in beside(self.session, self._began_s, self.now(), self._run):
                self.tell(event)
        self._told_go, self._went = True, self._run
        nominal = self.session.nominal
        if nominal is not None and any(s.mistake for s in self.session.specs):
            child.tell(f"peaks {msgspec.json.encode(nominal.peaks_tflops).decode()}")
        child.tell("go")

    def stand_down(self) -> None:
        """Do not measure: the user would rather leave a busy card alone."""
        self._told_go = True
        if self.instruments.get("probes") is None:
            return
        self.instruments.end("probes")
        why = "not started: the card was busy"
        self.tell(End(t=self.now(), complete=False, why=why, run=self._run))

    @property
    def path(self) -> Path:
        """Where the session is kept, if it is."""
        return self.file.path

    @property
    def nothing_kept(self) -> bool:
        """No file was asked for, and nothing was measured, or the device is not there."""
        if self.session.measurements or self.options.save or self._resumed is not None:
            return False
        absent = any(f.exit_code == ABSENT for f in self.session.faults)
        return absent or not self.session.samples

    @property
    def probing(self) -> bool:
        """The probe instrument of this run has not ended."""
        return self.instruments.get("probes") is not None and self._run not in self.session.ends

    def rerun(self) -> bool:
        """Begin the next run in the same session; False while one is under way."""
        held = self._resumed is not None and self.file.held
        if self.probing or held or not self.options.probes:
            return False
        self._run += 1
        self._restarts.new_run()
        if not self.instruments.alive("telemetry"):
            self._telemetry_again()
        self._expected_revision = -1
        self._note(f"run {self._run}")
        self._spawn_probes()
        return True

    def _look_after(self) -> None:
        """End an instrument that hangs, start telemetry again when its time has come."""
        measuring = self.options.probes and self.session.running() is not None
        self.instruments.keep_pace(self.options.hz, measuring)
        self._look.step(self.instruments, self.session, self._run)
        self._several.step(self.session, self._run)
        lost = any(f.instrument == "telemetry" for f in self.session.open_faults)
        for child, why in self.instruments.hung(lost):
            if child.instrument == "telemetry" and child.beat and child.beat.waits_for:
                self._without.append(child.beat.waits_for)
            self.instruments.kill(child)
            if self._several.owns(child):
                self._several.gone(child, f"hang: {why}")
                continue
            self._fault(child, None, f"hangs: {why}; it is ended")
            self._start_again(child)
        if self._went == self._run and self.waiting:  # started again: nobody is asked twice
            self.go()
        if self._telemetry_due_s is not None and time.monotonic() >= self._telemetry_due_s:
            self._telemetry_again()

    def _telemetry_again(self) -> None:
        """Start it for the device that it was on: never for another in its place."""
        self._spawn_telemetry(*telemetry_again(self.options, self.session.told_by("telemetry")))

    def _gone(self, child: Child) -> None:
        """An instrument's pipe closed: a fault, unless its end was wanted or its work was done."""
        if self._several.owns(child):
            self._several.gone(child)
            return
        if child.retired:
            child.end()
            return
        code = child.wait(2.0)
        if child.instrument == "probes" and self._run in self.session.ends:
            if self.instruments.is_now(child):
                self.instruments.forget("probes")
        else:
            said = said_itself(self.session.faults, child.instrument, self.now() - child.age_s)
            if not (said and code in FINAL):
                self._fault(child, code, child.how_it_ended(code))
            self._start_again(child, final=any(f.exit_code == code for f in said))
        child.end()

    def _start_again(self, child: Child, final: bool = False) -> None:
        """After a fault: telemetry a little later, the probes at once for what remains."""
        if not self.instruments.is_now(child):
            return
        if child.instrument == "telemetry":
            wait_s = None if final else self._restarts.telemetry_in_s(child.age_s)
            if wait_s is None:
                self._note("telemetry: not started again")
                return
            self._telemetry_due_s = time.monotonic() + wait_s
            self._note("telemetry: started again")
            return
        self.instruments.forget("probes")
        if (probe := self.session.running()) is not None:
            self.tell(Span(t=self.now(), probe=probe, edge="end", run=self._run))
        done = done_so_far(self.session, self._run).probes
        left = [spec.label for spec in self.session.specs if spec.key not in done]
        final = final or self._closing
        if not final and self._restarts.probes(len(done), len(left)):
            self._note(f"probes: started again, {len(left)} remain")
            self._spawn_probes()
            return
        why = "the instrument ended" if left else ""
        self.tell(End(t=self.now(), complete=not left, why=why, run=self._run))

    def _fault(self, child: Child, code: int | None, what: str) -> None:
        self.tell(
            Fault(
                t=self.now(),
                instrument=child.instrument,
                what=f"the {child.instrument} instrument {what}",
                probe=self.session.running() if child.instrument == "probes" else None,
                exit_code=code,
                log=child.log_tail(),
                run=self._run,
            )
        )

    def close(self, why: str = "quit") -> None:
        """End both instruments, keep their last words, close the file."""
        self._closing = True
        self.poll(look_up=False)  # one that has just died has not been heard of
        if (mute := self.instruments.mute(IDENTITY_PATIENCE_S)) is not None:
            self._fault(mute[0], None, mute[1])
        self.instruments.end("telemetry", "probes")
        self._telemetry_due_s = None
        self.poll()
        if self._run not in self.session.ends:  # what was only watched has no end of its own
            whole = not self.options.probes
            self.tell(End(t=self.now(), complete=whole, why=why, run=self._run))
        new = self.file.held and any(f.t > self._began_s for f in self.session.faults)
        if new and not another(self._resumed or Device(), self.session.told_by("telemetry"), None):
            self.file.release()  # what went wrong before it could go on
        if self.nothing_kept:
            self.file.discard()
        self.session.closed = True
        self.file.close()
