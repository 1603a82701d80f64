"""The cards and models that a plan can be made of: this session's own first, then the tables."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import ModelError
from roofwatch.roofline.nominal import Card, NominalError
from roofwatch.session.cards import load_cards, packaged_cards
from roofwatch.session.fold import Session
from roofwatch.session.models import load_models, packaged_models

MODEL = "Llama-3-8B"  # of a session that names none


class Tables(NamedTuple):
    """What names mean. ``problem`` is what is wrong with a file of the user's own, in one line."""

    cards: tuple[Card, ...]
    by_name: Cards
    models: tuple[Model, ...]
    problem: str = ""


def load_tables(nominal: Path | None = None) -> Tables:
    """Cards and models with the user's own; without a file of theirs that cannot be used.

    ``nominal`` is the file of cards that was named on the command line.
    """
    problem = ""
    try:
        cards, own = load_cards(nominal)
    except NominalError as error:
        cards, own, problem = packaged_cards(), frozenset(), str(error)
    try:
        models = load_models()
    except ModelError as error:
        models, problem = packaged_models(), str(error)
    return Tables(cards, Cards(cards, own), models, problem)


def models_for(session: Session, tables: Tables) -> tuple[Model, ...]:
    """The session's own models, or else the usual one, then the others of the table."""
    own = tuple(msgspec.convert(model, Model) for model in session.models)
    own = own or tuple(m for m in tables.models if m.name == MODEL)
    names = {m.name for m in own}
    return (*own, *(m for m in tables.models if m.name not in names))
