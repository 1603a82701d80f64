"""The host's cards side by side: each alone, all at once, and the odd one by its numbers."""

from __future__ import annotations

from roofwatch.session.cards_table import CardFigures, CardRow, CardsTable, lost_said
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, fit, row, width, wrapped

LEAST_CELLS = 40
WIDE = 96  # cells from which power and temperature stand too
MARK = 2
LOST = 9


def build(found: CardsTable | None, cells: int, glyphs: Glyphs) -> list[Row]:
    """The table and what it comes to; none where not every card was measured, or there is one."""
    if found is None or len(found.rows) < 2 or cells < LEAST_CELLS:
        return []
    held = f", {shown(found.peak_key)} matmul" if found.peak_key else ""
    title = f"Every card alone, then all at once{held}: TFLOP/s, and the stream's GB/s"
    rows = wrapped(title, cells - 2, "dim", " ")
    wide = cells >= WIDE
    rows.append(_head(wide))
    for r in found.rows:
        rows.append(_row(r, found, wide, glyphs))
        rows += [] if wide else _heat(r, glyphs)
    for said in found.sentences:
        odd = "odd one:" in said
        mark = glyphs.warn if odd else glyphs.note
        rows += wrapped(said, cells - 4, "warn" if odd else "", f" {mark} ")
    return [*(fit(r, cells) if width(r) > cells else r for r in rows), row("")]


def _head(wide: bool) -> Row:
    more = f"{'W':>6}{'C':>5}" if wide else ""
    alone = f"{'GB/s':>7}{'burst':>7}{'held':>7}{'MHz':>6}{more}"
    return row(
        (
            f"   {'card':<6}{alone}  at once{'held':>6}{'MHz':>6}{more}{'GB/s':>7}{'lost':>{LOST}}",
            "dim",
        )
    )


def _row(r: CardRow, found: CardsTable, wide: bool, glyphs: Glyphs) -> Row:
    name = "?" if r.gpu is None else str(r.gpu)
    odd = any(each.gpu == r.gpu for each in found.odd)
    mark = glyphs.warn if odd or r.outside else " "
    line = f"{name:<6}{_rates(r.alone)}{_whole(r.alone.sm_mhz, 6)}{_more(r.alone, wide)}"
    together = f"{'':8}{_cell(r.together.sustained_tflops, 7)}{_whole(r.together.sm_mhz, 6)}"
    together += f"{_more(r.together, wide)}{_cell(r.together.bandwidth_gbs, 7)}"
    return row((f" {mark:<{MARK}}", "warn"), line, together, f"{_lost(r):>{LOST}}")


def _heat(r: CardRow, glyphs: Glyphs) -> list[Row]:
    """Power and temperature while it was held, where they have no columns."""
    parts = []
    for of, when in ((r.alone, "alone"), (r.together, "at once")):
        read = ((of.power_w, " W"), (of.temp_c, f" {glyphs.degree}C"))
        told = ", ".join(f"{v:.0f}{unit}" for v, unit in read if v is not None)
        parts += [f"{told} {when}"] if told else []
    return [row((f"{'':9}{'; '.join(parts)}", "dim"))] if parts else []


def _lost(r: CardRow) -> str:
    return lost_said(r.lost) or figure(None)


def _rates(of: CardFigures) -> str:
    rates = (of.bandwidth_gbs, of.burst_tflops, of.sustained_tflops)
    return "".join(_cell(rate, 7) for rate in rates)


def _cell(value: float | None, cells: int) -> str:
    return f"{figure(value):>{cells}}"


def _whole(value: float | None, cells: int) -> str:
    return f"{figure(None) if value is None else format(value, '.0f'):>{cells}}"


def _more(of: CardFigures, wide: bool) -> str:
    return f"{_whole(of.power_w, 6)}{_whole(of.temp_c, 5)}" if wide else ""
