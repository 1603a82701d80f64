"""That a measured roof which a plan takes is not to be believed, and why."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.session.events import Measurement
from roofwatch.session.fleet.doubted import doubted as doubted_ranks
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fold import Session
from roofwatch.session.plan import Question
from roofwatch.session.plan_roofs import BURST
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import doubted
from roofwatch.session.roofs import Roofs

STREAM = "add_scalar"
MOST_RANKS = 3  # named, the others counted


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


def fleet_doubts(q: Question, fleet: Fleet) -> list[str]:
    """Ranks whose own record doubts a figure that the plan's roofs come from."""
    if not (q.bandwidth_slowest_of or q.peak_slowest_of):
        return []
    peak = f"matmul-{q.peak_key}"
    ranks: dict[int, list[str]] = {}
    for d in doubted_ranks(fleet):
        for figure in d.figures:
            if figure == peak or figure.startswith(STREAM):
                ranks.setdefault(d.rank, []).append(f"{shown(figure)} ({d.code})")
    said = [f"rank {rank}: {', '.join(found)}" for rank, found in ranks.items()]
    if not said:
        return []
    more = f"; and {len(said) - MOST_RANKS} more ranks" if len(said) > MOST_RANKS else ""
    return [f"not to be believed of this fleet: {'; '.join(said[:MOST_RANKS])}{more}"]
