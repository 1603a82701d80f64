"""What a roof is made of, a row each: attribution from nominal down, and what its ridges part."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.session.attribution import Attributed, attributed, bandwidth_attributed
from roofwatch.session.fold import Session
from roofwatch.session.ridges import between_ridges
from roofwatch.session.roofs import Roofs
from roofwatch.session.sm_clock import SPIN
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, signed
from roofwatch.tui.drawing.rows_of_text import Row, fit, width, wrapped

WIDE = 108  # cells from which a term has its share too
LEAST_WAVES = 5e-4  # of nominal: less is no term
BETWEEN = (
    "memory-bound under one roof, compute-bound under another",
    "between the ridges",
)


def attribution(session: Session, own: Roofs, key: str | None, cells: int, g: Glyphs) -> list[Row]:
    """From nominal down to what was measured, one row a figure; with room in per cent too."""
    rows: list[Row] = []
    flat = own.compute.get(key or "")
    for which in ("burst", "sustained"):
        found = attributed(session, flat, which) if flat else None
        if found is not None:
            rows.append(_fitting(f" {which:<10}", which, _terms(found, cells >= WIDE), cells, g))
    parts = bandwidth_attributed(session, own)
    if parts is not None:
        terms = [[f"{parts.nominal:.0f} nominal"], [f"{parts.clock:+.0f} mem clock"]]
        if parts.turnaround:
            said = f"{parts.turnaround:+.0f}"
            terms.append([f"{said} read/write turnaround", f"{said} turnaround"])
        terms.append([f"{parts.remainder:+.0f} rest"])
        rows.append(_fitting(" GB/s      ", "point-stream-text", terms, cells, g))
    return rows


def _terms(found: Attributed, wide: bool) -> list[list[str]]:
    """Each term in several wordings, the longest first."""
    t = found.terms
    by = "" if found.clock.source == SPIN else " NVML"
    clock = f"clock {found.clock.mhz:.0f} MHz"
    named: list[tuple[float, list[str]]] = [(t.clock, [f"{clock}{by}", clock, "clock"])]
    if abs(t.waves) >= LEAST_WAVES * t.nominal:
        named.append((t.waves, ["waves"] if found.tile_known else ["waves, tile assumed", "waves"]))
    named.append((t.remainder, ["rest"]))
    terms = [[f"{figure(t.nominal)} nominal"]]
    for value, words in named:
        told, part = signed(value), f"({100 * value / t.nominal:+.1f} %)"
        with_part = [f"{told} {part} {words[0]}"] if wide else []
        terms.append([*with_part, *(f"{told} {word}" for word in words)])
    return terms


def _fitting(head: str, style: str, terms: Sequence[Sequence[str]], cells: int, g: Glyphs) -> Row:
    """A row of all terms in the longest wording that fits; else of as many as do, each whole."""
    dot = f" {g.dot} "
    wordings = [
        [each[min(level, len(each) - 1)] for each in terms] for level in range(max(map(len, terms)))
    ]
    last = wordings[-1]
    wordings += [last[:count] for count in range(len(last) - 1, 0, -1)]
    lines: list[Row] = [((head, style), (dot.join(texts), "")) for texts in wordings]
    return fit(next((line for line in lines if width(line) <= cells), ((head, style),)), cells)


def changing(own: Roofs, key: str | None, cells: int) -> list[Row]:
    """Common work that lies between the ridges, where there is any."""
    names = between_ridges(own, key)
    if not names:
        return []
    text = ", ".join(names)
    room = cells - 2
    head = next((h for h in BETWEEN if len(h) + 2 + len(text) <= room), BETWEEN[-1])
    return wrapped(f"{head}: {text}", room, "dim", " ")
