"""The host's cards side by side: the measured one and its neighbours, in NVML's order."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.session.events import Device
from roofwatch.session.fold import Session
from roofwatch.session.samples import Samples


class HostCard(NamedTuple):
    """One card with its own samples; ``gpu`` is NVML's index."""

    gpu: int | None
    device: Device
    samples: Samples
    measured: bool


def host_cards(session: Session) -> list[HostCard]:
    """The measured card, and beside it those that telemetry sees besides; alone where there are
    none."""
    own = session.device
    others = {
        d.index: d for d in session.neighbours if d.index is not None and d.index != own.index
    }
    cards = [HostCard(own.index, own, session.samples, measured=True)]
    cards += [HostCard(i, d, session.samples_of(i), measured=False) for i, d in others.items()]
    return sorted(cards, key=lambda card: -1 if card.gpu is None else card.gpu)


def card_of(session: Session, gpu: int | None) -> HostCard:
    """The card of an index; the measured one where there is none of it."""
    cards = host_cards(session)
    own = next(card for card in cards if card.measured)
    return own if gpu is None else next((c for c in cards if c.gpu == gpu), own)
