"""What a finished session says to the shell."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding
from roofwatch.session.fold import Session
from roofwatch.session.mistakes import mistakes

DONE, ABSENT, FAILED, WRONG_FINDING = 0, 3, 4, 5


def exit_code(session: Session, found: list[Finding], strict: bool) -> int:
    """3: the named device is absent; 4: an instrument or probe failed; 5: wrong, only if strict.

    A fault of an earlier run is healed by a later one, telemetry's by its next sample. A number
    that was made wrong on purpose is meant to be found wrong: there it is the mistake that no rule
    flagged that is wrong.
    """
    faults = [f for f in session.open_faults if f.instrument != "file"]
    if any(f.exit_code == ABSENT for f in faults):
        return ABSENT
    if faults:
        return FAILED
    if not strict:
        return DONE
    made = mistakes(session)
    on_purpose = {m.probe for m in made}
    wrong = any(f.severity == WRONG and f.subject not in on_purpose for f in found)
    return WRONG_FINDING if wrong or not all(m.flagged for m in made) else DONE
