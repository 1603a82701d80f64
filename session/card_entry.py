"""A card of the nominal table as it is told: what is printed, and what its factors come to."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.nominal import (
    Card,
    Lanes,
    Tensor,
    clock_behind,
    factor_bandwidth_gbs,
    factor_peak_tflops,
)
from roofwatch.roofline.peaks import VECTOR_LANES

TABLE, USER = "table", "user"


class Products(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the factors come to; what lacks a factor is left out."""

    bandwidth_gbs: float | None = None  # bus_bits / 8 x pin_gbps
    peaks_tflops: dict[str, float] = {}  # SM x FMA per SM and clock x 2 x clock


class Factors(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The factors behind a card's figures, in the units of the table; unknown ones are left out."""

    sm_count: int | None = None
    lanes: Lanes | None = None
    tensor: Tensor | None = None
    clock_vector_mhz: float | None = None
    clock_tensor_mhz: float | None = None
    clock_fp64_tensor_mhz: float | None = None
    bus_bits: int | None = None
    pin_gbps: float | None = None


class CardEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One card. ``computed`` are peaks that no document prints, ``mismatch`` says of a figure why
    its factors miss it; ``origin`` is "table" or "user". ``status`` says why a figure is null.
    """

    key: str
    names: tuple[str, ...]
    origin: str
    factors: Factors
    bandwidth_gbs: float | None
    peaks_tflops: dict[str, float]
    products: Products
    memory_gb: float | None
    tdp_w: float | None
    sm_max_mhz: float | None
    evidence: str | None
    source: tuple[str, ...]
    computed: tuple[str, ...]
    mismatch: dict[str, str]
    notes: str
    status: dict[str, str]


def card_entry(card: Card, origin: str) -> CardEntry:
    """Of one card of the table."""
    keys = [key for key in card.peaks if factor_peak_tflops(card, key) is not None]
    factors = {name: getattr(card, name) for name in Factors.__struct_fields__}
    figures = ("bandwidth_gbs", "memory_gb", "tdp_w", "sm_max_mhz", "evidence")
    return CardEntry(
        key=card.key,
        names=card.names,
        origin=origin,
        factors=Factors(**factors),
        bandwidth_gbs=card.bandwidth_gbs,
        peaks_tflops=card.peaks,
        products=Products(
            bandwidth_gbs=factor_bandwidth_gbs(card),
            peaks_tflops={key: factor_peak_tflops(card, key) or 0.0 for key in keys},
        ),
        memory_gb=card.memory_gb,
        tdp_w=card.tdp_w,
        sm_max_mhz=card.sm_max_mhz,
        evidence=card.evidence,
        source=card.source,
        computed=card.computed,
        mismatch=card.mismatch,
        notes=card.notes,
        status={name: "not_known" for name in figures if getattr(card, name) is None},
    )


def bandwidth_arithmetic(card: Card) -> str:
    """The factors in a line: ``6016 bit / 8 x 6.402 Gbit/s``; empty where one is missing."""
    if factor_bandwidth_gbs(card) is None:
        return ""
    return f"{card.bus_bits} bit / 8 x {card.pin_gbps:g} Gbit/s"


def peak_arithmetic(card: Card, key: str) -> str:
    """The same of a peak: ``132 SM x 4 cores x 512 FMA x 2 x 1830 MHz`` (tensor cores)."""
    if factor_peak_tflops(card, key) is None:
        return ""
    if key in VECTOR_LANES:
        each = f"{getattr(card.lanes, VECTOR_LANES[key]):g} lanes"
    else:
        assert card.tensor is not None
        each = f"{card.tensor.cores} cores x {card.tensor.fma[key]:g} FMA"
    return f"{card.sm_count} SM x {each} x 2 x {clock_behind(card, key):g} MHz"
