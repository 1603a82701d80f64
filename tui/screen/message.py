"""The one line that matters most now: a fault, the fall of the clock, a finding, progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.roofline.probe_spec import is_held
from roofwatch.roofline.suite import WATCH
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.throttle import fall
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, fit, row, words_of
from roofwatch.tui.notebook.finding_rows import mark_of, style_of

FRESH_S = 10.0  # a fault stands before what goes on, and what was done about it beside it

if TYPE_CHECKING:
    from roofwatch.session.mistakes import Mistake


def message(
    session: Session,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
    state: str = "",
    silence: tuple[str, float] | None = None,
) -> Row:
    """The line that matters most now: a fault, the fall of the clock, a finding, progress.

    What was made wrong on purpose and found is counted; one that was not found is a warning.
    """
    if silence is not None:
        name, age_s = silence
        verb = "are" if name == "probes" else "is"
        text = f"{name} {verb} silent, the last word is {age_s:.0f} s old"
        return _line(f"{glyphs.warn} {text}", "warn", cells, glyphs)
    faults = session.open_faults
    if faults and (not state or session.duration_s - faults[-1].t < FRESH_S):
        fault, said = faults[-1], f"{faults[-1].instrument}: "  # what was done about it
        done = (n for n in session.notes if 0 <= n.t - fault.t < FRESH_S)
        told = [n.text.removeprefix(said) for n in done if n.text.startswith(said)]
        text = "; ".join([fault.what, *told[-1:]])
        return _line(f"{glyphs.wrong} {shown(text)}", "wrong", cells, glyphs)
    running = session.running()
    dropped = fall(session, session.run)
    held = running is not None and is_held(running)
    if dropped is not None and dropped.price_tflops and dropped.reasons and (held or not running):
        return _line(f"{glyphs.warn} {dropped.sentence}", "reason", cells, glyphs)
    made = _made(session)
    on_purpose = {m.probe for m in made}
    grave = [
        f
        for f in found
        if f.subject not in on_purpose
        and (f.severity == WRONG or (f.severity != NOTE and not state))
    ]
    if grave:
        f = grave[0]
        more = f" (+{len(grave) - 1})" if len(grave) > 1 else ""
        text = f"{mark_of(f, glyphs)} {shown(f.subject)}, {shown(f.code)}{more}: {shown(f.message)}"
        return _line(text, style_of(f), cells, glyphs)
    if not all(m.flagged for m in made):
        return _line(f"{glyphs.warn} {_count(made)}", "warn", cells, glyphs)
    if state:
        return _line(state, "dim", cells, glyphs)
    if made:
        return _line(f"{glyphs.ok} {_count(made)}", "ok", cells, glyphs)
    if session.complete:
        what = "" if session.suite == WATCH else "the suite is done; "
        said = f"{glyphs.ok} {what}nothing smells wrong"
        return _line(said, "ok", cells, glyphs)
    return fit((), cells)


def _made(session: Session) -> list[Mistake]:
    """Mistakes made on purpose; what judges them is not loaded where none was made."""
    if all(m.claim is None for m in session.measurements):
        return []
    from roofwatch.session.mistakes import mistakes

    return mistakes(session)


def _count(made: list[Mistake]) -> str:
    from roofwatch.tui.notebook.mistake_rows import count_of

    return count_of(made)


def _line(text: str, style: str, cells: int, glyphs: Glyphs) -> Row:
    return fit(row((f" {words_of(text, cells - 2, glyphs.ellipsis)}", style)), cells)
