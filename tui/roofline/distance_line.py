"""The three distances of one point in a line of words and figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from roofwatch.roofline.roof import STOP
from roofwatch.session.points import Point
from roofwatch.session.rate_scale import RateScale
from roofwatch.session.roof_doubts import Remark
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, width
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.roofline.shares import share, times

PARTS = {
    "slope": "slope",
    "burst": "burst flat",
    "sustained": "sustained flat",
    "both": "burst and sustained flat",
}
NO_FLAT = ("no flat is measured, so there are no distances", "no flat measured")
NO_SLOPE = ("no bandwidth is measured, so there are no distances", "no bandwidth measured")


def told(
    p: Point, mark: str, key: str | None, of: Remark, scale: RateScale, cells: int, glyphs: Glyphs
) -> Row:
    """One row: to the roof above it, to the ridge, and the flat to nominal.

    The first distance keeps its longest wording, as far as all fit; else the last give way.
    """
    head: Row = ((" ", ""), (f"{mark} ", f"point-{p.style}"), (" ", ""))
    parts = _parts(p, key, of, scale, glyphs)
    for count in range(len(parts), 0, -1):
        for texts in product(*parts[:count]):
            line = (*head, *_joined(texts, glyphs))
            if width(line) <= cells:
                return fit(line, cells)
    return fit(head, cells)


def _joined(texts: Sequence[str], glyphs: Glyphs) -> list[Piece]:
    pieces: list[Piece] = []
    for i, text in enumerate(texts):
        if i:
            pieces.append((f" {glyphs.dot} ", "dim"))
        pieces.append((text, "" if i else "strong"))
    return pieces


def _parts(
    p: Point, key: str | None, of: Remark, scale: RateScale, glyphs: Glyphs
) -> list[tuple[str, ...]]:
    """Each distance in several wordings."""
    gaps, attainable, ratio = p.distances, p.attainable_tflops, p.ridge_ratio
    if gaps is None or attainable is None or p.ridge is None or ratio is None:
        nominal = [(f"{share(p.mfu)} of nominal",)] if p.mfu is not None else []
        return [NO_FLAT if p.style == "stream" else NO_SLOPE, *nominal]
    top = f"{short(attainable * scale.factor)} {scale.of(key)}"
    first = _to_roof(share(gaps.of_roof), top, of, glyphs)
    found: list[tuple[str, ...]] = [first, _to_ridge(ratio, short(p.ridge))]
    if gaps.of_nominal is not None:
        card = share(gaps.of_nominal)
        found.append(
            (
                f"this card reaches {card} of nominal there",
                f"card {card} of nominal",
                f"card {card}",
            )
        )
    return found


def _to_roof(reached: str, top: str, of: Remark, glyphs: Glyphs) -> tuple[str, ...]:
    """How far the roof is; of a point that is its own, and of a roof in doubt, just that."""
    if of.doubt:
        what = "" if of.defines or of.disturbed else f"{reached} of a roof "
        said = f"{glyphs.warn} {what}not to be believed"
        return f"{said}: {of.doubt}", said, f"{glyphs.warn} in doubt"
    if of.defines:
        part = PARTS[of.defines]
        return f"defines the {part} over it, {top}", f"defines the {part}", "defines it"
    return (
        f"{reached} of what its intensity allows, {top}",
        f"{reached} of the roof above it, {top}",
        f"{reached} of its roof, {top}",
        f"{reached} of {top}",
    )


def _to_ridge(ratio: float, ridge: str) -> tuple[str, ...]:
    """Where the ridge lies; ``ratio`` is it over the point's intensity."""
    if STOP <= ratio <= 1 / STOP:
        return (f"at the ridge, {ridge} FLOP/byte", f"at the ridge {ridge}", f"at ridge {ridge}")
    if ratio > 1:
        far = times(ratio)
        return (f"ridge {ridge} is {far} further right", f"ridge {far} further right")
    far = times(1 / ratio)
    return (f"{far} right of the ridge {ridge}", f"{far} right of the ridge")
