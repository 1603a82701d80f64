"""The figures of each rank that its own record doubts, as rows of text."""

from __future__ import annotations

import itertools

import msgspec

from roofwatch.session.fleet.doubted import Doubted
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.outliers import Outlier
from roofwatch.session.fleet.slow_ranks import Slow
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row

DOUBT = "?"  # of a figure that is not slow, but not to be believed either
MOST_RANKS, MOST_CODES, MOST_NAMES = 3, 3, 4


def doubt_rows(
    fleet: Fleet, found: list[Doubted], told: set[tuple[int, str, str]], cells: int, glyphs: Glyphs
) -> list[Row]:
    """A row a rank, by code; without what is ``told`` (rank, figure, code) of a slow one."""
    left = [d for each in found if (d := _without(each, told)).figures]
    ranks = [(rank, list(of)) for rank, of in itertools.groupby(left, key=lambda d: d.rank)]
    out: list[Row] = []
    for rank, of in ranks[:MOST_RANKS]:
        said = _some([f"{shown(d.code)} ({_names(d)})" for d in of], MOST_CODES)
        text = f"{shown(fleet.ranks[rank].who)}: not to be believed: {said}"
        out += hung(f" {glyphs.warn} ", text, cells, of_head="warn")
    if len(ranks) > MOST_RANKS:
        out.append(row((f"   and {len(ranks) - MOST_RANKS} more (--json names all)", "dim")))
    return out


def told_of_slow(slow: list[Slow], named: list[Outlier]) -> set[tuple[int, str, str]]:
    """Rank, figure and code of what the rows of these slow ones give as the reason."""
    return {
        (o.rank, o.metric, o.reason.code)
        for s in slow
        for o in named
        if o.rank in s.ranks and o.reason.code == s.worst.reason.code
    }


def _without(d: Doubted, told: set[tuple[int, str, str]]) -> Doubted:
    left = tuple(name for name in d.figures if (d.rank, name, d.code) not in told)
    return msgspec.structs.replace(d, figures=left)


def _names(d: Doubted) -> str:
    return _some([shown(name) for name in d.figures], MOST_NAMES)


def _some(words: list[str], most: int) -> str:
    rest = len(words) - most
    return ", ".join(words[:most]) + (f" and {rest} more" if rest > 0 else "")
