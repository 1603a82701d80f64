"""That a measured roof which a plan takes is not to be believed, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from roofwatch.roofline.probe_spec import matmul_key
from roofwatch.session.events import Measurement
from roofwatch.session.fleet.doubted import doubted as doubted_ranks
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_roofs import ranks_of
from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.fold import Session
from roofwatch.session.plan import Question
from roofwatch.session.plan_roofs import BURST
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import doubted
from roofwatch.session.roofs import Roofs

STREAM = "add_scalar"
MOST_RANKS = 3  # named, the others counted

Taken = Callable[[RankFigures], str]  # the figure that a rank gives to a roof; empty of none


def roof_notes(q: Question, sessions: Sequence[Session], of_each: Sequence[Roofs]) -> list[str]:
    """A sentence for the bandwidth and one for the peak, where their own session doubts them.

    ``of_each`` are the sessions' roofs, in their order: of each figure the first counts.
    """
    said = []
    for name, taken in (("bandwidth", _bandwidth), ("peak", _peak)):
        for session, own in zip(sessions, of_each, strict=False):
            m = taken(q, own)
            if m is None:
                continue
            if why := doubted(session, own).get(m.probe):
                said.append(f"the measured {name} ({shown(m.probe)}) is not to be believed: {why}")
            break
    return said


def _bandwidth(q: Question, own: Roofs) -> Measurement | None:
    return own.bandwidth if q.bandwidth_measured and own.bandwidth_gbs is not None else None


def _peak(q: Question, own: Roofs) -> Measurement | None:
    c = own.compute.get(q.peak_key or "") if q.peak_measured is not None else None
    if c is None or not c.best_tflops:
        return None
    return c.burst if q.peak_measured == BURST else c.sustained


def fleet_doubts(q: Question, fleets: Sequence[Fleet], card: str) -> list[str]:
    """Ranks on such cards whose own record doubts the very figure that they give to a roof.

    Of each roof the first fleet counts that has it, as in the plan.
    """
    of_roofs: list[tuple[int, Taken]] = []
    for slowest_of, taken in (
        (q.bandwidth_slowest_of, _stream_of),
        (q.peak_slowest_of, partial(_matmul_of, q.peak_key or "")),
    ):
        having = (i for i, f in enumerate(fleets) if any(map(taken, ranks_of(f, card))))
        if slowest_of and (first := next(having, None)) is not None:
            of_roofs.append((first, taken))
    return [
        said
        for i, fleet in enumerate(fleets)
        if (said := _doubts_said(fleet, card, [taken for at, taken in of_roofs if at == i]))
    ]


def _stream_of(r: RankFigures) -> str:
    """The stream that its bandwidth comes from; a record of an older version names none."""
    return (r.bandwidth_kernel or STREAM) if r.bandwidth_gbs else ""


def _matmul_of(peak_key: str, r: RankFigures) -> str:
    return matmul_key(peak_key) if peak_key in r.peaks_tflops else ""


def _doubts_said(fleet: Fleet, card: str, taken: Sequence[Taken]) -> str:
    own = {r.rank: r for r in ranks_of(fleet, card)}
    ranks: dict[int, list[str]] = {}
    for d in doubted_ranks(fleet):
        if d.rank not in own:
            continue
        names = {name for of in taken if (name := of(own[d.rank]))}
        for figure in d.figures:
            if figure in names or (STREAM in names and figure.startswith(STREAM)):
                ranks.setdefault(d.rank, []).append(f"{shown(figure)} ({d.code})")
    said = [f"rank {rank}: {', '.join(found)}" for rank, found in ranks.items()]
    if not said:
        return ""
    more = f"; and {len(said) - MOST_RANKS} more ranks" if len(said) > MOST_RANKS else ""
    return f"not to be believed of this fleet: {'; '.join(said[:MOST_RANKS])}{more}"
