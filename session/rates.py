"""Rates of a measurement: the only place where a time becomes GB/s or TFLOP/s."""

from __future__ import annotations

from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement


def traffic_bytes(m: Measurement) -> int:
    """Compulsory reads and writes of one launch."""
    return sum(t.read_bytes + t.write_bytes for t in m.tensors)


def working_set_bytes(m: Measurement) -> int:
    """All tensors of a launch together: what a cache would have to hold."""
    return traffic_bytes(m) // m.shape.get("passes", 1)


def moved_bytes(m: Measurement) -> int:
    """What the memory must carry: of a strided tensor all that lies between what counts."""
    stride = m.shape.get("stride", 1)
    return sum(t.read_bytes * stride + t.write_bytes for t in m.tensors)


def time_s(m: Measurement) -> float:
    """Median time of a launch."""
    return median(m.times_s)


def gbs(m: Measurement, seconds: float | None = None) -> float:
    """Compulsory bytes over the median time (or ``seconds``), 1e9 a second."""
    return traffic_bytes(m) / (seconds or time_s(m)) / 1e9


def tflops(m: Measurement, seconds: float | None = None) -> float:
    """FLOP over the median time (or ``seconds``), 1e12 a second; TOPS for integers."""
    return m.flop / (seconds or time_s(m)) / 1e12


def intensity(m: Measurement) -> float:
    """FLOP per compulsory byte."""
    return m.flop / traffic_bytes(m)


def value(m: Measurement, seconds: float | None = None) -> float:
    """The figure the probe is about: GB/s of a stream, TFLOP/s (TOPS) of a matmul."""
    return gbs(m, seconds) if m.peak_key is None else tflops(m, seconds)
