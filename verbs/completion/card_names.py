"""What Tab offers for a card: its key, and the names that people and this documentation say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import bare_name
from roofwatch.roofline.nominal import Card
from roofwatch.session.plan_sources import SEEDS_PAIRS

MAKERS = re.compile(
    r"^(?:NVIDIA|AMD|Intel(?:\(R\))?|Tesla|Quadro|GeForce|Radeon|Instinct) ", re.IGNORECASE
)
PRINTED = re.compile(r"(\w+)-(SXM|PCI)\w*-(\d+GB)", re.IGNORECASE)
FORMS = {"SXM": "SXM", "PCI": "PCIe"}


def card_names(cards: Sequence[Card]) -> tuple[str, ...]:
    """Each name once, those alone that mean the one card; then the keys."""
    known = Cards(cards)
    spoken = [name for card in cards for name in _spoken(card) if _means(known, name, card)]
    named = [name for name, _ in SEEDS_PAIRS]
    return tuple(dict.fromkeys([*named, *spoken, *(card.key for card in cards)]))


def _spoken(card: Card) -> Iterator[str]:
    """``T4`` of a Tesla T4, ``A100 80GB SXM`` of an A100-SXM4-80GB."""
    name = bare_name(card.names[0])
    while (shorter := MAKERS.sub("", name)) != name:
        name = shorter
    yield name
    if printed := PRINTED.fullmatch(name):
        yield f"{printed[1]} {printed[3]} {FORMS[printed[2].upper()]}"


def _means(known: Cards, name: str, card: Card) -> bool:
    return known.known(name).names == [card.names[0]]
