"""Whether a fleet that stands in the store still lives: its rank 0 beats, until it says "over".

torchrun's agent holds one store for all its starts, and two agents may count these apart. So it is
not the number of the start that tells a dead fleet, but its rank 0.
"""

from __future__ import annotations

import time

from roofwatch.fleet.asking import Asked

OVER = "over"  # what rank 0 says last
STILL_S = 20.0  # without a beat: a rank beats once a second, whatever it measures


class Life:
    """What is known of the fleet that was looked at last."""

    def __init__(self) -> None:
        self._fleet = ""
        self._beats = 0
        self._since_s = 0.0
        self._over = False
        self.alive = False  # a beat was seen, and no end

    def look(self, room: Asked, fleet: str) -> None:
        """At the beats of its rank 0; ``room`` is where all fleets' keys stand, by id."""
        now_s, beats = time.monotonic(), room.add(f"{fleet}/beat/0", 0)
        self._over = room.add(f"{fleet}/is/{OVER}", 0) > 0
        if fleet != self._fleet:
            self._fleet, self._beats, self._since_s, self.alive = fleet, beats, now_s, False
        elif beats != self._beats:
            self._beats, self._since_s, self.alive = beats, now_s, True
        self.alive = self.alive and not self.ended

    @property
    def ended(self) -> bool:
        """It said so, or has not beaten for so long."""
        return self._over or time.monotonic() - self._since_s > STILL_S
