"""The fold: events in, one Session out. Live, replay, report and tests all use this one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from roofwatch.roofline.probe_spec import GROUPS, ProbeSpec, protocol_of_group
from roofwatch.roofline.suite import QUICK, suite, sustain_default_s
from roofwatch.session.began import iso_utc
from roofwatch.session.card_events import CardEvents, of_card
from roofwatch.session.events import (
    AnyEvent,
    Beat,
    Device,
    End,
    Expect,
    Fault,
    Flag,
    HostCpu,
    Measurement,
    Note,
    Price,
    Sample,
    Series,
    SessionInfo,
    Software,
    Span,
)
from roofwatch.session.health import CardHealth
from roofwatch.session.older_runs import thinned
from roofwatch.session.printable import shown
from roofwatch.session.rates import working_set_bytes
from roofwatch.session.samples import Samples, read_only
from roofwatch.session.which_stands import standing

if TYPE_CHECKING:
    from roofwatch.roofline.lookup import Nominal

LOST = 4  # an instrument's exit code: the card is
MOST_CARDS = 1024  # of one host: a damaged file may name any number


class Session:
    """Everything that a stream of events has said so far.

    ``revision`` counts what changes a report (all but samples, series and beats), ``ticks`` counts
    samples; a view that was drawn at both is still true.
    """

    def __init__(self) -> None:
        self.schema: str | None = None
        self.id: str | None = None
        self.started_at: str | None = None
        self.host: str | None = None
        self.suite = QUICK
        self.all_cards = False
        self.hold: list[str] = []
        self.models: list[dict[str, Any]] = []  # of roofline.model.Model
        self.contexts: list[int] = []
        self.price: Price | None = None
        self.command: tuple[str, float] | None = None  # what is watched, and when it began
        self.hz: float | None = None  # as often as telemetry reads in full
        self.least_hz: float | None = None
        self.telemetry_source: str | None = None
        self.software = Software()
        self.cpu = HostCpu()  # of the host, whatever the device
        self.nominal: Nominal | None = None
        self.expects: dict[tuple[int, str], Expect] = {}
        self.samples = Samples()  # of the measured device
        self.neighbours: tuple[Device, ...] = ()  # the host's other cards
        self.visible: tuple[Device, ...] = ()  # the cards that torch sees, in its order
        self.health: dict[str, tuple[float, CardHealth]] = {}  # the last of each word, and when
        self.cards: dict[int, CardEvents] = {}  # of each card in particular, by NVML's index
        self.spans: list[Span] = []
        self.series: list[Series] = []
        self.measurements: list[Measurement] = []
        self.flags: list[Flag] = []
        self.notes: list[Note] = []
        self.faults: list[Fault] = []
        self.ends: dict[int, End] = {}
        self.duration_s = 0.0
        self.run = 1
        self.closed = False  # nothing more will come: a file, or a session that was quit
        self.revision = 0
        self.ticks = 0
        self._sustain_s: float | None = None
        self._of_neighbours: dict[int, Samples] = {}
        self._devices: dict[str, Device] = {}
        self._merged: Device | None = None
        self._cut_spans = 0  # as many there were when the session was cut short
        self._kind: str | None = None  # of the device that it was of

    def add(self, event: AnyEvent) -> None:
        """Take in the next event of the stream."""
        if isinstance(event, Beat):  # a sign of life on the pipe, nothing of the session
            return
        self.duration_s = max(self.duration_s, event.t)
        if isinstance(event, Sample):
            self._sampled(event)
            self.ticks += 1
            return
        if isinstance(event, Series):
            if event.gpu is None:
                self.series.append(event)
            self.ticks += 1
            return
        self.revision += 1
        if (gpu := getattr(event, "gpu", None)) is not None:
            self._of_card(gpu, event)
            return
        if not isinstance(event, SessionInfo):
            self.run = max(self.run, event.run)
        if isinstance(event, SessionInfo):
            self._learn(event)
        elif isinstance(event, Expect):
            self.expects[event.run, event.probe] = event
        elif isinstance(event, Span):
            if event.edge == "begin":
                self._begin_anew(event)
            self.spans.append(event)
        elif isinstance(event, Measurement):
            self.measurements.append(event)
        elif isinstance(event, Flag):
            self.flags.append(event)
        elif isinstance(event, Note):
            self.notes.append(event)
        elif isinstance(event, Fault):
            if event.instrument == "telemetry":  # it knows no runs
                event = msgspec.structs.replace(event, run=self.run)
            self.faults.append(event)
        else:
            self.ends[event.run] = event
            if event.complete:
                self._leave_behind(event.run)

    def _of_card(self, gpu: int, event: AnyEvent) -> None:
        """An event of a card in particular: kept apart, but for what a person should hear of it."""
        if isinstance(event, Note):
            self.notes.append(of_card(event, text=f"card {gpu}: {event.text}"))
        elif isinstance(event, Fault):
            self.faults.append(of_card(event, what=f"card {gpu}: {event.what}"))
        elif gpu in self.cards or len(self.cards) < MOST_CARDS:
            self.cards.setdefault(gpu, CardEvents()).add(event)

    def _begin_anew(self, span: Span) -> None:
        """What an attempt that was cut short has left of a held probe, a sweep or a group."""
        key = (span.run, span.probe)
        if any((s.run, s.probe) == key for s in self.series):
            self.series = [s for s in self.series if (s.run, s.probe) != key]
        points = ("sweep", *GROUPS)
        if any((m.run, m.probe) == key and m.protocol in points for m in self.measurements):
            self.measurements = [m for m in self.measurements if (m.run, m.probe) != key]

    def _leave_behind(self, run: int) -> None:
        """Of the runs before a complete one stay spans, notes and faults, and thinned series."""
        if run == 1:
            return
        old = [s for s in self.series if s.run < run]
        self.series[: len(old)] = thinned(old)
        self.measurements = [m for m in self.measurements if m.run >= run]
        for card in self.cards.values():
            card.leave_behind(run)
        self.flags = [f for f in self.flags if f.run >= run]
        self.expects = {key: e for key, e in self.expects.items() if key[0] >= run}

    def _sampled(self, sample: Sample) -> None:
        """Keep a sample with its card's; of no card, or before any is known, it is the measured."""
        sample = read_only(sample)
        told = self._devices.get("telemetry")
        own = told.index if told is not None else None
        if own is None or sample.gpu is None or sample.gpu == own:
            self.samples.append(sample)
        elif sample.gpu in self._of_neighbours or len(self._of_neighbours) < MOST_CARDS:
            self._of_neighbours.setdefault(sample.gpu, Samples()).append(sample)

    def samples_of(self, gpu: int) -> Samples:
        """Samples of the card with this index, measured or a neighbour; empty where none came."""
        told = self._devices.get("telemetry")
        if told is not None and told.index == gpu:
            return self.samples
        return self._of_neighbours.get(gpu) or Samples()

    def _learn(self, event: SessionInfo) -> None:
        who = event.instrument or "parent"
        if event.resumed:  # its instruments are others, and have not spoken
            self.ends.pop(self.run, None)
            self._cut_spans = len(self.spans)
            self._kind = self.device.kind
            self._devices.clear()
            self._merged = None
        if event.device is not None:
            before = self._devices.get(who)
            other = before and (before.kind, before.uuid) != (event.device.kind, event.device.uuid)
            if who == "telemetry" and other:  # samples are of another device; the file keeps them
                self.samples.clear()
                self.neighbours = ()
                self._of_neighbours.clear()
            self._devices[who] = event.device
            self._merged = None
        self.neighbours = tuple(event.neighbours) or self.neighbours
        self.visible = tuple(event.visible) or self.visible
        if event.health is not None:
            self.health[event.health.asked] = event.t, event.health
        if event.software is not None:
            self.software = _filled(event.software, self.software)
        if event.cpu is not None:
            self.cpu = _filled(event.cpu, self.cpu)
        if event.nominal is not None:
            from roofwatch.roofline.lookup import Nominal  # costs 15 ms before the first paint

            self.nominal = msgspec.convert(event.nominal, Nominal)
        self.schema = event.schema or self.schema
        self.id = event.id or self.id
        self.started_at = iso_utc(event.started_at) or self.started_at
        self.host = event.host or self.host
        self.suite = event.suite or self.suite
        self.all_cards = self.all_cards or event.all_cards
        self.hold = event.hold or self.hold
        self.models = event.models or self.models
        self.contexts = event.contexts or self.contexts
        self.price = event.price or self.price
        if event.command is not None:
            self.command = event.command, event.t
        self._sustain_s = event.sustain_s or self._sustain_s
        if event.hz:
            self.hz = max(event.hz, self.hz or 0.0)
            self.least_hz = min(event.hz, self.least_hz or event.hz)
        self.telemetry_source = event.source or self.telemetry_source

    @property
    def device(self) -> Device:
        """The measured device: telemetry's word, filled up by the probes'.

        Where the two speak of different kinds (no NVML beside a working CUDA), the probes measure,
        so theirs stands alone.
        """
        if self._merged is None:
            telemetry = self._devices.get("telemetry", Device())
            probes = self._devices.get("probes", Device())
            if probes.kind and telemetry.kind and probes.kind != telemetry.kind:
                self._merged = probes
            else:
                self._merged = _filled(telemetry, probes)
        return self._merged

    def told_by(self, instrument: str) -> Device | None:
        """What one instrument said of the device; None before it spoke."""
        return self._devices.get(instrument)

    @property
    def specs(self) -> tuple[ProbeSpec, ...]:
        """The probes of the suite, in order, as far as the device is known."""
        device = self.device
        kind = device.kind or self._kind or "cuda"
        names = [str(model.get("name", "")) for model in self.models]
        capability = device.compute_capability
        return suite(self.suite, kind, capability, self.sustain_s, self.hold, names)

    @property
    def sustain_s(self) -> float:
        """Seconds of a sustained probe: as asked for, else the suite's own."""
        return self._sustain_s or sustain_default_s(self.suite)

    @property
    def asked_sustain_s(self) -> float | None:
        """The same where it was asked for."""
        return self._sustain_s

    @property
    def open_faults(self) -> list[Fault]:
        """Faults of the run that nothing has healed."""
        return [f for f in self.faults if f.run == self.run and not self.healed(f)]

    def healed(self, fault: Fault) -> bool:
        """Telemetry's by a later sample, a probe's when it was measured later all the same.

        Of the probes between two of them: by a run that came to its end.
        """
        if fault.instrument == "telemetry" and fault.exit_code != LOST:
            return bool(self.samples) and self.samples.moments[-1] > fault.t
        if fault.instrument != "probes" or fault.gpu is not None:
            return False
        if fault.probe is None:
            end = self.ends.get(fault.run)
            return end is not None and end.complete and end.t > fault.t
        later = (m for m in reversed(self.measurements) if m.run == fault.run)
        return any(m.probe == fault.probe and m.t > fault.t for m in later)

    @property
    def complete(self) -> bool:
        """Whether the last run that began was ended, and ended complete."""
        end = self.ends.get(self.run)
        return end is not None and end.complete

    @property
    def reported_run(self) -> int:
        """The last complete run; before there is one, the run under way."""
        complete = [run for run, end in self.ends.items() if end.complete]
        return max(complete) if complete else self.run

    @property
    def run_s(self) -> float:
        """Seconds of the reported run; the first begins with the session, as its rent does."""
        run = self.reported_run
        end = self.ends.get(run)
        stop = end.t if end is not None else self.duration_s
        if run == 1:
            return stop
        told = [note.t for note in self.notes if note.run == run]
        told += [span.t for span in self.spans if span.run == run]
        return max(0.0, stop - min(told, default=stop))

    @property
    def shown_run(self) -> int:
        """The run whose probes are on show: the one under way while there is one."""
        return self.reported_run if self.closed or self.run in self.ends else self.run

    def expect(self, probe: str, run: int | None = None) -> Expect | None:
        """The range that stood before the probe's measurement."""
        return self.expects.get((run or self.run, probe))

    def measured(self, run: int | None = None) -> list[Measurement]:
        """Measurements of one run (the reported one by default), in order.

        Of each probe the one that stands; points of a sweep or a group are none.
        """
        wanted = run or self.reported_run
        points = ("sweep", *GROUPS)
        of_run = (m for m in self.measurements if m.run == wanted and m.protocol not in points)
        return list(standing(of_run).values())

    def group(self, probe: str, run: int | None = None) -> list[Measurement]:
        """The points of a group's probe in one run (the reported one by default), as measured.

        Of one op, variant, shape and way of timing the last. One of another protocol is none.
        """
        wanted = run or self.reported_run
        protocol = protocol_of_group(probe)
        of_probe = (m for m in self.measurements if m.run == wanted and m.probe == probe)
        points = (m for m in of_probe if m.protocol == protocol)
        return list({_identity(m): m for m in points}.values())

    def sweep(self, probe: str, run: int | None = None) -> list[Measurement]:
        """The points of a sweep in one run (the reported one by default), by rising size."""
        wanted = run or self.reported_run
        points = [
            m
            for m in self.measurements
            if m.run == wanted and m.probe == probe and m.protocol == "sweep"
        ]
        by_size = {working_set_bytes(m): m for m in points}  # of a size the last, too
        return [by_size[size] for size in sorted(by_size)]

    def label(self, probe: str) -> str:
        """A probe's name for people."""
        return shown(next((s.label for s in self.specs if s.key == probe), probe))

    def running(self) -> str | None:
        """The probe whose span is open."""
        if self.closed or len(self.spans) == self._cut_spans or self.run in self.ends:
            return None
        last = self.spans[-1]
        return last.probe if last.edge == "begin" and last.run == self.run else None

    def between(self, begin_s: float, end_s: float) -> list[Sample]:
        """Samples with begin <= t <= end."""
        return self.samples.between(begin_s, end_s)


def _identity(m: Measurement) -> tuple[object, ...]:
    return m.op, m.variant, m.timing, m.dtype, m.layout, m.cards, *sorted(m.shape.items())


def _filled(first: Any, second: Any) -> Any:
    """``first`` with its nulls taken from ``second``; dicts are joined, ``first`` winning."""
    values: dict[str, Any] = {}
    for name in first.__struct_fields__:
        a, b = getattr(first, name), getattr(second, name)
        values[name] = {**b, **a} if isinstance(a, dict) else (b if a is None else a)
    if "status" in values:
        values["status"] = {k: v for k, v in values["status"].items() if values.get(k) is None}
    return type(first)(**values)


def fold(events: Iterable[AnyEvent]) -> Session:
    """A Session of all the events."""
    session = Session()
    for event in events:
        session.add(event)
    return session
