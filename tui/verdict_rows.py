"""Answers about a person's numbers, as rows of text: a page for a few, a line each for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from roofwatch.notebook.catalog import is_english, label
from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.verdict import BELIEVABLE, CANNOT_SAY, VERDICTS, Verdict
from roofwatch.session.printable import shown
from roofwatch.tui.finding_rows import told
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, percent
from roofwatch.tui.rows_of_text import Row, fit, row, width, wrapped

STYLE = {BELIEVABLE: "ok", SUSPECT: "warn", WRONG: "wrong", CANNOT_SAY: "dim", NOTE: "note"}
GAP, MOST_NAME, MOST_NUMBER, MOST_SHARE, LONGEST_CODE = 2, 20, 16, 8, 18
MANY = 8  # answers from which one line each is easier to read


def mark(verdict: str | None, glyphs: Glyphs) -> str:
    """Glyph of a verdict or severity: never colour alone."""
    marks = {BELIEVABLE: glyphs.ok, SUSPECT: glyphs.warn, WRONG: glyphs.wrong, CANNOT_SAY: "?"}
    return marks.get(verdict or "", glyphs.wrong if verdict is None else glyphs.note)


def answers(found: Sequence[Verdict], cells: int, glyphs: Glyphs, full: bool = False) -> list[Row]:
    """All answers in order, and a count below where there are several."""
    out: list[Row] = []
    if full or len(found) < MANY:
        for one in found:
            out += [*answer(one, cells, glyphs), row("")]
    else:
        out = [*lines(found, cells, glyphs), row("")]
    if len(found) > 1:
        return [*out, *counts(found, cells, glyphs)]
    return out[:-1]


def counts(found: Sequence[Verdict], cells: int, glyphs: Glyphs) -> list[Row]:
    """How many of each verdict, in one row or two."""
    number = Counter(v.verdict for v in found)
    total = (f" {len(found)} {label('rows')}", "dim")
    pieces: list[tuple[str, str]] = []
    for verdict in (*VERDICTS, None):
        if number[verdict]:
            word = label(verdict or "unreadable")
            style = STYLE.get(verdict or "", "wrong")
            pieces.append((f"   {mark(verdict, glyphs)} {number[verdict]} {word}", style))
    if width([total, *pieces]) <= cells:
        return [row(total, *pieces)]
    return [row(total), fit([(text[2:], style) for text, style in pieces], cells)]


def name_of(verdict: Verdict) -> str:
    """What a row is called."""
    return shown(str(verdict.id)) if verdict.id is not None else ""


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


def code_of(f: Finding) -> str:
    """``E2 l2-hit``, or the one word that both are."""
    return shown(f.code if f.code == f.name else f"{f.code} {f.name}")


def answer(verdict: Verdict, cells: int, glyphs: Glyphs) -> list[Row]:
    """One answer in full: verdict and number, range, findings with why and do."""
    if verdict.error is not None:
        return wrapped(verdict.error, cells - 2, "wrong", f" {mark(None, glyphs)} ")
    assert verdict.verdict is not None
    style = STYLE[verdict.verdict]
    head = [(f" {mark(verdict.verdict, glyphs)} {label(verdict.verdict)}", style)]
    for text in (name_of(verdict), shown(verdict.gpu or "")):
        if text:
            head += [("   ", ""), (text, "dim")]
    number = number_of(verdict)
    if number:
        head += [("   ", ""), (number, "strong")]
    if verdict.of_nominal is not None:
        head.append((f"  {percent(verdict.of_nominal)} {label('of_nominal')}", ""))
    out = [row(*head) if width(head) <= cells else fit(head, cells)]
    if verdict.expected is not None:
        said = f"{label('expected')} {range_of(verdict, glyphs)} {verdict.expected.unit}: "
        said += _share_of_nominal(verdict) or verdict.expected.why
        out += wrapped(said, cells - 3, "dim", "   ")
    if verdict.gpu_note:
        out += wrapped(verdict.gpu_note, cells - 3, "warn", "   ")
    if verdict.missing:
        names = ", ".join(verdict.missing)
        out += wrapped(f"{label('missing')}: {names}", cells - 3, "", "   ")
    possible = [f for f in verdict.findings if is_possible(verdict, f)]
    for f in verdict.findings:
        if f not in possible:
            out += [row(""), *finding_rows(f, cells, glyphs)]
    if possible:
        codes = ", ".join(code_of(f) for f in possible)
        out += wrapped(f"{label('possible')} {codes}", cells - 3, "dim", "   ")
    if verdict.experiment is not None:
        joint = verdict.experiment
        out += [row(""), row((f"   {label('together')}", "strong"))]
        out += _indented(told(joint, cells - 5))
    return out


def _share_of_nominal(verdict: Verdict) -> str:
    """The range as a share, in a language in which its own sentence is not written."""
    rate = verdict.gbs if verdict.judged == "gbs" else verdict.tflops
    if is_english() or verdict.expected is None or not rate or not verdict.of_nominal:
        return ""
    nominal = rate / verdict.of_nominal
    low, high = verdict.expected.low / nominal, verdict.expected.high / nominal
    return f"{percent(low)} - {percent(high)} {label('of_nominal')}"


def is_possible(verdict: Verdict, f: Finding) -> bool:
    """Whether a finding only names what one number cannot tell."""
    return verdict.verdict == CANNOT_SAY and f.severity == NOTE and not f.evidence.keys() - {"op"}


def finding_rows(f: Finding, cells: int, glyphs: Glyphs) -> list[Row]:
    """One finding: its name and severity, then the sentence, why and what to do."""
    style = STYLE[f.severity]
    head = row(
        (f"   {mark(f.severity, glyphs)} {code_of(f)}", style), (f"  {label(f.severity)}", "dim")
    )
    return [head, *_indented(told(f, cells - 5))]


def _indented(rows: Sequence[Row]) -> list[Row]:
    return [((" " * 5, ""), *r) for r in rows]


def lines(found: Sequence[Verdict], cells: int, glyphs: Glyphs) -> list[Row]:
    """One line each: name, verdict, number, share, range, the first finding."""
    names = [name_of(v) or str(i) for i, v in enumerate(found, 1)]
    words = max(width([(label(v), "")]) for v in (*VERDICTS, "unreadable"))
    columns = [
        [(name, "") for name in names],
        [(f"{mark(v.verdict, glyphs)} {_word(v)}", _style(v)) for v in found],
        [(number_of(v), "strong") for v in found],
        [(percent(v.of_nominal) if v.of_nominal is not None else "", "") for v in found],
        [(range_of(v, glyphs), "dim") for v in found],
    ]
    wide = [max(width([piece]) for piece in column) for column in columns]
    wide[0], wide[1] = min(MOST_NAME, wide[0]), words + 2
    wide[2], wide[3] = min(MOST_NUMBER, wide[2]), min(MOST_SHARE, wide[3])
    left = cells - sum(wide) - len(wide) * GAP - 1
    if left < LONGEST_CODE:  # the cause matters more than the range
        left += wide.pop() + GAP
        columns.pop()
    out = []
    for i, v in enumerate(found):
        pieces: list[tuple[str, str]] = [(" ", "")]
        for column, size in list(zip(columns, wide, strict=True))[: 2 if v.error else None]:
            pieces += [*fit([column[i]], size), (" " * GAP, "")]
        pieces.append((shown(v.error), "wrong") if v.error is not None else _first(v, left))
        line = row(*pieces)
        out.append(line if width(line) <= cells else fit(line, cells))
    return out


def _word(verdict: Verdict) -> str:
    return label(verdict.verdict or "unreadable")


def _style(verdict: Verdict) -> str:
    return STYLE.get(verdict.verdict or "", "wrong")


def _first(verdict: Verdict, cells: int) -> tuple[str, str]:
    """The first finding: code and name, the code alone where both do not fit."""
    first = next((f for f in verdict.findings if not is_possible(verdict, f)), None)
    if first is None:
        return "", ""
    both = code_of(first)
    return (both if width([(both, "")]) <= cells else shown(first.code)), STYLE[first.severity]
