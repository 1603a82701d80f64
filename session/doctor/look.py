"""The look itself: both instruments are started, listened to and ended; what they said is facts.

Telemetry reads the card's condition before, while and after the probes hold a short load. The host
is looked at while torch is imported. No file is written, and nothing waits beyond a bound.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec.structs import replace

from roofwatch.session.cards import load_cards
from roofwatch.session.child import Child, Gone
from roofwatch.session.doctor.checks import counted, rows
from roofwatch.session.doctor.environment import looked_at
from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.machine import Machine, machine
from roofwatch.session.events import AnyEvent, Device, Fault, Sample, SessionInfo
from roofwatch.session.expectation import nominal_of
from roofwatch.session.health import CardHealth, Checkup
from roofwatch.session.instruments import Instruments
from roofwatch.session.kept_file import SessionFile
from roofwatch.session.other_work import OtherWork

POLL_S = 0.01
PAUSE_S = 2.0  # between two looks at the instruments
LOAD_S, SHORT_LOAD_S = 1.5, 0.5  # short where somebody else is on the card
LOOK_AT = 0.5  # of the load, when the card's condition is asked for
SETTLE_S = 0.3  # NVML renews its clock every 100 ms
SAMPLES = 3  # before anything is launched
BUSY = 0.10
OPENING_S = 5.0  # NVML's first call takes seconds with persistence mode off
CALL_S = 1.5  # any other
STARTS = 3  # of telemetry, each without one more call that did not return
IMPORT_S = 60.0  # of torch, from a slow disk perhaps
STEP_S = 6.0  # any step of the probes behind that
WHOLE_S = 15.0  # of everything behind torch's import, where many things hang
LAST_S = 0.5  # for the reading after the load


def look(device: str, environ: Mapping[str, str], say: Callable[[str], None]) -> Facts:
    """Look at the machine, and at ``auto``, ``cpu`` or ``cuda:N``. Main thread only.

    ``say`` hears what is being looked at.

    Raises:
        NominalError: the user's own cards cannot be used; one line.
    """
    cards = load_cards()
    one = _Look(device, say)
    others = OtherWork(os.getpid())
    try:
        one.start()
        host = machine(environ)
        told = one.facts(host, looked_at(environ))
        while not one.over():
            time.sleep(POLL_S)
            if one.card_told and not one.said_so:
                told = one.facts(host, looked_at(environ))
                one.say_so(told)
        told = replace(one.facts(host, looked_at(environ)), others_cores=others.cores())
    finally:
        one.end()
    if told.device is None:
        return told
    return replace(told, nominal=nominal_of(told.device, *cards))


class _Look:
    """The two children of a look, and what they have said so far."""

    def __init__(self, device: str, say: Callable[[str], None]) -> None:
        self._asked = device
        self._say = say
        self._file = SessionFile(Path(os.devnull), None)
        self._instruments = Instruments(time.monotonic_ns(), self._file)
        self._began_s = self._looked_s = time.monotonic()
        self._starts = 0
        self._device: Device | None = None
        self._driver: str | None = None
        self._problem: str | None = None
        self._exit_code: int | None = None
        self._hung: list[str] = []
        self._health: dict[str, CardHealth] = {}
        self._ordered: dict[str, float] = {}  # when each reading was asked for
        self._samples: list[Sample] = []
        self._launched_at: int | None = None  # samples there were when the probes were let go
        self._checkup: Checkup | None = None
        self._torch_device: Device | None = None
        self._torch_problem: str | None = None
        self._torch_at = "starting"
        self._torch_told_s: float | None = None
        self._probes_over = False
        self._telemetry_over = device == "cpu"
        self._load_s = LOAD_S
        self._loading_s: float | None = None
        self.said_so = False

    def start(self) -> None:
        """Start both. Main thread only."""
        if not self._telemetry_over:
            self._start_telemetry()
        try:
            self._instruments.start("probes", ["--suite", "doctor", "--device", self._asked])
        except OSError as error:
            self._torch_problem = f"no process for torch can be started: {error.strerror}"
            self._probes_over = True
        self._say("looking at the driver and the host; torch is being imported")

    def _start_telemetry(self) -> None:
        self._starts += 1
        named = self._device.uuid if self._device else None
        arguments = ["--source", "nvml"]
        if named or self._asked != "auto":
            arguments += ["--device", named or self._asked]
        if self._hung:
            arguments += ["--without", ",".join(self._hung)]
        self._ordered.clear()
        try:
            self._instruments.start("telemetry", arguments)
        except OSError as error:
            self._problem = f"no process for NVML can be started: {error.strerror}"
            self._telemetry_over = True

    def end(self) -> None:
        """End both, whatever they do."""
        self._instruments.end("telemetry", "probes")
        self._file.close()

    def over(self) -> bool:
        """Take what has come, look after both; True when there is no more to wait for."""
        self._excuse()
        while True:
            try:
                item = self._instruments.inbox.get_nowait()
            except queue.Empty:
                break
            if isinstance(item, Gone):
                self._gone(item.child)
            else:
                self._hear(item)
        self._mind_telemetry()
        self._mind_probes()
        if time.monotonic() - (self._torch_told_s or self._began_s + IMPORT_S) > WHOLE_S:
            self._torch_problem = self._torch_problem or "it took too long"
            return True
        if not self._probes_over or not (self._telemetry_over or "idle" in self._health):
            return False
        return self._telemetry_over or self._last_reading()

    def _excuse(self) -> None:
        """After a pause of our own (Ctrl-Z) nobody is blamed: silence counts from then on."""
        now_s = time.monotonic()
        paused_s, self._looked_s = now_s - self._looked_s, now_s
        if paused_s < PAUSE_S:
            return
        self._began_s += paused_s
        if self._torch_told_s is not None:
            self._torch_told_s += paused_s
        for name in ("telemetry", "probes"):
            if (child := self._instruments.get(name)) is not None:
                child.excuse()

    def _last_reading(self) -> bool:
        """Whether the reading after the load is there, or need not be waited for."""
        self._order("after")
        return "after" in self._health or time.monotonic() - self._ordered["after"] > LAST_S

    def _hear(self, event: AnyEvent) -> None:
        if isinstance(event, Sample):
            self._samples.append(event)
        elif isinstance(event, Fault):
            if event.instrument == "telemetry":
                self._problem, self._exit_code = event.what, event.exit_code
            else:
                self._torch_problem = event.what
        elif isinstance(event, SessionInfo) and event.instrument == "telemetry":
            if event.device is not None:
                self._device = self._device or event.device  # the first was read before our launch
                self._driver = event.software.driver if event.software else None
                self._order("idle")
            if event.health is not None:
                self._health[event.health.asked] = event.health
        elif isinstance(event, SessionInfo):
            if event.checkup is not None:
                self._checkup = event.checkup
                self._torch_told_s = self._torch_told_s or time.monotonic()
            if event.device is not None:
                self._torch_device = event.device

    def _order(self, word: str) -> None:
        """Have the card's condition read, once."""
        child = self._instruments.get("telemetry")
        if child is not None and word not in self._ordered:
            self._ordered[word] = time.monotonic()
            child.tell(f"health {word}")

    def _mind_telemetry(self) -> None:
        """End it where a call does not return, and start it again without that call."""
        child = self._instruments.get("telemetry")
        if self._telemetry_over or child is None or child.retired:
            return
        opened = child.beat is not None and child.beat.state == "sampling"
        if child.silent_s < (CALL_S if opened else OPENING_S):
            return
        call = child.beat.waits_for if child.beat else None
        self._instruments.kill(child)
        if call is not None:
            self._hung.append(call)
        if call is None or self._starts >= STARTS or self._hung.count(call) > 1:
            self._problem = f"NVML does not answer{f': {call} does not return' if call else ''}"
            self._telemetry_over = True
            return
        self._say(f"{call} does not return: NVML is read without it")
        self._start_telemetry()

    def _mind_probes(self) -> None:
        """Let them go when the idle card was read, look at it under load, end them if they hang."""
        child = self._instruments.get("probes")
        if self._probes_over or child is None:
            return
        state = child.beat.state if child.beat else "starting"
        if state != self._torch_at:
            self._torch_at = state
            self._loading_s = time.monotonic() if state == "loading" else None
            if state in ("launching", "loading"):
                self._say(f"{state} small kernels" if state == "launching" else "loading the card")
        ready = len(self._samples) >= SAMPLES and "idle" in self._health
        if state == "waiting" and self._launched_at is None and (ready or self._telemetry_over):
            self._launched_at = len(self._samples)
            self._load_s = SHORT_LOAD_S if self._busy() else LOAD_S
            child.tell(f"load {self._load_s}")
            child.tell("go")
        if self._loading_s is not None:
            if time.monotonic() - self._loading_s > LOOK_AT * self._load_s:
                self._order("loaded")
            return
        importing = state in ("starting", "importing torch")
        waiting = state == "waiting" and self._launched_at is None
        patience_s = IMPORT_S if importing else STEP_S
        if not waiting and child.still_s > patience_s:
            self._instruments.kill(child)
            self._torch_problem = f"no step for {patience_s:.0f} s"
            self._probes_over = True

    def _busy(self) -> bool:
        """Somebody else is on the card."""
        utils = [s.util for s in self._samples if s.util is not None]
        return bool(self._device and self._device.processes) or min(utils, default=0.0) > BUSY

    def _gone(self, child: Child) -> None:
        if child.retired or not self._instruments.is_now(child):
            return
        how = f"the {child.instrument} instrument {child.how_it_ended(child.wait(LAST_S))}"
        if child.instrument == "telemetry":
            self._telemetry_over = True
            self._problem = self._problem or how
            return
        self._probes_over = True
        self._torch_at = child.beat.state if child.beat else self._torch_at
        done = self._checkup is not None and child.wait(0.0) == 0
        if self._torch_problem is None and not done:
            self._torch_problem = ": ".join([how, *child.log_tail()[-1:]])

    @property
    def card_told(self) -> bool:
        """The card's idle condition is known, or will not be."""
        return self._telemetry_over or "idle" in self._health

    def say_so(self, told: Facts) -> None:
        """What is known before torch is there."""
        self.said_so = True
        seen = ", ".join(f"{count} {word}" for word, count in counted(rows(told)))
        self._say(f"driver and host looked at: {seen} so far")

    def facts(self, host: Machine, environ: Mapping[str, str]) -> Facts:
        """All that is known by now."""
        return Facts(
            asked=self._asked,
            machine=host,
            environ=environ,
            device=self._device,
            driver=self._driver,
            problem=self._problem,
            exit_code=self._exit_code,
            hung=tuple(dict.fromkeys(self._hung)),
            idle=self._health.get("idle"),
            loaded=self._health.get("loaded"),
            after=self._health.get("after"),
            before=tuple(self._samples[: self._launched_at]),
            under=tuple(self._under()),
            checkup=self._checkup,
            torch_device=self._torch_device,
            torch_problem=self._torch_problem,
            torch_at=self._torch_at,
        )

    def _under(self) -> list[Sample]:
        told = self._checkup
        if told is None or told.load_begin_s is None or told.load_end_s is None:
            return []
        settled_s = min(SETTLE_S, LOOK_AT * (told.load_end_s - told.load_begin_s))
        begin_s, end_s = told.load_begin_s + settled_s, told.load_end_s
        return [s for s in self._samples if begin_s <= s.t <= end_s]
