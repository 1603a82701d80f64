"""The two lines that always stand above: the card with its live numbers, and its roofs."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.reasons import word
from roofwatch.session.events import Device, Measurement, Sample
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.roof_doubts import doubted
from roofwatch.session.roofs import WHICH, roofs
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, figure, percent, util_said
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, head_of, row, spread, width
from roofwatch.tui.roofline.told_once import told_once
from roofwatch.tui.screen.spent import session_cost_said


def build(
    session: Session,
    cells: int,
    key: str | None,
    glyphs: Glyphs,
    found: Sequence[Finding] = (),
) -> list[Row]:
    """Two rows: the device with its live numbers, then the roofs of a precision.

    A roof that by its range or by ``found`` is not to be believed is marked.
    """
    return [_device_row(session, cells, glyphs), _roofs_row(session, cells, key, glyphs, found)]


def _device_row(session: Session, cells: int, glyphs: Glyphs) -> Row:
    """The device left, its live numbers right. Short of room the left gives its figures, then the
    right those that tell least, then the name its end."""
    device = session.device
    name: Piece = (f" {shown(device.name or 'looking for the device')}", "title")
    left: list[Piece] = []
    if device.memory_bytes:
        left.append((f"  {_memory(device)}", ""))
    if device.power_limit_w:
        left.append((f"  {device.power_limit_w:.0f} W", ""))
    if device.core_count:
        left.append((f"  {device.core_count} cores", ""))
    ranked = [(0, ("telemetry is starting ", "dim"))]
    if session.samples:
        ranked = _live(session.samples[-1], device, cells, glyphs)
    if any(f.instrument == "telemetry" for f in session.open_faults):  # what is read no more
        ranked = [(0, ("not live  ", "warn")), *((n, (text, "dim")) for n, (text, _) in ranked)]
    right = [piece for _, piece in ranked]
    while left and width([name, *left, *right]) >= cells:
        left.pop()
    while len(ranked) > 1 and width([name, *right]) >= cells:
        ranked.remove(max(ranked))
        right = [piece for _, piece in ranked]
    room = max(0, cells - width(right) - 1)
    if room < width([name]):
        name = (head_of(name[0], room, glyphs.ellipsis), "title")
    return spread([name, *left], right, cells)


def _memory(device: Device) -> str:
    return f"{(device.memory_bytes or 0) / 2**30:.0f} GiB"


def _live(last: Sample, device: Device, cells: int, glyphs: Glyphs) -> list[tuple[int, Piece]]:
    """What was read last, in order, each with its rank: the highest gives way first."""
    found: list[tuple[int, Piece]] = []
    if cells >= 120 and last.util is not None:
        found.append((5, (f"{util_said(percent(last.util), last.gpu is not None)}  ", "dim")))
    reason = word(last.reasons) if last.reasons is not None else ""
    if reason and reason != "idle":
        found.append((1, (f"{reason}  ", "reason")))
    clock = NOT_READ if last.sm_mhz is None else f"{last.sm_mhz:.0f}"
    top = f"/{device.sm_max_mhz:.0f}" if device.sm_max_mhz else ""
    found.append((0, (f"{clock}{top} MHz ", "clock")))
    power = last.power_instant_w if last.power_instant_w is not None else last.power_w
    found.append((2, (f" {NOT_READ if power is None else f'{power:.0f}'} W ", "power")))
    if last.temp_c is not None:
        found.append((3, (f" {last.temp_c:.0f}{glyphs.degree}C ", "")))
    if last.mem_used_bytes is not None:
        found.append((4, (f" {last.mem_used_bytes / 2**30:.1f} GiB ", "")))
    return found


def _roofs_row(
    session: Session, cells: int, key: str | None, glyphs: Glyphs, found: Sequence[Finding]
) -> Row:
    own = roofs(session)
    if key not in own.compute:
        key = next(iter(own.compute), None)
    flat = own.compute.get(key or "")
    if flat is None and own.bandwidth_gbs is None and own.nominal_gbs is None:
        return fit(row((" no roof is measured", "dim")), cells)
    doubts = doubted(session, own, found)

    def doubt(m: Measurement | None) -> list[Piece]:
        return [(f" {glyphs.warn}", "warn")] if m is not None and m.probe in doubts else []

    left: list[Piece] = []
    if flat is not None:
        by = {"burst": flat.reached, "sustained": flat.sustained}
        left.append((f" {key}", "title"))
        scale = rate_scale(session)
        seen = {w: figure(v * scale.factor) for w in WHICH if (v := flat.flat(w)) is not None}
        for i, (names, value) in enumerate(told_once(seen.items())):
            first = names.partition(",")[0]
            left.append((f" {glyphs.dot} " if i else "  ", "dim"))
            left.append((f"{names} {value}", first))
            left += doubt(by.get(first))
        left.append((f" {scale.of(flat.peak_key)}", "dim"))
    right: list[Piece] = []
    if own.bandwidth_gbs is not None:
        right.append((f"DRAM {figure(own.bandwidth_gbs)}", "burst"))
        right.append((f" of {own.nominal_gbs:.0f}" if own.nominal_gbs else "", "nominal"))
        right.append((" GB/s ", "dim"))
        right += [(f"{mark.strip()} ", style) for mark, style in doubt(own.bandwidth)]
    elif own.nominal_gbs:
        right.append((f"DRAM nominal {own.nominal_gbs:.0f} GB/s ", "nominal"))
    spent = session_cost_said(session)
    if spent and width(left) + len(spent) + width(right) + 4 <= cells:  # only where there is room
        right.insert(0, (f"{spent}  ", "dim"))
    return spread(left, right, cells)
