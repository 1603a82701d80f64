"""The record: what a session amounts to, in the shape that scripts rely on (roofwatch.record/1)."""

from __future__ import annotations

from typing import Any

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.roof import Distances
from roofwatch.roofline.statistics import Modes
from roofwatch.session.conditions import Conditions
from roofwatch.session.decode_blocks import CurveBlock, DecodeBlock
from roofwatch.session.fusion import Fusion
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.links import Link
from roofwatch.session.mistakes import Mistake
from roofwatch.session.questions import Question
from roofwatch.session.record_table import RecordTable
from roofwatch.session.sustained import Sustained
from roofwatch.session.sweeps import Sweep

SCHEMA = "roofwatch.record/1"


class SessionBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Which session this is."""

    id: str | None
    started_at: str | None
    duration_s: float
    complete: bool
    file: str | None
    run: int
    suite: str
    status: dict[str, str]


class SoftwareBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Versions and settings."""

    roofwatch: str | None
    python: str | None
    torch: str | None
    cuda: str | None
    driver: str | None
    settings: dict[str, str]
    status: dict[str, str]


class DeviceBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The device; ``status`` says why a field is null."""

    kind: str | None
    name: str | None
    uuid: str | None
    sm_count: int | None
    memory_bytes: int | None
    l2_bytes: int | None
    power_limit_w: float | None
    power_default_w: float | None
    sm_max_mhz: float | None
    compute_capability: str | None
    mem_max_mhz: float | None
    bus_bits: int | None
    ecc: bool | None
    mig: bool | None
    persistence: bool | None
    core_count: int | None
    status: dict[str, str]


class NominalBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The datasheet's figures, or derived ones."""

    key: str | None
    origin: str
    bandwidth_gbs: float | None
    peaks_tflops: dict[str, float]
    ridge: dict[str, float]
    ceiling_bandwidth_gbs: float | None
    ceilings_tflops: dict[str, float]
    note: str
    status: dict[str, str]


class ComputeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One precision's roof.

    ``attribution`` has signed TFLOP/s terms that add up to the figure, and the same terms as
    fractions of nominal (``…_of_nominal``); ``tile`` and ``wave_share`` are what its wave term
    rests on, ``tile_known`` tells whether the kernel's name gave the tile.
    """

    burst_tflops: float | None
    sustained_tflops: float | None
    nominal_tflops: float | None
    of_nominal: float | None
    shape: dict[str, int]
    kernel: str | None
    layout: str | None
    tensor_core: bool | None
    library_limited: bool
    sm_mhz_burst: float | None
    sm_mhz_sustained: float | None
    clock_source: str | None
    attribution: dict[str, dict[str, float]]
    efficiency: dict[str, float]  # measured over the peak at its clock in its waves
    tile: tuple[int, int] | None
    tile_known: bool
    wave_share: float | None
    out_dtype: str | None
    settings: dict[str, str]
    status: dict[str, str]


class RoofsBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The card's own roofs."""

    bandwidth_gbs: float | None
    bandwidth_sustained_gbs: float | None
    bandwidth_kernel: str | None
    of_nominal: float | None
    compute: dict[str, ComputeBlock]
    ridge: dict[str, dict[str, float | None]]
    l2_bytes_seen: int | None
    l2_plateau_gbs: float | None
    bandwidth_attribution: dict[str, Any]
    changing_side: dict[str, list[str]]
    status: dict[str, str]


class TimeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A launch's time, in seconds."""

    median: float
    best: float
    iqr: float
    n: int
    stop: str


class RangeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """What was expected."""

    low: float
    high: float
    unit: str
    why: str


class MeasurementBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement with its expectation and conditions.

    ``mistake`` is the code of one that was made on purpose, else empty: its rates are by the
    formula and the time that was taken, ``within_expected`` is of the number as it was claimed.
    """

    id: str
    probe: str
    op: str
    shape: dict[str, int]
    dtype: str
    math: str
    accumulate: str | None
    peak_key: str | None
    flop: float
    bytes: int
    tensors: list[dict[str, Any]]
    intensity: float
    time_s: TimeBlock
    gbs: float
    tflops: float
    mfu: float | None
    mfu_ceiling: float | None
    distances: Distances | None
    work_on: str | None
    modes: Modes | None
    drift: float | None
    kernel: str | None
    kernel_time_s: float | None
    expected: RangeBlock | None
    within_expected: bool | None
    conditions: Conditions
    timing: str
    protocol: str
    layout: str | None
    mistake: str
    status: dict[str, str]


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """Least, median and greatest of a telemetry field; null with its status where unreadable."""

    min: float | None
    median: float | None
    max: float | None
    status: dict[str, str] = {}


class TelemetryBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The telemetry as a whole. A gap is two samples further apart than three intervals."""

    hz: float | None
    samples: int
    gaps: int
    sm_mhz: Stretch
    power_w: Stretch
    temp_c: Stretch
    source: str | None
    status: dict[str, str]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The whole record. Blocks that a session did not measure are empty, not absent."""

    schema: str
    session: SessionBlock
    software: SoftwareBlock
    device: DeviceBlock
    nominal: NominalBlock
    roofs: RoofsBlock
    measurements: list[MeasurementBlock]
    findings: list[Finding]
    telemetry: TelemetryBlock
    sustained: list[Sustained]
    sweeps: list[Sweep]
    mistakes: list[Mistake]
    decode: list[DecodeBlock]
    decode_curves: list[CurveBlock]
    kernels: list[KernelPoint]
    fusion: list[Fusion]
    launch: dict[str, Any]  # of session.launch.LaunchCosts
    links: list[Link]
    cards: dict[str, Any]  # of session.cards_table.CardsTable; empty where one card was measured
    shapes: dict[str, Any]  # "alignment" and "waves", as far as they were measured
    cost: dict[str, Any]  # of session.cost.Cost; empty where no price was said
    watch: dict[str, Any]  # of session.watch.summary.Watched; empty where nothing was watched
    table: RecordTable
    questions: list[Question]
    notes: list[dict[str, Any]]
    faults: list[dict[str, Any]]
