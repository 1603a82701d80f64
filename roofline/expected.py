"""The range in which a probe's number should land, stated before it is measured.

Sources: fractions of nominal in public results (BabelStream, mamf-finder, torch and cuBLASLt GEMM
collections, stored per card as ``measured_best`` in nominal.toml) and the seeds (75-90 % of nominal
bandwidth, 70-90 % of nominal compute). A card that is held below its default power limit, or cannot
reach its datasheet clock, is expected to deliver less.
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.per_cent import per_cents
from roofwatch.roofline.probe_spec import GROUPS, PERCENT, TRANSFER, ProbeSpec

BANDWIDTH = {"NVIDIA": (0.83, 0.94), "AMD": (0.64, 0.90)}
BANDWIDTH_GDDR = (0.80, 0.96)
# Against those of a copy: one direction only, or half of what is carried (seed: stride 2 halves).
BANDWIDTH_OF_OP = {"read": (1.0, 1.06), "fill": (0.77, 1.08), "strided": (0.40, 0.72)}
BANDWIDTH_CAPPED = (0.75, 0.90)  # seed: T4 240-290 of 320
CAPPED_TDP_W = 75

# Fractions of the nominal dense peak on a rested card, large random matrices.
COMPUTE: dict[str, tuple[float, float]] = {
    "GeForce": (0.85, 1.22),
    "Hopper": (0.70, 0.90),
    "Ampere GA100": (0.70, 0.90),
    "Blackwell GB100": (0.70, 0.86),
    "AMD": (0.45, 0.65),
    "capped": (0.40, 0.80),
    "other": (0.60, 0.98),
}
VECTOR = (0.55, 1.0)  # units that draw little power for what they deliver
VECTOR_KEYS = ("fp32", "fp64", "fp64_tensor")
LIBRARY = (0.40, 0.87)  # torch's int8 call reaches half of Hopper's peak
AROUND_BEST = (0.93, 1.13)  # our burst against the best that others published
SUSTAINED = (0.74, 1.0)  # of the burst range: what power limits take

PATTERNS = ("sweep", TRANSFER, *GROUPS)  # many points; what a link carries says roofline.links

CPU_DTYPES = ("fp64", "fp32", "bf16")  # what CPUs multiply by vectors or tiles of their own
CPU_COMPUTE = (0.25, 1.15)
CPU_BANDWIDTH_GBS = (3.0, 30.0)  # a core; memory controllers end it near 16 cores
CPU_BANDWIDTH_CORES = 16
CPU_BF16 = 16.0  # AMX multiplies bf16 sixteen times as fast as AVX-512 multiplies fp32


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Low and high in ``unit`` (GB/s, TFLOP/s, TOPS or % of a peak), and what they rest on."""

    low: float
    high: float
    unit: str
    why: str


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """What the device itself says before the run."""

    power_limit_w: float | None = None
    power_default_w: float | None = None
    sm_max_mhz: float | None = None
    core_count: int | None = None
    vector_bits: int | None = None
    fma_units: int | None = None


def expected(spec: ProbeSpec, nominal: Nominal, reported: Reported) -> Range | None:
    """Range for a probe on a CUDA card; None where nothing nominal is known."""
    if spec.protocol in PATTERNS:
        return None  # many points have no one range
    if spec.peak_key is None:
        return _bandwidth(spec.op, nominal)
    if spec.peak_key not in nominal.peaks_tflops:
        return None
    return _compute(spec, spec.peak_key, nominal, reported)


def stream_share(nominal: Nominal) -> tuple[float, float]:
    """Shares of the nominal bandwidth between which our own streams should land."""
    if nominal.tdp_w and nominal.tdp_w <= CAPPED_TDP_W:
        return BANDWIDTH_CAPPED
    if nominal.memory_type and nominal.memory_type.startswith("GDDR"):
        return BANDWIDTH_GDDR
    return BANDWIDTH["AMD" if nominal.vendor == "AMD" else "NVIDIA"]


def _bandwidth(op: str, nominal: Nominal) -> Range | None:
    if nominal.bandwidth_gbs is None:
        return None
    low, high = stream_share(nominal)
    what = "streams beyond the cache"
    if op in BANDWIDTH_OF_OP:
        least, most = BANDWIDTH_OF_OP[op]
        low, high, what = low * least, min(1.0, high * most), f"such streams ({op})"
    return Range(
        low=low * nominal.bandwidth_gbs,
        high=high * nominal.bandwidth_gbs,
        unit="GB/s",
        why=f"{per_cents(low, high)} of nominal {nominal.bandwidth_gbs:.0f} GB/s, "
        f"as published for {what}",
    )


def _family(nominal: Nominal) -> str:
    architecture = nominal.architecture or ""
    if nominal.vendor == "AMD":
        return "AMD"
    if nominal.tdp_w and nominal.tdp_w <= CAPPED_TDP_W:
        return "capped"
    if "GeForce" in nominal.name:
        return "GeForce"
    return next((f for f in COMPUTE if architecture.startswith(f)), "other")


def _compute(spec: ProbeSpec, key: str, nominal: Nominal, reported: Reported) -> Range:
    peak = nominal.peaks_tflops[key]
    best = nominal.measured_best.get(key) or (
        nominal.measured_best.get("fp8") if key == "fp8_fast" else None
    )
    if key == "int8":
        (low, high), why = LIBRARY, "of nominal; torch's int8 call is limited by its library"
        low, high = low * peak, high * peak
    elif best:
        low, high = AROUND_BEST[0] * best, AROUND_BEST[1] * best
        why = f"around {best:.0f}, the best published for this card"
    else:
        low, high = VECTOR if key in VECTOR_KEYS else COMPUTE[_family(nominal)]
        why = f"{per_cents(low, high)} of nominal {peak:.4g}, as published for such cards"
        low, high = low * peak, high * peak
    if spec.protocol == "sustained":
        low, high = SUSTAINED[0] * low, 0.97 * high if _falls(nominal) else high
        why += "; held for seconds, where power limits take up to a quarter"
    limit, default = reported.power_limit_w, reported.power_default_w
    if limit and default and limit < default:
        low *= limit / default
        why += f"; limited to {limit:.0f} of {default:.0f} W"
    ceiling = nominal.ceilings_tflops.get(key, peak)
    return Range(low=low, high=min(high, ceiling), unit=unit(key), why=why)


def _falls(nominal: Nominal) -> bool:
    """Whether a dense matmul is known to reach this card's power limit."""
    return bool(nominal.tdp_w) and "GeForce" not in nominal.name


def of_mistake(spec: ProbeSpec, right: Range, nominal: Nominal) -> Range | None:
    """The range of a number made wrong on purpose: that of the right one, so that it lies outside.

    A wrong comparison is held against the share that the rate has of its own peak.
    """
    why = f"that of the right number, {spec.right}: {right.why}"
    if spec.unit != PERCENT:
        return Range(low=right.low, high=right.high, unit=right.unit, why=why)
    peak = nominal.peaks_tflops.get(spec.peak_key or "")
    if peak is None:
        return None
    return Range(
        low=100 * right.low / peak,
        high=100 * right.high / peak,
        unit=PERCENT,
        why=f"{why}; in per cent of its own peak, {peak:.4g}",
    )


def expected_cpu(spec: ProbeSpec, reported: Reported) -> Range | None:
    """A wide range from cores x clock x vector width; None when the host does not say."""
    cores = reported.core_count
    if not cores or spec.protocol in PATTERNS:
        return None
    if spec.peak_key is None:
        used = min(cores, CPU_BANDWIDTH_CORES)
        least, most = BANDWIDTH_OF_OP.get(spec.op, (1.0, 1.0))
        low, high = used * CPU_BANDWIDTH_GBS[0] * least, used * CPU_BANDWIDTH_GBS[1] * most
        return Range(low=low, high=high, unit="GB/s", why=f"estimated from {cores} cores")
    if spec.dtype not in CPU_DTYPES:
        return None  # not measured there
    if not (reported.sm_max_mhz and reported.vector_bits and reported.fma_units):
        return None
    lanes = reported.vector_bits / (64 if spec.dtype == "fp64" else 32)
    peak = cores * reported.sm_max_mhz * 1e6 * lanes * reported.fma_units * 2 / 1e12
    low, high = (x * peak for x in CPU_COMPUTE)
    if spec.dtype == "bf16":
        high *= CPU_BF16
    return Range(
        low=low,
        high=high,
        unit="TFLOP/s",
        why=f"estimated from {cores} cores x {reported.sm_max_mhz:.0f} MHz x "
        f"{reported.vector_bits} bit",
    )
