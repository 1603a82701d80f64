"""The staircase of wave quantization: rates over tile counts, predicted from waves and measured."""

from __future__ import annotations

import itertools
import math

import msgspec

from roofwatch.roofline.attribution import tiles, wave_share
from roofwatch.roofline.kernel_name import USUAL_TILE, shares_tiles, tile
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import tflops, time_s

WAVES = "waves"  # key and protocol of the probe
WHOLE = 0.95  # of the slots of the last wave are filled: as good as a whole one
SEEN = 2 / 3  # of the loss that the waves predict: less, and something smooths it


class WavePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One output size. ``tile`` is that of its own kernel, or the usual one where none is named.

    ``waves`` is tiles over SMs, ``wave_share`` the share of the slots of whole waves that hold
    work. ``predicted_tflops`` is proportional to it, from the fullest point. ``shares_tiles``:
    the kernel's name says that several SMs work on one tile, so that waves mean little.
    """

    shape: dict[str, int]
    tile: tuple[int, int]
    tile_known: bool
    tiles: int
    waves: float
    wave_share: float
    tflops: float
    predicted_tflops: float | None
    time_s: float
    shares_tiles: bool
    kernel: str | None
    status: dict[str, str] = {}


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Whole waves, and the next larger output. ``tiles_after`` are by the first one's tile.

    ``measured`` and ``predicted`` are the second rate over the first.
    """

    shape_before: dict[str, int]
    shape_after: dict[str, int]
    tiles_before: int
    tiles_after: int
    waves_after: int  # whole ones, that the second output needs
    tflops_before: float
    tflops_after: float
    measured: float
    predicted: float
    other_tile: tuple[int, int] | None  # that the library took for the second output
    status: dict[str, str] = {}


class Waves(msgspec.Struct, frozen=True, kw_only=True):
    """The experiment: points by rising output, its steps, and what the first of them says."""

    dtype: str
    sm_count: int
    points: list[WavePoint]
    steps: list[Step]
    sentence: str


def waves(session: Session, run: int | None = None) -> Waves | None:
    """The experiment of one run (the reported one by default).

    None where it was not measured, or the number of SMs is not known.
    """
    measured = [m for m in session.group(WAVES, run) if m.op == "matmul" and m.flop]
    units = session.device.sm_count
    if not measured or not units:
        return None
    rising = sorted(measured, key=lambda m: (m.shape["m"] * m.shape["n"], m.shape["m"]))
    bare = [_point(m, units) for m in rising]
    whole = [p for p in bare if p.wave_share >= WHOLE and not p.shares_tiles]
    full = whole[-1] if whole else None
    points = [
        msgspec.structs.replace(
            p, predicted_tflops=full.tflops * p.wave_share / full.wave_share if full else None
        )
        for p in bare
    ]
    if full is None:
        points = [
            msgspec.structs.replace(p, status={**p.status, "predicted_tflops": "no_whole_wave"})
            for p in points
        ]
    steps = [s for a, b in itertools.pairwise(points) if (s := _step(a, b, units)) is not None]
    return Waves(
        dtype=measured[0].dtype,
        sm_count=units,
        points=points,
        steps=steps,
        sentence=_sentence(points, steps, units),
    )


def _point(m: Measurement, units: int) -> WavePoint:
    named = tile(m.kernel) if m.kernel else None
    used = named or USUAL_TILE
    rows, columns = m.shape["m"], m.shape["n"]
    count = tiles(rows, columns, used)
    return WavePoint(
        shape={side: m.shape[side] for side in ("m", "n", "k")},
        tile=used,
        tile_known=named is not None,
        tiles=count,
        waves=count / units,
        wave_share=wave_share(rows, columns, used, units),
        tflops=tflops(m),
        predicted_tflops=None,
        time_s=time_s(m),
        shares_tiles=bool(m.kernel and shares_tiles(m.kernel)),
        kernel=m.kernel,
        status={} if m.kernel else {"kernel": m.status.get("kernel", "not_measured")},
    )


def _step(before: WavePoint, after: WavePoint, units: int) -> Step | None:
    """The step between two neighbours; None where the second needs no wave more."""
    rows, columns = after.shape["m"], after.shape["n"]
    if before.wave_share < WHOLE or before.shares_tiles:
        return None
    # A library multiplies transposed at will: the tile may lie the other way round.
    count = min(tiles(rows, columns, way) for way in (before.tile, before.tile[::-1]))
    need = math.ceil(count / units)
    if need <= math.ceil(before.waves):
        return None
    other = after.tile if sorted(after.tile) != sorted(before.tile) else None
    return Step(
        shape_before=before.shape,
        shape_after=after.shape,
        tiles_before=before.tiles,
        tiles_after=count,
        waves_after=need,
        tflops_before=before.tflops,
        tflops_after=after.tflops,
        measured=after.tflops / before.tflops,
        predicted=count / (need * units) / before.wave_share,
        other_tile=other,
        status={} if other else {"other_tile": "same_tile"},
    )


def _sentence(points: list[WavePoint], steps: list[Step], units: int) -> str:
    """What the first step says: a staircase, or what smooths it."""
    if not steps:
        return "No two sizes stand on both sides of a whole wave: no step can be seen."
    s = steps[0]
    before, after = (
        next(p for p in points if p.shape == shape) for shape in (s.shape_before, s.shape_after)
    )
    assumed = "" if before.tile_known else "assumed "
    times = round(before.waves)
    fills = {1: "once", 2: "twice"}.get(times, f"{times} times")
    out = (
        f"{s.tiles_before} {assumed}tiles of {_sides(before.tile)} fill {units} SMs "
        f"{fills} at {s.tflops_before:.3g} TFLOP/s; {s.tiles_after} tiles "
    )
    lost = (1 - s.measured) / (1 - s.predicted) if s.predicted < 1 else 0.0
    if lost >= SEEN:
        out += (
            f"need {s.waves_after} waves and run at {s.tflops_after:.3g}: {s.measured:.2f} of it, "
            f"where the waves say {s.predicted:.2f}."
        )
        return out
    out += (
        f"would need {s.waves_after} waves and {s.predicted:.2f} of that rate, yet reach "
        f"{s.measured:.2f}: "
    )
    if after.shares_tiles:
        return out + "the library lets several SMs work on one tile there."
    if s.other_tile is not None:
        return out + f"the library takes tiles of {_sides(s.other_tile)} there."
    return out + "something smooths the step that the kernel's name does not tell."


def _sides(of: tuple[int, int]) -> str:
    return f"{of[0]} x {of[1]}"
