"""Over what two cards of one node meet, by the driver's word."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from roofwatch.session.link_names import NVLINK, PCIE
from roofwatch.telemetry.choose import choose
from roofwatch.telemetry.nvml import Absent, Gone, Nvml, NvmlError, load
from roofwatch.telemetry.topology import Watched, pairs


def uuid_of(device: Any) -> str:
    """The UUID of a rank's own card as torch says it; empty where it does not."""
    import torch

    uuid = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    return f"GPU-{uuid}" if uuid is not None else ""


@contextlib.contextmanager
def driver() -> Iterator[Nvml | None]:
    """NVML, for as long as it is asked; None where there is none."""
    nvml = None
    with contextlib.suppress(Absent, Gone):
        found = load()
        found.start()
        nvml = found
    try:
        yield nvml
    finally:
        if nvml is not None:
            with contextlib.suppress(Gone, NvmlError):
                nvml.call("nvmlShutdown")


def pair_kind(own: str, other: str, nvml: Nvml) -> str:
    """``nvlink`` or ``pcie`` of two cards by their UUIDs; empty where NVML does not say."""
    if not own or not other or own == other:
        return ""
    try:
        cards = [Watched(i, choose(nvml, name, {}).whole) for i, name in enumerate((own, other))]
        meets = pairs(nvml, cards)[0].nvlink
    except (Absent, Gone, NvmlError):
        return ""
    if meets is None:
        return ""
    return NVLINK if meets else PCIE
