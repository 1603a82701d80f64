"""The kernel map: what a transformer's kernels reach on this card, why not more, what treats it.

Three pages: the map with a cursor, what fusion brings, and launches with the shapes' experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.roofline.common_work import common
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.session.fold import Session
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.kernel_map import KernelPoint, kernel_map
from roofwatch.session.printable import shown
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.tui import launch_rows
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.kernel_rows import (
    BOUND,
    fusion_rows,
    legend,
    letters,
    plot,
    roof_name,
    treatments,
)
from roofwatch.tui.numbers import figure, percent
from roofwatch.tui.rows_of_text import (
    Piece,
    Row,
    fit,
    head_of,
    hung,
    page,
    row,
    spread,
    width,
    wrapped,
)

BESIDE = 112  # cells from which picture and words stand beside the table
BAR_CELLS = 12
FIGURES, RATE = 42, 9  # cells of the columns beside the name, and of TFLOP/s, which may give way
LEAST_NAME, NAME = 16, 20  # cells of the name, and those that TFLOP/s leaves it
PLOT_ROWS = (8, 24)  # least and most
TABLE, LEAST_TABLE = 6, 3  # kernels that leave the rest to the picture; rows that it leaves
BESIDE_ROWS = 14  # of the picture, before all treatments stand below it
ON_SCREEN = "roofwatch --suite kernels"
HOW = (
    f"roofwatch run --suite kernels measures them, {ON_SCREEN} does so in the screen: what each"
    " kernel of a transformer reaches of its own roof, what fusion brings, what a launch costs."
)


class View(NamedTuple):
    """Which page, counted round; on the map the kernel under the cursor, else the first row."""

    page: int = 0
    at: int = 0


class _Page(NamedTuple):
    name: str
    rows: Callable[[int], list[Row]]


def build(session: Session, cells: int, height: int, glyphs: Glyphs, view: View) -> list[Row]:
    """Rows of the pane."""
    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not pages:
        return page(_unmeasured(session, own, cells, height), cells, height)
    which = view.page % len(pages)
    head = _head(pages, which, mapped, cells, glyphs)
    if pages[which].name == MAP:
        at = min(len(mapped) - 1, max(0, view.at))
        chains = fusions(session, own) if cells >= BESIDE else []
        body = _map(own, mapped, chains, at, cells, height - 1, glyphs)
    else:
        body = _scrolled(pages[which].rows(cells - 1), view.at, height - 1)
    return page([head, *body], cells, height)


def length(session: Session, cells: int, height: int, glyphs: Glyphs, view: View) -> int:
    """How many places a page has: kernels of the map, else rows that can be scrolled to."""
    own = roofs(session)
    mapped = kernel_map(session, own)
    pages = _pages(session, own, mapped, glyphs)
    if not pages:
        return 1
    shown_page = pages[view.page % len(pages)]
    if shown_page.name == MAP:
        return len(mapped)
    return max(1, len(shown_page.rows(cells - 1)) - height + 2)


def small(session: Session, cells: int, height: int, view: View) -> list[Row]:
    """What a terminal too small for a picture gets: a line a kernel, from the cursor on."""
    mapped = kernel_map(session, roofs(session))
    if not mapped:
        return page([row((f" no kernel map here: {ON_SCREEN}", "dim"))], cells, height)
    at = min(len(mapped) - 1, max(0, view.at))
    name = max(8, cells - 16)
    rows = [
        row(
            (f" {head_of(shown(p.label), name, '.'):<{name}}", "strong" if i == at else "dim"),
            f"{_share(p):>5} ",
            (p.bound, BOUND.get(p.bound, "")),
        )
        for i, p in enumerate(mapped)
    ]
    return page(rows[at:], cells, height)


MAP, FUSION, LAUNCHES = "kernel map", "fusion", "launches and shapes"
TERMS = {"memory": "bytes", "compute": "arithmetic", "overhead": "launches"}


def _pages(
    session: Session, own: Roofs, mapped: Sequence[KernelPoint], glyphs: Glyphs
) -> list[_Page]:
    """Those with something on them."""
    chains = fusions(session, own)
    found = []
    if mapped:
        found.append(_Page(MAP, lambda cells: []))
    if chains:
        found.append(_Page(FUSION, lambda cells: fusion_rows(chains, cells)))

    def launched(cells: int) -> list[Row]:
        return launch_rows.build(session, own, cells, glyphs)

    if launched(launch_rows.LEAST_CELLS):
        found.append(_Page(LAUNCHES, launched))
    return found


def _head(
    pages: Sequence[_Page], which: int, mapped: Sequence[KernelPoint], cells: int, glyphs: Glyphs
) -> Row:
    """The pages, the open one strong, and how many kernels are at their roof."""
    left: list[Piece] = [(" ", "")]
    for i, one in enumerate(pages):
        left.append((one.name, "title" if i == which else "dim"))
        left.append((f" {glyphs.dot} " if i + 1 < len(pages) else "", "axis"))
    right: list[Piece] = []
    if mapped:
        done = sum(p.of_roof is not None and p.of_roof >= STOP for p in mapped)
        said = f"{done} of {len(mapped)} at {percent(STOP)} of their roof or more "
        right = [(said, "dim")]
    if len(pages) > 1:
        left.append((f"  {glyphs.left_right}", "key"))
    return spread(left, right, cells)


# -- the map ---------------------------------------------------------------------------------


def _map(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    chains: Sequence[Fusion],
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    """What fusion brings stands below the table of a large screen."""
    if cells >= BESIDE:
        return _side_by_side(own, mapped, chains, at, cells, height, glyphs)
    said = [_below(mapped, i, cells - 1) for i in range(len(mapped))]
    # The picture keeps its height whatever the longest reason takes of the table.
    room = height - max(map(len, said))
    rows = max(PLOT_ROWS[0], min(PLOT_ROWS[1], room - min(len(mapped), TABLE) - 2))
    if room < rows + LEAST_TABLE:
        rows = 0
    if room > len(mapped) + 1 + PLOT_ROWS[0]:
        rows = min(PLOT_ROWS[1], room - len(mapped) - 1)
    picture = _picture(own, mapped, at, cells - 1, rows, glyphs)
    told = said[at][: max(0, height - len(picture) - LEAST_TABLE)]
    lines = height - len(picture) - len(told)
    return [*picture, *page(_table(mapped, at, cells, lines, glyphs), cells, lines), *told]


def _below(mapped: Sequence[KernelPoint], at: int, cells: int) -> list[Row]:
    """What is said of one kernel where the picture leaves little room."""
    why, treated, _ = _said(mapped, at, cells)
    return [*why, *treated]


def _side_by_side(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    chains: Sequence[Fusion],
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    """The table left; right the picture, then all that is known of the kernel under the cursor."""
    left = min(cells * 60 // 100, FIGURES + RATE + BAR_CELLS + 1 + _longest(mapped) + 6)
    right = cells - left - 2
    why, do, least = _said(mapped, at, right - 1)
    said = [*why, *do, *least]
    treated = [row(""), *treatments(mapped, right - 1)]
    lower: list[list[Row]] = [legend(mapped, left - 1), fusion_rows(chains, left)]
    rows = max(0, min(PLOT_ROWS[1], height - len(said) - 1))
    if height - len(said) - len(treated) - 1 >= BESIDE_ROWS:
        rows = min(PLOT_ROWS[1], height - len(said) - len(treated) - 1)
        said += treated
    else:
        lower.append(treatments(mapped, left - 1))
    picture = _picture(own, mapped, at, right, rows, glyphs)
    beside = page([*picture, row(""), *said], right, height)
    table = _table(mapped, at, left, height, glyphs)
    for more in lower:
        fits = len(table) + 1 + len(more) <= height and all(width(r) <= left for r in more)
        table += [row(""), *more] if more and fits else []
    table = page(table, left, height)
    return [(*a, ("  ", ""), *b) for a, b in zip(table, beside, strict=True)]


def _longest(mapped: Sequence[KernelPoint]) -> int:
    return max(len(shown(p.label)) for p in mapped)


def _table(
    mapped: Sequence[KernelPoint], at: int, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """The head, then the kernels around the cursor; a bar and TFLOP/s where there is room."""
    if height < 2:
        return []
    room = cells - FIGURES - 5  # for the name and what may give way
    rated = room - RATE >= min(_longest(mapped), NAME)
    room -= RATE if rated else 0
    bar = BAR_CELLS if room - BAR_CELLS - 1 >= _longest(mapped) else 0
    room -= bar + 1 if bar else 0
    name = max(LEAST_NAME, min(_longest(mapped), room))
    head = f"   {'kernel':<{name}}{'FLOP/B':>7}{'GB/s':>7}"
    head += f"{'TFLOP/s':>{RATE}}" if rated else ""
    head += f"{'time':>9}{'of roof':>9}" + (" " * (bar + 1) if bar else "") + "  bound"
    lines = height - 1
    if lines < len(mapped) and lines > 1:
        lines -= 1  # for how many more there are
    first = min(max(0, at - lines // 2), max(0, len(mapped) - lines))
    marks = letters(mapped)
    out: list[Row] = [row((head, "dim"))]
    for i in range(first, min(len(mapped), first + lines)):
        out.append(fit(_line(marks[i], mapped[i], name, rated, bar, i == at, glyphs), cells))
    if 1 + lines < height and lines < len(mapped):
        out.append(fit(row((_more(first, len(mapped) - first - lines), "dim")), cells))
    return out


def _more(above: int, below: int) -> str:
    """How many rows are out of sight, and the keys that lead there."""
    parts = [f"{n} more: {key}" for n, key in ((above, "up"), (below, "down")) if n]
    return f"   {', '.join(parts)}"


def _line(
    mark: str, p: KernelPoint, name: int, rated: bool, bar: int, here: bool, glyphs: Glyphs
) -> list[Piece]:
    label = head_of(shown(p.label), name, glyphs.ellipsis)
    figures = f"{figure(p.intensity):>7}{figure(p.gbs):>7}"
    figures += f"{figure(p.tflops):>{RATE}}" if rated else ""
    figures += f"{time_said(p.time_s):>9}"
    full = p.of_roof is not None and p.of_roof >= STOP
    pieces: list[Piece] = [
        (f"{glyphs.here if here else ' '}{mark} ", "taken" if here else "strong"),
        (f"{label:<{name}}{figures}", "strong" if here else ""),
        (f"{_share(p):>9}", "ok" if full else "strong" if here else ""),
    ]
    if bar:
        filled = round(min(1.0, p.of_roof or 0.0) * bar)
        drawn = glyphs.full * filled + glyphs.empty * (bar - filled)
        pieces.append((f" {drawn}", "ok" if full else "spark"))
    return [*pieces, (f"  {p.bound:<8}", BOUND.get(p.bound, ""))]


def _share(p: KernelPoint) -> str:
    return percent(p.of_roof)


def _picture(
    own: Roofs, mapped: Sequence[KernelPoint], at: int, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """The kernels under the roof, the one under the cursor marked."""
    if height < PLOT_ROWS[0]:
        return []
    mark = letters(mapped)[at]
    return [fit(_marked(r, mark), cells) for r in plot(own, mapped, cells, height, glyphs)]


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
    mapped: Sequence[KernelPoint], at: int, cells: int
) -> tuple[list[Row], list[Row], list[Row]]:
    """How near one kernel is to which roof and why not nearer; what treats it; its least times."""
    p = mapped[at]
    roof = f"{_share(p)} of {figure(p.roof)} {p.roof_unit}" if p.roof else "no roof of its own yet"
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


def _scrolled(rows: list[Row], first: int, height: int) -> list[Row]:
    first = min(max(0, first), max(0, len(rows) - height))
    shown_rows = rows[first:]
    if len(shown_rows) > height > 0:
        left = len(shown_rows) - height + 1
        return [*shown_rows[: height - 1], row((f" {left} more rows: down, up", "dim"))]
    return shown_rows


def _unmeasured(session: Session, own: Roofs, cells: int, height: int) -> list[Row]:
    """The command that measures, and on paper what side of the ridge common work is on."""
    probes = [spec.key for spec in session.specs if spec.protocol == "kernels"]
    if probes and not session.closed:
        rows = [row((" No kernel is measured yet; the roofs come first.", "title"))]
    else:
        rows = [row((" No kernel was measured in this session.", "title"))]
        rows += wrapped(HOW, cells - 2, "", " ")
    key = own.main_key or next(iter(own.compute), None)
    roof = next((r for w in ("burst", "nominal") if (r := own.roof(key or "", w))), None)
    if roof is None:
        return rows
    which = "measured" if own.roof(key or "", "burst") else "nominal"
    said = f" On paper, {key} on this card ({which} ridge {figure(roof.ridge)} FLOP/byte)"
    rows += [row(""), row((said, "title"))]
    rows.append(row((f"   {'work':<26}{'FLOP/byte':>10}{'at most TFLOP/s':>17}  bound", "dim")))
    work = common("fp32" if key == "fp32" else "bf16")
    for c in work[: max(0, height - len(rows))]:
        bound = "memory" if c.intensity < roof.ridge else "compute"
        line = f"   {c.name:<26}{figure(c.intensity):>10}"
        line += f"{figure(roof.attainable_tflops(c.intensity)):>17}  "
        rows.append(row(line, (bound, BOUND[bound])))
    return rows
