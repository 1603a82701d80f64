"""What was spent, in a few words: for the header, and for the end of a run."""

from __future__ import annotations

from roofwatch.roofline.price import cost
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.numbers import money


def run_cost_said(session: Session) -> str:
    """``this run cost $0.0132 (23.9 s at $1.99/h)``; empty without a price."""
    price = session.price
    if price is None:
        return ""
    spent = money(cost(price.per_hour, session.run_s), price.currency)
    rent = money(price.per_hour, price.currency)
    return f"this run cost {spent} ({session.run_s:.1f} s at {rent}/h)"


def session_cost_said(session: Session) -> str:
    """``cost $0.0132``: all of a session so far; empty without a price."""
    price = session.price
    if price is None:
        return ""
    return f"cost {money(cost(price.per_hour, session.duration_s), price.currency)}"
