"""Who is measured, by which software, on which host, for what price: structs that events carry."""

from __future__ import annotations

from typing import Annotated

import msgspec

from roofwatch.session.bounds import Bytes, Figure, Size

Status = str
"""Why a value is null: ``not_supported``, ``no_permission``, ``error``, ``stale``."""


class Device(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of the measured device; each instrument fills what it can see.

    ``status`` says why a field is null. ``processes`` counts compute processes on the card
    (telemetry reads it before our own probe opens a context, so they are foreign).
    """

    kind: str | None = None  # "cuda" | "cpu"
    name: str | None = None
    uuid: str | None = None
    index: int | None = None  # NVML's index, or torch's ordinal where NVML is silent
    compute_capability: str | None = None
    sm_count: Size | None = None
    core_count: int | None = None  # CPU cores this process may use
    vector_bits: int | None = None  # widest CPU vector register
    fma_units: int | None = None  # vector FMA units a CPU core is assumed to have
    memory_bytes: Bytes | None = None
    l2_bytes: Bytes | None = None  # on a CPU: the last-level cache
    bus_bits: int | None = None
    power_limit_w: Figure | None = None  # enforced
    power_default_w: Figure | None = None
    power_max_w: Figure | None = None
    sm_max_mhz: Figure | None = None
    mem_max_mhz: Figure | None = None
    temp_slowdown_c: Figure | None = None
    reasons_supported: int | None = None
    ecc: bool | None = None
    mig: bool | None = None
    persistence: bool | None = None
    virtualization: str | None = None
    pcie_gen: int | None = None
    pcie_gen_max: int | None = None
    pcie_lanes: int | None = None
    pcie_lanes_max: int | None = None
    nvlink_links: int | None = None
    pci_bus_id: str | None = None  # "0000:18:00.0", as sysfs names it
    numa_node: Annotated[int, msgspec.Meta(ge=0, le=4095)] | None = None  # the card hangs on it
    processes: int | None = None
    processes_bytes: Bytes | None = None
    status: dict[str, Status] = {}


class Software(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Versions, each told by whoever loaded the thing."""

    roofwatch: str | None = None
    python: str | None = None
    torch: str | None = None
    cuda: str | None = None
    driver: str | None = None
    settings: dict[str, str] = {}  # math flags and environment variables that change results


class HostCpu(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The host's CPU as the process that launches sees it, whatever device is measured.

    ``periods`` and ``throttled`` are the cgroup's scheduling periods during the launch probe, and
    those in which its quota was used up. ``numa_nodes`` are those of the ``numa_count`` of the host
    that our affinity reaches.
    """

    name: str | None = None
    cores: Size | None = None  # of our affinity
    limit_cores: Figure | None = None  # the cgroup's quota; status "unlimited" where it has none
    periods: Annotated[int, msgspec.Meta(ge=0)] | None = None
    throttled: Annotated[int, msgspec.Meta(ge=0)] | None = None
    numa_nodes: list[Annotated[int, msgspec.Meta(ge=0, le=4095)]] | None = None
    numa_count: Size | None = None
    status: dict[str, Status] = {}

    def __post_init__(self) -> None:
        """No more periods are used up than there were."""
        if (self.throttled or 0) > (self.periods or 0):
            raise ValueError("`throttled` is more than `periods`")


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """What the rented machine costs, as it was said."""

    per_hour: Annotated[float, msgspec.Meta(ge=1e-6, le=1e9)]
    currency: str = "$"
