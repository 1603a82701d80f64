"""Links as aligned rows: host and card, the cards among each other as a matrix, the host itself."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.time_said import time_said
from roofwatch.session.link_names import LINK_NAMES, NVLINK, PCIE, THROUGH_HOST, UNKNOWN
from roofwatch.session.links import BOTH, HOST, MANY, MEMORY, PEERS, Link
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, row, width, wrapped
from roofwatch.tui.drawing.short_rows import parts

LEAST_CELLS = 40
WIDE = 76  # cells from which a row has all of its columns
FIGURES, LONG = 36, 56  # of a row without its name: short, and with all of its columns
LONGEST = 24  # of a row's name
SIGNS = {NVLINK: "N", PCIE: "P", THROUGH_HOST: "h", UNKNOWN: "?"}
MATRIX = 8  # cards that stand in one matrix
CELL = 8
COLUMN = 9  # of the sizes


def build(found: Sequence[Link], cells: int, glyphs: Glyphs) -> list[Row]:
    """Rows of what was measured of links; none where nothing was."""
    if not found or cells < LEAST_CELLS:
        return []
    host = [x for x in found if HOST in (x.source, x.sink) and x.link != MEMORY]
    peers = [x for x in found if x.kind == PEERS]
    memory = [x for x in found if x.link == MEMORY]
    rows: list[Row] = []
    if host:
        rows += wrapped(_title(host), cells - 2, "dim", " ")
        rows += _table(host, cells, glyphs, _unmeasured(host, peers))
    if peers:
        rows += _between(peers, cells, glyphs)
    if memory:
        title = "The host's own memory, a copy within it: bytes read and written"
        rows += wrapped(title, cells - 2, "dim", " ") + _table(memory, cells, glyphs)
    rows += _by_size([x for x in found if x.kind != PEERS], cells)
    return [fit(r, cells) if width(r) > cells else r for r in rows]


def _title(host: Sequence[Link]) -> str:
    one = host[0]
    name = LINK_NAMES.get(one.link, one.link)
    if one.gen is not None and one.lanes is not None:
        carries = f", {figure(one.carries_gbs)} GB/s a direction" if one.carries_gbs else ""
        return f"Host and card over {name} {one.gen} x{one.lanes} as read under load{carries}"
    return f"Host and card over {name}; what it is under load was not read"


def _name(x: Link, glyphs: Glyphs) -> str:
    arrow = "<>" if x.direction == BOTH else ">"
    if x.link == MEMORY:
        return x.kind.replace("memcpy ", "").replace("memcpy", "one thread")
    return f"{shown(x.source)} {arrow} {shown(x.sink)} {x.kind}"


def _unmeasured(host: Sequence[Link], peers: Sequence[Link]) -> str:
    """Whose host link was not measured, of the cards that copied to each other."""
    own = {end for x in host for end in (x.source, x.sink)}
    others = sorted({end for x in peers for end in (x.source, x.sink)} - own, key=_number)
    if not others:
        return ""
    many = ", ".join(shown(name) for name in others[:MATRIX])
    many += f" and {len(others) - MATRIX} more" if len(others) > MATRIX else ""
    return f"The host's link to {many} was not measured: --suite links --device cuda:N does so"


def _table(found: Sequence[Link], cells: int, glyphs: Glyphs, below: str = "") -> list[Row]:
    """A line a kind of copy; ``below`` it what is to be said of them."""
    wide = cells >= WIDE
    longest = min(
        LONGEST,
        max(len(_name(x, glyphs)) for x in found),
        max(8, cells - (LONG if wide else FIGURES)),
    )
    head = f"   {'':<{longest}}{'GB/s':>8}{'of nominal':>12}{'latency':>10}"
    rows: list[Row] = [row((head + (f"{'nominal':>10}{'largest':>10}" if wide else ""), "dim"))]
    for x in found:
        name = head_of(_name(x, glyphs), longest, glyphs.ellipsis)
        line = f"   {name:<{longest}}{figure(x.gbs):>8}"
        late = time_said(x.latency_s) if x.latency_s is not None else figure(None)
        line += f"{percent(x.of_nominal):>12}{late:>10}"
        if wide:
            line += f"{figure(x.nominal_gbs):>10}{size_said(x.bytes):>10}"
        mark = "" if x.within_expected is None else glyphs.ok if x.within_expected else glyphs.warn
        rows.append(row(line, (f" {mark}", "ok" if x.within_expected else "warn")))
    rows += wrapped(below, cells - 4, "note", f" {glyphs.note} ") if below else []
    return [*rows, row("")]


# -- between cards -----------------------------------------------------------------------------


def _between(peers: Sequence[Link], cells: int, glyphs: Glyphs) -> list[Row]:
    """A matrix of what each card sends to each, with the link's letter; then the extremes."""
    one_way = {(x.source, x.sink): x for x in peers if x.direction != BOTH}
    both = {(x.source, x.sink): x for x in peers if x.direction == BOTH}
    names = sorted({name for ends in one_way for name in ends}, key=_number)
    label = max(len(n) for n in names) + 1
    rows = wrapped("Card to card, GB/s one way: from the row to the column", cells - 2, "dim", " ")
    if len(names) <= MATRIX and 3 + label + CELL * len(names) <= cells:
        rows += _matrix(names, one_way, label)
    else:
        rows += [_line(x, cells) for x in one_way.values()]
    if both:
        rows += wrapped("both ways at once, together", cells - 2, "dim", " ")
        if len(both) > MATRIX and len(names) <= MATRIX:
            rows += _matrix(names, both, label)
        else:
            rows += [_line(x, cells) for x in both.values()]
    used = [key for key in SIGNS if any(x.link == key for x in peers)]
    legend = ", ".join(f"{SIGNS[key]} {LINK_NAMES.get(key, key)}" for key in used)
    late = [x.latency_s for x in one_way.values() if x.latency_s is not None]
    ends = sorted({time_said(min(late)), time_said(max(late))}) if late else []
    told = f"{legend}; latency {' to '.join(ends)}" if ends else legend
    nominal = {x.nominal_gbs for x in one_way.values() if x.nominal_gbs}
    if len(nominal) == 1:
        told += f"; nominal {figure(nominal.pop())} GB/s a direction"
    return [*rows, *wrapped(told, cells - 2, "dim", " "), row("")]


def _number(name: str) -> tuple[int, str]:
    digits = "".join(c for c in name if c.isdigit())
    return int(digits or 0), name


def _matrix(names: Sequence[str], one_way: dict[tuple[str, str], Link], label: int) -> list[Row]:
    head = "".join(f"{shown(name).removeprefix('card '):>{CELL}}" for name in names)
    rows: list[Row] = [row((f"   {'':<{label}}{head}", "dim"))]
    for source in names:
        told = [_cell(one_way.get((source, sink))) for sink in names]
        rows.append(row(f"   {shown(source):<{label}}{''.join(told)}"))
    return rows


def _cell(x: Link | None) -> str:
    return (
        f"{'-':>{CELL}}" if x is None else f"{figure(x.gbs):>{CELL - 2}} {SIGNS.get(x.link, '?')}"
    )


def _line(x: Link, cells: int) -> Row:
    arrow = "<>" if x.direction == BOTH else ">"
    name = f"{shown(x.source)} {arrow} {shown(x.sink)}"
    share = f"  {percent(x.of_nominal)} of nominal" if x.of_nominal else ""
    rate = f"   {name:<20}{figure(x.gbs):>8} GB/s"
    return parts(cells, (rate, ""), (share, ""), (f"  {LINK_NAMES.get(x.link, x.link)}", "dim"))


# -- by size -----------------------------------------------------------------------------------


def _by_size(found: Sequence[Link], cells: int) -> list[Row]:
    """GB/s by the size of a copy, a column a kind, as many as there is room for."""
    columns = [x for x in found if len(x.sizes) > 1]
    columns = columns[: max(0, (cells - 12) // COLUMN)]
    if not columns:
        return []
    sizes = sorted({s.bytes for x in columns for s in x.sizes})
    of = [{s.bytes: s.gbs for s in x.sizes} for x in columns]
    rows = wrapped("GB/s by the size of one copy", cells - 2, "dim", " ")
    for heads in zip(*(_heads(x) for x in columns), strict=True):
        rows.append(row((f"   {'':<9}" + "".join(f"{h:>{COLUMN}}" for h in heads), "dim")))
    for size in sizes:
        told = "".join(f"{figure(each.get(size)):>{COLUMN}}" for each in of)
        rows.append(row(f"   {size_said(size):<9}{told}"))
    return [*rows, row("")]


def _heads(x: Link) -> tuple[str, str]:
    """Two short words above a column."""
    if x.link == MEMORY:
        return "host", "threads" if x.kind == MANY else "memcpy"
    way = "both" if x.direction == BOTH else "to card" if x.source == HOST else "to host"
    return way, "paged" if x.kind == "pageable" else x.kind
