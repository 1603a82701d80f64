"""Figures of the roofs by name, where burst and sustained are one figure told as one."""

from __future__ import annotations

from collections.abc import Iterable

BOTH = "burst, sustained"


def told_once(figures: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """(names, figure) in their order; a figure that burst and sustained share has both names."""
    found = dict(figures)
    if "burst" not in found or found["burst"] != found.get("sustained"):
        return list(found.items())
    del found["sustained"]
    return [(BOTH if name == "burst" else name, figure) for name, figure in found.items()]
