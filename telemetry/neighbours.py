"""The host's other cards, one reading of one of them a tick: each about once a second.

They are watched beside the chosen card, so nothing of theirs may cost it a sample: fast fields
only, and a card that is lost or answers nothing is left alone after one note.
"""

from __future__ import annotations

from typing import Any

from roofwatch.session.events import Device, Note, Sample
from roofwatch.telemetry.card import identify
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.metric import Metric
from roofwatch.telemetry.nvml import Gone, Nvml
from roofwatch.telemetry.quick_fields import quick_fields

PERIOD_S = 1.0
PATIENCE = 5
"""Readings in a row without any answer, after which a card is left alone."""


class Neighbour:
    """One card that is watched beside the chosen one."""

    def __init__(self, nvml: Nvml, device: Device, handle: Any) -> None:
        self.device = device
        self._fields: dict[str, Metric[Any]] = quick_fields(nvml, Card(handle), device)
        self._silent = 0

    @property
    def silent(self) -> bool:
        """Whether it has not answered for so long that asking on is no use."""
        return self._silent >= PATIENCE

    def sample(self, t: float) -> Sample:
        """Read it now.

        Raises:
            Gone: the card was lost.
        """
        values: dict[str, Any] = {name: field.read() for name, field in self._fields.items()}
        answered = any(value is not None for value in values.values())
        self._silent = 0 if answered else self._silent + 1
        status = {
            name: field.status for name, field in self._fields.items() if field.status is not None
        }
        return Sample(t=t, gpu=self.device.index, power_instant_w=None, status=status, **values)


class Neighbours:
    """Those of the given cards that answer, in their order."""

    def __init__(self, nvml: Nvml, handles: list[Any]) -> None:
        self._cards: list[Neighbour] = []
        for handle in handles:
            try:
                device, _ = identify(nvml, Card(handle))
            except Gone:
                continue
            if device.index is not None:  # nothing else tells its samples from another's
                self._cards.append(Neighbour(nvml, device, handle))
        self.devices = [card.device for card in self._cards]
        self._next = 0
        self._due_s = 0.0

    def sample(self, t: float) -> Sample | Note | None:
        """A reading of the card whose turn it is at ``t``, or why it will have none any more."""
        if not self._cards or t < self._due_s:
            return None
        self._due_s = max(self._due_s + PERIOD_S / len(self._cards), t)
        self._next %= len(self._cards)
        card = self._cards[self._next]
        try:
            sample = card.sample(t)
        except Gone as error:
            return self._leave(card, t, str(error))
        if card.silent:
            return self._leave(card, t, "it answers nothing")
        self._next += 1
        return sample

    def _leave(self, card: Neighbour, t: float, why: str) -> Note:
        self._cards.remove(card)
        return Note(t=t, text=f"card {card.device.index} beside this one is left alone: {why}")
