"""Ridges of a session, and which common work changes side between them (seed, Day 15)."""

from __future__ import annotations

from roofwatch.roofline.common_work import changing, common
from roofwatch.roofline.probe_spec import matmul_spec
from roofwatch.session.roofs import WHICH, Roofs


def ridges(own: Roofs, key: str) -> dict[str, float]:
    """The ridge of each roof of one precision that is known, in FLOP per byte."""
    return {which: roof.ridge for which in WHICH if (roof := own.roof(key, which)) is not None}


def between_ridges(own: Roofs, key: str | None = None) -> list[str] | None:
    """The names of ``changing_side``, each once; None without a nominal roof to compare with."""
    found = changing_side(own, key)
    return list(dict.fromkeys(n for names in found.values() for n in names)) if found else None


def changing_side(own: Roofs, key: str | None = None) -> dict[str, list[str]]:
    """Common work that one ridge calls memory-bound and another compute-bound.

    Keys such as ``nominal/burst``; empty without a nominal roof to compare with. Intensities are
    those of the precision's own element type.
    """
    key = key or own.main_key
    if key is None:
        return {}
    found = ridges(own, key)
    if "nominal" not in found:
        return {}
    return changing(common(matmul_spec(key).dtype), found)
