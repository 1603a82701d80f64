"""A fleet's figure as it is called on show: a CPU has no SMs."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import CLOCK_HELD


def held_name(name: str, fleet: Fleet) -> str:
    """``SM clock`` of cards, ``CPU clock`` of a fleet that has none. Files keep their names."""
    if name != CLOCK_HELD or any(r.kind != "cpu" for r in fleet.ranks.values() if r.figures):
        return name
    return name.replace("SM clock", "CPU clock")
