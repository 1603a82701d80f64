"""Lists below the tables of a record as Markdown: what was found, what was expected, what was
noted. All are short, whatever a file says: the whole fits a comment on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.roofline.price import cost
from roofwatch.session.fold import Session
from roofwatch.session.measured_again import said_again
from roofwatch.session.roof_doubts import doubted
from roofwatch.session.roofs import Roofs
from roofwatch.session.table import FAILED, SKIPPED, ProbeRow
from roofwatch.session.three_digits import three_digits
from roofwatch.session.throttle import Fall

Escape = Callable[[str], str]

OK_MARK, WARN_MARK, WRONG_MARK, NOTE_MARK = "✓", "▲", "✗", "·"
MOST = 40  # lines of one list
LONGEST = 400  # characters of one of them


def findings_list(found: Sequence[Finding], session: Session, escaped: Escape) -> list[str]:
    """A line a finding, gravest first: what the codes in the table mean here."""
    lines = []
    for f in found:
        mark = WRONG_MARK if f.severity == WRONG else NOTE_MARK if f.severity == NOTE else WARN_MARK
        about = f"{escaped(f.severity)}, {escaped(session.label(f.subject))}"
        lines.append(f"{mark} **{escaped(f.code)}** {about}: {escaped(_short(f.message))}")
    return _listed(lines)


def doubts_list(
    session: Session, own: Roofs, found: Sequence[Finding], escaped: Escape
) -> list[str]:
    """Which roofs are not to be believed, and why."""
    doubts = doubted(session, own, found)
    return _listed(
        f"{WARN_MARK} {escaped(session.label(probe))} is not to be believed as a roof: "
        f"{escaped(why)}"
        for probe, why in doubts.items()
    )


def expected_list(rows: Sequence[ProbeRow], escaped: Escape) -> list[str]:
    """What each range rests on, once for all probes that it is of; why a probe did not run."""
    of_why: dict[tuple[str, str], list[str]] = {}
    for r in rows:
        if r.why:
            what = r.state if r.state in (SKIPPED, FAILED) else "expected"
            of_why.setdefault((what, r.why), []).append(r.label)
    return _listed(
        f"{what}, {escaped(', '.join(names))}: {escaped(_short(why))}"
        for (what, why), names in of_why.items()
    )


def notes_list(session: Session, rows: Sequence[ProbeRow], escaped: Escape) -> list[str]:
    """Faults, notes, what was measured again, what it cost.

    What ``expected_list`` says of these rows stands there alone.
    """
    above = {(r.probe, r.why) for r in rows}
    lines = [f"{WRONG_MARK} {escaped(_short(f.what))}" for f in session.faults]
    for note in (n for n in session.notes if (n.probe, n.text) not in above):
        said = _short(note.text)
        if note.probe:
            key, name = f"{note.probe} ", session.label(note.probe)
            own = said.startswith(key)  # it begins with its name
            said = f"{name} {said.removeprefix(key)}" if own else f"{name}: {said}"
        lines.append(f"{NOTE_MARK} {escaped(said)}")
    lines += [f"{NOTE_MARK} {escaped(said)}" for said in said_again(session)]
    if session.price is not None:
        spent = three_digits(cost(session.price.per_hour, session.duration_s))
        money = escaped(session.price.currency)
        lines.append(
            f"{NOTE_MARK} at {session.price.per_hour:g} {money} an hour the session's "
            f"{session.duration_s:.0f} s cost {spent} {money}"
        )
    return _listed(lines)


def fall_line(seen: Fall | None, found: Sequence[Finding], escaped: Escape) -> list[str]:
    """What the clock's fall costs, where no finding says it."""
    if seen is None or not seen.price_tflops:
        return []
    told = any(seen.sentence in f.message for f in found)
    return [] if told else [f"- {escaped(seen.sentence)}"]


def _listed(lines: Iterable[str]) -> list[str]:
    every = list(lines)
    kept = [f"- {line}" for line in every[:MOST]]
    return [*kept, f"- and {len(every) - MOST} more"] if len(every) > MOST else kept


def _short(said: str) -> str:
    """Cut between words: half a path or half a UUID would not be known as one."""
    if len(said) <= LONGEST:
        return said
    return f"{said[: LONGEST - 3].rpartition(' ')[0]} ..."
