"""Has telemetry look at the card's links in the middle of a copy: an idle link may rest."""

from __future__ import annotations

from roofwatch.roofline.probe_spec import TRANSFER
from roofwatch.session.fold import Session
from roofwatch.session.instruments import Instruments

FROM = 0.1  # of a probe's progress: by then its copies run


class LoadedLook:
    """Asks once in each transfer of a run; the word is the probe's key."""

    def __init__(self) -> None:
        self._asked: set[tuple[int, str]] = set()

    def step(self, instruments: Instruments, session: Session, run: int) -> None:
        """Ask where a transfer is well under way and nobody has."""
        probe = session.running()
        if probe is None or (run, probe) in self._asked:
            return
        if not any(s.key == probe and s.protocol == TRANSFER for s in session.specs):
            return
        beat, telemetry = instruments.beat("probes"), instruments.get("telemetry")
        if beat is None or telemetry is None or beat.probe != probe:
            return
        if (beat.progress or 0.0) >= FROM:
            self._asked.add((run, probe))
            telemetry.tell(f"health {probe}")
