"""What part of a session the Clocks pane shows, and of which card."""

from __future__ import annotations

import math
from typing import NamedTuple

from roofwatch.session.fold import Session
from roofwatch.session.host_cards import host_cards
from roofwatch.tui.drawing.time_columns import LONG_S, NICE_S, TimeColumns, columns_until

WINDOW_S = 60.0
WHOLE = math.inf
LENGTHS_S = (5.0, 15.0, WINDOW_S, 300.0, 900.0, 3600.0, 14400.0, WHOLE)
YOUNG_S = tuple(float(s) for s in NICE_S if s >= 15)  # windows of a session that still grows
LEAST_S = 1.0
SHIFT_S = 4.0  # from one move of the chart to the next: each sends most of its curves again


class ClocksView(NamedTuple):
    """``end_s`` is the window's right edge, None while it follows now.

    ``card`` is the row among the strips on which the cursor stands, ``focused`` the index of the
    card whose charts are drawn; None for the measured one.
    """

    end_s: float | None = None
    length_s: float = WINDOW_S
    card: int = 0
    focused: int | None = None


def columns_of(view: ClocksView, session: Session, count: int) -> TimeColumns:
    """The columns of a chart of ``count`` cells."""
    now, length_s = session.duration_s, shown_s(view, session)
    if view.end_s is not None and length_s < now:
        return columns_until(min(view.end_s, now), length_s, count)
    shift_s = 0.0 if session.closed else min(SHIFT_S, length_s / 15)
    return columns_until(now, length_s, count, shift_s)


def shown_s(view: ClocksView, session: Session) -> float:
    """Seconds across the chart.

    A session shorter than that fills the width all the same; while it grows it does so by steps,
    since each draws the chart anew.
    """
    now = session.duration_s
    if now >= view.length_s:
        return view.length_s
    if session.closed:  # the last event, too, lies inside
        return max(LEAST_S, now * (1 + 1e-9))
    grown = next((s for s in YOUNG_S if s > now), None)
    if grown is None:
        grown = LONG_S * math.ceil(now / LONG_S + 1e-9)
    return min(view.length_s, grown)


def followed(view: ClocksView) -> ClocksView:
    """Its right edge is now again."""
    return view._replace(end_s=None)


def scrolled(view: ClocksView, session: Session, steps: int) -> ClocksView:
    """Quarters of the window onward, or back as far as the beginning; at the end it follows."""
    now, length_s = session.duration_s, shown_s(view, session)
    end_s = now if view.end_s is None else view.end_s
    return _ending(view, session, end_s + steps * length_s / 4, length_s)


def scrolls(view: ClocksView, session: Session) -> bool:
    """Whether there is more time than the window shows."""
    return bool(session.samples) and shown_s(view, session) < session.duration_s


def zoomed(view: ClocksView, session: Session, step: int) -> ClocksView:
    """The next longer window for each step, the next shorter for each below zero.

    Its middle stays, or its right edge while that follows.
    """
    for _ in range(abs(step)):
        view = _zoomed(view, session, closer=step < 0)
    return view


def _zoomed(view: ClocksView, session: Session, *, closer: bool) -> ClocksView:
    now, before_s = session.duration_s, shown_s(view, session)
    if closer:
        length_s = max((s for s in LENGTHS_S if s < before_s), default=view.length_s)
    elif view.length_s >= max(now, WINDOW_S):  # all of it is on show
        return view
    else:
        length_s = min(s for s in LENGTHS_S if s > view.length_s)
    longer = view._replace(length_s=length_s)
    if view.end_s is None:
        return longer
    shown = shown_s(longer, session)
    return _ending(longer, session, view.end_s + (shown - before_s) / 2, shown)


def _ending(view: ClocksView, session: Session, end_s: float, length_s: float) -> ClocksView:
    if end_s >= session.duration_s or length_s >= session.duration_s:
        return followed(view)
    return view._replace(end_s=max(end_s, length_s))


def card_count(session: Session) -> int:
    """How many strips there are: none with one card."""
    count = len(host_cards(session)) if session.neighbours else 1
    return count if count > 1 else 0


def card_moved(view: ClocksView, session: Session, step: int) -> ClocksView:
    """The cursor on another strip, as far as there are any."""
    return view._replace(card=max(0, min(card_count(session) - 1, view.card + step)))


def focused(view: ClocksView, session: Session) -> ClocksView:
    """The charts of the card under the cursor, or the measured one's again."""
    if not session.neighbours:
        return view._replace(focused=None)
    cards = host_cards(session)
    card = cards[max(0, min(len(cards) - 1, view.card))]
    back = card.measured or card.gpu == view.focused
    return view._replace(focused=None if back else card.gpu)
