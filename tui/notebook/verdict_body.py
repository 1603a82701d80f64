"""What is said under the head of a verdict: range, what is missing, findings, what is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roofwatch.notebook.catalog import fill, is_english, label, percent
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.verdict import BELIEVABLE, CANNOT_SAY, Verdict
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.notebook.finding_rows import mark_of, name_of, severity_of, style_of, told

STYLE = {BELIEVABLE: "ok", SUSPECT: "warn", WRONG: "wrong", CANNOT_SAY: "dim"}

WITH_UNIT = {"time_s": "time"}  # a number in seconds and one with its unit are one field
FULL_GUESSES = 2  # the likeliest are told in full, the others named


def mark(verdict: str | None, glyphs: Glyphs) -> str:
    """Glyph of a verdict: never colour alone."""
    marks = {BELIEVABLE: glyphs.ok, SUSPECT: glyphs.warn, CANNOT_SAY: "?"}
    return marks.get(verdict or "", glyphs.wrong)


def number_of(verdict: Verdict) -> str:
    """The number in question with its unit."""
    if verdict.judged == "gbs" and verdict.gbs is not None:
        return f"{figure(verdict.gbs)} GB/s"
    if verdict.judged is None or verdict.tflops is None:
        return ""
    unit = verdict.expected.unit if verdict.expected else "TFLOP/s"
    return f"{figure(verdict.tflops)} {unit}"


def range_of(verdict: Verdict, glyphs: Glyphs) -> str:
    """The expected range, in the unit of the number."""
    if verdict.expected is None:
        return ""
    low, high = figure(verdict.expected.low), figure(verdict.expected.high)
    return f"{low} {glyphs.dash} {high}"


LEAST_SHARE = 1e-4


def share_of(ratio: float) -> str:
    """A share in per cent; what is above nothing is never written as nothing."""
    return percent(ratio) if ratio >= LEAST_SHARE else f"< {percent(LEAST_SHARE)}"


def of_nominal(verdict: Verdict) -> str:
    """The share of the peak that applies: the nominal one, of sparse products the sparse one."""
    return _of_peak(verdict, share_of(verdict.of_nominal)) if verdict.of_nominal else ""


def _of_peak(verdict: Verdict, share: str) -> str:
    return fill(label("of_sparse" if verdict.sparse else "of_nominal"), {"share": share})


def is_near(verdict: Verdict) -> bool:
    """Whether a believable number lies outside its range by what both of them print."""
    rate = verdict.gbs if verdict.judged == "gbs" else verdict.tflops
    if verdict.verdict != BELIEVABLE or verdict.expected is None or rate is None:
        return False
    low, high = verdict.expected.low, verdict.expected.high
    end = low if rate < low else high if rate > high else rate
    return figure(rate) != figure(end)


def is_guess(f: Finding) -> bool:
    """Whether a finding is one of several causes that a number may have."""
    return f.severity == SUSPECT and f.fit is not None


def is_possible(verdict: Verdict, f: Finding) -> bool:
    """Whether a finding only names what one number cannot tell."""
    return verdict.verdict == CANNOT_SAY and f.severity == NOTE and not f.evidence.keys() - {"op"}


def body(
    verdict: Verdict,
    cells: int,
    glyphs: Glyphs,
    lead: str,
    field: Callable[[str], str] = str,
) -> list[Row]:
    """Rows under the head, each behind ``lead``; ``field`` is what a missing field is called.

    Of several guesses, which come likeliest first, two are told and the others named.
    """
    room = cells - len(lead)
    out = expected_rows(verdict, cells, glyphs, lead)
    if is_near(verdict):
        out += wrapped(label("near"), room, "dim", lead)
    if verdict.gpu_note:
        out += wrapped(verdict.gpu_note, room, "warn", lead)
    if verdict.missing:
        names = _listed(field(WITH_UNIT.get(name, name)) for name in verdict.missing)
        out += wrapped(fill(label("missing"), {"fields": names}), room, "strong", lead)
    possible = [f for f in verdict.findings if is_possible(verdict, f)]
    also = [f for f in verdict.findings if is_guess(f)][FULL_GUESSES:]
    for f in verdict.findings:
        if f in possible or f in also:
            continue
        head = (f"{lead}{mark_of(f, glyphs)} {name_of(f)}", style_of(f))
        out += [row(""), row(head, (f"  {severity_of(f)}", "dim"))]
        out += _behind(lead + "  ", told(f, room - 2))
    for name, some in (("also", also), ("possible", possible)):
        if some:
            codes = _listed(map(name_of, some))
            gap = " " if is_english() else ""
            out += [row(""), *wrapped(f"{label(name)}{gap}{codes}", room, "dim", lead)]
    if verdict.experiment is not None:
        out += [row(""), row((lead + label("together"), "strong"))]
        out += _behind(lead + "  ", told(verdict.experiment, room - 2))
    return out


def _listed(words: Iterable[str]) -> str:
    return (", " if is_english() else "、").join(words)


def _behind(lead: str, rows: list[Row]) -> list[Row]:
    return [((lead, ""), *r) for r in rows]


def expected_rows(verdict: Verdict, cells: int, glyphs: Glyphs, lead: str) -> list[Row]:
    """The range, and what it rests on."""
    if verdict.expected is None:
        return []
    said = f"{label('expected')} {range_of(verdict, glyphs)} {verdict.expected.unit}"
    said += ": " if is_english() else "："
    said += _share_of_nominal(verdict) or verdict.expected.why
    return wrapped(said, cells - len(lead), "dim", lead)


def _share_of_nominal(verdict: Verdict) -> str:
    """The range as a share, in a language in which its own sentence is not written."""
    rate = verdict.gbs if verdict.judged == "gbs" else verdict.tflops
    if is_english() or verdict.expected is None or not rate or not verdict.of_nominal:
        return ""
    nominal = rate / verdict.of_nominal
    low, high = verdict.expected.low / nominal, verdict.expected.high / nominal
    return _of_peak(verdict, f"{percent(low)} - {percent(high)}")
