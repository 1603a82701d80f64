"""The host's other cards: one reading of one of them a tick, or all of them in full at each.

They are watched beside the chosen card: unless all were asked for, nothing of theirs may cost it a
sample, so that fast fields are read only, each about once a second. A card that is lost or answers
nothing is left alone after one note.
"""

from __future__ import annotations

from typing import Any

from roofwatch.session.events import Device, Note, Sample
from roofwatch.telemetry.card import identify
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.metric import Metric
from roofwatch.telemetry.nvml import Gone, Nvml
from roofwatch.telemetry.quick_fields import quick_fields
from roofwatch.telemetry.topology import Watched
from roofwatch.telemetry.whole_sample import WholeSample

PERIOD_S = 1.0
PATIENCE = 5
"""Readings in a row without any answer, after which a card is left alone."""


class Neighbour:
    """One card that is watched beside the chosen one; ``whole``: read in full."""

    def __init__(self, nvml: Nvml, device: Device, handle: Any, whole: bool = False) -> None:
        self.device = device
        self.handle = handle
        self._fields: dict[str, Metric[Any]] = {}
        self._whole: WholeSample | None = None
        if whole:
            self._whole = WholeSample(nvml, Card(handle), device)
        else:
            self._fields = quick_fields(nvml, Card(handle), device)
        self._silent = 0

    @property
    def silent(self) -> bool:
        """Whether it has not answered for so long that asking on is no use."""
        return self._silent >= PATIENCE

    def sample(self, t: float, slow: bool = False) -> Sample:
        """Read it now; of one that is read in full ``slow`` asks for energy and processes too.

        Raises:
            Gone: the card was lost.
        """
        if self._whole is not None:
            sample = self._whole.read(t, slow=slow)
            self._silent = 0 if self._whole.answered else self._silent + 1
            return sample
        values: dict[str, Any] = {name: field.read() for name, field in self._fields.items()}
        answered = any(value is not None for value in values.values())
        self._silent = 0 if answered else self._silent + 1
        status = {
            name: field.status for name, field in self._fields.items() if field.status is not None
        }
        return Sample(t=t, gpu=self.device.index, power_instant_w=None, status=status, **values)


class Neighbours:
    """Those of the given cards that answer, in their order."""

    def __init__(self, nvml: Nvml, handles: list[Any], whole: bool = False) -> None:
        self._whole = whole
        self._cards: list[Neighbour] = []
        for handle in handles:
            try:
                device, _ = identify(nvml, Card(handle))
            except Gone:
                continue
            if device.index is not None:  # nothing else tells its samples from another's
                self._cards.append(Neighbour(nvml, device, handle, whole))
        self.devices = [card.device for card in self._cards]
        self.watched = [
            Watched(card.device.index, card.handle)
            for card in self._cards
            if card.device.index is not None
        ]
        self._next = 0
        self._due_s = 0.0

    def samples(self, t: float) -> list[Sample | Note]:
        """A reading of the card whose turn it is at ``t``, or of all; or why one has none any more.

        What costs milliseconds (energy) is read of one card at a time, each once a second.
        """
        if not self._cards:
            return []
        turn: Neighbour | None = None
        if t >= self._due_s:
            self._due_s = max(self._due_s + PERIOD_S / len(self._cards), t)
            self._next %= len(self._cards)
            turn = self._cards[self._next]
            self._next += 1
        if self._whole:
            return [self._read(card, t, card is turn) for card in list(self._cards)]
        return [self._read(turn, t, False)] if turn is not None else []

    def _read(self, card: Neighbour, t: float, slow: bool) -> Sample | Note:
        try:
            sample = card.sample(t, slow)
        except Gone as error:
            return self._leave(card, t, str(error))
        return self._leave(card, t, "it answers nothing") if card.silent else sample

    def _leave(self, card: Neighbour, t: float, why: str) -> Note:
        if self._cards.index(card) < self._next:
            self._next -= 1
        self._cards.remove(card)
        return Note(t=t, text=f"card {card.device.index} beside this one is left alone: {why}")
