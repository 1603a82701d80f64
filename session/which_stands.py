"""Of several measurements of one probe in a run the one that stands."""

from __future__ import annotations

from collections.abc import Iterable

from roofwatch.session.events import Measurement
from roofwatch.session.rates import value

REACHED = ("stream", "burst")  # protocols whose figure is what the device can reach


def which_stands(first: Measurement, second: Measurement) -> Measurement:
    """The better one of a stream or a burst: a roof is what was reached, noise only takes from it.

    Of all else the later one, and where the two are not of one work: a stream of another size may
    have been carried by a cache.
    """
    if second.protocol not in REACHED or _work(first) != _work(second):
        return second
    return max(second, first, key=value)  # of two alike the later


def standing(measurements: Iterable[Measurement]) -> dict[str, Measurement]:
    """By probe, in the order in which they were first measured."""
    found: dict[str, Measurement] = {}
    for m in measurements:
        found[m.probe] = which_stands(found[m.probe], m) if m.probe in found else m
    return found


def _work(m: Measurement) -> tuple[object, ...]:
    """What must be alike where the better one is chosen; each search finds a burst's shape."""
    shape = tuple(sorted(m.shape.items())) if m.protocol == "stream" else ()
    return m.protocol, m.op, m.dtype, m.peak_key, m.mistake, shape
