"""Times of collectives that the report gives and whose repetitions lie far apart."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.unstable import SPREAD
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.link_figures import Size, collective

LATENCY, RATE = "latency", "bus GB/s"


class WideTime(msgspec.Struct, frozen=True, kw_only=True):
    """One of a collective: ``figure`` is what it gives, ``spread`` its IQR over the median."""

    op: str
    group: str
    node: str
    figure: str
    spread: float


def wide_times(fleet: Fleet) -> list[WideTime]:
    """Those of more than 10 % (what the notebook calls unstable), the widest first. Of each
    collective the smallest size (its latency) and the one with the best bus bandwidth."""
    found = []
    for c in map(collective, fleet.collectives):
        if not c.sizes:
            continue
        best = max(c.sizes, key=lambda s: s.bus_gbs)
        for figure, size in ((LATENCY, c.sizes[0]), (RATE, best)):
            if (wide := _spread(size)) > SPREAD:
                found.append(
                    WideTime(op=c.op, group=c.group, node=c.node, figure=figure, spread=wide)
                )
    return sorted(found, key=lambda each: -each.spread)


def _spread(size: Size) -> float:
    return size.iqr_s / size.time_s if size.iqr_s is not None and size.time_s > 0 else 0.0
