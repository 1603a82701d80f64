"""A card's condition, read when somebody asks: what a sample has no room for (about 10 ms)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from roofwatch.session.events import Status
from roofwatch.session.health import CardHealth, RemappedRows
from roofwatch.telemetry.choose import Card
from roofwatch.telemetry.metric import (
    CARD_COUNT,
    MHZ,
    MODE,
    Metric,
    number,
    of_pair,
    text,
    whole,
)
from roofwatch.telemetry.nvml import CLOCK_MEM, CLOCK_SM, INVALID_ARGUMENT, Nvml
from roofwatch.telemetry.xid import Xids

UNCORRECTED = 1  # nvmlMemoryErrorType_t
VOLATILE, AGGREGATE = 0, 1  # nvmlEccCounterType_t
NVLINKS_MAX = 36  # NVML_NVLINK_MAX_LINKS
COMPUTE_MODES = ("default", "exclusive_thread", "prohibited", "exclusive_process")  # by number
_BUS_ID = re.compile(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_TALLY = whole(0, 1 << 62)
_GENERATION, _LANES = whole(1, 16), whole(1, 64)


class Health:
    """Reads one card's condition; what a driver does not support is asked for once."""

    def __init__(self, nvml: Nvml, card: Card) -> None:
        handle = self._handle = card.whole
        self._nvml = nvml
        self._link_status: Status | None = None

        def of(take: Callable[[Any], Any], function: str, *more: Any) -> Metric[Any]:
            return Metric(nvml, take, (function, handle, *more))

        app, default = "nvmlDeviceGetApplicationsClock", "nvmlDeviceGetDefaultApplicationsClock"
        ecc = "nvmlDeviceGetTotalEccErrors"
        self._fields: dict[str, Metric[Any]] = {
            "cuda": Metric(nvml, _cuda, ("nvmlSystemGetCudaDriverVersion",)),
            "cards": Metric(nvml, CARD_COUNT, ("nvmlDeviceGetCount",)),
            "pci_bus_id": of(_bus_id, "nvmlDeviceGetPciInfo"),
            "app_sm_mhz": of(MHZ, app, CLOCK_SM),
            "app_sm_default_mhz": of(MHZ, default, CLOCK_SM),
            "app_mem_mhz": of(MHZ, app, CLOCK_MEM),
            "app_mem_default_mhz": of(MHZ, default, CLOCK_MEM),
            "boost_sm_mhz": of(MHZ, "nvmlDeviceGetMaxCustomerBoostClock", CLOCK_SM),
            "compute_mode": of(_compute_mode, "nvmlDeviceGetComputeMode"),
            "ecc_pending": of(of_pair(1, _switch), "nvmlDeviceGetEccMode"),
            "ecc_volatile": of(_TALLY, ecc, UNCORRECTED, VOLATILE),
            "ecc_aggregate": of(_TALLY, ecc, UNCORRECTED, AGGREGATE),
            "rows": of(_rows, "nvmlDeviceGetRemappedRows"),
            "pcie_gen": of(_GENERATION, "nvmlDeviceGetCurrPcieLinkGeneration"),
            "pcie_gen_max": of(_GENERATION, "nvmlDeviceGetMaxPcieLinkGeneration"),
            "pcie_gen_card": of(_GENERATION, "nvmlDeviceGetGpuMaxPcieLinkGeneration"),
            "pcie_lanes": of(_LANES, "nvmlDeviceGetCurrPcieLinkWidth"),
            "pcie_lanes_max": of(_LANES, "nvmlDeviceGetMaxPcieLinkWidth"),
            "pcie_replays": of(_TALLY, "nvmlDeviceGetPcieReplayCounter"),
            "margin_c": of(number(0, 150), "nvmlDeviceGetMarginTemperature"),
        }
        self._xids = Xids(nvml, handle)

    def read(self, asked: str) -> CardHealth:
        """Read it now; ``asked`` is the word that came with the order.

        Raises:
            Gone: the card was lost.
        """
        # What moves with the load comes first: the rest may take its time.
        first = ("pcie_gen", "pcie_lanes", "margin_c")
        values: dict[str, Any] = {name: self._fields[name].read() for name in first}
        values |= {name: f.read() for name, f in self._fields.items() if name not in first}
        values["nvlinks"] = self._links()
        values["xids"] = self._xids.read()
        told = {name: field.status for name, field in self._fields.items()}
        told |= {"nvlinks": self._link_status, "xids": self._xids.status}
        statuses = {name: why for name, why in told.items() if why is not None}
        return CardHealth(asked=asked, status=statuses, **values)

    def _links(self) -> list[bool] | None:
        """Each NVLink's state; the first number that is none ends them."""
        links: list[bool] = []
        for link in range(NVLINKS_MAX):
            state = Metric(self._nvml, _switch, ("nvmlDeviceGetNvLinkState", self._handle, link))
            up = state.read()
            if up is None:
                if links and state.code == INVALID_ARGUMENT:
                    break
                self._link_status = state.status
                return None
            links.append(up)
        self._link_status = None
        return links


def _bus_id(told: Any) -> str | None:
    name = text(told.busId)
    return name if name and _BUS_ID.fullmatch(name) else None


def _cuda(version: Any) -> str | None:
    """12080 is 12.8."""
    known = whole(1000, 1_000_000)(version)
    return None if known is None else f"{known // 1000}.{known % 1000 // 10}"


def _compute_mode(mode: Any) -> str | None:
    known = whole(0, len(COMPUTE_MODES) - 1)(mode)
    return None if known is None else COMPUTE_MODES[known]


def _switch(mode: Any) -> bool | None:
    known = MODE(mode)
    return None if known is None else bool(known)


def _rows(counts: Any) -> RemappedRows | None:
    """Two counts and two switches, as NVML answers them together."""
    if not isinstance(counts, (list, tuple)) or len(counts) != 4:
        return None
    correctable, uncorrectable = _TALLY(counts[0]), _TALLY(counts[1])
    pending, failed = _switch(counts[2]), _switch(counts[3])
    if None in (correctable, uncorrectable, pending, failed):
        return None
    return RemappedRows(
        correctable=correctable or 0,
        uncorrectable=uncorrectable or 0,
        pending=bool(pending),
        failed=bool(failed),
    )
