"""How much shared memory one block of a kernel may take, by compute capability.

Source: CUDA C++ Programming Guide, technical specifications per compute capability (maximum shared
memory per thread block); AMD's LDS has 64 KiB a workgroup (160 KiB on gfx950).
"""

from __future__ import annotations

KIB = 1024
SHARED_KIB = {
    "7.0": 96,
    "7.5": 64,
    "8.0": 163,
    "8.6": 99,
    "8.7": 163,
    "8.9": 99,
    "9.0": 227,
    "10.0": 227,
    "10.3": 227,
    "12.0": 99,
    "12.1": 99,
    "gfx950": 160,
}
LDS_KIB, OLDER_KIB = 64, 48


def shared_bytes(compute_capability: str | None) -> int | None:
    """Bytes that a block may take; None where the card's capability is not known."""
    if not compute_capability:
        return None
    rest = LDS_KIB if compute_capability.startswith("gfx") else None
    if rest is None and compute_capability[:1] in ("3", "5", "6"):
        rest = OLDER_KIB
    known = SHARED_KIB.get(compute_capability, rest)
    return known * KIB if known else None
