"""The record as Markdown: what one pastes beside a run's log. It names no host and no path."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.suite import WATCH
from roofwatch.session.anonymous import clean
from roofwatch.session.began import minute_utc
from roofwatch.session.cards_table import cards_table, lost_said
from roofwatch.session.checks import OK
from roofwatch.session.comparison_markdown import comparison_markdown
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.links import BOTH, MEMORY, links
from roofwatch.session.markdown_lists import (
    OK_MARK,
    WARN_MARK,
    WRONG_MARK,
    doubts_list,
    expected_list,
    fall_line,
    findings_list,
    notes_list,
)
from roofwatch.session.nameless import nameless
from roofwatch.session.printable import shown
from roofwatch.session.questions import questions
from roofwatch.session.rate_scale import RateScale, rate_scale, scaled
from roofwatch.session.record_markdown import questions_markdown, table_markdown
from roofwatch.session.record_table import answers, record_table
from roofwatch.session.roofs import ComputeRoof, Roofs, roofs
from roofwatch.session.side_by_side import SideBySide
from roofwatch.session.table import DONE, ProbeRow, marked, probe_rows
from roofwatch.session.three_digits import three_digits
from roofwatch.session.throttle import fall
from roofwatch.session.unfilled import unfilled
from roofwatch.session.watch.watch_markdown import watch_markdown

NOT_MEASURED = "-"
AS_THEY_ARE = {"<": "&lt;", "&": "&amp;", "@": "&#64;", "#": "&#35;", ".": "&#46;", "//": "&#47;/"}
MARKUP = re.compile(
    r"[\\|`*\[<&@]|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|#(?=\w)|(?<=\bwww)\.|(?<=:)//", re.IGNORECASE
)
"""What would be markup, call someone, name a thread or be a link, where the text is pasted."""


def markdown(session: Session) -> str:
    """Device, roofs, every probe, what smells wrong, the record, the five answers; a line feed."""
    (session,) = nameless([session])
    found = findings(session)
    own = roofs(session)
    parts, rows = [_title(session)], list[ProbeRow]()
    if session.suite == WATCH:
        parts.append(watch_markdown(session, text))
    else:
        scale = rate_scale(session)
        rows = [scaled(r, scale) for r in probe_rows(session, found)]
        parts += [_roofs(own, scale), _table(_PROBES, [_probe(r) for r in rows])]
        parts += [_table(_LINKS, _links(session)), *_cards(session)]
        parts.append("\n".join(expected_list(rows, text)))
    said = fall_line(fall(session), found, text)
    said += findings_list(found, session, text)
    if session.suite != WATCH:
        said += doubts_list(session, own, found, text)
    if not any(f.severity != NOTE for f in found) and session.complete:
        said.append("- nothing smells wrong")
    if not session.complete:
        said.append("- this session is not complete")
    parts += ["\n".join(said), "\n".join(notes_list(session, rows, text))]
    if said_why := unfilled(session):
        parts.append(text(said_why))
    elif session.suite != WATCH:
        parts.append(table_markdown(record_table([session], found), text))
        parts.append(questions_markdown(questions(session, own, found), text))
    return "\n\n".join(part for part in parts if part) + "\n"


def record_markdown(sessions: Sequence[Session]) -> str:
    """The record table alone, of several sessions of one card, and the five answers."""
    sessions = nameless(sessions)
    table = record_table(sessions)
    parts = (table_markdown(table, text), questions_markdown(answers(sessions), text))
    return "\n\n".join(parts) + "\n"


def compared_markdown(told: SideBySide) -> str:
    """Sessions that are nameless side by side: no host and no path; ends with a line feed."""
    return comparison_markdown(told, text, _table)


def _title(session: Session) -> str:
    device, software = session.device, session.software
    told = [f"**{text(device.name or 'unknown device')}**"]
    if device.memory_bytes:
        told.append(f"{device.memory_bytes / 2**30:.0f} GiB")
    if device.power_limit_w:
        told.append(f"{device.power_limit_w:.0f} W")
    for what, version in (
        ("driver", software.driver),
        ("torch", software.torch),
        ("CUDA", software.cuda),
        ("roofwatch", software.roofwatch),
    ):
        if version:
            told.append(f"{what} {text(version)}")
    if when := minute_utc(session.started_at):
        told.append(f"{when} UTC")
    told.append(f"session {text(session.id or 'without an id')}")
    told.append(f"{text(session.suite)}, {session.duration_s:.0f} s")
    return " · ".join(told)


def _roofs(own: Roofs, scale: RateScale) -> str:
    measured = [c for c in own.compute.values() if c.best_tflops]
    lines = []
    if own.bandwidth_gbs is not None:
        line = f"DRAM {_figure(own.bandwidth_gbs)} GB/s"
        if own.nominal_gbs:
            share = per_cent(own.bandwidth_gbs / own.nominal_gbs)
            line += f", {share} of {own.nominal_gbs:.0f} nominal"
        lines.append(line)
    if measured:
        lines.append(_table(_FLATS, [_flat(own, c, scale) for c in measured]))
    return "\n\n".join(lines)


_FLATS = ("roof", "nominal", "burst", "sustained", "unit", "burst of nominal", "ridge, FLOP/byte")
_CARDS = (
    "card",
    "GB/s",
    "burst",
    "held",
    "MHz",
    "held at once",
    "MHz at once",
    "W at once",
    "C at once",
    "lost",
)
_LINKS = ("link", "copies", "GB/s", "of nominal", "latency, us")
_PROBES = ("probe", "expected", "measured", "unit", "mark", "of nominal", "findings")
_MARKS = {WRONG: WRONG_MARK, SUSPECT: WARN_MARK, OK: OK_MARK}


def _flat(own: Roofs, c: ComputeRoof, scale: RateScale) -> tuple[str, ...]:
    roof = own.roof(c.peak_key, "burst") or own.roof(c.peak_key, "sustained")
    flats = (c.nominal_tflops, c.burst_tflops, c.sustained_tflops)
    nominal, burst, held = (_figure(x * scale.factor if x is not None else None) for x in flats)
    return (
        c.peak_key,
        nominal,
        f"{burst}, as held" if c.lifted else burst,
        held,
        scale.of(c.peak_key),
        _share(c.burst_tflops, c.nominal_tflops),
        _figure(roof.ridge if roof else None),
    )


def _probe(r: ProbeRow) -> tuple[str, ...]:
    expected = f"{_figure(r.low)} – {_figure(r.high)}" if r.low is not None else NOT_MEASURED
    measured = _figure(r.measured) if r.state == DONE and not r.said else text(r.said or r.state)
    return (
        text(r.label),
        expected,
        measured,
        r.unit if r.measured is not None else "",
        _MARKS.get(marked(r), ""),
        per_cent(r.of_nominal) if r.of_nominal else "",
        text(", ".join(r.codes)),
    )


def _cards(session: Session) -> list[str]:
    """Every card alone and at once, and the sentences about them."""
    found = cards_table(session)
    if found is None or len(found.rows) < 2:
        return []
    rows: list[tuple[str, ...]] = []
    for r in found.rows:
        alone, together = r.alone, r.together
        shares = (lost_said(r.lost) or NOT_MEASURED,)
        figures = (
            alone.bandwidth_gbs,
            alone.burst_tflops,
            alone.sustained_tflops,
            alone.sm_mhz,
            together.sustained_tflops,
            together.sm_mhz,
            together.power_w,
            together.temp_c,
        )
        rows.append((f"card {r.gpu}", *map(_figure, figures), *shares))
    return [_table(_CARDS, rows), "\n".join(f"- {text(said)}" for said in found.sentences)]


def _links(session: Session) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for x in links(session):
        arrow = "↔" if x.direction == BOTH else "→"
        told = x.link if x.gen is None else f"{x.link} {x.gen} x{x.lanes}"
        late = f"{x.latency_s * 1e6:.1f}" if x.latency_s is not None else NOT_MEASURED
        share = per_cent(x.of_nominal) if x.of_nominal else NOT_MEASURED
        ends = text(f"{x.source} {arrow} {x.sink}, {told}")
        kind = f"{x.kind}, read and written" if x.link == MEMORY else x.kind
        rows.append((ends, kind, _figure(x.gbs), share, late))
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    left = {
        "mark",
        "roof",
        "probe",
        "unit",
        "findings",
        "figure",
        "noise",
        "link",
        "copies",
        "card",
    }
    lines = [_line(head), _line(["---" if name in left else "---:" for name in head])]
    return "\n".join([*lines, *map(_line, rows)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _share(part: float | None, whole: float | None) -> str:
    return per_cent(part / whole) if part and whole else NOT_MEASURED


def _figure(value: float | None) -> str:
    return NOT_MEASURED if value is None else three_digits(value)


def text(said: str) -> str:
    """Text of others as text: no markup in it, nobody called, no path and no address."""
    return MARKUP.sub(lambda m: AS_THEY_ARE.get(m[0], "\\" + m[0]), shown(clean(said)))
