"""The record: what a session amounts to, in the shape that scripts rely on (roofwatch.record/1)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.statistics import iqr, median
from roofwatch.session.conditions import Conditions, conditions
from roofwatch.session.events import Device, Measurement, Sample, Software
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.questions import Question, questions
from roofwatch.session.rates import gbs, intensity, tflops, time_s, traffic_bytes, value
from roofwatch.session.roofs import ComputeRoof, Roofs, roofs
from roofwatch.session.sustained import Sustained, sustained

SCHEMA = "roofwatch.record/1"
UNMEASURED = "not measured by the quick suite"


class SessionBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Which session this is."""

    id: str | None
    started_at: str | None
    duration_s: float
    complete: bool
    file: str | None
    run: int
    suite: str


class SoftwareBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Versions and settings."""

    roofwatch: str | None
    python: str | None
    torch: str | None
    cuda: str | None
    driver: str | None
    settings: dict[str, str]


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


class ComputeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One precision's roof."""

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
    status: dict[str, str]


class RoofsBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The card's own roofs."""

    bandwidth_gbs: float | None
    bandwidth_kernel: str | None
    of_nominal: float | None
    compute: dict[str, ComputeBlock]
    ridge: dict[str, dict[str, float | None]]
    l2_bytes_seen: int | None
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
    """One measurement with its expectation and conditions."""

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
    expected: RangeBlock | None
    within_expected: bool | None
    conditions: Conditions
    timing: str
    protocol: str
    layout: str | None
    status: dict[str, str]


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """Least, median and greatest of a telemetry field; null where nothing could be read."""

    min: float | None
    median: float | None
    max: float | None


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
    sweeps: list[Any]
    decode: list[Any]
    kernels: list[Any]
    launch: dict[str, Any]
    questions: list[Question]
    notes: list[dict[str, Any]]
    faults: list[dict[str, Any]]


def record(session: Session, file: Path | None) -> Record:
    """The record of a session so far."""
    own = roofs(session)
    measured = session.measured()
    names = {id(m): _id(m) for m in measured}
    return Record(
        schema=SCHEMA,
        session=SessionBlock(
            id=session.id,
            started_at=session.started_at,
            duration_s=round(session.duration_s, 3),
            complete=session.complete,
            file=str(file) if file else None,
            run=session.reported_run,
            suite=session.suite,
        ),
        software=_software(session.software),
        device=_device(session.device),
        nominal=_nominal(session),
        roofs=_roofs(session, own),
        measurements=[_measurement(session, m, names[id(m)]) for m in measured],
        findings=findings(session),
        telemetry=_telemetry(session),
        sustained=[
            sustained(session, m, names[id(m)]) for m in measured if m.protocol == "sustained"
        ],
        sweeps=[],
        decode=[],
        kernels=[],
        launch={},
        questions=questions(session, own),
        notes=[{"t": n.t, "text": n.text, "probe": n.probe} for n in session.notes],
        faults=[msgspec.to_builtins(f) for f in session.faults],
    )


def _id(m: Measurement) -> str:
    return m.probe if m.run == 1 else f"{m.probe}#{m.run}"


def _software(s: Software) -> SoftwareBlock:
    return SoftwareBlock(**{name: getattr(s, name) for name in SoftwareBlock.__struct_fields__})


def _device(d: Device) -> DeviceBlock:
    values: dict[str, Any] = {n: getattr(d, n) for n in DeviceBlock.__struct_fields__}
    missing = {n for n, v in values.items() if v is None}
    default = "not_supported" if d.kind else "error"
    values["status"] = {n: d.status.get(n, default) for n in sorted(missing)}
    return DeviceBlock(**values)


def _nominal(session: Session) -> NominalBlock:
    n = session.nominal
    if n is None:
        return NominalBlock(
            key=None,
            origin="none",
            bandwidth_gbs=None,
            peaks_tflops={},
            ridge={},
            ceiling_bandwidth_gbs=None,
            ceilings_tflops={},
            note="no device was identified",
        )
    return NominalBlock(**{f: getattr(n, f) for f in NominalBlock.__struct_fields__})


def _compute(session: Session, flat: ComputeRoof) -> ComputeBlock:
    best = flat.burst or flat.sustained
    clocks = {
        which: conditions(session, m).sm_mhz if m else None
        for which, m in (("burst", flat.burst), ("sustained", flat.sustained))
    }
    status = {"kernel": UNMEASURED, "tensor_core": UNMEASURED, "attribution": UNMEASURED}
    for which, seen in (("burst", flat.burst_tflops), ("sustained", flat.sustained_tflops)):
        if seen is None:
            status[f"{which}_tflops"] = UNMEASURED
        if clocks[which] is None:
            status[f"sm_mhz_{which}"] = UNMEASURED if seen is None else "not_supported"
    if flat.nominal_tflops is None:
        status["nominal_tflops"] = status["of_nominal"] = "no nominal peak is known"
    if session.telemetry_source != "nvml":
        status["clock_source"] = "not_supported"
    share = None
    if flat.nominal_tflops and flat.best_tflops:
        share = flat.best_tflops / flat.nominal_tflops
    return ComputeBlock(
        burst_tflops=flat.burst_tflops,
        sustained_tflops=flat.sustained_tflops,
        nominal_tflops=flat.nominal_tflops,
        of_nominal=share,
        shape=best.shape if best else {},
        kernel=None,
        layout=best.layout if best else None,
        tensor_core=None,
        library_limited=bool(best and best.library_limited),
        sm_mhz_burst=clocks["burst"],
        sm_mhz_sustained=clocks["sustained"],
        clock_source="nvml" if session.telemetry_source == "nvml" else None,
        attribution={},
        status=status,
    )


def _roofs(session: Session, own: Roofs) -> RoofsBlock:
    measured = {k: c for k, c in own.compute.items() if c.best_tflops is not None}
    ridge: dict[str, dict[str, float | None]] = {}
    for key in measured:
        found = {w: own.roof(key, w) for w in ("nominal", "burst", "sustained")}
        ridge[key] = {w: r.ridge if r else None for w, r in found.items()}
    status = {"l2_bytes_seen": UNMEASURED}
    if own.bandwidth_gbs is None:
        status["bandwidth_gbs"] = status["bandwidth_kernel"] = "no stream was measured"
    share = own.bandwidth_gbs / own.nominal_gbs if own.bandwidth_gbs and own.nominal_gbs else None
    if share is None:
        status["of_nominal"] = "no nominal bandwidth is known"
    return RoofsBlock(
        bandwidth_gbs=own.bandwidth_gbs,
        bandwidth_kernel=own.bandwidth.probe if own.bandwidth else None,
        of_nominal=share,
        compute={k: _compute(session, c) for k, c in measured.items()},
        ridge=ridge,
        l2_bytes_seen=None,
        status=status,
    )


def _measurement(session: Session, m: Measurement, name: str) -> MeasurementBlock:
    expect = session.expect(m.probe, m.run)
    seen = value(m)
    status = {}
    if expect is None:
        status["expected"] = status["within_expected"] = "nothing nominal is known to expect"
    if m.peak_key is None:
        status["peak_key"] = status["accumulate"] = "a stream is judged by its bytes"
    if m.layout is None:
        status["layout"] = "a stream has no layout"
    return MeasurementBlock(
        id=name,
        probe=m.probe,
        op=m.op,
        shape=m.shape,
        dtype=m.dtype,
        math=m.math,
        accumulate=m.accumulate,
        peak_key=m.peak_key,
        flop=m.flop,
        bytes=traffic_bytes(m),
        tensors=[msgspec.to_builtins(t) for t in m.tensors],
        intensity=intensity(m),
        time_s=TimeBlock(
            median=time_s(m),
            best=min(m.times_s),
            iqr=iqr(m.times_s),
            n=len(m.times_s),
            stop=m.stop,
        ),
        gbs=gbs(m),
        tflops=tflops(m),
        expected=RangeBlock(low=expect.low, high=expect.high, unit=expect.unit, why=expect.why)
        if expect
        else None,
        within_expected=expect.low <= seen <= expect.high if expect else None,
        conditions=conditions(session, m),
        timing=m.timing,
        protocol=m.protocol,
        layout=m.layout,
        status=status,
    )


def _telemetry(session: Session) -> TelemetryBlock:
    samples = session.samples
    hz = session.hz
    limit = 3 / hz if hz else 0.3
    gaps = sum(b.t - a.t > limit for a, b in itertools.pairwise(samples))
    status: dict[str, str] = {}

    def stretch(field: str) -> Stretch:
        values = [v for s in samples if (v := getattr(s, field)) is not None]
        if not values:
            status[field] = _why_null(samples, field)
            return Stretch(min=None, median=None, max=None)
        return Stretch(min=min(values), median=median(values), max=max(values))

    return TelemetryBlock(
        hz=hz,
        samples=len(samples),
        gaps=gaps,
        sm_mhz=stretch("sm_mhz"),
        power_w=stretch("power_w"),
        temp_c=stretch("temp_c"),
        source=session.telemetry_source,
        status=status,
    )


def _why_null(samples: list[Sample], field: str) -> str:
    return next((s.status[field] for s in samples if field in s.status), "error")
