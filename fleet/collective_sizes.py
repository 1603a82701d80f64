"""The sizes at which a collective is timed. Without torch: the command line names the largest."""

from __future__ import annotations

ELEMENT_BYTES = 4  # fp32, as nccl-tests
STEP = 8  # from one size to the next
LEAST_BYTES = 8
MOST_BYTES = {"cuda": 1 << 30, "cpu": 1 << 24}


def sizes(most_bytes: int) -> list[int]:
    """8 B, 64 B and so on, and ``most_bytes`` itself at the end."""
    out = [LEAST_BYTES]
    while out[-1] * STEP <= most_bytes:
        out.append(out[-1] * STEP)
    return out if out[-1] >= most_bytes else [*out, most_bytes]


def made_of(size_bytes: int, ranks: int) -> int:
    """The next size down that every rank has an equal part of, and at least an element each."""
    part = ranks * ELEMENT_BYTES
    return max(part, size_bytes // part * part)
