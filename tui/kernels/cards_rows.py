"""The host's cards side by side: each alone, all at once, and the odd one by its numbers."""

from __future__ import annotations

from collections.abc import Mapping

from roofwatch.session.cards_table import CardRow, CardsTable, lost_said
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.fitting_columns import filled, fitting
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped

LEAST_CELLS = 40
MARK = 2
NAME = 9  # cells of the mark and the card's number
COLUMNS = {
    "GB/s": 7,
    "burst": 7,
    "held": 7,
    "MHz": 6,
    "W": 6,
    "C": 5,
    "at once": 9,
    "held, at once": 6,
    "MHz, at once": 6,
    "W, at once": 6,
    "C, at once": 5,
    "GB/s, at once": 7,
    "lost": 9,
}
"""Each card alone, then behind "at once" all together."""
OF_BOTH = [(name, f"{name}, at once") for name in ("C", "W", "MHz", "GB/s")]
GIVE_WAY = (*(name for both in OF_BOTH for name in both), "burst")


def build(found: CardsTable | None, cells: int, glyphs: Glyphs) -> list[Row]:
    """The table and what it comes to; none where not every card was measured, or there is one."""
    if found is None or len(found.rows) < 2 or cells < LEAST_CELLS:
        return []
    held = f", {shown(found.peak_key)} matmul" if found.peak_key else ""
    title = f"Every card alone, then all at once{held}: TFLOP/s, and the stream's GB/s"
    rows = wrapped(title, cells - 2, "dim", " ")
    columns = fitting(COLUMNS, GIVE_WAY, cells - NAME)
    heads = {name: name.split(",")[0] for name in COLUMNS}
    rows.append(row((f"   {'card':<{NAME - 3}}{filled(heads, columns)}", "dim")))
    for r in found.rows:
        rows.append(_row(r, found, columns, glyphs))
        rows += [] if "C" in columns else _heat(r, glyphs)
    for said in found.sentences:
        odd = "odd one:" in said
        mark = glyphs.warn if odd else glyphs.note
        rows += wrapped(said, cells - 4, "warn" if odd else "", f" {mark} ")
    return [*rows, row("")]


def _row(r: CardRow, found: CardsTable, columns: Mapping[str, int], glyphs: Glyphs) -> Row:
    name = "?" if r.gpu is None else str(r.gpu)
    odd = any(each.gpu == r.gpu for each in found.odd)
    mark = glyphs.warn if odd or r.outside else " "
    both = r.together
    texts = {
        "GB/s": figure(r.alone.bandwidth_gbs),
        "burst": figure(r.alone.burst_tflops),
        "held": figure(r.alone.sustained_tflops),
        "MHz": _whole(r.alone.sm_mhz),
        "W": _whole(r.alone.power_w),
        "C": _whole(r.alone.temp_c),
        "at once": "",
        "held, at once": figure(both.sustained_tflops),
        "MHz, at once": _whole(both.sm_mhz),
        "W, at once": _whole(both.power_w),
        "C, at once": _whole(both.temp_c),
        "GB/s, at once": figure(both.bandwidth_gbs),
        "lost": lost_said(r.lost) or figure(None),
    }
    head = ((f" {mark:<{MARK}}", "warn"), f"{name:<{NAME - 3}}")
    return row(*head, filled(texts, columns))


def _heat(r: CardRow, glyphs: Glyphs) -> list[Row]:
    """Power and temperature while it was held, where they have no columns."""
    parts = []
    for of, when in ((r.alone, "alone"), (r.together, "at once")):
        read = ((of.power_w, " W"), (of.temp_c, f" {glyphs.degree}C"))
        told = ", ".join(f"{v:.0f}{unit}" for v, unit in read if v is not None)
        parts += [f"{told} {when}"] if told else []
    return [row((f"{'':{NAME}}{'; '.join(parts)}", "dim"))] if parts else []


def _whole(value: float | None) -> str:
    return figure(None) if value is None else format(value, ".0f")
