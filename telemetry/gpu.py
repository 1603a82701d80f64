"""The card under the sampler, and beside it those of its neighbours that are watched too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from roofwatch.session.events import Note, Sample
from roofwatch.session.health import CardHealth, CardPair
from roofwatch.telemetry.card import identify, notes
from roofwatch.telemetry.choose import choose, neighbours
from roofwatch.telemetry.health import Health
from roofwatch.telemetry.neighbours import Neighbours
from roofwatch.telemetry.nvml import NO_PERMISSION, UNKNOWN, Gone, Nvml
from roofwatch.telemetry.topology import Watched, pairs
from roofwatch.telemetry.whole_sample import WholeSample

ALL = "all"  # a device's name: every card that this process may use, read in full
FIRST = re.compile(r"all:(.+)")  # all of them, with the one of this name as the measured one
PATIENCE = 5
"""Samples in a row without any answer, after which a card that worked counts as gone."""


class Gpu:
    """One NVIDIA card, read through NVML."""

    source = "nvml"

    def __init__(self, nvml: Nvml, device: str | None, environ: Mapping[str, str]) -> None:
        """Choose the card and read who it is; of ``all`` the first, with the others beside it.

        Raises:
            Absent: there is no such card.
            Gone: the card is lost.
        """
        first = FIRST.fullmatch(device or "")
        whole = device == ALL or first is not None
        device = first[1] if first else None if whole else device
        card = choose(nvml, device, environ)
        self.device, self.software = identify(nvml, card)
        self.notes = notes(card, self.device, device, environ)
        self._beside = Neighbours(nvml, neighbours(nvml, card, environ), whole=whole)
        self.neighbours = self._beside.devices
        self._sample = WholeSample(nvml, card, self.device)
        self._health = Health(nvml, card)
        self._nvml = nvml
        self._own = [] if self.device.index is None else [Watched(self.device.index, card.whole)]
        self._pairs: list[CardPair] | None = None
        if self._sample.of_module:
            self.notes.append("instant power is the module's: it includes the CPU")
        self._worked = False
        self._silent = 0

    def sample(self, t: float, *, slow: bool) -> Sample:
        """Read the card now; ``slow`` asks for energy and processes too.

        Raises:
            Gone: the card was lost, or it worked and now answers nothing.
        """
        sample = self._sample.read(t, slow=slow)
        self._listen(self._sample.answered)
        return sample

    def beside(self, t: float) -> Sequence[Sample | Note]:
        """Readings of the host's other cards that are due, or why one has none."""
        return self._beside.samples(t)

    def health(self, asked: str) -> CardHealth:
        """The card's condition now.

        Raises:
            Gone: the card was lost.
        """
        health = self._health.read(asked)  # first: what moves with the load
        if self._pairs is None:
            self._pairs = pairs(self._nvml, [*self._own, *self._beside.watched])
        return msgspec.structs.replace(health, pairs=self._pairs) if self._pairs else health

    def _listen(self, answered: bool) -> None:
        """Notice a card that worked and then answers nothing, sample after sample."""
        self._worked = self._worked or answered
        self._silent = 0 if answered or not self._worked else self._silent + 1
        if self._silent < PATIENCE:
            return
        if self._sample.codes & {UNKNOWN, NO_PERMISSION}:
            raise Gone(
                "every NVML call fails after it worked (Unknown Error): this container lost its "
                "GPU, as after a daemon-reload on the host; restart the container"
            )
        raise Gone("the NVIDIA driver answers nothing any more, after it worked")
