"""A session's own links between cards in place of nominal ones, for a plan over several cards."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.statistics import median
from roofwatch.session.fold import Session
from roofwatch.session.links import ONE_WAY, PEERS, links
from roofwatch.session.plan import MEASURED, Question


def with_links(question: Question, session: Session) -> Question:
    """The question with the session's median peer rate and latency, where it measured them.

    What was given stands. A ring passes 2 (N - 1) times from card to card, each after the last, so
    that an all-reduce waits for as many latencies of a copy.
    """
    q = question
    if q.tp == 1 or q.peer_gbs is not None:
        return q
    found = [x for x in links(session) if x.kind == PEERS and x.direction == ONE_WAY]
    if not found:
        return q
    late = [x.latency_s for x in found if x.latency_s is not None]
    latency_s = q.peer_latency_s or (2 * (q.tp - 1) * median(late) if late else 0.0)
    return msgspec.structs.replace(
        q,
        peer_gbs=median([x.gbs for x in found]),
        peer_latency_s=min(latency_s, 1.0),
        peer_source=MEASURED,
    )
