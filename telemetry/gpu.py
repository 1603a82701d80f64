"""The card under the sampler: one ``Sample`` from NVML's fast calls (about 60 µs), more at 1 Hz."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofwatch.session.events import Note, Sample, Status
from roofwatch.session.health import CardHealth
from roofwatch.telemetry.card import identify, notes, process_routes
from roofwatch.telemetry.choose import choose, neighbours
from roofwatch.telemetry.counters import (
    COUNTERS,
    POWER_INSTANT,
    POWER_INSTANT_MODULE,
    Fields,
)
from roofwatch.telemetry.health import Health
from roofwatch.telemetry.metric import JOULES, WATTS, Metric, count
from roofwatch.telemetry.neighbours import Neighbours
from roofwatch.telemetry.nvml import NO_PERMISSION, UNKNOWN, Gone, Nvml
from roofwatch.telemetry.quick_fields import quick_fields

PATIENCE = 5
"""Samples in a row without any answer, after which a card that worked counts as gone."""


class Gpu:
    """One NVIDIA card, read through NVML."""

    source = "nvml"

    def __init__(self, nvml: Nvml, device: str | None, environ: Mapping[str, str]) -> None:
        """Choose the card and read who it is.

        Raises:
            Absent: there is no such card.
            Gone: the card is lost.
        """
        card = choose(nvml, device, environ)
        self.device, self.software = identify(nvml, card)
        self.notes = notes(card, self.device, device, environ)

        handle = card.whole
        self._beside = Neighbours(nvml, neighbours(nvml, card, environ))
        self.neighbours = self._beside.devices
        self._fast = quick_fields(nvml, card, self.device)
        self._slow: dict[str, Metric[Any]] = {
            "energy_j": Metric(nvml, JOULES, ("nvmlDeviceGetTotalEnergyConsumption", handle)),
            "processes": Metric(nvml, count, *process_routes(card.seen)),
        }
        wanted = {"power_instant_w": POWER_INSTANT, **COUNTERS}
        self._fields = Fields(nvml, handle, wanted)
        if not self._fields.supports("power_instant_w"):
            module = {**wanted, "power_instant_w": POWER_INSTANT_MODULE}
            fields = Fields(nvml, handle, module)
            if fields.supports("power_instant_w"):
                self._fields = fields
                self.notes.append("instant power is the module's: it includes the CPU")
        self._health = Health(nvml, card)
        self._worked = False
        self._silent = 0

    def sample(self, t: float, *, slow: bool) -> Sample:
        """Read the card now; ``slow`` asks for energy and processes too.

        Raises:
            Gone: the card was lost, or it worked and now answers nothing.
        """
        values = {name: metric.read() for name, metric in self._fast.items()}
        fields = self._fields.read()
        self._listen(any(value is not None for value in values.values()) or bool(fields))

        status: dict[str, Status] = {}
        power_instant = None
        if "power_instant_w" in fields:
            power_instant = WATTS(fields.pop("power_instant_w"))
            if power_instant is None:
                status["power_instant_w"] = "error"
        if slow:
            # Energy takes 3 to 16 ms: after everything that must be of one moment.
            values |= {name: metric.read() for name, metric in self._slow.items()}
        for name, metric in {**self._fast, **self._slow}.items():
            if metric.status is not None and (name in values or metric.settled):
                status[name] = metric.status
        for name, why in self._fields.status.items():
            status[f"counters.{name}" if name in COUNTERS else name] = why
        return Sample(
            t=t,
            gpu=self.device.index,
            power_instant_w=power_instant,
            counters={name: int(value) for name, value in fields.items()},
            status=status,
            **values,
        )

    def beside(self, t: float) -> Sample | Note | None:
        """A reading of one other card of the host where one is due, or why it has none."""
        return self._beside.sample(t)

    def health(self, asked: str) -> CardHealth:
        """The card's condition now.

        Raises:
            Gone: the card was lost.
        """
        return self._health.read(asked)

    def _listen(self, answered: bool) -> None:
        """Notice a card that worked and then answers nothing, sample after sample."""
        self._worked = self._worked or answered
        self._silent = 0 if answered or not self._worked else self._silent + 1
        if self._silent < PATIENCE:
            return
        codes = {metric.code for metric in self._fast.values()} | {self._fields.code}
        if codes & {UNKNOWN, NO_PERMISSION}:
            raise Gone(
                "every NVML call fails after it worked (Unknown Error): this container lost its "
                "GPU, as after a daemon-reload on the host; restart the container"
            )
        raise Gone("the NVIDIA driver answers nothing any more, after it worked")
