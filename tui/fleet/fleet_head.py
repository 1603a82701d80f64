"""The first rows of a fleet: how many ranks, of what, and how they fared."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet, complete
from roofwatch.session.fleet.slow_ranks import Slow
from roofwatch.session.fleet.spreads import kinds
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row


def head_rows(fleet: Fleet, slow: list[Slow], cells: int, glyphs: Glyphs) -> list[Row]:
    """How many, of what, and how they fared."""
    h, came = fleet.header, complete(fleet)
    nodes, cards = len(fleet.nodes), kinds(fleet)
    of = ", ".join(f"{shown(name)}" for name in cards) or "no device"
    words = f"{came.world} {_plural('rank', came.world)} on {nodes} {_plural('node', nodes)}"
    ended = "" if fleet.end is not None else "; its file was cut short"
    out = hung(" ", f"{words}, {of}; {h.suite} suite by {h.launcher or '?'}{ended}", cells, "title")
    troubled = len(fleet.troubled) + max(0, came.world - len(fleet.ranks))
    slow_ones = sum(len(s.ranks) for s in slow)
    ok = (f" {glyphs.ok} {came.ranks} measured", "ok")
    bad = (f"   {glyphs.wrong} {troubled} not whole", "wrong")
    odd = (f"   {glyphs.warn} {slow_ones} slow", "warn")
    none = (f"   {glyphs.ok} none slow", "ok") if came.ranks > 1 else ("", "")
    out.append(row(ok, *([bad] if troubled else []), odd if slow_ones else none))
    return out


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
