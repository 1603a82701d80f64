"""All that is known of one probe: its number, its repetitions, its conditions, how to repeat it."""

from __future__ import annotations

from rich.cells import cell_len

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.session.attribution import attributed
from roofwatch.session.controlled import controlled
from roofwatch.session.events import Measurement
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.how_timed import how_timed, protocol_said
from roofwatch.session.measured_again import said_again
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale, scaled
from roofwatch.session.rates import value
from roofwatch.session.repeat_command import (
    not_repeatable,
    python_differs,
    python_lines,
    repeat_command,
)
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.seen_during import seen_during
from roofwatch.session.sustained import sustained
from roofwatch.session.table import (
    DONE,
    SKIPPED,
    ProbeRow,
    probe_rows,
)
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, indented, labelled, room
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure, percent, signed
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, row, spread, wrapped
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.notebook.finding_rows import mark_of, name_of, style_of
from roofwatch.tui.probes.conditions_rows import conditions_rows
from roofwatch.tui.probes.group_rows import group_rows
from roofwatch.tui.probes.held_plot import held_plot
from roofwatch.tui.probes.number_rows import number_rows
from roofwatch.tui.probes.repetition_rows import repetition_rows
from roofwatch.tui.probes.unmeasured_rows import STATES, unmeasured_rows
from roofwatch.tui.probes.work_rows import work_rows


def rows(
    session: Session, probe: str, cells: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> list[Row]:
    """The page of one probe, each row ``cells`` wide; ``found`` spares judging it again."""
    parts = [head(session, probe, cells, glyphs, found), row("")]
    parts += body(session, probe, cells, glyphs, found)
    return [fit(r, cells) for r in micro(parts, glyphs)]


def head(
    session: Session, probe: str, cells: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> Row:
    """Its name left, how it is timed and how far it has come right."""
    r = _row(session, probe, found)
    state = r.state if r else "unknown"
    protocol = _protocol(session, probe)
    parts = [protocol, f"run {session.shown_run}" if session.run > 1 else "", state]
    said = f" {glyphs.dot} ".join(part for part in parts if part)
    name = head_of(r.label if r else shown(probe), cells - cell_len(said) - 2, glyphs.ellipsis)
    return spread(row((name, "title")), row((said, STATES.get(state, "dim"))), cells)


def body(
    session: Session, probe: str, cells: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> list[Row]:
    """All rows under the head."""
    found = findings(session) if found is None else found
    run, spec = session.shown_run, _spec(session, probe)
    own, r = roofs(session), _row(session, probe, found)
    m = next((m for m in session.measured(run) if m.probe == probe), None)
    if m is not None and r is None:  # of a probe that only a newer version knows
        unit = "TFLOP/s" if m.peak_key else "GB/s"
        factor = _factor(session, unit)
        unit = rate_scale(session).named(unit)
        out = labelled("measured", f"{short(value(m) * factor)} {unit}", cells, "title")
        out += repetition_rows(m, unit, factor, cells, glyphs)
        return [*out, *work_rows(session, own, m, cells, glyphs)]
    if r is None:
        return wrapped(f"There is no probe {shown(probe)} in this session.", cells)
    if m is None and r.state != DONE:
        out = unmeasured_rows(session, r, spec, run, cells, glyphs)
    elif m is None:
        out = [
            *_findings(session, probe, found, run, cells, glyphs),
            row(""),
            *group_rows(session, own, probe, run, cells, glyphs),
        ]
        kind = session.device.kind
        out += [row(""), *labelled("timed", protocol_said(_protocol(session, probe), kind), cells)]
    else:
        out = _measured(session, own, r, m, spec, found, cells, glyphs)
    out += _notes(session, probe, run, r, cells, glyphs)
    return [*out, *_again(session, spec, m, cells, glyphs)]


def _spec(session: Session, probe: str) -> ProbeSpec | None:
    return next((s for s in session.specs if s.key == probe), None)


def _row(session: Session, probe: str, found: list[Finding] | None) -> ProbeRow | None:
    return next((r for r in probe_rows(session, found) if r.probe == probe), None)


def _protocol(session: Session, probe: str) -> str:
    spec = _spec(session, probe)
    if spec is not None:
        return spec.protocol
    of_probe = (m.protocol for m in session.measurements if m.probe == probe)
    return shown(next(of_probe, ""))


# -- a single number -------------------------------------------------------------------------


def _measured(
    session: Session,
    own: Roofs,
    r: ProbeRow,
    m: Measurement,
    spec: ProbeSpec | None,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    out = number_rows(session, own, scaled(r, rate_scale(session)), m, found, cells, glyphs)
    out += _attribution(session, own, m, cells, glyphs)
    out += [row(""), *_findings(session, m.probe, found, m.run, cells, glyphs)]
    if m.protocol == "sustained":
        out += [row(""), *_held(session, m, cells, glyphs)]
    out += [row(""), *_repetitions(session, r, m, cells, glyphs)]
    out += [row(""), *conditions_rows(session, seen_during(session, m), cells, glyphs)]
    out += [row(""), *work_rows(session, own, m, cells, glyphs), row("")]
    out += labelled("timed", how_timed(m, session.device.kind, spec), cells)
    control = controlled(session, m)
    if control is not None:
        ratio = control.ratio
        apart = f"{figure(100 * abs(ratio - 1))} % {'less' if ratio < 1 else 'more'}"
        out += labelled("control", f"{apart} than the first", cells)
    return out


def _factor(session: Session, tera: str) -> float:
    """Times which a figure in this unit is that in the unit on show."""
    scale = rate_scale(session)
    return 1.0 if scale.named(tera) == tera else scale.factor


def _repetitions(
    session: Session, r: ProbeRow, m: Measurement, cells: int, glyphs: Glyphs
) -> list[Row]:
    unit = rate_scale(session).named(r.unit)
    return repetition_rows(m, unit, _factor(session, r.unit), cells, glyphs)


def _attribution(
    session: Session, own: Roofs, m: Measurement, cells: int, glyphs: Glyphs
) -> list[Row]:
    """From the nominal peak down to the figure: clock, waves, and what is left for the kernel."""
    flat = own.compute.get(m.peak_key or "")
    if flat is None or m.claim is not None or m not in (flat.burst, flat.sustained):
        return []
    seen = attributed(session, flat, m.protocol)
    if seen is None:
        return []
    t = seen.terms
    parts = [f"{figure(t.nominal)} nominal", f"{signed(t.clock)} clock {seen.clock.mhz:.0f} MHz"]
    parts += [f"{signed(t.waves)} waves{'' if seen.tile_known else ' (tile assumed)'}"]
    parts += [f"{signed(t.remainder)} the kernel"]
    return labelled("terms", f" {glyphs.dot} ".join(parts), cells)


def _held(session: Session, m: Measurement, cells: int, glyphs: Glyphs) -> list[Row]:
    """The seconds that it was held, drawn; then what they came to."""
    multiplies = m.peak_key is not None
    window = (m.begin_s, m.end_s)
    drawn = held_plot(session, m.probe, m.run, multiplies, room(cells), glyphs, window)
    rows = beside("held", drawn, cells)
    s = sustained(session, m, m.probe)
    scale = rate_scale(session)
    unit = scale.of(m.peak_key)
    if s.onset_s is None:
        rows += labelled("fell", "never: the rate held from the first launch on", cells)
    elif not drawn:
        rows += labelled("fell", f"the rate {short(s.onset_s)} s after the first launch", cells)
    facts = []
    if s.power_w is not None:
        facts.append(f"{s.power_w:.0f} W")
    if s.energy_j is not None:
        facts.append(f"{short(s.energy_j)} J in its window")
    if s.tflops_per_w is not None:
        facts.append(f"{short(s.tflops_per_w * scale.factor)} {unit} a watt")
    if s.temp_c is not None:
        facts.append(f"from {s.temp_c[0]:.0f} to {s.temp_c[1]:.0f} {glyphs.degree}C")
    rows += labelled("drew", f" {glyphs.dot} ".join(facts), cells) if facts else []
    for i, each in enumerate(s.settled):
        said = f"{each.sm_mhz:.0f} MHz: {short(each.tflops * scale.factor)} {unit}"
        said += f", {percent(each.efficiency)} of the peak at that clock" if each.efficiency else ""
        rows += labelled("" if i else "settled at", said, cells)
    return rows


# -- findings, notes, and what is not there --------------------------------------------------


def _findings(
    session: Session, probe: str, found: list[Finding], run: int, cells: int, glyphs: Glyphs
) -> list[Row]:
    """Each with its mark, its name and its sentence."""
    if run != session.reported_run:
        return labelled("findings", "are judged when this run is complete", cells, "dim")
    about = [f for f in found if f.subject == probe]
    if not about:
        return labelled("findings", f"{glyphs.ok} none: nothing speaks against it", cells, "ok")
    rows: list[Row] = []
    for f in about:
        name = "findings" if not rows else ""
        rows += labelled(name, f"{mark_of(f, glyphs)} {name_of(f)}", cells, style_of(f))
        rows += beside("", wrapped(f.message, room(cells)), cells)
    return rows


def _notes(
    session: Session, probe: str, run: int, r: ProbeRow, cells: int, glyphs: Glyphs
) -> list[Row]:
    """What the instruments noted of it on the way; repeated blocks are said."""
    texts = [n.text for n in session.notes if n.probe == probe and n.run == run]
    if r.state == SKIPPED:
        texts = [text for text in texts if text != r.why]
    texts += said_again(session, probe)
    rows: list[Row] = [row("")] if texts else []
    for text in texts:
        rows += labelled("note" if len(rows) == 1 else "", text, cells)
    return rows


def _again(
    session: Session, spec: ProbeSpec | None, m: Measurement | None, cells: int, glyphs: Glyphs
) -> list[Row]:
    """The command, and where there is one the Python."""
    if spec is None:
        return []
    command = repeat_command(session, spec)
    rows = [row(""), *labelled("again", command or not_repeatable(spec), cells, "key")]
    lines = python_lines(session, m) if m is not None else []
    if m is not None and lines:
        rows += [row(""), *labelled("Python", python_differs(m), cells, "dim")]
        for line in lines:
            pieces = [row((line, "strong"))]
            fits = cell_len(line) <= cells - 2
            rows += indented(pieces if fits else wrapped(line, cells - 2, "strong"))
    return rows
