"""Clock, power and throughput over time, with the probe that ran under each fall.

Above them, where the host has several cards, a strip for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.session.device_clock import device_clock_mhz
from roofwatch.session.events import Sample
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import HostCard, card_of
from roofwatch.session.printable import shown
from roofwatch.tui.clocks.card_strips import strip_rows
from roofwatch.tui.clocks.clock_charts import (
    LEFT,
    RIGHT,
    clock_chart,
    clock_on_device,
    headed,
    held_chart,
    memory_row,
    power_chart,
)
from roofwatch.tui.clocks.clocks_view import ClocksView, card_count, columns_of, shown_s
from roofwatch.tui.clocks.held_rate import held_rate
from roofwatch.tui.clocks.limit_row import limit_cells
from roofwatch.tui.clocks.probe_bands import band_cells, explained, shown_bands
from roofwatch.tui.clocks.shown_card import ShownCard, reading, shown_card, silence, status_said
from roofwatch.tui.drawing.column_curve import held_over
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, percent, util_said
from roofwatch.tui.drawing.rows_of_text import Piece, Row, page, row, width
from roofwatch.tui.drawing.time_columns import clock_text, length_text, marks

LEAST_COLUMNS = 20
LEAST_CHART = 2
MOST_HELD = 4  # from zero on, the held rate is a line near the top
AXIS = 2
LEAST_ROWS = LEAST_CHART + AXIS + 1  # the clock over its axis, and what limits it
KEY_ROWS = 15  # from which the letters of the bands have their key


class Heights(NamedTuple):
    """Rows of each part; what has none is left out."""

    clock: int
    power: int
    held: int
    bands: int
    key: int
    memory: int
    said: int


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    view: ClocksView | None = None,
    reach: str = "",
) -> list[Row]:
    """Rows of the pane; its right edge is the last event of the stream, or where ``view`` ends.

    ``reach`` is the key to what the bands have no room for.
    """
    view = view or ClocksView()
    card = card_of(session, view.focused)
    count = cells - LEFT - RIGHT
    above: list[Row] = []
    if cards := card_count(session):
        room = min(cards + 1, height - LEAST_ROWS - 1)
        if room < min(cards + 1, LEAST_CHART + 1) or count < LEAST_COLUMNS:
            return page(strip_rows(session, cells, height, glyphs, view), cells, height)
        above = [*strip_rows(session, cells, room, glyphs, view), _whose(card, cells, glyphs)]
    left = height - len(above)
    if count < LEAST_COLUMNS or left < LEAST_ROWS:
        end_s = session.duration_s
        return page(_said(card, reading(card.samples, end_s), end_s, cells, glyphs), cells, height)
    what = shown_card(session, card, columns_of(view, session, count), glyphs)
    return page([*above, *_charts(what, cells, left, view, reach)], cells, height)


def _whose(card: HostCard, cells: int, glyphs: Glyphs) -> Row:
    """A rule that says whose charts stand under it."""
    which = NOT_READ if card.gpu is None else str(card.gpu)
    text = f" card {which} {shown(card.device.name or '')}".rstrip()
    text += ", measured " if card.measured else " "
    return row((glyphs.horizontal * 2, "axis"), (text, "dim"), (glyphs.horizontal * cells, "axis"))


def _charts(what: ShownCard, cells: int, height: int, view: ClocksView, reach: str) -> list[Row]:
    session, columns, glyphs = what.session, what.columns, what.glyphs
    measured = what.card.measured
    spun = clock_on_device(what) if measured else None
    held = held_rate(session, columns) if measured else None
    power = what.curve("power")
    name, found = shown_bands(session, columns) if measured else ("", [])
    keyed = height >= KEY_ROWS
    found, key = explained(found, cells - LEFT if keyed else 0, glyphs, reach)
    moved = not what.following or view.length_s < shown_s(ClocksView(), session)
    where = _where(what) if moved else ()
    mhz = device_clock_mhz(session, columns.window[0], what.end_s) if measured else None
    said = _said(what.card, what.last, what.end_s, cells, glyphs, mhz, where)
    rows = _heights(height, any(power), held is not None, bool(key), measured, len(said))
    return [
        *clock_chart(what, spun, rows.clock),
        *[headed(name, band_cells(found, columns.size, glyphs), glyphs)][: rows.bands],
        *[headed("", key, glyphs)][: rows.key],
        *power_chart(what, power, rows.power),
        *held_chart(what, held, rows.held),
        *[memory_row(what)][: rows.memory],
        *_axis(what),
        _limit_row(what),
        *said[: rows.said],
    ]


def _heights(total: int, power: bool, held: bool, key: bool, measured: bool, said: int) -> Heights:
    """Rows of the parts, the most telling first; what is left goes to the charts."""
    left = total - LEAST_ROWS

    def take(rows: int) -> int:
        nonlocal left
        given = rows if rows <= left else 0
        left -= given
        return given

    bands = take(1) if measured else 0
    said = take(said) or take(1)
    clock = LEAST_CHART + take(1)
    second = take(LEAST_CHART if power else 1)
    third = take(LEAST_CHART) if held else 0
    memory = take(1)
    if measured and not held:
        third = take(1)
    keyed = take(1) if key and total >= KEY_ROWS else 0
    drawn = held and third > 0
    charts = clock + left + (second if power else 0) + (third if drawn else 0)
    if drawn:
        third = max(third, min(MOST_HELD, charts // 4))
    if power and second:
        second = max(second, (charts - (third if drawn else 0)) * 2 // 5)
    clock = total - AXIS - 1 - bands - said - second - third - memory - keyed
    return Heights(clock, second, third, bands, keyed, memory, said)


def _limit_row(what: ShownCard) -> Row:
    """Clocks event reasons of each column; one without a reading has those of the one before."""
    columns = what.columns
    masks = what.card.samples.masks(columns.window, columns.size)
    if what.last is not None and not any(mask is not None for mask in masks):
        text = f" not readable here{what.why_null('reasons')}" if what.last.reasons is None else ""
        return headed("limit", ((text, "dim"),), what.glyphs)
    pairs = held_over([None if m is None else (m, m) for m in masks], what.lead, what.end)
    held = [None if pair is None else int(pair[0]) for pair in pairs]
    return headed("limit", limit_cells(held, what.glyphs), what.glyphs)


def _axis(what: ShownCard) -> list[Row]:
    count, glyphs = what.columns.size, what.glyphs
    line = [glyphs.horizontal] * count
    names = [" "] * (count + LEFT + RIGHT)
    for x, label in marks(what.columns, what.following, what.session.closed):
        if not 0 <= x < count:
            continue
        line[x] = glyphs.axis_tick
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        if all(c == " " for c in names[max(0, start - 1) : start + len(label) + 1]):
            names[start : start + len(label)] = label
    return [
        row((" " * (LEFT - 1) + glyphs.corner + "".join(line), "axis")),
        row(("".join(names), "axis")),
    ]


def _where(what: ShownCard) -> Sequence[Piece]:
    """Which part of the session is on show; of one that goes on only how long it is."""
    first_s, last_s = what.columns.window
    whole_s = what.session.duration_s
    if what.following and not what.session.closed:
        return ((f"  the last {length_text(last_s - first_s)}", "strong"),)
    text = f"  {clock_text(max(0.0, first_s))} to {clock_text(min(last_s, whole_s))}"
    return ((text, "strong"), (f" of {clock_text(whole_s)}", "dim"))


def _said(
    card: HostCard,
    last: Sample | None,
    end_s: float,
    cells: int,
    glyphs: Glyphs,
    on_device_mhz: float | None = None,
    where: Sequence[Piece] = (),
) -> list[Row]:
    """Where one is, temperature, utilisation and the device's own clock, in as many rows as they
    need."""
    parts: list[Sequence[Piece]] = [where] if where else []
    if last is None:
        parts.append((("  waiting for telemetry", "dim"),))
    elif late := silence(card, last, end_s):
        parts.append(((f"  {late}", "warn"),))
    else:
        parts += [((f"  {text}", ""),) for text in _readings(card, last, glyphs)]
    if on_device_mhz is not None:
        parts.append((("  clock on device ", "dim"), (f"{on_device_mhz:.0f} MHz", "clock-spin")))
    rows: list[Row] = []
    for part in parts:
        if rows and width((*rows[-1], *part)) <= cells:
            rows[-1] = (*rows[-1], *part)
        else:
            rows.append(((part[0][0][1:], part[0][1]), *part[1:]))
    return rows


def _readings(card: HostCard, last: Sample, glyphs: Glyphs) -> list[str]:
    """Temperature with the card's own slowdown, and utilisation, or why they are not there."""

    def said(value: float | None, text: Callable[[float], str], field: str) -> str:
        return status_said(last, field) if value is None else text(value)

    heat = said(last.temp_c, lambda v: f"{v:.0f} {glyphs.degree}C", "temp_c")
    if last.temp_c is None:
        heat = f"temperature {heat}"
    if card.device.temp_slowdown_c:
        heat += f" (slows at {card.device.temp_slowdown_c:.0f})"
    return [heat, util_said(said(last.util, percent, "util"), last.gpu is not None)]
