"""Matmuls of rising tile counts around the number of SMs: wave quantization."""

from __future__ import annotations

from collections.abc import Iterator

from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Report
from roofwatch.roofline.probe_spec import ProbeSpec


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """Each point as it is measured."""
    raise NotImplementedError
