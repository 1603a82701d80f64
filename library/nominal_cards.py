"""The nominal cards, loaded once a process: by a name that someone wrote, by the device here."""

from __future__ import annotations

from functools import lru_cache

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.nominal import Card
from roofwatch.session.cards import load_cards
from roofwatch.session.events import Device
from roofwatch.session.expectation import nominal_of


@lru_cache(maxsize=1)
def _loaded() -> tuple[tuple[Card, ...], frozenset[str]]:
    return load_cards()


@lru_cache(maxsize=1)
def named_cards() -> Cards:
    """The packaged table and the user's own cards. Raises NominalError for a bad file of theirs."""
    return Cards(*_loaded())


def nominal_here(device: Device) -> Nominal | None:
    """The figures of this device, found by what it says of itself; None where there are none.

    Raises NominalError as ``named_cards`` does.
    """
    found = nominal_of(device, *_loaded())
    return None if found.origin == "none" else found
