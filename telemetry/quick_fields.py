"""What NVML answers in microseconds: the fields that every sample has."""

from __future__ import annotations

from typing import Any

from roofwatch.session.events import Device
from roofwatch.telemetry.card import memory_routes, used_bytes
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.metric import CELSIUS, MHZ, REASONS, WATTS, Metric, Route, number
from roofwatch.telemetry.nvml import CLOCK_MEM, CLOCK_SM, TEMPERATURE_GPU, Nvml

_UTILIZATION = number(0, 1, parts=100)


def quick_fields(nvml: Nvml, card: Card, device: Device) -> dict[str, Metric[Any]]:
    """The fields by their names in a sample, in the order in which they are read."""
    handle = card.whole
    reasons: tuple[Route, ...] = (
        ("nvmlDeviceGetCurrentClocksEventReasons", handle),
        ("nvmlDeviceGetCurrentClocksThrottleReasons", handle),
    )
    # A card that supports no reason answers 0 too: that is "cannot say", not "none".
    if device.reasons_supported == 0:
        reasons = ()
    return {
        "sm_mhz": Metric(nvml, MHZ, ("nvmlDeviceGetClockInfo", handle, CLOCK_SM)),
        "mem_mhz": Metric(nvml, MHZ, ("nvmlDeviceGetClockInfo", handle, CLOCK_MEM)),
        "power_w": Metric(nvml, WATTS, ("nvmlDeviceGetPowerUsage", handle)),
        "reasons": Metric(nvml, REASONS, *reasons),
        "temp_c": Metric(nvml, CELSIUS, ("nvmlDeviceGetTemperature", handle, TEMPERATURE_GPU)),
        "util": Metric(
            nvml,
            lambda rates: _UTILIZATION(rates.gpu),
            ("nvmlDeviceGetUtilizationRates", handle),
        ),
        "mem_used_bytes": Metric(nvml, used_bytes, *memory_routes(card.seen)),
    }
