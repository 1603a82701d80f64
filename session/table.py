"""The probe table: one row a probe, expected beside measured; screen and report share it."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.roofline.links import BOTH_WAYS
from roofwatch.roofline.per_cent import spaced
from roofwatch.roofline.probe_spec import GROUPS, LINK_GROUPS, PERCENT, TRANSFER, ProbeSpec
from roofwatch.roofline.size_said import size_said
from roofwatch.session.checks import OK
from roofwatch.session.events import Measurement
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.held import held_rates
from roofwatch.session.link_nominal import nominal_link_gbs
from roofwatch.session.printable import shown
from roofwatch.session.rates import gbs, intensity, tflops, value
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.sweeps import Sweep, sweeps

WAITING, RUNNING, DONE, SKIPPED, FAILED = "waiting", "running", "done", "skipped", "failed"
NOT_RUN = "not run"


class ProbeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One probe as a person reads it. Values in ``unit``; shares are fractions."""

    probe: str
    label: str
    unit: str
    state: str
    low: float | None = None
    high: float | None = None
    why: str | None = None  # of the range, or of a probe that did not run
    measured: float | None = None
    within: bool | None = None
    of_nominal: float | None = None
    of_roof: float | None = None  # of the card's own burst roof at its intensity
    rates: list[float] = []  # of each repetition, for a spark; of a held one from its start
    codes: list[str] = []  # findings about it
    severities: list[str] = []  # of each code the gravest
    grave: bool = False  # one of them is more than a note: the figure may not be believed
    library_limited: bool = False
    on_purpose: bool = False  # a mistake that was made: the figure is the wrong one
    said: str = ""  # of a sweep: where it turns, instead of one figure


def marked(r: ProbeRow) -> str:
    """How its figure is marked, everywhere: "wrong", "suspect" or "ok"; "" where nothing is said.

    A number that was made wrong on purpose is marked by what was found, as any other.
    """
    if r.state == FAILED or WRONG in r.severities:
        return WRONG
    if doubtful(r) or (r.on_purpose and r.within is False and not r.codes):
        return SUSPECT
    return OK if r.within else ""


def doubtful(r: ProbeRow) -> bool:
    """Whether its figure is missing, not to be believed, or outside its range unintended."""
    return r.state == FAILED or r.grave or (r.within is False and not r.on_purpose)


def probe_rows(session: Session, found: list[Finding] | None = None) -> list[ProbeRow]:
    """Rows of the run on show: the one under way, else the reported one."""
    run = session.shown_run
    found = findings(session) if found is None else found
    measured = {m.probe: m for m in session.measured(run)}
    own = roofs(session)
    swept = {s.probe: s for s in sweeps(session, own, run)}
    notes = {n.probe: n.text for n in session.notes if n.probe and n.run == run}
    failed = (f for f in session.faults if f.run == run and not session.healed(f))
    faults = {f.probe: f.what for f in failed if f.probe}
    running = session.running()
    rows = []
    for spec in session.specs:
        m = measured.get(spec.key)
        points = session.group(spec.key, run) if spec.protocol in GROUPS else []
        if m is not None:
            state, why = DONE, None
        elif spec.key == running:
            state, why = RUNNING, None
        elif spec.key in faults:  # also with some of its points: it was cut short
            state, why = FAILED, faults[spec.key]
        elif spec.key in swept or points:
            state, why = DONE, None
        elif spec.key in notes:
            state, why = SKIPPED, notes[spec.key]
        else:
            state, why = NOT_RUN if session.closed or run in session.ends else WAITING, None
        about = [f for f in found if f.subject == spec.key and run == session.reported_run]
        said = ""
        if state == DONE and m is None:
            said = _best(points) if points else _turns(swept[spec.key])
        rows.append(_row(session, own, run, spec, m, state, why, about, said))
    return rows


def _row(
    session: Session,
    own: Roofs,
    run: int,
    spec: ProbeSpec,
    m: Measurement | None,
    state: str,
    why: str | None,
    about: list[Finding],
    said: str,
) -> ProbeRow:
    expect = session.expect(spec.key, run)
    seen = value(m) if m else None
    gravest = {f.code: f.severity for f in reversed(about)}
    codes = list(dict.fromkeys(f.code for f in about))
    return ProbeRow(
        probe=spec.key,
        label=shown(spec.label),
        unit=spec.unit,
        state=state,
        low=expect.low if expect else None,
        high=expect.high if expect else None,
        why=why or (spaced(expect.why) if expect and expect.why else None),
        measured=seen,
        within=expect.holds(seen) if expect and seen is not None else None,
        of_nominal=of_nominal(session, spec, seen),
        of_roof=of_roof(own, m) if m else None,
        rates=_rates(session, m) if m else [],
        codes=codes,
        severities=[gravest[code] for code in codes],
        grave=any(f.severity != NOTE for f in about),
        library_limited=bool(m and m.library_limited),
        on_purpose=bool(spec.mistake),
        said=said,
    )


def _rates(session: Session, m: Measurement) -> list[float]:
    """In order: of a held probe from its start, where it falls, not of its window alone."""
    if m.protocol == "sustained":
        through = held_rates(session, m.probe, m.run, m.peak_key is not None)
        if through:
            return [rate for _, rate in through]
    return [value(m, t) for t in m.times_s]


def _best(points: list[Measurement]) -> str:
    """How many points; of copies with the best rate of the largest, one way where that is known.

    A smaller one may have been carried by a cache.
    """
    many = f"{len(points)} points"
    if points[0].protocol not in LINK_GROUPS:
        return many
    one_way = [m for m in points if m.op not in BOTH_WAYS] or points
    largest = max(m.shape.get("bytes", 0) for m in one_way)
    best = max(gbs(m) for m in one_way if m.shape.get("bytes", 0) == largest)
    return f"{best:.3g} GB/s at {size_said(largest)}, {many}"


def _turns(swept: Sweep) -> str:
    """Where a sweep turns, in a few words."""
    if swept.cliff is not None:
        return f"turns at {swept.cliff.bytes_seen / 2**20:.0f} MiB"
    if swept.flat_n is not None:
        return f"flat from n={swept.flat_n}"
    return f"{len(swept.points)} sizes"


def of_nominal(session: Session, spec: ProbeSpec, seen: float | None) -> float | None:
    """Share of the nominal figure that this probe is judged by."""
    nominal = session.nominal
    if nominal is None or seen is None or spec.unit == PERCENT:  # a share already
        return None
    if spec.protocol == TRANSFER:
        link = nominal_link_gbs(session, spec.op)
        return seen / link if link else None
    whole = nominal.peaks_tflops.get(spec.peak_key) if spec.peak_key else nominal.bandwidth_gbs
    return seen / whole if whole else None


def of_roof(own: Roofs, m: Measurement) -> float | None:
    """Share of attainable = min(P, B x I), by the card's own burst roof at this intensity.

    The best burst and the best stream define it. Where no flat is measured yet a stream has the
    slope alone. None without a roof, for a number that was made wrong on purpose, and for what
    crosses a link.
    """
    if m.claim is not None or m.protocol == TRANSFER:
        return None
    roof = own.roof(m.peak_key or own.main_key or "", "burst") if m.flop else None
    if roof is not None:
        return tflops(m) / roof.attainable_tflops(intensity(m))
    if m.peak_key is None and own.bandwidth_gbs:
        return gbs(m) / own.bandwidth_gbs
    return None
