"""A probe without a number yet, or ever: why, what is expected of it, what is done for it."""

from __future__ import annotations

from roofwatch.roofline.per_cent import spaced
from roofwatch.roofline.probe_spec import GROUPS, ProbeSpec
from roofwatch.session.fold import Session
from roofwatch.session.how_timed import protocol_said
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.table import (
    DONE,
    FAILED,
    NOT_RUN,
    RUNNING,
    SKIPPED,
    WAITING,
    ProbeRow,
    probe_rows,
)
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, labelled, room
from roofwatch.tui.drawing.rows_of_text import Row, row
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.probes.held_plot import held_plot
from roofwatch.tui.probes.number_rows import NO_RANGE

STATES = {DONE: "ok", RUNNING: "running", FAILED: "wrong", SKIPPED: "note"}
"""Styles of the states; the others are dim."""
MANY = (*GROUPS, "sweep")
"""Protocols of a probe with many points."""


def unmeasured_rows(
    session: Session, r: ProbeRow, spec: ProbeSpec | None, run: int, cells: int, glyphs: Glyphs
) -> list[Row]:
    """Why there is no number, what is expected of it, and what is done for it."""
    out = labelled("why", _why(session, r, run, glyphs), cells, STATES.get(r.state, ""))
    if r.state == FAILED:
        out += _fault(session, r.probe, run, cells)
    expect = session.expect(r.probe, run)
    if expect is not None:
        scale = rate_scale(session)
        unit = scale.named(expect.unit)
        factor = 1.0 if unit == expect.unit else scale.factor
        ends = f"{short(expect.low * factor)} {glyphs.dash} {short(expect.high * factor)}"
        span = f"{ends} {shown(unit)}"
        out += labelled("expected", f"{span}: {spaced(expect.why)}", cells)
    elif spec is not None and spec.protocol in MANY:
        out += labelled("expected", "no one range: it has many points", cells)
    else:
        out += labelled("expected", NO_RANGE, cells)
    multiplies = bool(spec and spec.peak_key)
    if r.state == RUNNING and spec is not None and spec.protocol == "sustained":
        drawn = held_plot(session, r.probe, run, multiplies, room(cells), glyphs)
        out += [row(""), *beside("so far", drawn, cells)] if drawn else []
    said = protocol_said(spec.protocol, session.device.kind) if spec else ""
    return [*out, row(""), *labelled("timed", said, cells)] if said else out


def _why(session: Session, r: ProbeRow, run: int, glyphs: Glyphs) -> str:
    if r.state in (SKIPPED, FAILED):
        tail = "It is left out; the others are measured." if r.state == SKIPPED else ""
        why = shown(r.why or "")
        return f"{r.state}: {why}{'' if why.endswith('.') else '.'} {tail}".rstrip()
    if r.state == RUNNING:
        begun = max(
            (s.t for s in session.spans if s.probe == r.probe and s.run == run), default=0.0
        )
        return f"running for {session.duration_s - begun:.1f} s; its number comes when it ends"
    if r.state == NOT_RUN:
        end = session.ends.get(run)
        why = shown(end.why) if end and end.why else "the run ended before it"
        return f"not run: {why}"
    keys = [s.key for s in session.specs]
    open_before = [
        o.label
        for o in probe_rows(session, [])
        if o.state in (WAITING, RUNNING) and keys.index(o.probe) < keys.index(r.probe)
    ]
    if not any(s.run == run for s in session.spans):
        return "waiting: the run has not begun"
    if not open_before:
        return "waiting: it is next"
    return f"waiting for {len(open_before)} before it, now {open_before[0]}"


def _fault(session: Session, probe: str, run: int, cells: int) -> list[Row]:
    """The last fault's exit code and last words."""
    fault = next(f for f in reversed(session.faults) if f.probe == probe and f.run == run)
    out: list[Row] = []
    if fault.exit_code is not None:
        out += labelled("exit code", str(fault.exit_code), cells)
    for i, line in enumerate(fault.log):
        out += labelled("log" if i == 0 else "", line, cells, "dim")
    later = (s for s in session.spans if s.run == run and s.edge == "begin" and s.probe != probe)
    went_on = any(s.t >= fault.t for s in later)
    said = "the run went on with the next probe" if went_on else "no probe was begun after it"
    return [*out, *labelled("then", said, cells)]
