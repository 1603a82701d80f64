"""The first rows of a fleet: how many ranks, of what, and how they and their links fared."""

from __future__ import annotations

from roofwatch.session.fleet.compared import Compared, compared
from roofwatch.session.fleet.doubted import doubted
from roofwatch.session.fleet.fleet import Fleet, complete
from roofwatch.session.fleet.link_figures import SlowLink
from roofwatch.session.fleet.shared_cards import shared_cards
from roofwatch.session.fleet.slow_ranks import Slow
from roofwatch.session.fleet.spreads import Metric, kinds
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, fit, hung, row, width
from roofwatch.tui.fleet.doubt_rows import DOUBT

STARTED = {"": "", "alone": ", one process alone", "variables": ", started by hand"}
MOST_SHARED, MOST_RANKS = 3, 8
NONE_MEASURED = {"cpu": "CPUs", "cuda": "GPUs"}


def head_rows(
    fleet: Fleet,
    found: list[Metric],
    slow: list[Slow],
    links: list[SlowLink],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """How many, of what, and how they fared."""
    h, came = fleet.header, complete(fleet)
    nodes = len(fleet.nodes)
    of = ", ".join(f"{shown(name)}" for name in kinds(fleet))
    of = of or NONE_MEASURED.get(h.device, "no device")
    words = _counted(came.world, "rank") + (f" on {_counted(nodes, 'node')}" if nodes else "")
    how = STARTED.get(h.launcher, f" by {h.launcher}")
    ended = "" if fleet.end is not None else "; its file was cut short"
    said = "; ".join(filter(None, (f"{words}, {of}", f"{h.suite} suite{how}" if h.suite else "")))
    title = hung(" ", said + ended, cells, "title")
    fared = _fared(fleet, found, slow, links, cells, glyphs)
    return [*title, fared, *_shared(fleet, cells, glyphs)]


def _shared(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """Ranks that had one card together: what they measured is none of its figures."""
    found = shared_cards(fleet)
    out: list[Row] = []
    for ranks in found[:MOST_SHARED]:
        some = ", ".join(map(str, ranks[:MOST_RANKS]))
        some += f" and {len(ranks) - MOST_RANKS} more" if len(ranks) > MOST_RANKS else ""
        said = f"ranks {some} had one card together: each shows a part of it"
        out += hung(f" {glyphs.warn} ", said, cells, of_head="warn")
    if len(found) > MOST_SHARED:
        out.append(row((f"   and {len(found) - MOST_SHARED} cards more", "dim")))
    return out


def _fared(
    fleet: Fleet,
    found: list[Metric],
    slow: list[Slow],
    links: list[SlowLink],
    cells: int,
    glyphs: Glyphs,
) -> Row:
    came = complete(fleet)
    troubled = len(fleet.troubled) + max(0, came.world - len(fleet.ranks))
    ranks = sum(len(s.ranks) for s in slow)
    told = [
        (f"{glyphs.ok} {came.ranks} measured", "ok")
        if came.ranks
        else (f"{glyphs.wrong} none measured", "wrong"),
    ]
    if troubled:
        told.append((f"{glyphs.wrong} {troubled} not whole", "wrong"))
    if ranks:
        told.append((f"{glyphs.warn} {_counted(ranks, 'slow rank')}", "warn"))
    measured = bool(fleet.links or fleet.collectives)
    of = compared(found)
    if came.ranks > 1 and not ranks:
        told += _none_slow(of, measured and not links, glyphs)
    if of.too_far:
        told.append((f"{glyphs.warn} {_counted(of.too_far, 'figure')} too far apart", "warn"))
    if links:
        told.append((f"{glyphs.warn} {_counted(len(links), 'slow link')}", "warn"))
    if came.world > 1 and not measured:
        told.append((f"{glyphs.note} no links", "note"))
    pieces = _apart(told)
    if doubts := len({d.rank for d in doubted(fleet)}):
        more = _apart([*told, (f"{DOUBT} {doubts} doubted", "warn")])
        pieces = more if width(more) <= cells else pieces  # its row tells it all the same
    return row(*pieces) if width(pieces) <= cells else fit(pieces, cells)


def _none_slow(of: Compared, and_links: bool, glyphs: Glyphs) -> list[tuple[str, str]]:
    """That nobody is slow, in as many figures as could be compared."""
    if not of.compared:
        return [] if of.too_far else [(f"{glyphs.note} nothing compared", "note")]
    return [(f"{glyphs.ok} {'none slow' if and_links else 'no slow rank'}{of.in_some}", "ok")]


def _apart(told: list[tuple[str, str]]) -> list[tuple[str, str]]:
    pieces = [piece for each in told for piece in (("   ", ""), each)]
    return [(" ", ""), *pieces[1:]]


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
