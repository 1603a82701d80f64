"""The Kernels pane where there is no room for a picture: its pages as lines of figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.time_said import time_said
from roofwatch.session.cards_table import CardsTable, cards_table, lost_said
from roofwatch.session.fold import Session
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.kernel_map import KernelPoint, kernel_map
from roofwatch.session.links import links
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roofs import roofs
from roofwatch.session.sweeps import Sweep, sweeps
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import Row, head_of, page, row, spread, wrapped
from roofwatch.tui.drawing.short_rows import CUT, most_first, parts, shortened_from
from roofwatch.tui.drawing.telling import arrows
from roofwatch.tui.kernels import launch_rows, link_rows, sweeps_plot
from roofwatch.tui.kernels.kernel_rows import BOUND
from roofwatch.tui.kernels.kernel_table import longest, share
from roofwatch.tui.kernels.kernels_pane import (
    CARDS,
    FUSION,
    LAUNCHES,
    LINKS,
    MAP,
    SWEEPS,
    View,
    page_names,
)
from roofwatch.tui.kernels.unmeasured_kernels import ON_SCREEN

BOUNDED = 30  # cells from which the bound stands too
CHAIN = 17  # cells of a chain's name
NO_MAP = f"no kernel map here: {ON_SCREEN}"


def no_room(least_cells: int) -> str:
    """Which width has room for a table."""
    return f"{least_cells} columns have room for it"


def build(session: Session, cells: int, height: int, glyphs: Glyphs, view: View) -> list[Row]:
    """A title where there are several pages; on the map the kernel of the cursor in view."""
    title, rows = _open(session, cells, glyphs, view)
    shown_rows = shortened_from(view.at, rows, cells, height - len(title), arrows(glyphs)[1])
    return page([*title, *micro(shown_rows, glyphs)], cells, height)


def length(session: Session, cells: int, height: int, glyphs: Glyphs, view: View) -> int:
    """How many places the open page has: kernels of the map, else rows to scroll to."""
    title, rows = _open(session, cells, glyphs, view)
    if _name(session, view) == MAP:
        return len(rows)
    return 1 + most_first(rows, height - len(title))


def keys(session: Session, view: View, size: tuple[int, int], glyphs: Glyphs) -> list[Offer]:
    """What the pane's own keys do now."""
    on_map = _name(session, view) == MAP
    found: list[Offer] = []
    if length(session, *size, glyphs, view) > 1:
        found.append(("{ud}", "kernel" if on_map else "rows"))
    found += [("Enter", "open")] * on_map
    return [*found, ("{lr}", "page")] if len(page_names(session)) > 1 else found


def _open(session: Session, cells: int, glyphs: Glyphs, view: View) -> tuple[list[Row], list[Row]]:
    """The title, where there are several pages, and all rows of the page."""
    own, names = roofs(session), page_names(session)
    if not names:
        return [], wrapped(NO_MAP, cells - 1, "dim", " ")
    which = view.page % len(names)
    drawn: dict[str, Callable[[], list[Row]]] = {
        MAP: lambda: _map(kernel_map(session, own), view.at, cells, glyphs),
        SWEEPS: lambda: _swept(session, sweeps(session, own), cells),
        FUSION: lambda: _fused(fusions(session, own), cells),
        LAUNCHES: lambda: launch_rows.build(session, own, cells, glyphs),
        CARDS: lambda: _cards(cards_table(session), cells),
        LINKS: lambda: link_rows.build(links(session), cells, glyphs),
    }
    least = {LAUNCHES: launch_rows.LEAST_CELLS, LINKS: link_rows.LEAST_CELLS}.get(names[which], 0)
    rows = _trimmed(drawn[names[which]]() or wrapped(no_room(least), cells - 1, "dim", " "))
    if MAP not in names and names[which] not in (CARDS, LINKS):
        rows += wrapped(NO_MAP, cells - 1, "dim", " ")
    if len(names) < 2:
        return [], rows
    place = f"{glyphs.left_right} {which + 1} of {len(names)} "
    return [spread(row((f" {names[which]}", "title")), [(place, "dim")], cells)], rows


def _name(session: Session, view: View) -> str:
    names = page_names(session)
    return names[view.page % len(names)] if names else ""


def _map(mapped: Sequence[KernelPoint], at: int, cells: int, glyphs: Glyphs) -> list[Row]:
    """A line a kernel, that of the cursor marked."""
    at = min(len(mapped) - 1, max(0, at))
    name = min(longest(mapped), max(8, cells - (18 if cells >= BOUNDED else 8)))
    rows = []
    for i, p in enumerate(mapped):
        mark, style = (glyphs.here, "strong") if i == at else (" ", "dim")
        label = f"{mark}{head_of(shown(p.label), name, CUT):<{name}}"
        bound = (f"  {p.bound}", BOUND.get(p.bound, ""))
        rows.append(parts(cells, (label, style), (f"{share(p):>6}", ""), bound))
    return rows


def _swept(session: Session, found: Sequence[Sweep], cells: int) -> list[Row]:
    """Where each sweep turns, then its sizes with their rates."""
    turns = [sweeps_plot.turns(session, swept) for swept in found]
    rows = [r for said in turns for r in wrapped(said, cells - 2, "", " ")]
    scale = rate_scale(session)
    for said, swept in zip(turns, found, strict=True):
        rows.append(row((f" {head_of(re.split('[:,]', said)[0], cells - 2, CUT)}", "dim")))
        for p in swept.points:
            of_bytes = p.n is None
            name = size_said(p.bytes or 0) if of_bytes else f"n {p.n}"
            rate, unit = (p.gbs, "GB/s") if of_bytes else _rate(p.tflops, scale)
            waves = f"  {figure(p.waves)} waves" if p.waves else ""
            small = f"  {sweeps_plot.TOO_SMALL}" if p.code == "E4" else ""
            head = (f" {name:>9}", "dim")
            value = (f"{figure(rate):>7} {unit}", "strong")
            rows.append(parts(cells, head, value, (small, "warn"), (waves, "dim")))
    return rows


def _rate(tflops: float | None, scale: RateScale) -> tuple[float | None, str]:
    return tflops if tflops is None else tflops * scale.factor, scale.named("TFLOP/s")


def _cards(found: CardsTable | None, cells: int) -> list[Row]:
    """A line a card: held alone, held while all are, and what that takes; which one is odd."""
    what = "Every card alone, then all at once: TFLOP/s held, and the stream's GB/s"
    rows = wrapped(what, cells - 2, "dim", " ")
    for r in found.rows if found else []:
        alone, together, lost = r.alone, r.together, lost_said(r.lost)
        rows.append(
            parts(
                cells,
                (f" card {'?' if r.gpu is None else r.gpu}", "title"),
                (f"{figure(alone.sustained_tflops):>7} alone", ""),
                (f"{figure(together.sustained_tflops):>7} at once", "strong"),
                (f", {lost if 'gain' in lost else f'{lost} lost'}" if lost else "", ""),
                (f"  {figure(alone.bandwidth_gbs)} GB/s", "dim"),
            )
        )
    for said in found.sentences if found else []:
        rows += wrapped(said, cells - 2, "warn" if "odd one:" in said else "", " ")
    return rows


def _fused(chains: Sequence[Fusion], cells: int) -> list[Row]:
    """A chain a line: how much faster in one kernel, what the bytes promise; why less came."""
    rows: list[Row] = []
    for f in chains:
        faster = f"{f.measured_ratio:.2f}x" if f.measured_ratio else figure(None)
        rows.append(
            parts(
                cells,
                (f" {f.name:<{min(CHAIN, max(8, cells - 9))}}", "title"),
                (f"{faster:>7}", "strong"),
                (f" of {f.predicted_ratio:.2f}x", ""),
                (f"  {time_said(f.fused_s)} fused" if f.fused_s else "", "dim"),
                (f", {percent(f.delivered)}" if f.delivered is not None else "", ""),
            )
        )
        rows += wrapped(f.reason, cells - 2, "dim", "   ") if f.reason else []
    return rows


def _trimmed(rows: Sequence[Row]) -> list[Row]:
    """Without blank rows at its end."""
    out = list(rows)
    while out and not any(text.strip() for text, _ in out[-1]):
        out.pop()
    return out
