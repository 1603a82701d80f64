"""The saved sessions that speak for the cards of a session that watches."""

from __future__ import annotations

from functools import lru_cache

from roofwatch.session.file import SaveRefused, sessions_folder
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import host_cards
from roofwatch.session.saved_session import Saved, saved_session


def card_roofs(session: Session) -> dict[str, Saved]:
    """By the card's name; cards of one name have one, of the first's own where there is one."""
    try:
        folder = str(sessions_folder())
    except SaveRefused:  # no home: nothing was ever kept
        return {}
    found: dict[str, Saved] = {}
    for card in host_cards(session):
        name = card.device.name
        if name and name not in found:
            saved = _saved(folder, name, card.device.uuid)
            if saved is not None:
                found[name] = saved
    return found


@lru_cache(maxsize=8)
def _saved(folder: str, name: str, uuid: str | None) -> Saved | None:
    """Looked up once: findings, report and record ask for the same one."""
    return saved_session(name, uuid)
