"""Matmuls whose sides are multiples of 8 and 64, against one off."""

from __future__ import annotations

from collections.abc import Iterator

from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Report
from roofwatch.roofline.probe_spec import ProbeSpec


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """Each point as it is measured."""
    raise NotImplementedError
