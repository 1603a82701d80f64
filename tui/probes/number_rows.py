"""One number: beside its expected range, on a scale up to nominal, and its shares."""

from __future__ import annotations

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.probe_spec import PERCENT, TRANSFER
from roofwatch.roofline.roof import LIBRARY
from roofwatch.roofline.wide_range import says_little
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.link_nominal import nominal_link_gbs
from roofwatch.session.points import point
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import intensity
from roofwatch.session.roof_doubts import OVER, burst_roof, doubted
from roofwatch.session.roofs import Roofs
from roofwatch.session.table import ProbeRow
from roofwatch.tui.drawing.curves import cell_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, labelled, room
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, row
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.probes.probe_mark import mark_of

MOST_SCALE = 60
NOT_KNOWN = "not known"
NO_RANGE = "no expectation: no nominal or published figure is known for it"


def number_rows(
    session: Session,
    own: Roofs,
    r: ProbeRow,
    m: Measurement,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """What was measured, what was expected and why, and what share it is of each roof."""
    rows = beside("measured", [_measured(r, glyphs)], cells)
    rows += labelled("expected", _expected(r, glyphs), cells)
    nominal = _nominal(session, r, m)
    if scale := _scale(r, nominal, room(cells), glyphs):
        rows += beside("", [scale], cells)
    rows += labelled("of nominal", _of_nominal(r, m, nominal), cells)
    if m.claim is not None:
        made = f"The figure is wrong on purpose ({r.label}), so it has no place under a roof."
        return [*rows, *labelled("of roof", made, cells)]
    return [*rows, *_under_the_roof(session, own, r, m, found, cells, glyphs)]


def _measured(r: ProbeRow, glyphs: Glyphs) -> Row:
    number = short(r.measured) if r.measured is not None else NOT_KNOWN
    pieces = row((f"{number} {r.unit}", "title"))
    if r.within is None:
        return pieces
    if r.on_purpose:
        return (*pieces, ("  wrong on purpose", "note"))
    if r.within:
        mark, style = mark_of(r, glyphs)  # as in the list, where findings may speak against it
        where = "a very wide range" if says_little(r.low, r.high) else "the expected range"
        said = "inside its range, but flagged" if r.grave else f"inside {where}"
        return (*pieces, (f"  {mark} {said}", style))
    side = "below" if r.low is not None and (r.measured or 0.0) < r.low else "above"
    return (*pieces, (f"  {glyphs.warn} {side} the expected range", "warn"))


def _expected(r: ProbeRow, glyphs: Glyphs) -> str:
    if r.low is None or r.high is None:
        return NO_RANGE
    span = f"{short(r.low)} {glyphs.dash} {short(r.high)} {r.unit}"
    return f"{span}: {r.why}" if r.why else span


def _nominal(session: Session, r: ProbeRow, m: Measurement) -> float | None:
    """The nominal figure of the unit that the number has."""
    if session.nominal is None or r.of_nominal is None:
        return None
    if m.protocol == TRANSFER:
        return nominal_link_gbs(session, m.op)
    if m.peak_key is None:
        return session.nominal.bandwidth_gbs
    peak = session.nominal.peaks_tflops.get(m.peak_key)
    return None if peak is None else peak * rate_scale(session).factor


def _scale(r: ProbeRow, nominal: float | None, cells: int, glyphs: Glyphs) -> Row | None:
    """From nought to nominal: the expected range shaded, the figure in it."""
    if r.measured is None or r.low is None or r.high is None:
        return None
    tail = f" nominal {short(nominal)}" if nominal else ""
    columns = min(MOST_SCALE, cells - len(tail) - 2)
    if columns < 20:
        return None
    limits = (0.0, max(r.measured, r.high, nominal or 0.0) or 1.0)
    line = [glyphs.horizontal] * columns
    for x in range(cell_of(r.low, limits, columns), cell_of(r.high, limits, columns) + 1):
        line[x] = glyphs.empty
    if nominal:
        line[cell_of(nominal, limits, columns)] = glyphs.tick
    at = cell_of(r.measured, limits, columns)
    style = "ok" if r.within else "warn"
    before, after = "".join(line[:at]), "".join(line[at + 1 :])
    return row(
        ("0 ", "dim"), (before, "axis"), (glyphs.full, style), (after, "axis"), (tail, "dim")
    )


def _of_nominal(r: ProbeRow, m: Measurement, nominal: float | None) -> str:
    if r.unit == PERCENT:
        return "the figure is a share of a peak already"
    if r.of_nominal is None or nominal is None:
        return f"{NOT_KNOWN}: there is no nominal figure to hold it against"
    what = "bandwidth" if m.peak_key is None else f"dense {m.peak_key} peak"
    what = "rate of the link" if m.protocol == TRANSFER else what
    return f"{_share(r.of_nominal)} of {short(nominal)}, the nominal {what}"


def _share(ratio: float) -> str:
    return percent(ratio) if ratio < 1e3 else f"{short(ratio)} times"


def _under_the_roof(
    session: Session,
    own: Roofs,
    r: ProbeRow,
    m: Measurement,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """Shares of what this card's own burst roof allows at this intensity, and of its flat."""
    if m.protocol == TRANSFER:
        return labelled("of roof", "none: what crosses a link has no place under the roof", cells)
    if r.of_roof is None or r.measured is None:
        return labelled("of roof", "not measured: this run has no roof to hold it against", cells)
    roof_by = burst_roof(own, m.peak_key)
    doubts = doubted(session, own, found)
    doubt = doubts.get(roof_by.probe, "") if roof_by is not None else ""
    rows = labelled("of roof", _of_roof(session, own, r, m), cells)
    if doubt:
        said = f"{glyphs.warn} that roof is not to be believed: it is {doubt}"
        rows += labelled("", said, cells, "warn")
    elif m.probe in doubts:
        said = f"{glyphs.warn} this figure is not to be believed: it is {doubts[m.probe]}"
        rows += labelled("", said, cells, "warn")
    elif r.of_roof >= OVER:
        rows += labelled("", _why_over(m), cells, "note")
    if not m.flop:
        return [*rows, *labelled("of ridge", "no FLOP: it has no place on the slope", cells)]
    key = m.peak_key or own.main_key
    roof = own.roof(key or "", "burst")
    if roof is None:
        return rows
    at = intensity(m)
    of_flat = _fine(roof.attainable_tflops(at) / roof.peak_tflops)
    ridge = f"the {key} ridge at {figure(roof.ridge)} FLOP/byte"
    side = f"right of {ridge}: the flat binds"
    if at < roof.ridge:
        side = f"left of {ridge}: the bytes bind"
    rows += labelled("of ridge", f"{of_flat}, {side}", cells)
    seen = point(session, own, key, m)
    if not seen.work_on or seen.work_on == LIBRARY:
        return [*rows, *(labelled("work on", seen.work_on, cells) if seen.work_on else [])]
    if doubt or m.probe in doubts:
        return [*rows, *labelled("work on", "measuring it again, before anything else", cells)]
    if m is roof_by:
        return rows  # it is at its roof whatever it reaches
    return [*rows, *labelled("work on", seen.work_on, cells)]


def _of_roof(session: Session, own: Roofs, r: ProbeRow, m: Measurement) -> str:
    if r.of_roof is None or r.measured is None:
        return NOT_KNOWN
    allowed = f"{_share(r.of_roof)} of {short(r.measured / r.of_roof)} {r.unit}"
    if m.peak_key is not None:
        mine = own.compute.get(m.peak_key)
        which = "burst roof, as held," if mine is not None and mine.lifted else "burst roof"
        what = f"its own {which} allows at {figure(intensity(m))} FLOP/byte"
        if mine is not None and mine.reached is m:
            return f"it defines it: {short(r.measured)} {r.unit} is what {what}"
        return f"{allowed}, what {what}"
    if own.bandwidth is m:
        return f"it defines it: {short(r.measured)} {r.unit} is this card's own slope"
    best = session.label(own.bandwidth.probe) if own.bandwidth else "its best stream"
    return f"{allowed}, this card's own slope ({best})"


def _why_over(m: Measurement) -> str:
    """Why a share can be above 100 %."""
    if m.peak_key is not None:
        return "above 100 %: it is faster than the burst that the roof is made of"
    said = "above 100 %: the roof is the best stream of two or three tensors beyond the cache"
    reads, writes = (
        any(getattr(t, f"{way}_bytes") for t in m.tensors) for way in ("read", "write")
    )
    if reads != writes:
        said += f"; {'reads' if reads else 'writes'} alone can be faster"
    return said


def _fine(ratio: float) -> str:
    """A share that may be far under one per cent."""
    return percent(ratio) if ratio >= 0.0995 else f"{ratio * 100:.2g} %"
