"""The nominal table as rows of text: a card a line, or each card with the arithmetic behind it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rich.cells import cell_len, set_cell_size

from roofwatch.roofline.nominal import Card, factor_bandwidth_gbs, factor_peak_tflops
from roofwatch.roofline.peaks import unit
from roofwatch.session.card_entry import bandwidth_arithmetic, peak_arithmetic
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped

COLUMNS = ("GB/s", "fp32", "fp16", "fp8", "ridge", "GB", "W")
OF_COLUMN = 8  # cells
LEAST_NAME, MOST_NAME = 16, 34
LABEL = 12


def table_rows(cards: Sequence[Card], cells: int, glyphs: Glyphs) -> list[Row]:
    """A card a line: bandwidth, peaks in TFLOP/s, the ridge in fp16, memory, power."""
    longest = max((cell_len(shown(card.names[0])) for card in cards), default=0)
    wide = min(max(longest, LEAST_NAME), MOST_NAME, max(LEAST_NAME, cells - 2 - OF_COLUMN))
    shown_columns = COLUMNS[: max(1, (cells - 1 - wide) // OF_COLUMN)]
    head = "".join(f"{name:>{OF_COLUMN}}" for name in shown_columns)
    out = [row((f" {'':<{wide}}{head}", "dim"))]
    for card in cards:
        name = set_cell_size(head_of(shown(card.names[0]), wide, glyphs.ellipsis), wide)
        values = _columns(card)
        out.append(row(f" {name}" + "".join(f"{values[c]:>{OF_COLUMN}}" for c in shown_columns)))
    return out


def _columns(card: Card) -> dict[str, str]:
    fp16, gbs = card.peaks.get("fp16"), card.bandwidth_gbs
    figures = {
        "GB/s": gbs,
        "fp32": card.peaks.get("fp32"),
        "fp16": fp16,
        "fp8": card.peaks.get("fp8"),
        "ridge": fp16 * 1e3 / gbs if fp16 and gbs else None,
        "GB": card.memory_gb,
        "W": card.tdp_w,
    }
    return {name: "-" if value is None else figure(value) for name, value in figures.items()}


def arithmetic_rows(card: Card, own: bool, cells: int, glyphs: Glyphs) -> list[Row]:
    """One card: its figures as printed, what the factors behind each come to, and how."""
    about = [f"{card.memory_gb:g} GB {card.memory_type}".rstrip()] if card.memory_gb else []
    about += [f"{card.tdp_w:g} W"] if card.tdp_w else []
    about += [f"SM clock up to {card.sm_max_mhz:g} MHz"] if card.sm_max_mhz else []
    about += [f"NVLink {card.nvlink_gbs:g} GB/s a direction"] if card.nvlink_gbs else []
    about += ["your own entry"] if own else []
    name = head_of(shown(card.names[0]), cells - 1, glyphs.ellipsis)
    out = [row((f" {name}", "title")), *wrapped(shown("; ".join(about)), cells - 1, "dim", " ")]
    head = f" {'':<{LABEL}}{'printed':>{OF_COLUMN}}{'factors':>{OF_COLUMN}}  TFLOP/s, dense"
    out.append(row((head, "dim")))
    gbs = factor_bandwidth_gbs(card)
    why = card.mismatch.get("bandwidth", "")
    told = f"GB/s: {bandwidth_arithmetic(card)}" if gbs is not None else "GB/s"
    out += _figure("bandwidth", card.bandwidth_gbs, gbs, told, why, cells)
    for key, peak in card.peaks.items():
        product = factor_peak_tflops(card, key)
        why = card.mismatch.get(key, "no document prints it" if key in card.computed else "")
        told = f"{'TOPS: ' if unit(key) == 'TOPS' else ''}{peak_arithmetic(card, key)}"
        out += _figure(key, peak, product, told, why, cells)
    for key in ("fp32", "fp16", "bf16"):
        if key in card.peaks and card.bandwidth_gbs:
            ridge = card.peaks[key] * 1e3 / card.bandwidth_gbs
            out += _figure(f"ridge {key}", ridge, None, "FLOP/byte", "", cells)
    more = [card.notes] if card.notes else []
    if card.source:
        grade = f" (evidence {card.evidence})" if card.evidence else ""
        more.append(f"Source: {'; '.join(card.source)}{grade}")
    return [*out, *chain.from_iterable(wrapped(shown(x), cells - 1, "dim", " ") for x in more)]


def _figure(
    name: str, printed: float | None, product: float | None, told: str, why: str, cells: int
) -> list[Row]:
    """A figure as printed, what its factors come to, how, and why the two differ."""
    if printed is None and product is None:
        return []
    both = "".join(f"{'' if x is None else figure(x, 4):>{OF_COLUMN}}" for x in (printed, product))
    said = "; ".join(filter(None, (told, shown(why))))
    return hung(f" {name:<{LABEL}}{both}  ", said, cells, of_head="")
