"""What memory keeps of runs that a later complete one has replaced: how they went, no figures.

The file keeps everything. A session may repeat its probes for days.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from roofwatch.session.events import Series

POINTS = 16  # of a held probe, through time


def thinned(series: Iterable[Series]) -> list[Series]:
    """One series a held probe and run: launches are taken together, their rates stay.

    The work of a launch is that of all that it stands for; clocks are left out.
    """
    held: dict[tuple[int, str], list[Series]] = {}
    for one in series:
        held.setdefault((one.run, one.probe), []).append(one)
    return [_one(parts) for parts in held.values()]


def _one(parts: list[Series]) -> Series:
    times_s = [t for part in parts for t in part.times_s]
    together = -(-len(times_s) // POINTS)
    whole = len(times_s) - len(times_s) % together  # a part of other length would have other work
    first = parts[0]
    return msgspec.structs.replace(
        first,
        times_s=[sum(times_s[i : i + together]) for i in range(0, whole, together)],
        flop=None if first.flop is None else first.flop * together,
        bytes=None if first.bytes is None else first.bytes * together,
        clock_t_s=[],
        clock_mhz=[],
    )
