"""Summarises a Session as its Record: every figure derived here, nothing measured."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.roofline.attribution import Attribution
from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.statistics import FEWEST_DRIFTING, FEWEST_MODES, drift, iqr, median, modes
from roofwatch.roofline.suite import WATCH
from roofwatch.session.alignment import Alignment, alignment
from roofwatch.session.attribution import attributed, bandwidth_attributed
from roofwatch.session.cards_table import cards_table
from roofwatch.session.compare import TOO_FEW
from roofwatch.session.conditions import conditions
from roofwatch.session.cost import costs
from roofwatch.session.decode import decode_curves
from roofwatch.session.decode_blocks import curve_blocks, decode_blocks
from roofwatch.session.events import Device, Measurement, Software
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.fusion import fusions
from roofwatch.session.kernel_map import kernel_map
from roofwatch.session.launch import launch_costs
from roofwatch.session.links import links
from roofwatch.session.mistakes import mistakes
from roofwatch.session.points import point
from roofwatch.session.questions import questions
from roofwatch.session.rates import gbs, intensity, tflops, time_s, traffic_bytes, value
from roofwatch.session.record import (
    SCHEMA,
    ComputeBlock,
    DeviceBlock,
    MeasurementBlock,
    NominalBlock,
    RangeBlock,
    Record,
    RoofsBlock,
    SessionBlock,
    SoftwareBlock,
    Stretch,
    TelemetryBlock,
    TimeBlock,
)
from roofwatch.session.record_table import record_table
from roofwatch.session.ridges import changing_side
from roofwatch.session.roofs import WHICH, ComputeRoof, Roofs, roofs
from roofwatch.session.sm_clock import sm_clock
from roofwatch.session.stand_ins import REMOVED, is_stand_in, unless_stand_in
from roofwatch.session.sustained import sustained
from roofwatch.session.sweeps import Sweep, cache_seen, sweeps
from roofwatch.session.watch.card_roofs import card_roofs
from roofwatch.session.watch.summary import watched
from roofwatch.session.waves import Waves, waves

UNMEASURED = "not_measured"  # this suite has no probe for it
UNKNOWN = "not_known"  # nothing nominal is known
ON_PURPOSE = "on_purpose"  # a number that was made wrong has no place under a roof
HELD_OR_NOT = ("burst", "sustained")


def record(session: Session, file: Path | None) -> Record:
    """The record of a session so far."""
    own = roofs(session)
    swept, found = sweeps(session, own), findings(session)
    curves = decode_curves(session, own)
    measured = session.measured()
    names = {id(m): _id(m) for m in measured}
    return Record(
        schema=SCHEMA,
        session=SessionBlock(
            id=session.id,
            started_at=session.started_at,
            duration_s=round(session.duration_s, 3),
            complete=session.complete,
            file=os.fsencode(file).decode("utf-8", "replace") if file else None,
            run=session.reported_run,
            suite=session.suite,
            status={
                field: UNKNOWN
                for field, known in (
                    ("id", session.id),
                    ("started_at", session.started_at),
                    ("file", file),
                )
                if known is None
            },
        ),
        software=_software(session.software),
        device=_device(session.device),
        nominal=_nominal(session),
        roofs=_roofs(session, own, swept),
        measurements=[_measurement(session, own, m, names[id(m)]) for m in measured],
        findings=found,
        telemetry=_telemetry(session),
        sustained=[
            sustained(session, m, names[id(m)]) for m in measured if m.protocol == "sustained"
        ],
        sweeps=swept,
        mistakes=mistakes(session),
        decode=decode_blocks(curves),
        decode_curves=curve_blocks(curves),
        kernels=kernel_map(session, own),
        fusion=fusions(session, own),
        launch=_launch(session),
        links=links(session),
        cards=msgspec.to_builtins(cards_table(session)) or {},
        shapes=_shapes(session),
        cost=msgspec.to_builtins(costs(session, own, curves)) or {},
        watch=_watch(session),
        table=record_table([session], found),
        questions=questions(session, own, found),
        notes=[
            {"t": n.t, "text": n.text, **({"probe": n.probe} if n.probe else {})}
            for n in session.notes
        ],
        faults=[msgspec.to_builtins(f) for f in session.faults],
    )


def _watch(session: Session) -> dict[str, Any]:
    told = watched(session, card_roofs(session)) if session.suite == WATCH else None
    return dict(msgspec.to_builtins(told)) if told is not None else {}


def _launch(session: Session) -> dict[str, Any]:
    told = launch_costs(session)
    return msgspec.structs.asdict(told) if told else {}


def _shapes(session: Session) -> dict[str, Any]:
    """The experiments about shapes that were measured, each by its name."""
    found: dict[str, Alignment | Waves | None] = {
        "alignment": alignment(session),
        "waves": waves(session),
    }
    return {name: block for name, block in found.items() if block is not None}


def _id(m: Measurement) -> str:
    return m.probe if m.run == 1 else f"{m.probe}#{m.run}"


def _software(s: Software) -> SoftwareBlock:
    names = [n for n in SoftwareBlock.__struct_fields__ if n != "status"]
    values: dict[str, Any] = {name: getattr(s, name) for name in names}
    missing = {name: "not_supported" for name, value in values.items() if value is None}
    return SoftwareBlock(**values, status=missing)


def _device(d: Device) -> DeviceBlock:
    values: dict[str, Any] = {n: getattr(d, n) for n in DeviceBlock.__struct_fields__}
    removed = {"uuid": REMOVED} if is_stand_in(d.uuid) else {}
    values["uuid"] = unless_stand_in(d.uuid)
    missing = {n for n, v in values.items() if v is None}
    default = "not_supported" if d.kind else "error"
    values["status"] = {n: d.status.get(n, default) for n in sorted(missing)} | removed
    return DeviceBlock(**values)


def _nominal(session: Session) -> NominalBlock:
    n = session.nominal or Nominal(origin="none", note="no device was identified")
    names = [f for f in NominalBlock.__struct_fields__ if f != "status"]
    values: dict[str, Any] = {f: getattr(n, f) for f in names}
    status = {f: UNKNOWN for f, value in values.items() if value is None}
    return NominalBlock(**values, status=status)


def _compute(session: Session, flat: ComputeRoof) -> ComputeBlock:
    best = flat.burst or flat.sustained
    clocks = {
        which: sm_clock(session, m) if m else None
        for which, m in (("burst", flat.burst), ("sustained", flat.sustained))
    }
    terms = {w: a for w in HELD_OR_NOT if (a := attributed(session, flat, w)) is not None}
    first = next(iter(terms.values()), None)
    source = next((c.source for c in clocks.values() if c and c.source), None)
    kernel = flat.burst.kernel if flat.burst else None
    on_tensor_cores = uses_tensor_cores(kernel) if kernel else None
    status: dict[str, str] = {}
    if kernel is None:
        status["kernel"] = flat.burst.status.get("kernel", UNMEASURED) if flat.burst else UNMEASURED
    if on_tensor_cores is None:
        status["tensor_core"] = status.get("kernel", UNKNOWN)
    if first is None:
        status["attribution"] = status["tile"] = status["wave_share"] = UNKNOWN
    for which, seen in (("burst", flat.burst_tflops), ("sustained", flat.sustained_tflops)):
        if seen is None:
            status[f"{which}_tflops"] = UNMEASURED
        if clocks[which] is None:
            status[f"sm_mhz_{which}"] = UNMEASURED if seen is None else "not_supported"
    if flat.nominal_tflops is None:
        status["nominal_tflops"] = status["of_nominal"] = UNKNOWN
    if source is None:
        status["clock_source"] = "not_supported"
    for field in ("out_dtype", "layout"):
        if best is None or getattr(best, field) is None:
            status[field] = "not_supported"
    share = None
    if flat.nominal_tflops and flat.best_tflops:
        share = flat.best_tflops / flat.nominal_tflops
    return ComputeBlock(
        burst_tflops=flat.burst_tflops,
        sustained_tflops=flat.sustained_tflops,
        nominal_tflops=flat.nominal_tflops,
        of_nominal=share,
        shape=best.shape if best else {},
        kernel=kernel,
        layout=best.layout if best else None,
        tensor_core=on_tensor_cores,
        library_limited=bool(best and best.library_limited),
        sm_mhz_burst=clocks["burst"].mhz if clocks["burst"] else None,
        sm_mhz_sustained=clocks["sustained"].mhz if clocks["sustained"] else None,
        clock_source=source,
        attribution={which: _terms(a.terms) for which, a in terms.items()},
        efficiency={which: a.terms.efficiency for which, a in terms.items()},
        tile=first.tile if first else None,
        tile_known=bool(first and first.tile_known),
        wave_share=first.wave_share if first else None,
        out_dtype=best.out_dtype if best else None,
        settings=best.settings if best else {},
        status=status,
    )


def _terms(terms: Attribution) -> dict[str, float]:
    shares = {f"{name}_of_nominal": share for name, share in terms.of_nominal().items()}
    return {**msgspec.structs.asdict(terms), **shares}


def _roofs(session: Session, own: Roofs, found: list[Sweep]) -> RoofsBlock:
    measured = {k: c for k, c in own.compute.items() if c.best_tflops is not None}
    ridge: dict[str, dict[str, float | None]] = {}
    status: dict[str, str] = {}
    cache = cache_seen(found)
    if cache is None:
        status["l2_bytes_seen"] = status["l2_plateau_gbs"] = UNMEASURED
    parts = bandwidth_attributed(session, own)
    split: dict[str, Any] = {}
    if parts is None:
        status["bandwidth_attribution"] = UNKNOWN
    elif own.bandwidth is not None:
        seen = conditions(session, own.bandwidth)
        split = {
            **msgspec.structs.asdict(parts),
            "mem_mhz": seen.mem_mhz,
            "mem_max_mhz": session.device.mem_max_mhz,
            "ecc": session.device.ecc,
        }
        if session.device.ecc is None:
            status["bandwidth_attribution.ecc"] = session.device.status.get("ecc", UNKNOWN)
    for key in measured:
        of_key = {w: own.roof(key, w) for w in WHICH}
        ridge[key] = {w: r.ridge if r else None for w, r in of_key.items()}
        for which, roof in of_key.items():
            if roof is None:
                why = UNKNOWN if which == "nominal" else UNMEASURED
                status[f"ridge.{key}.{which}"] = why
    if own.bandwidth_gbs is None:
        status["bandwidth_gbs"] = status["bandwidth_kernel"] = UNMEASURED
    if own.held_gbs is None:
        status["bandwidth_sustained_gbs"] = UNMEASURED
    share = own.bandwidth_gbs / own.nominal_gbs if own.bandwidth_gbs and own.nominal_gbs else None
    if share is None:
        status["of_nominal"] = UNKNOWN
    return RoofsBlock(
        bandwidth_gbs=own.bandwidth_gbs,
        bandwidth_sustained_gbs=own.held_gbs,
        bandwidth_kernel=own.bandwidth.probe if own.bandwidth else None,
        of_nominal=share,
        compute={k: _compute(session, c) for k, c in measured.items()},
        ridge=ridge,
        l2_bytes_seen=cache.bytes_seen if cache else None,
        l2_plateau_gbs=cache.plateau_gbs if cache else None,
        bandwidth_attribution=split,
        changing_side=changing_side(own),
        status=status,
    )


def _measurement(session: Session, own: Roofs, m: Measurement, name: str) -> MeasurementBlock:
    expect = session.expect(m.probe, m.run)
    seen = value(m)
    at = None
    if m.flop and m.mistake is None:
        at = point(session, own, m.peak_key or own.main_key, m)
    two = modes(m.times_s)
    places = {
        "mfu": at.mfu if at else None,
        "mfu_ceiling": at.mfu_ceiling if at else None,
        "distances": at.distances if at else None,
        "work_on": at.work_on if at else None,
    }
    unplaced = UNKNOWN if m.mistake is None else ON_PURPOSE
    status = {field: unplaced for field, known in places.items() if known is None}
    if m.kernel is None:
        status["kernel"] = status["kernel_time_s"] = m.status.get("kernel", UNMEASURED)
    if two is None:
        status["modes"] = TOO_FEW if len(m.times_s) < FEWEST_MODES else "one_mode"
    moved = drift(m.times_s) if len(m.times_s) >= FEWEST_DRIFTING else None
    if moved is None:
        status["drift"] = TOO_FEW
    if m.accumulate is None:
        status["accumulate"] = "not_supported"
    if expect is None:
        status["expected"] = status["within_expected"] = UNKNOWN
    if m.peak_key is None:
        status["peak_key"] = status["accumulate"] = "not_supported"
    if m.layout is None:
        status["layout"] = "not_supported"
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
        mfu=at.mfu if at else None,
        mfu_ceiling=at.mfu_ceiling if at else None,
        distances=at.distances if at else None,
        work_on=at.work_on if at else None,
        modes=two,
        drift=moved,
        kernel=m.kernel,
        kernel_time_s=m.kernel_time_s,
        expected=RangeBlock(low=expect.low, high=expect.high, unit=expect.unit, why=expect.why)
        if expect
        else None,
        within_expected=expect.holds(seen) if expect else None,
        conditions=conditions(session, m),
        timing=m.timing,
        protocol=m.protocol,
        layout=m.layout,
        mistake=m.mistake or "",
        status=status,
    )


def _telemetry(session: Session) -> TelemetryBlock:
    samples = session.samples
    hz = session.hz
    limit = 3 / session.least_hz if session.least_hz else 0.3
    gaps = sum(b - a > limit for a, b in itertools.pairwise(samples.moments))
    status: dict[str, str] = {}
    for field, known in (("hz", hz), ("source", session.telemetry_source)):
        if known is None:
            status[field] = "error"

    def stretch(field: str) -> Stretch:
        values = samples.readable(field)
        if not values:
            status[field] = why = samples.why_null(field) or "error"
            each = dict.fromkeys(("min", "median", "max"), why)
            return Stretch(min=None, median=None, max=None, status=each)
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
