"""Bytes of a matmul's operands and result, and the fewest that a packed form of them leaves."""

from __future__ import annotations

from roofwatch.notebook.claim import Claim
from roofwatch.roofline.workload import ELEMENT_BITS

SPARSE_LEAST = 0.5  # of an operand with 2:4 zeros; what says where they are comes on top
PACKED = min(ELEMENT_BITS.values()) / 8  # a weight in four bits, whatever it is multiplied in


def operands(m: int, n: int, k: int, size: float, claim: Claim) -> tuple[float, float]:
    """Bytes of a batch with operands of its own, and of one that shares the larger of them."""
    times = claim.batch or 1
    a, b, c = m * k * size, k * n * size, m * n * size  # sums may leave as narrow as they came
    if claim.math == "sparse":
        a, b = (a * SPARSE_LEAST, b) if a > b else (a, b * SPARSE_LEAST)
    return (a + b + c) * times, min(a * times + b, a + b * times) + c * times


def packed(m: int, n: int, k: int, size: float, claim: Claim) -> tuple[float, float]:
    """The fewest bytes read and written: the larger operand in four bits, as is the result."""
    times = claim.batch or 1
    small, large = sorted((m * k, k * n))
    a, b = small * size, large * min(size, PACKED)
    if claim.math == "sparse":
        b *= SPARSE_LEAST
    return min(a * times + b, a + b * times), m * n * min(size, PACKED) * times
