"""Other work on a CPU that is measured, as a session's samples tell it: a condition of its figures.

Beside a card the host's other work decides little, so nothing is said of it there.
"""

from __future__ import annotations

from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement, Note
from roofwatch.session.fold import Session

MATTERS = 0.10  # of the cores that we may use: less is what every system does beside
EVERY_S = 1.0  # a reading is of the second before it
LATEST = 3  # readings that tell of now


def cores_of(session: Session) -> int | None:
    """The cores that we may use; None where nobody has told."""
    return session.cpu.cores or session.device.core_count


def others_cores(session: Session, m: Measurement | None = None) -> float | None:
    """Cores' worth of other work while a measurement ran, or through all the session (medians)."""
    if session.device.kind != "cpu":
        return None
    samples = session.between(m.begin_s, m.end_s + EVERY_S) if m is not None else session.samples
    told = [s.others_cores for s in samples if s.others_cores is not None]
    return median(told) if told else None


def most_others_cores(session: Session) -> float | None:
    """The same of what was disturbed most: no finding of the run names more."""
    told = [others_cores(session, m) for m in session.measured()]
    return max((cores for cores in told if cores is not None), default=None)


def disturbing(session: Session, m: Measurement) -> float | None:
    """The same of a measurement, where it is enough to matter."""
    return _enough(session, others_cores(session, m))


def said_before(session: Session, t: float, run: int) -> Note | None:
    """What is said of it before anything is measured; None where it does not matter."""
    if session.device.kind != "cpu":
        return None
    told = session.samples.readable("others_cores")[-LATEST:]
    kept = _enough(session, median(told) if told else None)
    if kept is None:
        return None
    text = (
        f"other work keeps {kept:.1f} of {cores_of(session)} cores busy: figures will be lower and "
        "scatter; measuring all the same"
    )
    return Note(t=t, text=text, run=run)


def _enough(session: Session, kept: float | None) -> float | None:
    cores = cores_of(session)
    return kept if kept is not None and cores and kept >= MATTERS * cores else None
