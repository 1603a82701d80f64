"""What careful public measurements reach, by card, precision, operation and direction.

A range that a person's number is held against before anything else is said of it. Bandwidth shares
are of the printed figure: gpu-benches (copies of 2 GB), BabelStream, nvbandwidth, torch collections
and this project's own H200 runs. Compute shares are of the dense peak: torch-performance-test-data,
gpu-flops-bench, mamf-finder and SGEMM studies; where a card has a ``measured_best`` of its own the
range stands around that. The seeds add T4, A100 and H100 figures. Their middle half is what one
sees on a card that nobody else uses; nothing here is a limit.
"""

from __future__ import annotations

from roofwatch.roofline.expected import CAPPED_TDP_W, Range, stream_share
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.per_cent import per_cent, per_cents

GDDR = (0.80, 0.96)  # A40 94, L40 90, RTX 2060 89, RX 6900 XT 89 %
HBM = (0.785, 0.94)  # V100 90, A100 85-89, H100 PCIe 84, GH200 79, H20 83, H200 89-91 %
CAPPED = (0.75, 0.90)  # seed: T4 240-290 of 320
OLD, OLDER = ("Kepler", "Maxwell", "Pascal"), (0.70, 0.92)  # P100 73, K80 with ECC 73 %
AMD = {"CDNA ": (0.60, 0.72), "CDNA2": (0.76, 0.90), "CDNA3": (0.70, 0.84), "CDNA4": (0.70, 0.86)}
"""MI100 64, MI210 83, MI300X 75 %."""

# Shares of the printed bandwidth by operation; None is the memory's own range for copies above.
STREAMS: dict[str, tuple[float, float] | None] = {
    "copy": None,
    "add_scalar": None,
    "add": None,
    "triad": None,
    "relu": None,
    "read": (0.83, 0.99),  # read-only 86-97 %
    "reduce": (0.82, 0.98),
    "fill": (0.69, 1.01),  # torch's own 70 %, tuned ones 94-101 %
    "softmax": (0.48, 0.93),
    "layernorm": (0.48, 0.93),
    "rmsnorm": (0.48, 0.93),
    "embedding": (0.40, 0.93),
    "attention": (0.45, 0.93),
    "other": (0.60, 1.01),
}
DECODE_AMD = (0.46, 0.84)  # RX 7900 XTX 52 %
DECODE = (0.60, 0.84)  # weights and KV over time: 66-80 %, H200 63 (batch 1) to 76 % (128)
LINK = (0.75, 0.91)  # pinned, PCIe: 24.5-26.5 of 31.5, H200 55.4 of 63
LINK_C2C = (0.63, 0.96)  # GH200 346 of 450
UNKNOWN = (0.70, 0.95)  # of a figure that a row itself gives for a card nobody knows
COMPUTE_OF_OP = {"other": (0.40, 0.95), "attention": (0.35, 0.88), "decode": (0.40, 0.95)}
"""Training 40, B200 64 %, attention on an H100 to 75 %; a step of many sequences as any other."""
GEFORCE_BOOST = 1.15
MFU = (0.30, 0.62)  # training of whole models; the seed calls 40-60 % good

AROUND_BEST = (0.885, 1.06)
FP8_LOWER = 0.9  # L40S 65 %
FAST_PATH = 1.3  # GeForce 50: some fp8 calls run at the row of the shorter accumulator

# Shares of the dense tensor peak where no best is known for the card itself.
TENSOR: tuple[tuple[str, tuple[float, float]], ...] = (
    ("Volta", (0.72, 0.86)),
    ("Turing", (0.80, 0.96)),
    ("Ampere GA100", (0.765, 0.90)),
    ("Ampere GA10B", (0.55, 0.85)),
    ("Ampere", (0.76, 0.91)),
    ("Ada", (0.70, 0.86)),
    ("Hopper", (0.70, 0.84)),
    ("Blackwell Ultra", (0.70, 0.84)),
    ("Blackwell GB100", (0.69, 0.82)),
    ("Blackwell", (0.80, 0.98)),
    ("CDNA ", (0.50, 0.80)),
    ("CDNA2", (0.60, 0.85)),
    ("CDNA3", (0.45, 0.62)),
)
SHORT_SUMS = 0.78  # the doubled rate is harder to fill: 88 % were seen
GEFORCE = {"7.5": (0.95, 1.12), "8.6": (0.97, 1.16), "8.9": (0.97, 1.12), "12.0": (0.90, 1.22)}
"""GeForce cards clock above the boost clock that their datasheet is computed with."""
POWER_CAPPED = (0.52, 0.92)  # 60 to 75 W: L4 55-60, T4 62-80 % (seed: 45-58 of 65)
POWER_LIMITED = (0.42, 0.80)  # 76 to 150 W
PCIE_GA100 = (0.62, 0.84)  # 240 to 300 W
PCIE_HOPPER = (0.56, 0.70)  # 350 W: 60-66 %

VECTOR: tuple[tuple[str, tuple[float, float]], ...] = (
    ("Pascal", (0.80, 0.97)),
    ("Volta", (0.80, 0.96)),  # 91 %
    ("Turing", (0.74, 0.90)),  # seed: 6-7 of 8.1
    ("Ampere GA100", (0.84, 1.0)),  # 86-97 %
    ("Ampere", (0.57, 0.745)),  # half of the lanes share the integer pipe: 60-63, boosted 67 %
    ("Ada", (0.58, 0.745)),  # 53-73 %
    ("Hopper", (0.72, 0.86)),  # H200 76, H20 81 %
    ("Blackwell GB100", (0.70, 0.86)),
    ("Blackwell", (0.60, 0.80)),
    ("CDNA", (0.60, 0.90)),
)
EMULATED = (0.12, 0.96)  # of fp32: bf16 on V100 68 %, on T4 a quarter
VECTOR_CAPPED = (0.48, 0.90)  # T4 under 70 W; seed: 6-7 of 8.1
FP64_TENSOR_AMD = (0.62, 0.95)
NO_TENSOR = {"fp16_vector": (0.42, 0.97), "fp32_matrix": (0.40, 0.93)}
"""P100 multiplies fp16 at its fp32 rate in some libraries; Instinct fp32 by lanes too."""
FP64_TENSOR = (0.86, 1.0)  # H200 98 %
INT8 = (0.45, 0.87)  # torch's own call stays at half of Hopper's peak


def published_bandwidth(op: str, nominal: Nominal) -> Range | None:
    """Range in GB/s for ``op`` on large arrays; None without a nominal bandwidth."""
    if nominal.bandwidth_gbs is None:
        return None
    if op == "decode":
        low, high = DECODE_AMD if nominal.vendor == "AMD" else DECODE
    else:
        low, high = STREAMS.get(op, STREAMS["other"]) or _memory(nominal)
    full = nominal.bandwidth_gbs
    why = f"{per_cents(low, high)} of nominal {full:.0f} GB/s, as published for {op} there"
    own = stream_share(nominal)
    if STREAMS.get(op, high) is None and low < own[0]:
        why += f", whoever wrote and timed it; our own probe is held to {per_cents(*own)}"
    return Range(low=low * full, high=high * full, unit="GB/s", why=why)


def _memory(nominal: Nominal) -> tuple[float, float]:
    if nominal.tdp_w and nominal.tdp_w <= CAPPED_TDP_W and nominal.vendor != "AMD":
        return CAPPED
    if nominal.architecture.startswith(OLD):
        return OLDER
    for name, share in AMD.items():
        if nominal.architecture.startswith(name):
            return share
    if not nominal.memory_type:
        return UNKNOWN
    return GDDR if "DDR" in nominal.memory_type else HBM


def published_link(nominal: Nominal) -> Range | None:
    """Range in GB/s of one direction of the host link, from pinned memory."""
    full = link_gbs(nominal)
    if full is None:
        return None
    low, high = LINK_C2C if nominal.c2c_gbs else LINK
    what = "NVLink-C2C" if nominal.c2c_gbs else f"PCIe {nominal.pcie_gen} x{nominal.pcie_lanes}"
    why = f"{per_cents(low, high)} of {what} ({full:.1f} GB/s), pinned"
    return Range(low=low * full, high=high * full, unit="GB/s", why=why)


LANE_GBS = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""One PCIe lane, one direction, after line coding (PCI-SIG)."""


def link_gbs(nominal: Nominal) -> float | None:
    """Nominal rate of one direction of the host link."""
    if nominal.c2c_gbs:
        return nominal.c2c_gbs
    if nominal.memory_type.startswith("LPDDR") or "MI300A" in nominal.name:
        return None  # one memory for both
    lane = LANE_GBS.get(nominal.pcie_gen or 0)
    return lane * nominal.pcie_lanes if lane and nominal.pcie_lanes else None


def published_compute(
    key: str, nominal: Nominal, sparse: bool = False, emulated: bool = False
) -> Range | None:
    """Range in TFLOP/s (int8: TOPS) for large dense matmuls; None where the card has no such peak.

    With ``sparse`` the FLOP count zeros that are skipped: up to twice the dense rate. ``emulated``
    is a type without a unit, multiplied on the lanes of ``key``.
    """
    peak = nominal.peaks_tflops.get(key)
    if peak is None:
        return None
    low, high, why = _compute(key, peak, nominal)
    if emulated:
        low, high = EMULATED[0] * peak, EMULATED[1] * peak
        why = f"emulated: {per_cents(*EMULATED)} of the fp32 peak {peak:.4g}"
    ceiling = nominal.ceilings_tflops.get(key, peak)
    if sparse:
        high, ceiling, why = 2 * high, 2 * ceiling, why + "; up to twice with 2:4 sparsity"
    return Range(low=low, high=min(high, ceiling), unit=unit(key), why=why)


def _compute(key: str, peak: float, nominal: Nominal) -> tuple[float, float, str]:
    best = best_of(key, nominal)
    if key == "fp8" and best is not None and best > FAST_PATH * peak:
        low, _ = _share(key, nominal)
        why = f"from {per_cent(low)} of nominal {peak:.4g} to {best:.4g}, "
        why += "which the fast path has reached"
        return low * peak, AROUND_BEST[1] * best, why
    if best is not None and key != "int8":
        low, high = AROUND_BEST
        if best < peak and "GeForce" in nominal.name:  # others of that name clock higher
            high = max(high, _share(key, nominal)[1] * peak / best)
        least = min(best, nominal.measured_best.get(key, best))  # fp16 may lie below bf16
        why = f"{per_cents(low, high, 1)} of {best:.4g}, the best published for this card"
        return low * least, high * best, why
    low, high = _share(key, nominal)
    why = f"{per_cents(low, high)} of nominal {peak:.4g}, as published for such cards"
    return low * peak, high * peak, why


def published_work(op: str, key: str, nominal: Nominal) -> Range | None:
    """Range in TFLOP/s for kernels that are no plain matmul; None for what moves bytes."""
    peak, share = nominal.peaks_tflops.get(key), COMPUTE_OF_OP.get(op)
    if peak is None or share is None:
        return None
    low, high = share
    if "GeForce" in nominal.name:
        high *= GEFORCE_BOOST
    why = f"{per_cents(low, high)} of nominal {peak:.4g}, as published for such kernels"
    high = min(high * peak, nominal.ceilings_tflops.get(key, peak))
    return Range(low=low * peak, high=high, unit=unit(key), why=why)


def best_of(key: str, nominal: Nominal) -> float | None:
    """The best published for a key; fp16 and bf16 run at one rate and stand for each other."""
    pair = ("fp16", "bf16") if key in ("fp16", "bf16") else (key,)
    found = [nominal.measured_best[k] for k in pair if k in nominal.measured_best]
    capped = nominal.tdp_w is not None and nominal.tdp_w <= CAPPED_TDP_W
    # One best of a V100 is a card's, not the type's: others reach 86 % of nominal.
    return max(found) if found and not capped and nominal.compute_capability != "7.0" else None


def _share(key: str, nominal: Nominal) -> tuple[float, float]:
    architecture, tdp = nominal.architecture, nominal.tdp_w or 1e9
    limited = nominal.vendor == "NVIDIA" and "GeForce" not in nominal.name
    if limited and tdp <= CAPPED_TDP_W and key not in ("fp64", "fp32"):
        return POWER_CAPPED
    if limited and tdp <= 150 and not architecture.startswith("Turing"):
        return POWER_LIMITED
    if limited and tdp <= CAPPED_TDP_W:
        return VECTOR_CAPPED
    if key == "int8":
        return INT8
    if key == "fp64_tensor":
        return FP64_TENSOR_AMD if nominal.vendor == "AMD" else FP64_TENSOR
    if key in NO_TENSOR:
        return NO_TENSOR[key]
    if key in ("fp32", "fp64"):
        low, high = _named(VECTOR, architecture, (0.57, 0.97))
        boosts = "GeForce" in nominal.name and architecture.startswith(("Pascal", "Turing"))
        return low, high * (GEFORCE_BOOST if boosts else 1.0)
    if "GeForce" in nominal.name and nominal.compute_capability in GEFORCE:
        low, high = GEFORCE[nominal.compute_capability]
        return (low * SHORT_SUMS if key in ("fp16_acc16", "fp8_fast") else low), high
    if architecture.startswith("Ampere GA100") and tdp <= 300:
        return PCIE_GA100
    if architecture.startswith("Hopper") and tdp <= 350:
        return PCIE_HOPPER
    low, high = _named(TENSOR, architecture, (0.60, 0.98))
    return (low * FP8_LOWER if key.startswith("fp8") else low), high


def _named(
    table: tuple[tuple[str, tuple[float, float]], ...],
    architecture: str,
    otherwise: tuple[float, float],
) -> tuple[float, float]:
    return next((share for name, share in table if architecture.startswith(name)), otherwise)
