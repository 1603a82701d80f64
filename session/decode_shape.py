"""What shape a decode curve has, in words: read off its gaps, never supposed."""

from __future__ import annotations

from roofwatch.roofline.per_cent import per_cent
from roofwatch.session.decode import BENT, DecodeCurve


def shape_said(c: DecodeCurve) -> str:
    """Where it is linear, where it leaves that, and by how much its step grows in all."""
    first, last = c.points[0].batch, c.points[-1].batch
    if len(c.points) < 2:
        return f"batch {first} alone, which is no curve"
    if not c.last_over_first:
        return _bends(c)
    return f"{_bends(c)}, {per_cent(c.last_over_first - 1, sign=True)} a step at {last}"


def _bends(c: DecodeCurve) -> str:
    gaps = list(zip((p.batch for p in c.points), c.gaps, strict=True))
    first, last, limit = gaps[0][0], gaps[-1][0], per_cent(BENT)
    shorter = next((batch for batch, gap in gaps if gap < -BENT), None)
    if shorter is not None:
        return f"uneven: a step at batch {shorter} is shorter than at {first}, which is noise"
    bend = next((i for i, (_, gap) in enumerate(gaps) if gap > BENT), None)
    if bend is None:
        return f"linear within {limit} to batch {last}"
    batch = gaps[bend][0]
    again = next((of for of, gap in gaps[bend:] if gap <= BENT), None)
    said = f"{limit} off from {batch}" + (f" (within it again at {again})" if again else "")
    if bend == 1:
        return f"less than linear from the start, {said}"
    return f"near linear to batch {gaps[bend - 1][0]}, {said}"
