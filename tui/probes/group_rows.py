"""The points of a sweep or of a group's probe: its picture and tables, else a line a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofwatch.roofline.probe_spec import LINK_GROUPS, protocol_of_group
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.statistics import spread
from roofwatch.roofline.time_said import time_said
from roofwatch.session.decode import DecodeCurve, decode_curves
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.fusion import fusions
from roofwatch.session.kernel_map import kernel_map, label
from roofwatch.session.links import point_name
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.rates import gbs, tflops, time_s
from roofwatch.session.roofs import Roofs
from roofwatch.session.sweeps import Sweep, sweeps
from roofwatch.session.waves import waves
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, row, text_of, width, wrapped
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.kernels import launch_rows, sweeps_plot
from roofwatch.tui.probes import group_tables

LEAST_NAME, MOST_NAME = 10, 34
FIGURES = 9 + 9 + 8  # cells of a time, a rate and its unit
SPREADS = 10  # cells of IQR and count, where there is room
CODES = {"E2": "E2: the cache", "impossible": "over nominal"}


def group_rows(
    session: Session, own: Roofs, probe: str, run: int, cells: int, glyphs: Glyphs
) -> list[Row]:
    """All that a probe of many points measured in one run; none where it measured nothing."""
    swept = next((s for s in sweeps(session, own, run) if s.probe == probe), None)
    if swept is not None:
        drawn = sweeps_plot.build(session, own, cells, glyphs, probe, run)
        return _trimmed([*drawn, *_sizes(swept)])
    found = session.group(probe, run)
    if not found:
        return []
    protocol = protocol_of_group(probe)
    if protocol == "decode" and run == session.reported_run:
        curves = [c for c in decode_curves(session, own) if c.probe == probe and c.points]
        told = _curves(curves, found, cells) if curves else []
    else:
        told = _TOLD[protocol](session, own, run, cells, glyphs) if protocol in _TOLD else []
    if told and max(map(width, told)) <= cells:
        return _trimmed(told)
    return points_table(found, rate_scale(session), cells, glyphs)


_TOLD: dict[str, Callable[[Session, Roofs, int, int, Glyphs], list[Row]]] = {
    "launch": lambda session, own, run, cells, glyphs: launch_rows.launches(session, cells, run),
    "kernels": lambda session, own, run, cells, glyphs: group_tables.kernels(
        kernel_map(session, own, run), cells, glyphs
    ),
    "fusion": lambda session, own, run, cells, glyphs: group_tables.chains(
        fusions(session, own, run), cells
    ),
    "alignment": lambda session, own, run, cells, glyphs: launch_rows.odd_sides(
        session, own, cells, glyphs, run
    ),
    "waves": lambda session, own, run, cells, glyphs: group_tables.staircase(
        waves(session, run), rate_scale(session), cells
    ),
}
"""How the points of each protocol are told where there is room for it."""


def points_table(
    found: Sequence[Measurement], scale: RateScale, cells: int, glyphs: Glyphs
) -> list[Row]:
    """A line a point: what it is, its time, its rate, how far its times are spread."""
    names = [_name(m) for m in found]
    wide = cells >= LEAST_NAME + FIGURES + SPREADS
    room = cells - FIGURES - (SPREADS if wide else 0)
    name = max(LEAST_NAME, min(room, MOST_NAME, max(map(len, names)) + 1))
    head = f"{'point':<{name}}{'time':>9}{'rate':>9}{'':8}"
    head += f"{'IQR':>6}{'n':>4}" if wide else ""
    rows: list[Row] = [row((head.rstrip(), "dim"))]
    for m, named in zip(found, names, strict=True):
        rate, unit = gbs(m), "GB/s"
        if m.peak_key:
            rate, unit = tflops(m) * scale.factor, scale.of(m.peak_key)
        line = f"{head_of(named, name - 1, glyphs.ellipsis):<{name}}{time_said(time_s(m)):>9}"
        scatter = f"{percent(spread(m.times_s)):>6}{len(m.times_s):>4}" if wide else ""
        rows.append(row(f"{line}{short(rate):>9}", (f" {unit:<7}{scatter}", "dim")))
    return [fit(r, cells) if width(r) > cells else r for r in rows]


def _name(m: Measurement) -> str:
    """What tells it from its neighbours."""
    if m.protocol == "alignment" and m.variant:
        return shown(m.variant)
    if m.protocol in LINK_GROUPS:
        return shown(point_name(m))
    if m.protocol in ("waves", "decode"):
        told = ("m", "n") if m.protocol == "waves" else ("batch", "context")
        sides = " x ".join(str(m.shape[side]) for side in told if side in m.shape)
        return shown(f"{m.op} {m.variant or ''} {sides}".replace("  ", " "))
    try:
        return shown(label(m))
    except KeyError:  # a point of a damaged file may lack a side
        return shown(m.op.replace("_", " "))


def _sizes(swept: Sweep) -> list[Row]:
    """A line a size of a sweep over bytes; that over squares has its own."""
    points = [p for p in swept.points if p.bytes is not None]
    if not points:
        return []
    known = any(p.of_nominal is not None for p in points)
    head = f"{'all tensors':>12}{'time':>10}{'GB/s':>8}" + (f"{'nominal':>9}" if known else "")
    rows: list[Row] = [row((head, "dim"))]
    for p in points:
        line = f"{size_said(p.bytes or 0):>12}{time_said(p.time_s):>10}{short(p.gbs or 0.0):>8}"
        line += f"{percent(p.of_nominal):>9}" if known else ""
        why = f"  {CODES.get(p.code, shown(p.code))}" if p.code else ""
        rows.append(row(line, (why, "warn")))
    return rows


def _curves(curves: Sequence[DecodeCurve], found: Sequence[Measurement], cells: int) -> list[Row]:
    """Each context's steps by rising batch, and why they bend."""
    rows: list[Row] = []
    for c in curves:
        layers = f", {c.layers} of its {c.layers_of} layers" if c.layers < c.layers_of else ""
        said = f"{shown(c.model)}, {c.context} tokens of context, {shown(c.dtype)}{layers}"
        rows += [*wrapped(said, cells, "strong"), *group_tables.steps(c, cells)]
        rows += [*wrapped(c.reason, cells), row("")]
    parts = sum(m.op != "decode" for m in found)
    if parts:
        said = f"{parts} more points are parts of a step, each timed by itself: the Decode tab "
        rows += wrapped(f"{said}adds them up", cells, "dim")
    return rows


def _trimmed(rows: list[Row]) -> list[Row]:
    """Without blank rows at its end."""
    while rows and not text_of(rows[-1]).strip():
        rows = rows[:-1]
    return rows
