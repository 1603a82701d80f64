"""Size sweeps of a session: the points, the last-level cache as seen, where a curve turns."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.attribution import tiles, wave_share
from roofwatch.roofline.cache import Cliff, cliff
from roofwatch.roofline.kernel_name import tile
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, intensity, tflops, time_s, working_set_bytes
from roofwatch.session.roofs import Roofs

INNER = 1 / 16  # of the last-level cache: smaller sets show a CPU's inner caches
FAR = 4  # times the reported cache
LEAVES = 0.90  # of the flat: from there on the size is no longer what limits


class Point(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One size of a sweep. ``bytes`` is of all tensors together, ``n`` the side of a square.

    ``code`` is the mistake that such a size would be: E2 for what the cache delivered over
    nominal, E4 for a matmul left of the ridge or under one wave.
    """

    time_s: float
    bytes: int | None = None
    n: int | None = None
    gbs: float | None = None
    tflops: float | None = None
    waves: float | None = None  # tiles over SMs
    wave_share: float | None = None  # of the tile slots of whole waves that hold work
    tile: tuple[int, int] | None = None  # of this size's own kernel
    of_nominal: float | None = None
    code: str | None = None


class Sweep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sweep, and where it turns.

    A sweep over bytes has a ``cliff`` where the cache shows. A sweep over squares has ``ridge_n``,
    the side whose intensity is the measured ridge; ``flat_n``, the first within a tenth of the
    flat; ``wave_n``, the first whose tiles fill every SM.
    """

    probe: str
    points: list[Point]
    cliff: Cliff | None = None
    ridge_n: int | None = None
    flat_n: int | None = None
    wave_n: int | None = None


def sweeps(session: Session, own: Roofs, run: int | None = None) -> list[Sweep]:
    """Every sweep that a run (the reported one) measured, in the suite's order."""
    found = []
    for spec in session.specs:
        points = session.sweep(spec.key, run) if spec.protocol == "sweep" else []
        if points and spec.peak_key is None:
            found.append(_over_bytes(session, spec.key, points))
        elif points:
            found.append(_over_squares(session, own, spec.key, points))
    return found


def _over_bytes(session: Session, probe: str, points: list[Measurement]) -> Sweep:
    nominal = session.nominal.bandwidth_gbs if session.nominal else None
    cache = session.device.l2_bytes
    inner = (cache or 0) * INNER

    def point(m: Measurement) -> Point:
        size, rate = working_set_bytes(m), gbs(m)
        over = nominal is not None and rate > nominal
        inside = cache is not None and size < 2 * cache
        return Point(
            time_s=time_s(m),
            bytes=size,
            gbs=rate,
            of_nominal=rate / nominal if nominal else None,
            code="E2" if over and inside else "impossible" if over else None,
        )

    found = [point(m) for m in points]
    seen = cliff([(p.bytes, p.gbs) for p in found if p.bytes and p.gbs and p.bytes >= inner])
    if seen is not None and cache and seen.bytes_seen > FAR * cache:
        seen = None  # a rate that falls there falls for another reason
    return Sweep(probe=probe, points=found, cliff=seen)


def _over_squares(session: Session, own: Roofs, probe: str, points: list[Measurement]) -> Sweep:
    key = points[0].peak_key or ""
    points = [m for m in points if "n" in m.shape]
    flat = own.compute.get(key)
    roof = own.roof(key, "burst")
    units = session.device.sm_count
    peak = flat.nominal_tflops if flat else None
    top = flat.burst_tflops if flat else None

    def point(m: Measurement) -> Point:
        n = m.shape["n"]
        used = tile(m.kernel) if m.kernel else None  # a library takes other tiles at other sizes
        waves = tiles(n, n, used) / units if units and used else None
        left = roof is not None and intensity(m) < roof.ridge
        small = left or (waves is not None and waves < 1)
        return Point(
            time_s=time_s(m),
            n=n,
            tflops=tflops(m),
            waves=waves,
            wave_share=wave_share(n, n, used, units) if units and used else None,
            tile=used,
            of_nominal=tflops(m) / peak if peak else None,
            code="E4" if small else None,
        )

    found = [point(m) for m in points]
    return Sweep(
        probe=probe,
        points=found,
        ridge_n=_ridge_n(points, roof.ridge) if roof and points else None,
        flat_n=next((p.n for p in found if top and (p.tflops or 0) >= LEAVES * top), None),
        wave_n=next((p.n for p in found if p.waves is not None and p.waves >= 1), None),
    )


def _ridge_n(points: list[Measurement], ridge: float) -> int:
    """The side of a square of this type whose intensity is the ridge: intensity grows with n."""
    m = points[-1]
    return round(ridge * m.shape["n"] / intensity(m))


def highest_gbs(swept: Sweep, cache_bytes: int | None) -> float:
    """The best rate of a sweep over bytes, inner caches of a CPU left out."""
    inner = (cache_bytes or 0) * INNER
    rates = [p.gbs or 0.0 for p in swept.points if (p.bytes or 0) >= inner]
    return max(rates, default=0.0)


def cache_seen(found: list[Sweep]) -> Cliff | None:
    """The last-level cache as seen: by the sweep that only reads."""
    return next((s.cliff for s in found if s.probe.startswith("read") and s.cliff), None)
