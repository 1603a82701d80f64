"""How well a card's roofs repeat, from several sessions of the full suite.

python benchmarks/repeatability.py SESSION…
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.roofs import roofs

ALIKE_C = 3.0  # start temperatures of held figures that may be compared


class Repeated(NamedTuple):
    """One figure over several runs."""

    what: str
    values: list[float]
    digits: str = ".4g"

    @property
    def spread(self) -> float:
        """Largest distance between runs, as a share of the smallest."""
        return max(self.values) / min(self.values) - 1

    @property
    def said(self) -> str:
        """The figures and their spread."""
        return " ".join(f"{v:{self.digits}}" for v in self.values) + f"   spread {self.spread:.2%}"


def start_temp_c(session: Session, probe: str) -> float | None:
    """The card's temperature when a probe began."""
    begin = next((s.t for s in session.spans if s.probe == probe and s.edge == "begin"), None)
    if begin is None:
        return None
    seen = [s.temp_c for s in session.between(begin - 0.5, begin + 0.1) if s.temp_c is not None]
    return seen[-1] if seen else None


def alike(temps: Sequence[float]) -> list[int]:
    """Indices of the largest set of runs whose start temperatures lie within 3 degrees."""
    sets = [[i for i, t in enumerate(temps) if low <= t <= low + ALIKE_C] for low in temps]
    return max(sets, key=len)


def repeatability(paths: Sequence[Path]) -> list[Repeated]:
    """Bandwidth, each burst, and the held figures of runs that began equally warm."""
    sessions = [fold(events(path)) for path in paths]
    own = [roofs(s) for s in sessions]
    rows = [Repeated("bandwidth, GB/s", [o.bandwidth_gbs for o in own if o.bandwidth_gbs], ".0f")]
    for key, first in own[0].compute.items():
        bursts = [b for o in own if (b := o.compute[key].burst_tflops) is not None]
        if bursts:
            rows.append(Repeated(f"{key} burst", bursts))
        held = first.sustained
        if held is None:
            continue
        figures = [o.compute[key].sustained_tflops for o in own]
        temps = [start_temp_c(s, held.probe) for s in sessions]
        if any(v is None for v in (*figures, *temps)):
            continue
        same = alike([t for t in temps if t is not None])
        said = ", ".join(f"{temps[i]:.0f}" for i in same)
        values = [f for i in same if (f := figures[i]) is not None]
        rows.append(Repeated(f"{key} sustained (begun at {said} °C)", values))
    return rows


if __name__ == "__main__":
    for row in repeatability([Path(p) for p in sys.argv[1:]]):
        print(f"{row.what:52} {row.said}")
