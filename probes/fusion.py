"""The same work in several kernels, in one, and in a graph (seed, Day 1)."""

from __future__ import annotations

from collections.abc import Iterator

from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Report
from roofwatch.roofline.probe_spec import ProbeSpec


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """Each point as it is measured."""
    raise NotImplementedError
