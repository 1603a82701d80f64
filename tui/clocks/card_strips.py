"""One row a card of the host: its clock over the window, its figures, and what limits it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.roofline.reasons import word
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import HostCard, host_cards
from roofwatch.session.printable import shown
from roofwatch.tui.clocks.clocks_view import ClocksView, columns_of
from roofwatch.tui.clocks.limit_row import SHORT
from roofwatch.tui.clocks.shown_card import gap_s, power_w, reading, silence
from roofwatch.tui.drawing.column_curve import held_over
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, width
from roofwatch.tui.drawing.time_columns import TimeColumns

HEAD = 8  # cursor, index, mark of the measured one
REASON = 13
LEAST_SPARK, MOST_SPARK = 6, 60
LONGEST_NAME = 16


def strip_rows(
    session: Session, cells: int, height: int, glyphs: Glyphs, view: ClocksView
) -> list[Row]:
    """A heading and a row for each card, ``height`` rows at most; the cursor's is among them."""
    cards = host_cards(session)
    at = max(0, min(len(cards) - 1, view.card))
    names = _name_cells(cards, cells)
    figures = _fitting(cells, glyphs)
    taken = HEAD + names + sum(size for _, size in figures)
    spark = min(MOST_SPARK, cells - taken - REASON)
    spark = spark if spark >= LEAST_SPARK else 0
    head = f"{'card':>{HEAD - 3}}   {'':<{names}}{'SM clock' if spark > 8 else '':<{spark}}"
    head += "".join(f"{name:>{size}}" for name, size in figures)
    head += "  limit" if taken + spark + REASON <= cells else ""
    room = max(1, height - 1)
    first = max(0, min(at - room // 2, len(cards) - room))
    rows = [fit(((head, "dim"),), cells)]
    for i, card in enumerate(cards[first : first + room], first):
        pieces = _strip(session, card, names, spark, [size for _, size in figures], glyphs, view)
        here = i == at
        mark = glyphs.here if here else " "
        own = glyphs.at if card.measured else " "
        index = NOT_READ if card.gpu is None else str(card.gpu)
        strong = "strong" if here else ""
        line: Row = ((f" {mark}{index:>{HEAD - 5}} {own} ", strong), *pieces)
        while width(line) > cells and len(line) > 2:
            line = line[:-1]  # the reason gives way, then the figures: none is cut
        rows.append(fit(line, cells))
    return rows[:height]


def _name_cells(cards: Sequence[HostCard], cells: int) -> int:
    """Room for the names, where they tell the cards apart."""
    names = {shown(card.device.name or "") for card in cards}
    if len(names) == 1 or cells < 90:
        return 0
    return min(LONGEST_NAME, max(len(name) for name in names)) + 1


def _fitting(cells: int, glyphs: Glyphs) -> list[tuple[str, int]]:
    """Heading and width of the figures, as many as there is room for."""
    figures = [("MHz", 6), ("W", 5), (f"{glyphs.degree}C", 4), ("GiB", 6), ("busy %", 7)]
    while figures and HEAD + sum(size for _, size in figures) > cells:
        figures.pop()
    return figures


def _strip(
    session: Session,
    card: HostCard,
    names: int,
    spark: int,
    sizes: Sequence[int],
    glyphs: Glyphs,
    view: ClocksView,
) -> Row:
    pieces: list[tuple[str, str]] = []
    if names:
        name = head_of(shown(card.device.name or NOT_READ), names - 1, glyphs.ellipsis)
        pieces.append((fit(((name, ""),), names)[0][0].ljust(names), ""))
    end_s = session.duration_s
    if spark:
        columns = columns_of(view, session, spark)
        end_s = min(end_s, columns.window[1])
        pieces.append((_spark(card, columns, columns.at(end_s) + 1, glyphs), "clock"))
    last = reading(card.samples, end_s)
    late = silence(card, last, end_s)
    if last is None or late:
        return (*pieces, (f"  {late}", "warn"))
    used = None if last.mem_used_bytes is None else last.mem_used_bytes / 2**30
    busy = None if last.util is None else last.util * 100
    texts = [_whole(last.sm_mhz), _whole(power_w(last)), _whole(last.temp_c)]
    texts += [NOT_READ if used is None else f"{used:.1f}", _whole(busy)]
    for text, size in zip(texts, sizes, strict=False):
        pieces.append((f"{text if len(text) < size else NOT_READ:>{size}}", ""))
    why = word(last.reasons)
    return (*pieces, (f"  {SHORT.get(why, why)}", "dim" if why in ("idle", NOT_READ) else "reason"))


def _whole(value: float | None) -> str:
    return NOT_READ if value is None else f"{value:.0f}"


def _spark(card: HostCard, columns: TimeColumns, end: int, glyphs: Glyphs) -> str:
    """Levels of the clock against the highest that the card has."""
    gap = math.ceil(gap_s(card) / columns.width_s)
    curve = card.samples.extremes("sm_mhz", columns.window, columns.size)
    curve = held_over(curve, gap, end)
    whole = max([card.device.sm_max_mhz or 0.0, *(each[1] for each in curve if each)]) or 1.0
    top = len(glyphs.spark) - 1
    return "".join(
        " " if each is None else glyphs.spark[min(top, round(each[1] / whole * top))]
        for each in curve
    )
