"""Roofs that a kernel of the map is held against: of its own mix of reads and writes, its peak."""

from __future__ import annotations

import msgspec

from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops, working_set_bytes
from roofwatch.session.roofs import DRAM_SIZED, Roofs

NOMINAL = "nominal"  # stands for the probe where nothing was measured
ALIKE = 0.02  # difference in the share of reads that the bus does not notice


class OwnRoof(msgspec.Struct, frozen=True, kw_only=True):
    """A rate in GB/s or TFLOP/s, and the probe that reached it."""

    rate: float
    by: str


def read_share(m: Measurement) -> float:
    """Bytes read over bytes moved: 1/2 of a copy, 2/3 of an addition, 1 of a reduction."""
    read = sum(t.read_bytes for t in m.tensors)
    return read / (read + sum(t.write_bytes for t in m.tensors))


def beyond_cache(session: Session, m: Measurement) -> bool:
    """Whether a launch's operands are too many for the last-level cache to keep.

    Launches that take copies of an operand in turn have all of them as their working set.
    """
    cache = session.device.l2_bytes or 0
    return working_set_bytes(m) * m.shape.get("copies", 1) >= DRAM_SIZED * cache


def memory_roof(
    session: Session, own: Roofs, points: list[Measurement], m: Measurement
) -> OwnRoof | None:
    """The best measured kernel of the same read:write mix as ``m``, or of the nearest one.

    The run's streams beyond the cache tell which mixes there are; ``points`` of the map of that mix
    count beside them, so that none is held against less than itself. Without a stream the nominal
    bandwidth; None when that is unknown too.
    """
    streams = [s for s in session.measured() if s.protocol == "stream" and s.op != "strided"]
    streams = [s for s in streams if beyond_cache(session, s)] or streams
    if not streams:
        return OwnRoof(rate=own.nominal_gbs, by=NOMINAL) if own.nominal_gbs else None
    share = read_share(m)
    nearest = min(abs(read_share(s) - share) for s in streams)
    known = [*streams, *(p for p in points if beyond_cache(session, p))]
    alike = [s for s in known if abs(read_share(s) - share) <= nearest + ALIKE]
    best = max(alike, key=gbs)
    return OwnRoof(rate=gbs(best), by=best.probe)


def compute_roof(own: Roofs, points: list[Measurement], m: Measurement) -> OwnRoof | None:
    """The best measured product of matrices of ``m``'s peak: the burst, or one of ``points``.

    Without a burst the nominal peak; None when that is unknown too.
    """
    flat = own.compute.get(m.peak_key or "")
    if flat is not None and flat.reached is not None:
        best = max([flat.reached, *(p for p in points if p.peak_key == m.peak_key)], key=tflops)
        return OwnRoof(rate=tflops(best), by=best.probe)
    paper = flat.nominal_tflops if flat else None
    return OwnRoof(rate=paper, by=NOMINAL) if paper else None
