"""What has to be said of a fleet whose figures a plan takes: who is slow, which links it lacks."""

from __future__ import annotations

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.probe_spec import matmul_key
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_roofs import ranks_of
from roofwatch.session.fleet.missing_links import missing_links
from roofwatch.session.fleet.outliers import Outlier, outliers
from roofwatch.session.fleet.slow_ranks import slow_ranks
from roofwatch.session.fleet.spreads import metrics
from roofwatch.session.plan import Question
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM

MOST_SLOW = 3  # named, the others counted
FINE = 0.1  # a share under it has a digit behind the point: a stream is slow from 0.3 % on


def fleet_notes(fleet: Fleet, card: str, q: Question) -> list[str]:
    """Its slow ranks where its roofs count, its missing links where several cards have none."""
    said = _slow(fleet, card, q) if q.bandwidth_slowest_of > 1 or q.peak_slowest_of > 1 else []
    if q.tp > 1 and q.peer_gbs is None and (why := missing_links(fleet)):
        said.append(f"links of this fleet: {shown(why)}; the plan takes the link as printed")
    return said


def _slow(fleet: Fleet, card: str, q: Question) -> list[str]:
    """One a rank or node, the worst first: by what of it the plan takes, else by its worst."""
    ranks = {r.rank for r in ranks_of(fleet, card)}
    named = [o for o in outliers(fleet, metrics(fleet)) if o.rank in ranks]
    found = slow_ranks(fleet, named)
    own = matmul_key(q.peak_key) if q.peak_key else None
    said = []
    for each in found[:MOST_SLOW]:
        worst = next((o for o in each.others if o.metric == own), each.worst)
        said.append(f"slow in this fleet: {shown(each.who)}, {_said(worst)}")
    left = len(found) - MOST_SLOW
    return said if left <= 0 else [*said, f"and {left} more are slow ({PROGRAM} show names them)"]


def _said(o: Outlier) -> str:
    """Its worst figure against the others', and why."""
    share = per_cent(o.under, 1 if o.under < FINE else 0)
    doubt = f"; {o.doubt}" if o.doubt else ""
    return (
        f"{shown(o.metric)} {o.value:.4g} {o.unit}, {share} under {o.against} {o.median:.4g}"
        f"{doubt}; {shown(o.reason.text).rstrip('.')}"
    )
