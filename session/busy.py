"""Whether someone else is on the card: asked before a run, and written down when we run anyway."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.events import Flag, Note
from roofwatch.session.fold import Session
from roofwatch.session.others import said_before

UTIL = 0.10
SAMPLES = 3


class Busy(msgspec.Struct, frozen=True, kw_only=True):
    """Foreign compute processes with their memory, or utilisation without a process to name."""

    processes: int
    processes_bytes: int | None
    util: float | None

    @property
    def sentence(self) -> str:
        """What is going on, for a person. Processes have no names here: containers hide them."""
        if self.processes:
            size = f" with {self.processes_bytes / 2**30:.1f} GiB" if self.processes_bytes else ""
            plural = "es hold" if self.processes > 1 else " holds"
            return f"{self.processes} other process{plural} the GPU{size}"
        return f"some kernel was running {per_cent(self.util or 0)} of the time"


def busy(session: Session, begin_s: float = 0.0) -> Busy | None:
    """A foreign compute process, or utilisation over 10 % in three samples. A CPU never counts.

    ``begin_s``: when the session was begun, or taken up again.
    """
    device = session.device
    if device.kind != "cuda":
        return None
    again = session.run > 1  # our own probe is among the processes by now
    first = bisect_right(session.samples.moments, begin_s) if begin_s else 0
    judged = session.samples[-SAMPLES:] if again else session.samples[first : first + SAMPLES]
    utils = [s.util for s in judged if s.util is not None]
    over = len(utils) == SAMPLES and min(utils) > UTIL
    processes = 0 if again else device.processes or 0
    if not processes and not over:
        return None
    return Busy(
        processes=processes,
        processes_bytes=device.processes_bytes if processes else None,
        util=min(utils) if utils else None,
    )


def beside(session: Session, begin_s: float, t: float, run: int) -> list[Flag | Note]:
    """What is written down of other work before a run measures: of a card's as a finding, of a
    CPU's as a note."""
    occupied, note = busy(session, begin_s), said_before(session, t, run)
    flags: list[Flag | Note] = [finding_flag(occupied, session, t, run)] if occupied else []
    return [*flags, note] if note else flags


def finding_flag(occupied: Busy, session: Session, t: float, run: int) -> Flag:
    """The finding other-process, as an event."""
    from roofwatch.notebook.finding import SUSPECT, finding  # most runs never ask

    sentence = f"{occupied.sentence[0].upper()}{occupied.sentence[1:]}"
    told = finding(
        "other-process",
        "seen",
        severity=SUSPECT,
        subject=session.device.name or "the card",
        sentence=sentence,
        **msgspec.to_builtins(occupied),
    )
    fields = {name: getattr(told, name) for name in Flag.__struct_fields__ if hasattr(told, name)}
    return Flag(**fields, t=t, run=run)
