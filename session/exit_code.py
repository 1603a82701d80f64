"""What a finished session says to the shell."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding
from roofwatch.session.asked import Options
from roofwatch.session.fold import Session
from roofwatch.session.mistakes import mistakes

DONE, UNWRITTEN, ABSENT, FAILED, WRONG_FINDING = 0, 1, 3, 4, 5


def unwritten(asked: Options, problem: str | None) -> bool:
    """Whether a file that was named lacks the session; that one is kept unasked is no promise."""
    return problem is not None and (asked.save is not None or asked.resume is not None)


def exit_code(session: Session, found: list[Finding], strict: bool, lacking: bool = False) -> int:
    """3: the named device is absent; 4: an instrument or probe failed; 5: wrong, only if strict.

    1, ahead of 5: ``lacking``, the session is ``unwritten``.
    A fault of an earlier run is healed by a later one, telemetry's by its next sample. A number
    that was made wrong on purpose is meant to be found wrong: there it is the mistake that no rule
    flagged that is wrong.
    """
    faults = [f for f in session.open_faults if f.instrument != "file"]
    if any(f.exit_code == ABSENT for f in faults):
        return ABSENT
    if faults:
        return FAILED
    if lacking:
        return UNWRITTEN
    if not strict:
        return DONE
    made = mistakes(session)
    on_purpose = {m.probe for m in made}
    wrong = any(f.severity == WRONG and f.subject not in on_purpose for f in found)
    return WRONG_FINDING if wrong or not all(m.flagged for m in made) else DONE
