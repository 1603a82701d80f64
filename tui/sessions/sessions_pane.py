"""The saved sessions: a row each, and below them what else is known of the one under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

from roofwatch.session.began import minute_utc
from roofwatch.session.entry import CUT_SHORT, UNREAD, UNREADABLE, Entry
from roofwatch.session.listing import NOW, Listing
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import (
    Row,
    fit,
    head_of,
    page,
    row,
    tail_of,
    width,
    wrapped,
)
from roofwatch.tui.drawing.telling import arrows
from roofwatch.tui.sessions.entry_details import brief, tall
from roofwatch.tui.sessions.entry_words import (
    RATE,
    all_giga,
    flops,
    minutes,
    rate,
    suite_said,
    when,
)

ROOMY = 100  # cells from which a date has its year and a card its maker
LEAST_BELOW = 12  # rows from which there are details under the table
LONG_HEADS = 116  # cells from which each rate has its unit in its own heading
TALL, TALL_BELOW = 38, 22  # rows from which details have a line each, and those they then take
MARK, SUITE, STATE, MINUTES, KEY = 4, 9, 10, 5, 8
DRAM, LONG_RATE = "DRAM GB/s", " TFLOP/s"
LEAST_CARD, MOST_CARD = 8, 32
NEEDS = {"minutes": 84, "suite": 77, "key": 68, "held": 57, "burst": 50, "slope": 43}
"""Cells from which a column stands; what is not listed always does."""
LEAST_DRAM = 60  # cells from which the heading of bandwidth is whole
MAKERS = ("NVIDIA GeForce ", "NVIDIA ", "AMD ", "Intel(R) ")
STATE_STYLE = {CUT_SHORT: "warn", UNREADABLE: "wrong", UNREAD: "dim", NOW: "running"}


class _Columns(NamedTuple):
    """Cells of each column, none where the screen is too narrow for it."""

    roomy: bool
    year: str  # of the newest session: where it is narrow only other years are told
    when: int
    card: int
    suite: int
    minutes: int
    slope: int
    burst: int
    held: int
    key: int
    long: bool
    giga: bool  # whether every rate of arithmetic is in GFLOP/s


def build(
    listing: Listing,
    cells: int,
    height: int,
    glyphs: Glyphs,
    cursor: int = 0,
    marked: Path | None = None,
) -> list[Row]:
    """Rows of the pane; ``cursor`` counts entries, ``marked`` is the file that stands as A."""
    if not listing.entries:
        return page(_nothing(listing, cells), cells, height)
    cursor = listing.held(cursor)
    entry = listing.entries[cursor]
    columns = _columns(listing.entries, cells)
    if height >= TALL:
        below = tall(listing, entry, cells, glyphs, marked)
        room = min(height - 1 - TALL_BELOW, len(listing.entries))
    else:
        below = brief(listing, entry, cells, glyphs, marked) if height >= LEAST_BELOW else []
        room = max(1, height - 1 - len(below))
    first = cursor // room * room  # a page at a time: moving within one changes two rows
    seen = listing.entries[first : first + room]
    rows = [_head(columns, len(listing.entries), first, len(seen), cells, glyphs)]
    for i, one in enumerate(seen, first):
        rows.append(_line(listing, one, columns, cells, glyphs, i == cursor, marked))
    rows += [row("")] * (room - len(seen))
    return page([*rows, *below], cells, height)


def small(
    listing: Listing,
    cells: int,
    height: int,
    glyphs: Glyphs,
    cursor: int = 0,
    marked: Path | None = None,
) -> list[Row]:
    """The table alone, with as many columns as there is room for."""
    if not listing.entries or height < 3:
        return build(listing, cells, height, glyphs, cursor, marked)
    count, cursor = len(listing.entries), listing.held(cursor)
    columns = _columns(listing.entries, cells)
    room = height - 1 if count < height else height - 2
    first = cursor // room * room
    seen = listing.entries[first : first + room]
    rows = [_head(columns, count, first, len(seen), cells, glyphs)]
    for i, one in enumerate(seen, first):
        rows.append(_line(listing, one, columns, cells, glyphs, i == cursor, marked))
    rows += [row("")] * (room - len(seen))
    hidden = zip((first, count - first - len(seen)), arrows(glyphs), strict=True)
    told = ", ".join(f"{n} more: {key}" for n, key in hidden if n)
    return page([*rows, row((f" {told}", "dim"))], cells, height)


def _nothing(listing: Listing, cells: int) -> list[Row]:
    """Where sessions are kept, and how one is made."""
    kept = shown(str(listing.folders[0])) if listing.folders else ""
    rows: list[Row] = [row(""), row((" No saved sessions yet.", "title")), row("")]
    if listing.problem:
        rows = [row(""), *wrapped(listing.problem, cells - 2, "warn", " "), row("")]
    rows += wrapped(
        "Each session that measures or watches is kept as one file in", cells - 2, "", " "
    )
    rows += [row((f"   {part}", "strong")) for part in chop_cells(kept, max(2, cells - 4))]
    rows += [row("")]
    rows += wrapped(
        f"Key r starts a run here; `{PROGRAM} run` does so without a screen, and --save FILE keeps "
        "it elsewhere.",
        cells - 2,
        "dim",
        " ",
    )
    return rows


def _columns(entries: Sequence[Entry], cells: int) -> _Columns:
    roomy = cells >= ROOMY
    told = (m for e in entries if (m := minute_utc(e.started_at)))
    newest = next(told, "")
    whole = {"minutes": MINUTES, "suite": SUITE, "key": KEY}
    long = cells >= LONG_HEADS
    flat = RATE + len(LONG_RATE) if long else RATE
    slope = len(DRAM) + 1 if cells >= LEAST_DRAM else RATE
    whole |= {"held": flat, "burst": flat, "slope": slope}
    of = {name: size if cells >= NEEDS[name] else 0 for name, size in whole.items()}
    when = 18 if roomy else 12
    longest = max((cell_len(_card(e, roomy)) for e in entries), default=0)
    room = cells - MARK - when - STATE - sum(of.values()) - 1
    card = max(LEAST_CARD, min(MOST_CARD, longest, room))
    return _Columns(roomy, newest[:4], when, card + 1, **of, long=long, giga=all_giga(entries))


def _head(c: _Columns, count: int, first: int, seen: int, cells: int, glyphs: Glyphs) -> Row:
    text = f"{'':<{MARK}}{'UTC':<{c.when}}{'card':<{c.card}}{'suite' if c.suite else '':<{c.suite}}"
    text += f"{'state':<{STATE}}"
    unit = LONG_RATE.replace("T", "G", 1) if c.giga else LONG_RATE
    tail = unit if c.long else ""
    for size, name in (
        (c.minutes, "min"),
        (c.slope, DRAM if c.slope > len(DRAM) else DRAM.split()[1]),
        (c.burst, f"burst{tail}"),
        (c.held, f"held{tail}"),
    ):
        text += f"{name:>{size}}" if size else ""
    text += f" {'of' if c.long else unit.strip():<{c.key - 1}}" if c.key else ""
    places = f"{first + 1} {glyphs.dash} {first + seen} of {count}" if seen < count else ""
    gap = cells - cell_len(text) - cell_len(places) - 1
    return row((text + (" " * gap + places if gap > 2 else ""), "dim"))


def _line(
    listing: Listing,
    e: Entry,
    c: _Columns,
    cells: int,
    glyphs: Glyphs,
    at_cursor: bool,
    marked: Path | None,
) -> Row:
    here = "-here" if at_cursor else ""
    state = listing.state(e)
    mark = f" {glyphs.here if at_cursor else ' '}{'A' if e.path == marked else ' '} "
    line = list(row((mark, f"strong{here}")))
    if e.problem is not None or e.complete is None:
        name = c.when + c.card + c.suite
        named = tail_of(shown(e.path.name), name - 1, glyphs.ellipsis)
        line.append((set_cell_size(named, name), here or "dim"))
        line.append((f"{state:<{STATE + 1}}", f"{STATE_STYLE[state]}{here}"))
        said = "" if state == NOW else shown(e.problem or "")
        line.append((head_of(said, cells - width(line) - 1, glyphs.ellipsis), f"dim{here}"))
        return fit(line, cells, here)
    card = head_of(_card(e, c.roomy), c.card - 1, glyphs.ellipsis)
    suite = head_of(suite_said(e), SUITE - 1, glyphs.ellipsis)
    key = head_of(shown(e.peak_key or ""), KEY - 1, glyphs.ellipsis)
    line += row(
        (f"{when(e, c.roomy, c.year):<{c.when}}", here),
        (set_cell_size(card, c.card), here),
        (set_cell_size(suite, c.suite), f"dim{here}"),
        (
            f"{state:<{STATE}}",
            f"{STATE_STYLE.get(state, 'warn' if e.slow or e.doubted else '')}{here}",
        ),
        (_right(minutes(e.duration_s), c.minutes), f"dim{here}"),
        (_right(rate(e.bandwidth_gbs, glyphs), c.slope), f"strong{here}"),
        (_right(flops(e, e.burst_tflops, glyphs, c.giga), c.burst), f"strong{here}"),
        (_right(flops(e, e.sustained_tflops, glyphs, c.giga), c.held), f"strong{here}"),
        (set_cell_size(f" {key}", c.key), f"dim{here}"),
    )
    return fit(line, cells, here)


def _right(text: str, size: int) -> str:
    """A figure at the right end of its column; nothing where there is none."""
    return f"{text:>{size}}" if size else ""


def _card(e: Entry, roomy: bool) -> str:
    """Its name; where it is narrow without the maker's."""
    name = shown(e.card) if e.card else "unknown"
    if not roomy:
        maker = next((m for m in MAKERS if name.startswith(m)), "")
        name = name[len(maker) :] or name
    return f"{e.ranks} x {name}" if e.ranks is not None else name
