"""What a trace amounts to: the answer of ``roofwatch trace``, and what the screen's tab draws."""

from __future__ import annotations

import msgspec


class KernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """All launches of one kernel (of an operator, where a trace has no device).

    ``share`` is of the span, of several devices of all their spans; what ran at once counts each
    for itself. ``intensity`` (FLOP per byte), ``gbs`` and ``tflops`` are by the sums
    over those launches whose work is known, which take ``known_s``; None where none is. ``of_roof``
    is their least time over that. ``bound`` is that of most of the time, ``bounds`` the seconds of
    each. ``why`` says why the bound, or what is missing.
    """

    name: str
    count: int
    time_s: float
    share: float
    intensity: float | None = None
    gbs: float | None = None
    tflops: float | None = None
    bound: str = "unknown"
    of_roof: float | None = None
    least_s: float | None = None
    flop: float | None = None
    bytes: float | None = None
    known_s: float = 0.0
    peak_key: str | None = None
    bounds: dict[str, float] = {}
    kind: str = "kernel"  # "kernel", "copy", "fill" or "operator"
    operators: list[str] = []
    shapes: str = ""  # of the operator that took most of the time
    shared: bool = False  # its operator launches other kernels too: the work is shared out by time
    why: str = ""


class StreamRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stream of a device (a thread, where there is none) within the span.

    ``over_time`` are busy shares of equal parts of the span.
    """

    device: int | None
    stream: int
    busy_s: float
    gap_s: float
    count: int
    longest_gap_s: float
    over_time: list[float] = []


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One device: its streams united."""

    device: int
    name: str | None
    busy_s: float
    gap_s: float


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The roofs that kernels are held against, and where they come from.

    ``origin``: ``measured`` (of the session in ``file``), ``nominal`` or ``none``. ``origins``
    tells it of each peak.
    """

    name: str | None
    origin: str
    asked: bool = False  # by --gpu or --session, not by the trace
    file: str | None = None
    bandwidth_gbs: float | None = None
    bandwidth_origin: str | None = None
    peaks_tflops: dict[str, float] = {}
    origins: dict[str, str] = {}


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the trace, in seconds since the span began."""

    begin_s: float
    end_s: float
    device: int
    stream: int
    count: int = 1


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """What one change would give back at most, in seconds of the span.

    ``kind``: ``fusion`` or ``cuda-graph``. ``kernels`` are the names of a run, in order.
    """

    kind: str
    saves_s: float
    share: float
    count: int
    kernels: list[str]
    places: list[Place]
    why: str


class TraceReport(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer; times in seconds, ``bound`` in shares of the span.

    With several devices ``busy_s``, ``gap_s`` and ``bound`` are means over them. Where the trace
    has no device the shares are None, and ``kernels`` are operators with their own time.
    """

    source: str
    span_s: float
    busy_s: float
    gap_s: float
    bound: dict[str, float | None]
    kernels: list[KernelRow]
    device: bool
    overhead_s: float | None
    card: Card
    devices: list[DeviceRow]
    streams: list[StreamRow]
    candidates: list[Candidate]
    notes: list[str]
    file: str = ""
