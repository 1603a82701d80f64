"""Points under a precision's roof: intensity, rate, MFU, the three distances, what to work on."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.probe_spec import matmul_key, sweep_key
from roofwatch.roofline.roof import LIBRARY, Distances, distances, mfu, mfu_ceiling, work_on
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import intensity, tflops
from roofwatch.session.roofs import Roofs

SHOWN_SQUARES = (512, 2048, 8192)  # of a sweep: left of the ridge, at it, and far right


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement as a point. ``mfu`` and its ceiling are by the nominal roof; None without one.

    ``distances`` are to the burst roof, of a held measurement to the sustained one; ``ridge``
    and what is attainable here are that roof's.
    """

    measurement: Measurement
    name: str
    style: str  # "stream" | "burst" | "sustained" | "sweep"
    intensity: float
    tflops: float
    mfu: float | None
    mfu_ceiling: float | None
    distances: Distances | None
    work_on: str | None
    attainable_tflops: float | None = None  # at this intensity
    ridge: float | None = None

    @property
    def ridge_ratio(self) -> float | None:
        """The ridge over the intensity: above 1 the ridge lies so many times further right."""
        return self.ridge / self.intensity if self.ridge else None


def points(session: Session, own: Roofs, key: str | None) -> list[Point]:
    """What is drawn under one precision's roof, by rising intensity; equal ones as measured."""
    flat = own.compute.get(key or "")
    found = [own.bandwidth] if own.bandwidth is not None and own.bandwidth.flop else []
    if flat is not None:
        found += [m for m in _squares(session, key) if m.shape["n"] in SHOWN_SQUARES]
        found += [m for m in (flat.burst, flat.sustained) if m is not None]
    kept = [point(session, own, key, m) for m in found]
    return sorted(kept, key=lambda p: (p.intensity, p.style == "sustained"))


def trace(session: Session, key: str | None) -> list[tuple[float, float]]:
    """(intensity, TFLOP/s) of the sweep over squares of this precision, by rising size."""
    return [(intensity(m), tflops(m)) for m in _squares(session, key)]


def _squares(session: Session, key: str | None) -> list[Measurement]:
    swept = session.sweep(sweep_key(matmul_key(key))) if key else []
    return [m for m in swept if "n" in m.shape and m.flop]


def card_share(own: Roofs, key: str | None, which: str) -> float | None:
    """A flat over the nominal one: what this card makes of its datasheet."""
    flat = own.compute.get(key or "")
    reached = flat.flat(which) if flat else None
    return reached / flat.nominal_tflops if flat and reached and flat.nominal_tflops else None


def point(session: Session, own: Roofs, key: str | None, m: Measurement) -> Point:
    """One measurement against the roofs of ``key``."""
    held = m.protocol == "sustained"
    roof = own.roof(key or "", "sustained" if held else "burst")
    paper = own.roof(key or "", "nominal")
    flop_per_byte, rate = intensity(m), tflops(m)
    gaps = None
    if roof is not None:
        gaps = distances(flop_per_byte, rate, roof, paper.peak_tflops if paper else None)
    return Point(
        measurement=m,
        name=_name(m),
        style=m.protocol,
        intensity=flop_per_byte,
        tflops=rate,
        mfu=mfu(rate, paper.peak_tflops) if paper else None,
        mfu_ceiling=mfu_ceiling(flop_per_byte, paper.ridge) if paper else None,
        distances=gaps,
        work_on=LIBRARY if m.library_limited else work_on(gaps) if gaps else None,
        attainable_tflops=roof.attainable_tflops(flop_per_byte) if roof else None,
        ridge=roof.ridge if roof else None,
    )


def _name(m: Measurement) -> str:
    """What people read: ``triad fp16``, ``bf16 burst``, ``bf16 square 512``."""
    if m.peak_key is None:
        return f"{m.op} {m.dtype}"
    if m.protocol == "sweep":
        return f"{m.peak_key} square {m.shape['n']}"
    return f"{m.peak_key} {m.protocol}"
