"""Who the card is: everything that does not change while we watch, read once (about 3 ms)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from roofwatch.roofline.derive import cores_per_sm
from roofwatch.session.events import Device, Software, Status
from roofwatch.telemetry.choose import Card, ordinal
from roofwatch.telemetry.counters import NVLINK_COUNT, Fields
from roofwatch.telemetry.metric import (
    BYTES_MAX,
    CARD_INDEX,
    CELSIUS,
    CORES,
    MHZ,
    MODE,
    REASONS,
    WATTS,
    Metric,
    Route,
    believe,
    count,
    of_pair,
    text,
    uuid,
    whole,
)
from roofwatch.telemetry.nvml import CLOCK_MEM, CLOCK_SM, MEMORY_V2, THRESHOLD_SLOWDOWN, Nvml

T = TypeVar("T")

_INTEGRATED_NAME = re.compile(r"\b(Tegra|Jetson|Orin|Xavier|Thor|GB10)\b", re.IGNORECASE)
_INTEGRATED_CAPABILITIES = ("5.3", "6.2", "7.2", "8.7", "11.0", "12.1")
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
    processes_bytes = None if hidden else believe(_sum, sizes)
    if processes_bytes is None:
        why = "not_supported" if hidden else "error"
        statuses["processes_bytes"] = statuses.get("processes", why)

    device = Device(
        kind="cuda",
        name=ask("name", text, ("nvmlDeviceGetName", seen), ("nvmlDeviceGetName", whole_card)),
        uuid=ask("uuid", uuid, ("nvmlDeviceGetUUID", seen)),
        index=of("index", CARD_INDEX, "nvmlDeviceGetIndex"),
        compute_capability=capability,
        sm_count=sm_count,
        memory_bytes=ask("memory_bytes", total_bytes, *memory_routes(seen)),
        bus_bits=of("bus_bits", whole(8, 1 << 16), "nvmlDeviceGetMemoryBusWidth"),
        power_limit_w=of("power_limit_w", WATTS, "nvmlDeviceGetEnforcedPowerLimit"),
        power_default_w=of("power_default_w", WATTS, "nvmlDeviceGetPowerManagementDefaultLimit"),
        power_max_w=of(
            "power_max_w",
            of_pair(1, WATTS),
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
        ecc=of("ecc", of_pair(0, _switch), "nvmlDeviceGetEccMode"),
        mig=of("mig", of_pair(0, _switch), "nvmlDeviceGetMigMode"),
        persistence=of("persistence", _switch, "nvmlDeviceGetPersistenceMode"),
        virtualization=of(
            "virtualization",
            _virtualization,
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
    software = Software(driver=ask("driver", _version, ("nvmlSystemGetDriverVersion",)))
    return device, software


def notes(card: Card, device: Device, asked: str | None, environ: Mapping[str, str]) -> list[str]:
    """What a person should know of this kind of card, one line each."""
    said = []
    if card.slice is not None:
        said.append(f"slice {device.name}: clocks and power belong to the whole card")
    elif device.mig:
        said.append("MIG is on and NVML shows no slice here: without one CUDA finds no device")
    if device.virtualization == "vgpu":
        said.append("vGPU: the card is shared, its clocks and power may be the host's")
    if device.memory_bytes is None and _integrated(device):
        said.append("integrated GPU: its memory is the host's, and NVML does not tell its size")
    if sys.platform == "linux" and "microsoft" in os.uname().release.lower():
        said.append("WSL: utilization and processes are often missing, the driver is Windows' own")
    number = ordinal(asked)
    if card.slice is None and None not in (number, device.index) and number != device.index:
        said.append(_counted(environ, f"cuda:{number} is NVML's card {device.index}"))
    return said


def _integrated(device: Device) -> bool:
    """Whether it is a part that shares the host's memory: Jetson, DGX Spark and kin."""
    return device.compute_capability in _INTEGRATED_CAPABILITIES or bool(
        _INTEGRATED_NAME.search(device.name or "")
    )


def _counted(environ: Mapping[str, str], what: str) -> str:
    listed = environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return f"{what}: CUDA counts the fastest first, and no card that is lost"
    plain = "".join(c for c in listed if c.isprintable())
    return f"CUDA_VISIBLE_DEVICES={plain if len(plain) <= 40 else plain[:39] + '…'}: {what}"


def _capability(pair: Any) -> str | None:
    major, minor = of_pair(0, whole(1, 99))(pair), of_pair(1, whole(0, 9))(pair)
    return None if major is None or minor is None else f"{major}.{minor}"


def _sms(cores: Any, capability: str | None) -> int | None:
    per_sm = cores_per_sm(capability)
    if per_sm is None:
        return None
    total = CORES(cores)
    if total is None or total % per_sm:
        return None
    return whole(1, 4096)(total // per_sm)


def _sizes(processes: Any) -> list[Any] | None:
    return None if count(processes) is None else [one.usedGpuMemory for one in processes]


def _sum(sizes: list[Any]) -> int | None:
    known = [whole(0, BYTES_MAX)(size) for size in sizes]
    return None if None in known else whole(0, BYTES_MAX)(sum(filter(None, known)))


def _slice_sms(attributes: Any) -> int | None:
    return whole(1, 4096)(attributes.multiprocessorCount)


def _switch(mode: Any) -> bool | None:
    known = MODE(mode)
    return None if known is None else bool(known)


def _virtualization(mode: Any) -> str | None:
    known = whole(0, len(VIRTUALIZATION) - 1)(mode)
    return None if known is None else VIRTUALIZATION[known]


def _version(answer: Any) -> str | None:
    version = text(answer)
    return version if version and version[0].isdigit() else None
