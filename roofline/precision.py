"""Which precisions a CUDA card runs in hardware; the rest is never probed."""

from __future__ import annotations

from roofwatch.roofline.peaks import TENSOR_KEYS

# First compute capability with the unit, from NVIDIA's CUDA programming guide, "Arithmetic
# instructions" and "Tensor cores by architecture".
_FIRST_CAPABILITY = {
    "fp16": 6.0,
    "bf16": 8.0,
    "tf32": 8.0,
    "fp8": 8.9,
    "fp8_fast": 8.9,
    "int8": 7.2,
    "fp4": 10.0,
}


def lacks(peak_key: str, compute_capability: str | None) -> str | None:
    """Why a card cannot be probed in this precision, in one line; None when it can."""
    first = _FIRST_CAPABILITY.get(peak_key)
    if first is None or compute_capability is None:
        return None
    try:
        capability = float(compute_capability)
    except ValueError:  # AMD prints gfx names; torch decides there
        return None
    if capability >= first:
        return None
    if peak_key == "bf16":
        return (
            f"bf16 is emulated on compute capability {compute_capability}: no peak to compare with"
        )
    return f"no {peak_key} unit on compute capability {compute_capability} (from {first})"


_SKIP_ZEROS = ("Ampere", "Ada", "Hopper", "Blackwell", "CDNA3", "CDNA4", "RDNA4")
_NEVER_SKIP = ("fp64_tensor", "fp32_matrix")
_SKIP_LESS = {("Blackwell Ultra", "fp4")}  # its sheet's sparse figure is not twice the dense one


def skips_zeros(peak_key: str | None, architecture: str) -> bool:
    """Whether the card's sheet has a peak with 2:4 sparsity, twice the dense one, of this key.

    NVIDIA from Ampere on (whitepapers of GA100 to GB100), AMD from CDNA3 and RDNA4 on; matrix
    units alone skip zeros, and never in fp64.
    """
    if peak_key not in TENSOR_KEYS or peak_key in _NEVER_SKIP:
        return False
    if any(architecture.startswith(of) and peak_key == key for of, key in _SKIP_LESS):
        return False
    return architecture.startswith(_SKIP_ZEROS)
