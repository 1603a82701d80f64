"""The kernel map: what a transformer's kernels reach on this card, why not more, what treats it.

Pages: the map with a cursor, size sweeps, what fusion brings, launches with the shapes'
experiments, and the links that were measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.session.cards_table import cards_table
from roofwatch.session.fold import Session
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.kernel_map import KernelPoint, kernel_map
from roofwatch.session.links import links
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.sweeps import sweeps
from roofwatch.tui.drawing.glyphs import UNICODE, Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import (
    Piece,
    Row,
    fit,
    hung,
    page,
    row,
    spread,
    width,
    wrapped,
)
from roofwatch.tui.drawing.telling import arrows, left_out, more_rows, telling
from roofwatch.tui.kernels import cards_rows, launch_rows, link_rows, sweeps_plot
from roofwatch.tui.kernels.kernel_rows import (
    fusion_rows,
    legend,
    letters,
    plot,
    roof_name,
    treatments,
)
from roofwatch.tui.kernels.kernel_table import (
    BAR_CELLS,
    FIGURES,
    RATE,
    around,
    lines_of,
    longest,
    share,
)
from roofwatch.tui.kernels.unmeasured_kernels import ON_SCREEN, unmeasured

if TYPE_CHECKING:
    from roofwatch.tui.widgets.sheet import Sheet

BESIDE = 112  # cells from which picture and words stand beside the table
NUMBER = 6  # the key that shows this pane alone
LEAST_SIZES = 2  # of a sweep of squares beside the others
PLOT_ROWS = (8, 24)  # least and most
TABLE, LEAST_TABLE = 6, 3  # kernels that leave the rest to the picture; rows that it leaves
BESIDE_ROWS = 14  # of the picture, before all treatments stand below it


class View(NamedTuple):
    """Which page, counted round; on the map the kernel under the cursor, else the first row."""

    page: int = 0
    at: int = 0


class _Page(NamedTuple):
    name: str
    rows: Callable[[int], list[Row]]


def build(
    session: Session, cells: int, height: int, glyphs: Glyphs, view: View | None
) -> list[Row]:
    """Rows of the pane. ``view`` None is the pane beside others: it follows the map and has no
    cursor; without a map it shows the first page that there is."""
    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not pages:
        return page(unmeasured(session, own, view is None, cells, height), cells, height)
    which = view.page % len(pages) if view else 0
    at = view.at if view else 0
    head = _head(pages if view else pages[:1], which, mapped, cells, glyphs)
    if view is None and pages[which].name == SWEEPS:
        body = _swept(session, own, cells, height - 1, glyphs)
    elif pages[which].name != MAP:
        reach = arrows(glyphs)[1] if view else f"key {NUMBER}"
        body = _scrolled(pages[which].rows(cells - 1), at, height - 1, reach)
    elif view is None:
        body = _followed(own, mapped, cells, height - 1, glyphs, rate_scale(session))
    else:
        at = min(len(mapped) - 1, max(0, at))
        chains = fusions(session, own) if cells >= BESIDE else []
        body = _map(own, mapped, chains, at, cells, height - 1, glyphs, rate_scale(session))
    return page([head, *micro(body, glyphs)], cells, height)


def page_of(session: Session, view: View, glyphs: Glyphs) -> Sheet | None:
    """The page of the kernel under the cursor; None where no map is open."""
    from roofwatch.tui.kernels.kernel_page import KernelPage

    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not mapped or pages[view.page % len(pages)].name != MAP:
        return None
    at = min(len(mapped) - 1, max(0, view.at))
    return KernelPage(mapped[at], mapped, glyphs, rate_scale(session))


def length(session: Session, cells: int, height: int, glyphs: Glyphs, view: View) -> int:
    """How many places a page has: kernels of the map, else rows that can be scrolled to."""
    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not pages:
        return 1
    return _places(pages[view.page % len(pages)], mapped, cells, height)


def _places(open_page: _Page, mapped: Sequence[KernelPoint], cells: int, height: int) -> int:
    if open_page.name == MAP:
        return len(mapped)
    return max(1, len(open_page.rows(cells - 1)) - height + 2)


def page_names(session: Session) -> list[str]:
    """The pages that there are: none where nothing was measured."""
    own = roofs(session)
    return [p.name for p in _pages(session, own, kernel_map(session, own), UNICODE)]


def keys(
    session: Session,
    view: View,
    size: tuple[int, int] = (80, 19),
    glyphs: Glyphs = UNICODE,
) -> list[Offer]:
    """What the pane's own keys do now; nothing where nothing was measured."""
    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not pages:
        return []
    found: list[Offer] = []
    open_page = pages[view.page % len(pages)]
    on_map = open_page.name == MAP
    if _places(open_page, mapped, *size) > 1:
        found.append(("{ud}", "kernel" if on_map else "scroll"))
    if on_map:
        found.append(("Enter", "open"))
    return [*found, ("{lr}", "page")] if len(pages) > 1 else found


MAP, SWEEPS, FUSION, LAUNCHES = "kernel map", "size sweeps", "fusion", "launches and shapes"
LINKS, CARDS = "links", "every card"
TERMS = {"memory": "bytes", "compute": "arithmetic", "overhead": "launches"}


def _pages(
    session: Session, own: Roofs, mapped: Sequence[KernelPoint], glyphs: Glyphs
) -> list[_Page]:
    """Those with something on them; links and cards come first where there is no map."""
    chains = fusions(session, own)
    found = []
    if mapped:
        found.append(_Page(MAP, lambda cells: []))

    if sweeps(session, own):
        found.append(_Page(SWEEPS, lambda c: sweeps_plot.build(session, own, c, glyphs)))
    if chains:
        found.append(_Page(FUSION, lambda cells: fusion_rows(chains, cells)))

    if launch_rows.measured(session):
        found.append(_Page(LAUNCHES, lambda c: launch_rows.build(session, own, c, glyphs)))
    beside = []
    if (table := cards_table(session)) is not None and len(table.rows) > 1:
        beside.append(_Page(CARDS, lambda cells: cards_rows.build(table, cells, glyphs)))
    if told := links(session):
        beside.append(_Page(LINKS, lambda cells: link_rows.build(told, cells, glyphs)))
    return [*found, *beside] if mapped else [*beside, *found]


def _head(
    pages: Sequence[_Page], which: int, mapped: Sequence[KernelPoint], cells: int, glyphs: Glyphs
) -> Row:
    """The pages, the open one strong, and how many kernels are at their roof."""
    left: list[Piece] = [(" ", "")]
    for i, one in enumerate(pages):
        left.append((one.name, "title" if i == which else "dim"))
        left.append((f" {glyphs.dot} " if i + 1 < len(pages) else "", "axis"))
    if len(pages) > 1:
        left.append((f"  {glyphs.left_right}", "key"))
    if not mapped:
        of_others = pages[which].name in (LINKS, CARDS)
        missing = "" if of_others else f"no kernel map: {ON_SCREEN} "
        return spread(left, [(missing, "dim")], cells)
    done = sum(p.of_roof is not None and p.of_roof >= STOP for p in mapped)
    said = f"{done} of {len(mapped)} at {percent(STOP)} of their roof or more "
    return spread(left, [(said, "dim")], cells)


# -- the map ---------------------------------------------------------------------------------


def _map(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    chains: Sequence[Fusion],
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale,
) -> list[Row]:
    """What fusion brings stands below the table of a large screen."""
    if cells >= BESIDE:
        return _side_by_side(own, mapped, chains, at, cells, height, glyphs, scale)
    said = [_below(mapped, i, cells - 1, scale) for i in range(len(mapped))]
    # The picture keeps its height whatever the longest reason takes of the table.
    room = height - max(map(len, said))
    rows = max(PLOT_ROWS[0], min(PLOT_ROWS[1], room - min(len(mapped), TABLE) - 2))
    if room < rows + LEAST_TABLE:
        rows = 0
    if room > len(mapped) + 1 + PLOT_ROWS[0]:
        rows = min(PLOT_ROWS[1], room - len(mapped) - 1)
    picture = _picture(own, mapped, at, cells - 1, rows, glyphs, scale)
    told = said[at][: max(0, height - len(picture) - LEAST_TABLE)]
    lines = height - len(picture) - len(told)
    return [*picture, *page(around(mapped, at, cells, lines, glyphs, scale), cells, lines), *told]


def _followed(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale,
) -> list[Row]:
    """The picture over as many kernels as fit, those furthest from their roof before the others."""
    rows = max(PLOT_ROWS[0], min(PLOT_ROWS[1], height - len(mapped) - 1))
    if height - rows < LEAST_TABLE + 1:
        rows = 0
    lines = height - rows - 1
    lines -= 1 if lines < len(mapped) else 0
    far = sorted(range(len(mapped)), key=lambda i: mapped[i].of_roof or 0.0)
    chosen = sorted(far[: max(0, lines)])
    picture = _picture(own, mapped, None, cells - 1, rows, glyphs, scale)
    table = lines_of(mapped, chosen, None, cells, glyphs, scale)
    hidden = len(mapped) - len(chosen)
    more = [row((f"   {hidden} more: key {NUMBER}", "dim"))] if hidden else []
    return [*picture, *table, *more]


def _below(mapped: Sequence[KernelPoint], at: int, cells: int, scale: RateScale) -> list[Row]:
    """What is said of one kernel where the picture leaves little room."""
    why, treated, _ = _said(mapped, at, cells, scale)
    return [*why, *treated]


def _side_by_side(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    chains: Sequence[Fusion],
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale,
) -> list[Row]:
    """The table left; right the picture, then all that is known of the kernel under the cursor."""
    left = min(cells * 60 // 100, FIGURES + RATE + BAR_CELLS + 1 + longest(mapped) + 6)
    right = cells - left - 2
    why, do, least = _said(mapped, at, right - 1, scale)
    said = [*why, *do, *least]
    treated = [row(""), *treatments(mapped, right - 1)]
    lower: list[list[Row]] = [legend(mapped, left - 1, scale), fusion_rows(chains, left)]
    rows = max(0, min(PLOT_ROWS[1], height - len(said) - 1))
    if height - len(said) - len(treated) - 1 >= BESIDE_ROWS:
        rows = min(PLOT_ROWS[1], height - len(said) - len(treated) - 1)
        said += treated
    else:
        lower.append(treatments(mapped, left - 1))
    picture = _picture(own, mapped, at, right, rows, glyphs, scale)
    beside = page([*picture, row(""), *said], right, height)
    table = around(mapped, at, left, height, glyphs, scale)
    for more in lower:
        fits = len(table) + 1 + len(more) <= height and all(width(r) <= left for r in more)
        table += [row(""), *more] if more and fits else []
    table = page(table, left, height)
    return [(*a, ("  ", ""), *b) for a, b in zip(table, beside, strict=True)]


def _picture(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    at: int | None,
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale,
) -> list[Row]:
    """The kernels under the roof, the one under the cursor marked."""
    if height < PLOT_ROWS[0]:
        return []
    rows = plot(own, mapped, cells, height, glyphs, scale)
    if at is None:
        return rows
    mark = letters(mapped)[at]
    return [fit(_marked(r, mark), cells) for r in rows]


def _marked(pieces: Row, mark: str) -> list[Piece]:
    """The row with the letter of one kernel standing out."""
    out: list[Piece] = []
    for text, style in pieces:
        before, found, after = text.partition(mark)
        if found and style in ("strong", "warn"):
            out += [(before, style), (mark, "taken"), (after, style)]
        else:
            out.append((text, style))
    return out


def _said(
    mapped: Sequence[KernelPoint], at: int, cells: int, scale: RateScale
) -> tuple[list[Row], list[Row], list[Row]]:
    """How near one kernel is to which roof and why not nearer; what treats it; its least times."""
    p = mapped[at]
    unit, roof = p.roof_unit or "", "no roof of its own"
    if p.roof:
        rate = figure(p.roof * scale.factor_of(unit))
        roof = f"{share(p)} of {rate} {scale.named(unit)}"
    by = f" ({roof_name(p, mapped)})" if p.roof_by else ""
    if not p.flop:
        by += ", no point on the picture: 0 FLOP"
    why = f"; {p.reason}" if p.reason else ""
    told = wrapped(f"{shown(p.label)}: {roof}{by}{why}", cells - 2, "", " ")
    treated = hung(" Do  ", p.treatment, cells - 1, "note")
    terms = ", ".join(f"{TERMS.get(n, n)} {time_said(s)}" for n, s in p.terms.items())
    least = wrapped(f"at least: {terms}; took {time_said(p.time_s)}", cells - 2, "dim", " ")
    return told, treated, least if terms else []


# -- the other pages -------------------------------------------------------------------------


def _scrolled(rows: list[Row], first: int, height: int, reach: str) -> list[Row]:
    first = min(max(0, first), max(0, len(rows) - height))
    shown_rows = rows[first:]
    if len(shown_rows) > height > 0:
        left = len(shown_rows) - height + 1
        more = f"{left} more: {reach}" if reach.startswith("key") else more_rows(left, reach)
        return [*shown_rows[: height - 1], row((f" {more}", "dim"))]
    return shown_rows


def _swept(session: Session, own: Roofs, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """The size sweeps; short of rows the sizes of the squares that tell most."""
    rows = sweeps_plot.build(session, own, cells - 1, glyphs)[:-1]
    squares = [s for s in sweeps(session, own) if s.points[0].n is not None]
    count = len(squares[0].points) if len(squares) == 1 else 0
    top, sizes = rows[: len(rows) - count], rows[len(rows) - count :]
    lines = height - len(top) - 1
    if len(rows) <= height or lines < LEAST_SIZES:
        return _scrolled(rows, 0, height, f"key {NUMBER}")
    chosen = telling(count, lines)
    missing = [f"{squares[0].points[i].n}" for i in range(count) if i not in chosen]
    more = row((f" {left_out(missing, f'key {NUMBER}', cells - 3)}", "dim"))
    return [*top, *(sizes[i] for i in chosen), more]
