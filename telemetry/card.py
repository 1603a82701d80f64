"""Who the card is: everything that does not change while we watch, read once (about 3 ms)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from roofwatch.roofline.derive import cores_per_sm
from roofwatch.session.events import Device, Software, Status
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.counters import NVLINK_COUNT, Fields
from roofwatch.telemetry.metric import (
    BYTES_MAX,
    CELSIUS,
    MHZ,
    REASONS,
    WATTS,
    Metric,
    Route,
    text,
    whole,
)
from roofwatch.telemetry.nvml import CLOCK_MEM, CLOCK_SM, MEMORY_V2, THRESHOLD_SLOWDOWN, Nvml

T = TypeVar("T")

VIRTUALIZATION = ("none", "passthrough", "vgpu", "host_vgpu", "host_vsga")  # by nvml.h's number


def memory_routes(handle: Any) -> tuple[Route, Route]:
    """Version 2 leaves the driver's reserved bytes out of ``used``; version 1 counts them."""
    return (
        ("nvmlDeviceGetMemoryInfo", handle, MEMORY_V2),
        ("nvmlDeviceGetMemoryInfo", handle),
    )


def process_routes(handle: Any) -> tuple[Route, Route]:
    """The newest symbol, and the one that drivers before 510 have."""
    return (
        ("nvmlDeviceGetComputeRunningProcesses", handle),
        ("nvmlDeviceGetComputeRunningProcesses_v2", handle),
    )


def total_bytes(memory: Any) -> int | None:
    """All of the memory; zero is what unified memory answers instead of an error."""
    return whole(1, BYTES_MAX)(memory.total)


def used_bytes(memory: Any) -> int | None:
    """The used part of the memory, if it is a part of it."""
    total = total_bytes(memory)
    return None if total is None else whole(0, total)(memory.used)


def identify(nvml: Nvml, card: Card) -> tuple[Device, Software]:
    """Read the card's identity, limits and modes; each null has its status.

    Raises:
        Gone: the card was lost.
    """
    whole_card, seen = card.whole, card.seen
    statuses: dict[str, Status] = {}

    def ask(name: str, take: Callable[[Any], T | None], *routes: Route) -> T | None:
        metric = Metric(nvml, take, *routes)
        value = metric.read()
        if metric.status is not None:
            statuses[name] = metric.status
        return value

    def of(name: str, take: Callable[[Any], T | None], function: str, *more: Any) -> T | None:
        return ask(name, take, (function, whole_card, *more))

    capability = of("compute_capability", _capability, "nvmlDeviceGetCudaComputeCapability")
    if card.slice is None:
        sm_count = of("sm_count", lambda n: _sms(n, capability), "nvmlDeviceGetNumGpuCores")
        if capability is None:
            statuses["sm_count"] = statuses["compute_capability"]
    else:
        sm_count = ask("sm_count", _slice_sms, ("nvmlDeviceGetAttributes", card.slice))
    links = Fields(nvml, whole_card, {"nvlink_links": NVLINK_COUNT})
    answer = links.read().get("nvlink_links")
    link_count = None if answer is None else whole(0, 1024)(answer)
    if link_count is None:
        statuses["nvlink_links"] = links.status.get("nvlink_links", "error")
    sizes = ask("processes", _sizes, *process_routes(seen))
    # One that hides its memory (WSL, another user's) leaves a part, and a part is not the sum.
    hidden = sizes is None or None in sizes
    processes_bytes = None if hidden else whole(0, BYTES_MAX)(sum(filter(None, sizes or ())))
    if processes_bytes is None:
        why = "not_supported" if hidden else "error"
        statuses["processes_bytes"] = statuses.get("processes", why)

    device = Device(
        kind="cuda",
        name=ask("name", text, ("nvmlDeviceGetName", seen), ("nvmlDeviceGetName", whole_card)),
        uuid=ask("uuid", text, ("nvmlDeviceGetUUID", seen)),
        index=of("index", whole(0, 1023), "nvmlDeviceGetIndex"),
        compute_capability=capability,
        sm_count=sm_count,
        memory_bytes=ask("memory_bytes", total_bytes, *memory_routes(seen)),
        bus_bits=of("bus_bits", whole(8, 1 << 16), "nvmlDeviceGetMemoryBusWidth"),
        power_limit_w=of("power_limit_w", WATTS, "nvmlDeviceGetEnforcedPowerLimit"),
        power_default_w=of("power_default_w", WATTS, "nvmlDeviceGetPowerManagementDefaultLimit"),
        power_max_w=of(
            "power_max_w",
            lambda limits: WATTS(limits[1]),
            "nvmlDeviceGetPowerManagementLimitConstraints",
        ),
        sm_max_mhz=of("sm_max_mhz", MHZ, "nvmlDeviceGetMaxClockInfo", CLOCK_SM),
        mem_max_mhz=of("mem_max_mhz", MHZ, "nvmlDeviceGetMaxClockInfo", CLOCK_MEM),
        temp_slowdown_c=of(
            "temp_slowdown_c", CELSIUS, "nvmlDeviceGetTemperatureThreshold", THRESHOLD_SLOWDOWN
        ),
        reasons_supported=ask(
            "reasons_supported",
            REASONS,
            ("nvmlDeviceGetSupportedClocksEventReasons", whole_card),
            ("nvmlDeviceGetSupportedClocksThrottleReasons", whole_card),
        ),
        ecc=of("ecc", lambda modes: _switch(modes[0]), "nvmlDeviceGetEccMode"),
        mig=of("mig", lambda modes: _switch(modes[0]), "nvmlDeviceGetMigMode"),
        persistence=of("persistence", _switch, "nvmlDeviceGetPersistenceMode"),
        virtualization=of(
            "virtualization",
            lambda mode: VIRTUALIZATION[mode] if int(mode) >= 0 else None,
            "nvmlDeviceGetVirtualizationMode",
        ),
        pcie_gen=of("pcie_gen", whole(1, 16), "nvmlDeviceGetCurrPcieLinkGeneration"),
        pcie_gen_max=of("pcie_gen_max", whole(1, 16), "nvmlDeviceGetMaxPcieLinkGeneration"),
        pcie_lanes=of("pcie_lanes", whole(1, 64), "nvmlDeviceGetCurrPcieLinkWidth"),
        pcie_lanes_max=of("pcie_lanes_max", whole(1, 64), "nvmlDeviceGetMaxPcieLinkWidth"),
        nvlink_links=link_count,
        processes=None if sizes is None else len(sizes),
        processes_bytes=processes_bytes,
        status=statuses,
    )
    driver = Metric(nvml, text, ("nvmlSystemGetDriverVersion",))
    return device, Software(driver=driver.read())


def notes(card: Card, device: Device) -> list[str]:
    """What a person should know of this kind of card, one line each."""
    said = []
    if card.slice is not None:
        said.append(f"slice {device.name}: clocks and power belong to the whole card")
    elif device.mig:
        said.append("MIG is on and no slice is here: CUDA will find no device")
    if device.virtualization == "vgpu":
        said.append("vGPU: the card is shared, its clocks and power may be the host's")
    if sys.platform == "linux" and "microsoft" in os.uname().release.lower():
        said.append("WSL: utilization and processes are often missing, the driver is Windows' own")
    return said


def _capability(pair: Any) -> str | None:
    major, minor = int(pair[0]), int(pair[1])
    return f"{major}.{minor}" if 0 < major < 100 and 0 <= minor < 10 else None


def _sms(cores: Any, capability: str | None) -> int | None:
    per_sm = cores_per_sm(capability)
    if per_sm is None:
        return None
    count, rest = divmod(int(cores), per_sm)
    return whole(1, 4096)(count) if capability and not rest else None


def _sizes(processes: Any) -> list[int | None]:
    return [process.usedGpuMemory for process in processes]


def _slice_sms(part: Any) -> int | None:
    return whole(1, 4096)(part.multiprocessorCount)


def _switch(mode: Any) -> bool | None:
    return bool(mode) if int(mode) in (0, 1) else None
