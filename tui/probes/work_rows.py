"""What was launched, and what of it is counted."""

from __future__ import annotations

from roofwatch.roofline.kernel_name import tile, uses_tensor_cores
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.suite import FULL
from roofwatch.session.counted import bytes_formula, flop_formula
from roofwatch.session.events import Measurement, Tensor
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.rates import intensity, moved_bytes, traffic_bytes, working_set_bytes
from roofwatch.session.roofs import Roofs
from roofwatch.tui.drawing.amount import amount
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import labelled
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.probes.conditions_rows import why_said

LAYOUTS = {"nn": "nn: both operands plain", "nt": "nt: the second operand transposed"}


def work_rows(
    session: Session, own: Roofs, m: Measurement, cells: int, glyphs: Glyphs
) -> list[Row]:
    """Op, shape, types and kernel; then FLOP, bytes, intensity and the working set."""
    rows = labelled("launched", _launched(m, glyphs), cells)
    rows += labelled("types", _types(m, glyphs), cells)
    if m.settings:
        told = ", ".join(f"{shown(k)} {shown(v)}" for k, v in m.settings.items())
        rows += labelled("settings", told, cells)
    rows += labelled("kernel", _kernel(session, own, m), cells)
    flop = f"{amount(m.flop, 'FLOP')} a launch" if m.flop else "none: it only moves bytes"
    formula = flop_formula(m)
    rows += labelled("FLOP", f"{flop}, {formula}" if m.flop and formula else flop, cells)
    rows += labelled("bytes", _bytes(m), cells)
    at = f"{figure(intensity(m))} FLOP/byte" if m.flop else "0 FLOP/byte"
    rows += labelled("intensity", at, cells)
    return [*rows, *labelled("working set", _working_set(session, m), cells)]


def _launched(m: Measurement, glyphs: Glyphs) -> str:
    shape = ", ".join(f"{shown(name)} {value}" for name, value in m.shape.items())
    parts = [shown(m.op), shape]
    if m.layout is not None:
        parts.append(f"layout {LAYOUTS.get(m.layout, shown(m.layout))}")
    if m.variant is not None:
        parts.append(shown(m.variant))
    return f" {glyphs.dot} ".join(part for part in parts if part)


def _types(m: Measurement, glyphs: Glyphs) -> str:
    parts = [shown(m.dtype), f"math {shown(m.math)}"]
    if m.accumulate is not None:
        parts.append(f"sums in {shown(m.accumulate)}")
    if m.out_dtype is not None:
        parts.append(f"result {shown(m.out_dtype)}")
    judged = f"the {shown(m.peak_key)} peak" if m.peak_key else "bandwidth"
    parts.append(f"judged by {judged}")
    if m.library_limited:
        parts.append("limited by its library")
    return f" {glyphs.dot} ".join(parts)


def _kernel(session: Session, own: Roofs, m: Measurement) -> str:
    """Its name by the profiler; what is held is the launch of the burst, which was profiled."""
    flat = own.compute.get(m.peak_key or "")
    burst = flat.burst if flat and flat.sustained is m else None
    name = m.kernel or (burst.kernel if burst is not None and burst.shape == m.shape else None)
    if name is None:
        why = f"name {why_said(m.status.get('kernel', 'not_measured'))}"
        asks = session.suite != FULL and session.device.kind == "cuda"
        return f"{why}: the full suite asks the profiler" if asks else why
    said = shown(name) if m.kernel else f"that of its burst, {shown(name)}"
    on = uses_tensor_cores(name)
    if m.peak_key is not None:
        told = {True: "on tensor cores", False: "on CUDA cores", None: "its units are not told"}
        said += f"; {told[on]}"
        if (sides := tile(name)) is not None:
            said += f", tile {sides[0]} x {sides[1]}"
    if m.kernel_time_s is not None:
        said += f"; {figure(m.kernel_time_s * 1e6)} us by the profiler"
    return said


def _bytes(m: Measurement) -> str:
    told = ", ".join(_tensor(t) for t in m.tensors)
    return f"{amount(traffic_bytes(m), 'B')} a launch, {bytes_formula(m)}: {told}"


def _tensor(t: Tensor) -> str:
    ways = [
        f"{amount(count, 'B')} {way}"
        for count, way in ((t.read_bytes, "read"), (t.write_bytes, "written"))
        if count
    ]
    return f"{shown(t.name)} {' and '.join(ways) or '0 B'}"


def _working_set(session: Session, m: Measurement) -> str:
    held = working_set_bytes(m)
    cache = session.device.l2_bytes
    said = size_said(held)
    if m.op == "strided":
        said += f" useful, {size_said(moved_bytes(m))} carried"
    if not cache:
        return f"{said}; the size of the last-level cache is {_unknown(session)}"
    times = held / cache
    if times >= 1:
        return f"{said}, {short(times)} times the last-level cache of {size_said(cache)}"
    return (
        f"{said}, {times * 100:.2g} % of the last-level cache of {size_said(cache)}: it stays there"
    )


def _unknown(session: Session) -> str:
    return why_said(session.device.status.get("l2_bytes", "not_known"))
