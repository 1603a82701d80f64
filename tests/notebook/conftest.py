"""The packaged cards, looked up once for all tests of the notebook."""

from __future__ import annotations

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.session.cards import packaged_cards


@pytest.fixture(scope="session")
def cards() -> Cards:
    return Cards(packaged_cards())
