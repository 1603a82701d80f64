"""A card that no table lists, derived from what its driver reports.

Rates per SM and clock: fp64, fp32 and fp16 lanes are those of the CUDA programming guide's table of
arithmetic throughput. Tensor FMA are NVIDIA's published rates up to Ampere; later ones follow from
the printed peaks of the cards in nominal.toml. Products that NVIDIA slowed down on purpose (A10G,
L20, L40, H20, fp64 of the H800) look like their chip here: only the table knows better.
"""

from __future__ import annotations

import re

import msgspec

from roofwatch.roofline.nominal import Card, Lanes, Tensor, factor_bandwidth_gbs, factor_peak_tflops
from roofwatch.roofline.peaks import VECTOR_LANES

KEY = "derived"


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What one SM does in one clock: vector lanes, tensor cores, FMA of each by peak key."""

    architecture: str
    fp64: float
    fp32: int
    fp16: float
    cores: int = 0
    fma: dict[str, float] = {}


def _fma(fp16: int, **more: float) -> dict[str, float]:
    # Since Ampere: bf16 as fp16, tf32 half of it, int8 twice; one rate for either accumulator.
    return {
        "tf32": fp16 / 2,
        "fp16": fp16,
        "fp16_acc16": fp16,
        "bf16": fp16,
        "int8": 2 * fp16,
        **more,
    }


def _ultra() -> dict[str, float]:
    fma = _fma(1024, fp8=2048, fp8_fast=2048, fp4=6144)
    del fma["int8"]  # almost removed from this chip, and no figure to hold on to
    return fma


RATES: dict[str, Rates] = {
    "6.0": Rates(architecture="Pascal GP100", fp64=32, fp32=64, fp16=128),
    "6.1": Rates(architecture="Pascal", fp64=4, fp32=128, fp16=2),
    "7.0": Rates(
        architecture="Volta GV100",
        fp64=32,
        fp32=64,
        fp16=128,
        cores=8,
        fma={"fp16": 64, "fp16_acc16": 64},
    ),
    "7.2": Rates(
        architecture="Volta GV11B",
        fp64=32,
        fp32=64,
        fp16=128,
        cores=8,
        fma={"fp16": 64, "fp16_acc16": 64, "int8": 128},
    ),
    "7.5": Rates(
        architecture="Turing",
        fp64=2,
        fp32=64,
        fp16=128,
        cores=8,
        fma={"fp16": 64, "fp16_acc16": 64, "int8": 128},
    ),
    "8.0": Rates(
        architecture="Ampere GA100",
        fp64=32,
        fp32=64,
        fp16=256,
        cores=4,
        fma=_fma(256, fp64_tensor=16),
    ),
    "8.6": Rates(architecture="Ampere", fp64=2, fp32=128, fp16=128, cores=4, fma=_fma(128)),
    "8.7": Rates(architecture="Ampere GA10B", fp64=2, fp32=128, fp16=256, cores=4, fma=_fma(256)),
    "8.9": Rates(
        architecture="Ada",
        fp64=2,
        fp32=128,
        fp16=128,
        cores=4,
        fma=_fma(128, fp8=256, fp8_fast=256),
    ),
    "9.0": Rates(
        architecture="Hopper GH100",
        fp64=64,
        fp32=128,
        fp16=256,
        cores=4,
        fma=_fma(512, fp64_tensor=32, fp8=1024, fp8_fast=1024),
    ),
    "10.0": Rates(
        architecture="Blackwell GB100",
        fp64=64,
        fp32=128,
        fp16=256,
        cores=4,
        fma=_fma(1024, fp64_tensor=16, fp8=2048, fp8_fast=2048, fp4=4096),
    ),
    "10.3": Rates(
        architecture="Blackwell Ultra GB110", fp64=2, fp32=128, fp16=256, cores=4, fma=_ultra()
    ),
    "12.0": Rates(
        architecture="Blackwell",
        fp64=2,
        fp32=128,
        fp16=128,
        cores=4,
        fma=_fma(128, fp8=256, fp8_fast=256, fp4=512),
    ),
}
"""Rates by compute capability; one that is not here has no derived peaks."""

_FP32_ACCUMULATE = ("tf32", "fp16", "bf16", "fp8")

# Turing's small dies have no tensor cores: GTX 16, MX 450/550, T400 to T2000. A T4 has.
_TURING_WITHOUT_TENSOR_CORES = re.compile(r"\bGTX\b|\bMX\d|\bT\d{3,4}\b")


def cores_per_sm(compute_capability: str | None) -> int | None:
    """CUDA cores of one SM, by which the core count that NVML reports gives the SM count."""
    rates = RATES.get(compute_capability or "")
    return rates.fp32 if rates else None


def derive(
    name: str,
    compute_capability: str | None = None,
    sm_count: int | None = None,
    sm_clock_mhz: float | None = None,
    bus_bits: int | None = None,
    mem_clock_mhz: float | None = None,
    memory_bytes: int | None = None,
    l2_bytes: int | None = None,
) -> Card | None:
    """The card that these readings describe; None if they yield no figure at all.

    Peaks need compute capability, SM count and SM clock; bandwidth needs bus width and memory
    clock (two transfers a clock). Either may be there without the other. All peaks hold at
    ``sm_clock_mhz``: with the driver's maximum they lie above what a datasheet would print, by a
    tenth for tensor peaks of Hopper and by up to a quarter on GeForce.
    """
    rates = RATES.get(compute_capability or "")
    card = Card(
        key=KEY,
        names=(name,),
        vendor="NVIDIA" if rates else "",
        architecture=rates.architecture if rates else "",
        compute_capability=compute_capability,
        sm_count=sm_count or None,
        clock_vector_mhz=sm_clock_mhz or None,
        clock_tensor_mhz=sm_clock_mhz or None,
        sm_max_mhz=sm_clock_mhz or None,
        memory_total_mib_seen=(memory_bytes >> 20,) if memory_bytes else (),
        bus_bits=bus_bits or None,
        pin_gbps=2 * mem_clock_mhz / 1000 if mem_clock_mhz else None,
        l2_mib=l2_bytes / 2**20 if l2_bytes else None,
        lanes=Lanes(fp64=rates.fp64, fp32=rates.fp32, fp16=rates.fp16) if rates else None,
        tensor=_tensor(name, compute_capability, rates) if rates else None,
    )
    keys = (*VECTOR_LANES, *(card.tensor.fma if card.tensor else ()))
    peaks = {key: peak for key in keys if (peak := factor_peak_tflops(card, key)) is not None}
    bandwidth = factor_bandwidth_gbs(card)
    if not peaks and bandwidth is None:
        return None
    return msgspec.structs.replace(
        card, peaks=peaks, bandwidth_gbs=bandwidth, computed=tuple(peaks)
    )


def _tensor(name: str, compute_capability: str | None, rates: Rates) -> Tensor | None:
    without = compute_capability == "7.5" and _TURING_WITHOUT_TENSOR_CORES.search(name)
    if not rates.cores or without:
        return None
    fma = dict(rates.fma)
    if "GeForce" in name:  # sold with half the rate wherever sums are kept in fp32
        fma |= {key: fma[key] / 2 for key in _FP32_ACCUMULATE if key in fma}
    return Tensor(cores=rates.cores, fma=fma)
