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
    near = cards.near(name)
    raise PlanError(f"no card is called {said}" + (f"; like it: {', '.join(near)}" if near else ""))
