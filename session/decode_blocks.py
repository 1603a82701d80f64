"""Decode curves as the record has them: a row a batch, and what is said of each curve."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.session.decode import UNKNOWN, DecodeCurve


class DecodeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One batch of one curve. Seconds of a step; null with its ``status``."""

    model: str
    context: int
    batch: int
    eager_s: float | None
    graph_s: float | None
    predicted_s: float | None
    terms: dict[str, float]
    eager_predicted_s: float | None
    paper_s: float | None
    explained: float | None
    gap_to_linear: float
    tokens_per_s: float | None
    gbs: float | None
    intensity: float
    bytes: int
    flop: float
    bound: str
    layers: int
    layers_of: int
    status: dict[str, str]


class CurveBlock(msgspec.Struct, frozen=True, kw_only=True):
    """What a curve amounts to; see session.decode.DecodeCurve."""

    model: str
    context: int
    dtype: str
    layers: int
    layers_of: int
    first_bend: int | None
    last_over_first: float | None
    ai_max: float
    b_star: float | None
    ridge: float | None
    overhead_s: float | None
    growth: dict[str, float] | None
    reason: str
    status: dict[str, str]


def decode_blocks(curves: Sequence[DecodeCurve]) -> list[DecodeBlock]:
    """A block for every point of every curve."""
    return [
        DecodeBlock(
            model=c.model,
            context=c.context,
            batch=p.batch,
            eager_s=p.eager_s,
            graph_s=p.graph_s,
            predicted_s=p.predicted_s,
            terms=p.terms,
            eager_predicted_s=p.eager_predicted_s,
            paper_s=p.paper_s,
            explained=p.explained,
            gap_to_linear=gap,
            tokens_per_s=p.tokens_per_s,
            gbs=p.gbs,
            intensity=p.intensity,
            bytes=p.bytes,
            flop=p.flop,
            bound=p.bound,
            layers=c.layers,
            layers_of=c.layers_of,
            status=p.status,
        )
        for c in curves
        for p, gap in zip(c.points, c.gaps, strict=True)
    ]


NEVER = "never"  # this batch does not exist: the curve does not bend, or meets no ridge


def curve_blocks(curves: Sequence[DecodeCurve]) -> list[CurveBlock]:
    """A block for every curve."""
    return [
        CurveBlock(
            **{n: getattr(c, n) for n in CurveBlock.__struct_fields__ if n != "status"},
            status=_missing(c),
        )
        for c in curves
    ]


def _missing(c: DecodeCurve) -> dict[str, str]:
    why = {
        "first_bend": NEVER,
        "b_star": NEVER if c.ridge is not None else UNKNOWN,
        "last_over_first": UNKNOWN,
        "ridge": UNKNOWN,
        "overhead_s": UNKNOWN,
        "growth": UNKNOWN,
    }
    return {name: said for name, said in why.items() if getattr(c, name) is None}
