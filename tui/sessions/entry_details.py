"""What else is known of one saved session, under the table: in a few rows, or a line each."""

from __future__ import annotations

from pathlib import Path

from rich.cells import chop_cells, set_cell_size

from roofwatch.roofline.size_said import size_said
from roofwatch.session.entry import Entry
from roofwatch.session.fleet.compared import Compared
from roofwatch.session.listing import NOW, Listing
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import scale_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, page, row, spread, wrapped
from roofwatch.tui.sessions.entry_words import RATE, all_giga, giga, minutes, rate, when

OPENS = "Enter opens it, "
OPENS_FLEET = "Enter opens its grid: a row a rank"
MARKS, UNMARKS = "v marks it as A to compare another with", "v takes the mark A away"
COMPARES = "v compares it, as B, with A"
LONGEST_KEY = 12  # cells of a precision's name
LABEL = 10  # cells of what a line is about


def brief(listing: Listing, e: Entry, cells: int, glyphs: Glyphs, marked: Path | None) -> list[Row]:
    """Details of one entry, and the keys; always as many rows, so that the table stands still."""
    dot = f" {glyphs.dot} "
    path = chop_cells(shown(str(e.path)), max(2, cells - 2))
    now = listing.state(e) == NOW
    if e.problem is not None and not now:
        said = wrapped(e.problem, cells - 2, "wrong", " ")
    elif e.complete is None:
        said = [row((" being written" if now else " being read", "dim"))]
    else:
        told = [
            *(["on show"] if listing.shows(e) else []),
            f"began {shown(e.started_at) if e.started_at else 'at an unknown time'}",
            f"host {shown(e.host) if e.host else 'unknown'}",
            *_of_fleet(e),
            *([f"driver {shown(e.driver) if e.driver else 'not told'}"] if e.ranks is None else []),
            f"torch {shown(e.torch) if e.torch else 'not told'}",
            *(["G: GFLOP/s"] if giga(e) and not all_giga(listing.entries) else []),
            *([f"{e.runs} runs"] if e.runs > 1 else []),
            _faults(e),
            size_said(e.size_bytes) + (", figures from its head and tail" if e.partly else ""),
        ]
        said = wrapped(dot.join(told), cells - 2, "", " ")
    about = [*(row((f" {part}", "dim")) for part in path), *said]
    return [
        row((glyphs.horizontal * cells, "axis")),
        *page(about, cells, 4),
        _does(listing, e, cells, glyphs, marked),
    ]


def _does(listing: Listing, e: Entry, cells: int, glyphs: Glyphs, marked: Path | None) -> Row:
    """What the keys do with an entry; right which one stands as A."""
    other = listing.find(marked)
    if e.ranks is not None:
        return row((head_of(f" {OPENS_FLEET}", cells, glyphs.ellipsis), "dim"))
    does = MARKS if other is None else UNMARKS if marked == e.path else COMPARES
    a = row((f"A {when(other)} ", "note")) if other else ()
    said = head_of(f" {OPENS}{does}", cells - 1, glyphs.ellipsis)
    return spread(row((said, "dim")), a, cells)


def tall(listing: Listing, e: Entry, cells: int, glyphs: Glyphs, marked: Path | None) -> list[Row]:
    """The keys and the details, a line each; the roofs of every precision last."""
    keys = _does(listing, e, cells, glyphs, marked)
    top = [row(""), row((glyphs.horizontal * cells, "axis")), keys, row("")]
    path = chop_cells(shown(str(e.path)), max(2, cells - LABEL - 2))
    about = [
        row((f" {name:<{LABEL}}", "dim"), part)
        for name, part in zip(["file", *[""] * (len(path) - 1)], path, strict=True)
    ]
    now = listing.state(e) == NOW
    if e.problem is not None and not now:
        return [*top, *about, *hung(f" {'problem':<{LABEL}}", e.problem, cells - 1, "wrong")]
    if e.complete is None:
        return [
            *top,
            *about,
            row((f" {'':<{LABEL}}", ""), "being written" if now else "being read"),
        ]
    return [*top, *about, *_told(listing, e, cells, glyphs), *_roofs(e, glyphs)]


def _told(listing: Listing, e: Entry, cells: int, glyphs: Glyphs) -> list[Row]:
    """What else is known of an entry that was read."""
    state = f"{listing.state(e)}, on show" if listing.shows(e) else listing.state(e)
    took = f", lasted {minutes(e.duration_s)} min" if e.duration_s is not None else ""
    runs = f", {e.runs} runs" if e.runs > 1 else ""
    partly = ", figures from its head and tail" if e.partly else ""
    lines = {
        "began": f"{shown(e.started_at) if e.started_at else 'at an unknown time'}{took}{runs}",
        "suite": f"{shown(e.suite or 'unknown')}, {e.probes} probes measured, {state}, "
        f"{_faults(e)}",
        **({"ranks": ", ".join(_of_fleet(e))} if e.ranks is not None else {}),
        "card": shown(e.card or "unknown"),
        "host": shown(e.host or "unknown"),
        "driver": shown(e.driver or "not told"),
        "torch": shown(e.torch or "not told"),
        "size": size_said(e.size_bytes) + partly,
        "DRAM": f"{rate(e.bandwidth_gbs, glyphs)} GB/s" if e.bandwidth_gbs else "not measured",
    }
    return [r for name, text in lines.items() for r in hung(f" {name:<{LABEL}}", text, cells - 1)]


def _roofs(e: Entry, glyphs: Glyphs) -> list[Row]:
    """The flats of each precision, in columns."""
    out: list[Row] = []
    scale = scale_of([r for f in e.roofs for r in (f.burst, f.sustained) if r])
    for i, flat in enumerate(e.roofs):
        factor = scale.factor_of(flat.unit)
        name = head_of(shown(flat.peak_key), LONGEST_KEY, glyphs.ellipsis)
        burst, held = (
            rate(None if each is None else each * factor, glyphs)
            for each in (flat.burst, flat.sustained)
        )
        label = "" if i else "roofs"
        out.append(
            row(
                (f" {label:<{LABEL}}", "dim"),
                set_cell_size(name, LONGEST_KEY + 1),
                (f"{burst:>{RATE}}", "strong"),
                (" burst", "dim"),
                (f"{held:>{RATE}}", "strong"),
                (f" held  {scale.named(flat.unit)}", "dim"),
            )
        )
    return out


def _of_fleet(e: Entry) -> list[str]:
    """How many ranks a fleet had, and how many of them are slow or doubted, as its report says."""
    if e.ranks is None:
        return []
    many = "1 rank" if e.ranks == 1 else f"{e.ranks} ranks"
    of = Compared(e.compared, e.judged, e.too_far)
    if e.slow:
        said = f"{e.slow} slow"
    elif e.ranks == 1 or of.compared:
        said = "" if e.ranks == 1 else f"none slow{of.in_some}"
    else:
        said = "" if e.too_far else "nothing compared"
    far = f"{e.too_far} {'figure' if e.too_far == 1 else 'figures'} too far apart"
    told = [said, far if e.too_far else "", f"{e.doubted} doubted" if e.doubted else ""]
    return [f"{many} of {shown(e.suite or 'unknown')}", *filter(None, told)]


def _faults(e: Entry) -> str:
    if e.ranks is not None:
        return f"{e.faults} not whole" if e.faults else "all whole"
    count = e.faults
    return "no faults" if not count else "1 fault" if count == 1 else f"{count} faults"
