"""A MIG slice by its name: whether the card has that profile, and what its figures are then."""

from __future__ import annotations

import math

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.short_name import mig, mig_profile

EIGHTHS = {1: (1, 2), 2: (2,), 3: (4,), 4: (4,), 7: (8,)}
"""Eighths of the memory that so many of seven compute slices go with (NVIDIA, MIG User Guide)."""
EIGHTHS_OF_FOUR = {1: (2,), 2: (4,), 4: (8,)}  # of an A30, which has four compute slices
SLICED = ("8.0", "9.0", "10.0", "10.3")
SMS_OF_FOUR = 56
NEAR_GB, NEAR = 0.8, 0.025  # a profile's name rounds the memory, or counts another part of it
NOTE = "derived from the whole card's share of SMs and memory"


class SliceError(ValueError):
    """The card has no such slice. The message is one line."""


def slices_named(name: str, cards: Cards) -> tuple[Nominal, ...]:
    """The slices that ``name`` may mean, each named and noted as one; none for an unknown card.

    Of several cards that the name fits those count that have the profile.

    Raises:
        SliceError: the name says MIG, and none of the cards that it fits has that profile.
    """
    found, taken, part = cards.known(name).candidates, mig_profile(name), mig(name)
    if taken is None or part is None:
        return found
    said = (f"{taken[0]}c." if taken[0] else "") + f"{taken[1]}g.{taken[2]:g}gb"
    whole = cards.known(part[0]).candidates
    have = [
        _named(piece, card, said)
        for piece, card in zip(found, whole, strict=True)
        if (taken[0] or 0) <= taken[1] and _has(card, taken[1], taken[2])
    ]
    if whole and not have:
        raise SliceError(_refused(whole[0], said))
    return tuple(have)


def _named(piece: Nominal, card: Nominal, profile: str) -> Nominal:
    """The slice under a name and a key of its own."""
    name, key = f"{card.name} MIG {profile}", f"{card.key or card.name} mig {profile}"
    return msgspec.structs.replace(piece, name=name, key=key, note=NOTE)


def _profiles(card: Nominal) -> list[tuple[int, float]]:
    """Compute slices and GB of every profile; empty for a card that is never sliced."""
    if card.compute_capability not in SLICED or not card.memory_bytes:
        return []
    four = card.compute_capability == "8.0" and card.sm_count == SMS_OF_FOUR
    table = EIGHTHS_OF_FOUR if four else EIGHTHS
    return [(n, card.memory_bytes / 2**30 * e / 8) for n, of in table.items() for e in of]


def _has(card: Nominal, slices: int, memory_gb: float) -> bool:
    return memory_gb == int(memory_gb) and any(
        n == slices and abs(memory_gb - gb) <= max(NEAR_GB, NEAR * gb * (gb > 80))
        for n, gb in _profiles(card)
    )


def _refused(card: Nominal, said: str) -> str:
    known = ", ".join(f"{n}g.{math.floor(gb + 0.5)}gb" for n, gb in _profiles(card))
    if not known:
        return f"{card.name}: no MIG profile of this card is known, so not {said}"
    return f"{card.name} has no such MIG profile as {said}: it has {known}"
