"""All that one card's sample holds: fast calls (about 60 µs), and more once a second."""

from __future__ import annotations

from typing import Any

from roofwatch.session.events import Device, Sample, Status
from roofwatch.telemetry.card import process_routes
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.counters import (
    COUNTERS,
    POWER_INSTANT,
    POWER_INSTANT_MODULE,
    Fields,
)
from roofwatch.telemetry.metric import JOULES, WATTS, Metric, count
from roofwatch.telemetry.nvml import Nvml
from roofwatch.telemetry.quick_fields import quick_fields


class WholeSample:
    """One card, read in full. ``answered`` and ``codes`` are of the last sample."""

    def __init__(self, nvml: Nvml, card: Card, device: Device) -> None:
        handle = card.whole
        self._gpu = device.index
        self._fast = quick_fields(nvml, card, device)
        self._slow: dict[str, Metric[Any]] = {
            "energy_j": Metric(nvml, JOULES, ("nvmlDeviceGetTotalEnergyConsumption", handle)),
            "processes": Metric(nvml, count, *process_routes(card.seen)),
        }
        wanted = {"power_instant_w": POWER_INSTANT, **COUNTERS}
        self._fields = Fields(nvml, handle, wanted)
        self.of_module = False  # instant power includes the CPU beside the GPU
        if not self._fields.supports("power_instant_w"):
            module = {**wanted, "power_instant_w": POWER_INSTANT_MODULE}
            fields = Fields(nvml, handle, module)
            if fields.supports("power_instant_w"):
                self._fields, self.of_module = fields, True
        self.answered = False

    @property
    def codes(self) -> set[int]:
        """Return codes of the calls that failed last."""
        return {metric.code for metric in self._fast.values()} | {self._fields.code}

    def read(self, t: float, *, slow: bool) -> Sample:
        """Read the card now; ``slow`` asks for energy and processes too.

        Raises:
            Gone: the card was lost.
        """
        values = {name: metric.read() for name, metric in self._fast.items()}
        fields = self._fields.read()
        self.answered = any(value is not None for value in values.values()) or bool(fields)

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
            gpu=self._gpu,
            power_instant_w=power_instant,
            counters={name: int(value) for name, value in fields.items()},
            status=status,
            **values,
        )
