"""Rates of a measurement: the only place where a time becomes GB/s or TFLOP/s."""

from __future__ import annotations

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Claimed, Measurement


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


def claimed(claim: Claimed) -> float:
    """The figure of a claim: its rate, or per cent of the peak that it was compared with."""
    rate = claim.claimed_gbs or claim.claimed_tflops or 0.0  # a claim has one of them
    return 100 * rate / claim.nominal_tflops if claim.nominal_tflops else rate


def value(m: Measurement, seconds: float | None = None) -> float:
    """The figure the probe is about: GB/s of a stream, TFLOP/s (TOPS) of a matmul.

    Of a mistake made on purpose what was claimed: the wrong one.
    """
    if m.claim is not None:
        return claimed(m.claim) * (m.claim.time_s / seconds if seconds else 1.0)
    return gbs(m, seconds) if m.peak_key is None else tflops(m, seconds)


def unit_of(m: Measurement) -> str:
    """The unit of that figure; a claim's share of a peak has another."""
    return unit(m.peak_key) if m.peak_key else "GB/s"
