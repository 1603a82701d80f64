"""The event stream: one msgspec Struct a kind, at once wire format, file format and object.

A session is these events, one JSON object a line, in the order they were written. Instruments write
them, everything else folds them. ``t`` is seconds on CLOCK_MONOTONIC since the session began. It
imports msgspec and the structs of its fields alone, so that every instrument may import it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

from roofwatch.session.bounds import (
    Bytes,
    Clock,
    Count,
    Expected,
    Figure,
    Moment,
    Nanoseconds,
    Rate,
    Run,
    Seconds,
    Size,
)
from roofwatch.session.health import CardHealth, Checkup
from roofwatch.session.identity import Device as Device
from roofwatch.session.identity import HostCpu as HostCpu
from roofwatch.session.identity import Price as Price
from roofwatch.session.identity import Software as Software
from roofwatch.session.identity import Status as Status
from roofwatch.session.shape_sides import sides

SCHEMA = "roofwatch.session/1"


Card = Annotated[int, msgspec.Meta(ge=0, le=1023)]
"""NVML's index of a card beside the session's own. Such an event tells of that card alone."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """What every event has: when it happened, in seconds since the session began."""

    t: Moment = msgspec.field()


class SessionInfo(Event, frozen=True, kw_only=True, tag="session"):
    """Identity. The first event of a file; each instrument appends one with what it learned."""

    schema: str | None = None
    id: str | None = None
    started_at: str | None = None  # ISO 8601, UTC
    host: str | None = None
    suite: str | None = None
    all_cards: bool = False  # every visible card was asked for
    sustain_s: Seconds | None = None
    hold: list[str] = []  # precisions that are held for sustain_s; empty: the suite's own
    models: list[dict[str, Any]] = []  # roofline.model.Model of each that the decode suite runs
    contexts: list[Size] = []  # of the decode suite, in tokens
    price: Price | None = None  # what the machine costs
    instrument: str | None = None  # None: the parent
    source: str | None = None  # of telemetry: "nvml" | "host"
    hz: float | None = None
    import_s: float | None = None  # what importing torch took
    software: Software | None = None
    device: Device | None = None
    neighbours: list[Device] = []  # the host's other cards
    visible: list[Device] = []  # of the probes: the cards that torch sees, in its order
    cpu: HostCpu | None = None  # the host's, also where the device is a card
    nominal: dict[str, Any] | None = None  # roofline.lookup.Nominal, as looked up for this card
    resumed: bool = False  # the run under way goes on, in another process of the parent's
    command: str | None = None  # the name of what is watched; it begins with this event
    health: CardHealth | None = None  # of telemetry, when it is told to look
    checkup: Checkup | None = None  # of the probes of `roofwatch doctor`
    gpu: Card | None = None


class Expect(Event, frozen=True, kw_only=True, tag="expect"):
    """The range in which a probe's number should land, written before it is measured."""

    probe: str
    low: Expected
    high: Expected
    unit: str  # "GB/s" | "TFLOP/s" | "TOPS"
    why: str
    run: Run = 1
    gpu: Card | None = None

    def __post_init__(self) -> None:
        """A range has its lower end below."""
        if self.low > self.high:
            raise ValueError("`low` is above `high`")

    def holds(self, value: float) -> bool:
        """Whether a figure in ``unit`` lies in the range."""
        return self.low <= value <= self.high


class Sample(Event, frozen=True, kw_only=True, tag="sample"):
    """One reading of the telemetry instrument. ``gpu`` is null for the host's CPU."""

    gpu: int | None = msgspec.field()
    sm_mhz: Figure | None = msgspec.field()
    mem_mhz: Figure | None = msgspec.field()
    power_w: Figure | None = msgspec.field()
    power_instant_w: Figure | None = msgspec.field()
    temp_c: Figure | None = msgspec.field()
    mem_used_bytes: Bytes | None = msgspec.field()
    util: Figure | None = msgspec.field()  # 0..1: some kernel (or CPU work) was running
    reasons: int | None = msgspec.field()  # clocks event reasons, NVML's mask
    energy_j: Figure | None = None  # read once a second
    processes: int | None = None  # read once a second
    counters: dict[str, Nanoseconds] = {}  # accumulated
    status: dict[str, Status] = {}


class Span(Event, frozen=True, kw_only=True, tag="span"):
    """A probe begins or ends."""

    probe: str
    edge: str  # "begin" | "end"
    run: Run = 1
    gpu: Card | None = None


class Series(Event, frozen=True, kw_only=True, tag="series"):
    """Per-launch times of a long probe; launch i began at t0 + sum(times_s[:i]).

    A probe may write several; they follow each other. ``flop`` and ``bytes`` are of one launch.
    ``clock_mhz`` are SM clocks read on the device at ``clock_t_s`` (session clock), between two
    launches: each moves those after it by 30 us, which the next series' ``t0`` makes good.
    """

    probe: str
    t0: Moment
    times_s: Annotated[list[Seconds], msgspec.Meta(min_length=1)]
    flop: Count | None = None
    bytes: Count | None = None
    clock_t_s: list[Moment] = []
    clock_mhz: list[Clock] = []
    run: Run = 1
    gpu: Card | None = None

    def __post_init__(self) -> None:
        """Every clock reading has its moment."""
        _paired(self.clock_t_s, self.clock_mhz)


def _paired(moments: list[float], readings: list[float]) -> None:
    if len(moments) != len(readings):
        raise ValueError("`clock_t_s` and `clock_mhz` differ in length")


class Tensor(msgspec.Struct, frozen=True, kw_only=True):
    """One operand: what a launch must read of it and write to it, in bytes."""

    name: str
    read_bytes: Bytes = 0
    write_bytes: Bytes = 0


class Claimed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number as a person would have reported it, under the names of a checked row.

    It says nothing of what went wrong: op, size, type, time and rate must give that away.
    """

    op: str
    dtype: str
    time_s: Seconds
    timing: str  # "event" | "graph" | "host"
    math: str | None = None
    elements: Size | None = None
    m: Size | None = None
    n: Size | None = None
    k: Size | None = None
    claimed_gbs: Rate | None = None
    claimed_tflops: Rate | None = None
    nominal_tflops: Rate | None = None  # the peak that the rate was compared with

    def __post_init__(self) -> None:
        """One rate is claimed."""
        if (self.claimed_gbs is None) == (self.claimed_tflops is None):
            raise ValueError("`claim` has not one rate")


class Measurement(Event, frozen=True, kw_only=True, tag="measurement"):
    """What a probe knows of one number. Conditions and expectation are added by the fold.

    Of several measurements of one probe in a run the last stands: a block that disagreed with its
    control was repeated. Those of a sweep or a group are its points, told apart by their shape,
    of a group by op and variant too. One that was made wrong on purpose has the notebook's code of
    the mistake, and what would have been reported.
    """

    probe: str
    op: str
    shape: dict[str, Size]
    dtype: str
    math: str  # "ieee" | "tf32"
    accumulate: str | None
    peak_key: str | None
    flop: Count
    tensors: list[Tensor]
    times_s: Annotated[list[Seconds], msgspec.Meta(min_length=3)]  # every repetition
    stop: str  # why it stopped: "iqr" | "standard-error" | "time-cap" | "protocol"
    timing: str  # "event" | "graph" | "host"
    protocol: str  # of roofline.probe_spec.ProbeSpec
    begin_s: Moment  # the timed part, on the session's clock
    end_s: Moment
    layout: str | None = None  # "nn" | "nt": second operand plain or transposed
    warmup_times_s: list[Seconds] = []
    searched: list[dict[str, Any]] = []  # shapes ranked on the way, with their times
    library_limited: bool = False
    out_dtype: str | None = None  # of the result, where it is not dtype's own
    kernel: str | None = None  # by the profiler: the longest of a launch
    kernel_time_s: Seconds | None = None  # by the profiler: all kernels of a launch
    clock_t_s: list[Moment] = []  # when the SM clock was read on the device, in the timed part
    clock_mhz: list[Clock] = []
    settings: dict[str, str] = {}  # math flags as they stood
    status: dict[str, Status] = {}  # why ``kernel`` or ``clock_mhz`` are missing
    variant: str | None = None  # of one work done in several ways: "eager", "graph", "compiled" …
    cards: tuple[int, int] | None = None  # of a copy between cards: from, to, as torch counts
    mistake: str | None = None  # "E1" to "E5"
    claim: Claimed | None = None
    run: Run = 1
    gpu: Card | None = None

    def __post_init__(self) -> None:
        """Bytes move, a shape has its sides, a mistake its claim; no end lies before its begin."""
        if (self.mistake is None) != (self.claim is None):
            raise ValueError("`mistake` and `claim` do not come together")
        _paired(self.clock_t_s, self.clock_mhz)
        if self.flop < 1 and (self.flop or self.peak_key):
            raise ValueError("`flop` is less than one operation")
        if missing := sides(self.op, self.protocol) - self.shape.keys():
            raise ValueError(f"`shape` of {self.op} lacks {', '.join(sorted(missing))}")
        if self.protocol == self.op == "decode":
            read = {t.name: t.read_bytes for t in self.tensors}
            if not (read.get("weights") and read.get("kv") and self.flop):
                raise ValueError("`tensors` of a decode step lack weights or kv, or it has no FLOP")
        if not any(t.read_bytes + t.write_bytes for t in self.tensors):
            raise ValueError("`tensors` move no byte")
        if self.end_s < self.begin_s:
            raise ValueError("`end_s` lies before `begin_s`")


class Flag(Event, frozen=True, kw_only=True, tag="flag"):
    """A finding with direct evidence, raised while the session runs (a FINDING of the record)."""

    code: str
    name: str
    root: str
    severity: Literal["wrong", "suspect", "note"]
    subject: str
    message: str
    why: str
    do: str
    evidence: dict[str, Any] = {}
    run: Run = 1


class Note(Event, frozen=True, kw_only=True, tag="note"):
    """Something worth saying; with a probe, why that probe did not run."""

    text: str
    probe: str | None = None
    run: Run = 1
    gpu: Card | None = None


class Fault(Event, frozen=True, kw_only=True, tag="fault"):
    """An instrument or a probe failed; the rest goes on."""

    instrument: str  # "telemetry" | "probes" | "file"
    what: str
    probe: str | None = None
    exit_code: int | None = None
    log: list[str] = []
    run: Run = 1
    gpu: Card | None = None


class End(Event, frozen=True, kw_only=True, tag="end"):
    """A run of the suite is over. A session is complete when its last run ended complete."""

    complete: bool
    why: str = ""
    run: Run = 1


class Beat(Event, frozen=True, kw_only=True, tag="beat"):
    """A sign of life on the pipe; never stored. ``progress`` is of the probe, 0 to 1."""

    instrument: str
    state: str
    probe: str | None = None
    progress: float | None = None
    waits_for: str | None = None  # a call that has not returned for a second


AnyEvent = (
    SessionInfo | Expect | Sample | Span | Series | Measurement | Flag | Note | Fault | End | Beat
)

KINDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyEvent))

_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_encoder = msgspec.json.Encoder()


class _Kind(msgspec.Struct):
    kind: str


UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What the decoder raises of a text of any origin: no JSON, no UTF-8, nested too deeply."""
_kind_decoder = msgspec.json.Decoder(_Kind)


def decode(line: bytes | str) -> AnyEvent | None:
    """Decode one line; None for a kind that only a newer version knows.

    Raises:
        msgspec.DecodeError: not JSON, or a field of a known kind is not as it must be; named.
    """
    try:
        return _decoder.decode(line)
    except msgspec.ValidationError:
        if _kind_decoder.decode(line).kind not in KINDS:
            return None
        raise


def encode(event: AnyEvent) -> bytes:
    """One line of JSON, newline included."""
    return _encoder.encode(event) + b"\n"
