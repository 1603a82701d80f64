"""The one card that a typed name is of."""

from __future__ import annotations

from roofwatch.notebook.card_slice import SliceError, slices_named
from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.session.plan import PlanError


def card_named(name: str, cards: Cards) -> Nominal:
    """The one card of that name, or MIG slice. Raises PlanError: unknown, ambiguous, no slice."""
    try:
        found = slices_named(name, cards)
    except SliceError as error:
        raise PlanError(str(error)) from None
    if len(found) == 1:
        return found[0]
    said = repr(name[:60])
    if found:
        names = ", ".join(card.name for card in found[:6])
        more = f" and {len(found) - 6} more" if len(found) > 6 else ""
        raise PlanError(f"{said} may be {names}{more}: say which card")
    raise PlanError(unknown_card(name, cards))


def unknown_card(name: str, cards: Cards) -> str:
    """That no card has this name, and which are called like it; one line."""
    like = f"; like it: {', '.join(near)}" if (near := cards.near(name)) else ""
    return f"no card is called {name[:60]!r}{like}"
