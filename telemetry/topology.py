"""How the watched cards meet: NVLink between two of them or not, and what of PCIe they share.

Read once, with the first look at the card's health: it does not change, and eight cards are 28
pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from roofwatch.session.events import Status
from roofwatch.session.health import CardPair
from roofwatch.telemetry.metric import Metric, whole
from roofwatch.telemetry.nvml import Nvml

NVLINK_CAPS = 2  # nvmlGpuP2PCapsIndex_t: NVML_P2P_CAPS_INDEX_NVLINK
P2P_OK, P2P_MOST = 0, 6  # nvmlGpuP2PStatus_t
ANCESTORS = {
    0: "internal",
    10: "single",
    20: "multiple",
    30: "hostbridge",
    40: "node",
    50: "system",
}
"""nvmlGpuTopologyLevel_t: one board, one switch, several, one host bridge, one NUMA node, the
whole system."""


class Watched(NamedTuple):
    """A card under its index."""

    gpu: int
    handle: Any


def pairs(nvml: Nvml, cards: Sequence[Watched]) -> list[CardPair]:
    """Each two of the cards, once.

    Raises:
        Gone: a card was lost.
    """
    return [_pair(nvml, a, b) for a, b in combinations(cards, 2)]


def _pair(nvml: Nvml, a: Watched, b: Watched) -> CardPair:
    ends = a.handle, b.handle
    nvlink = Metric(nvml, _reaches, ("nvmlDeviceGetP2PStatus", *ends, NVLINK_CAPS))
    ancestor = Metric(nvml, ANCESTORS.get, ("nvmlDeviceGetTopologyCommonAncestor", *ends))
    meets, shares = nvlink.read(), ancestor.read()
    told: dict[str, Status | None] = {"nvlink": nvlink.status, "ancestor": ancestor.status}
    return CardPair(
        a=a.gpu,
        b=b.gpu,
        nvlink=meets,
        ancestor=shares,
        status={name: why for name, why in told.items() if why is not None},
    )


def _reaches(answer: Any) -> bool | None:
    known = whole(0, P2P_MOST)(answer)
    return None if known is None else known == P2P_OK
