"""Bytes in words, by powers of 1024."""

from __future__ import annotations

from roofwatch.roofline.digits_said import digits_said

UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def size_scale(size_bytes: float) -> tuple[int, str]:
    """The unit that suits a size, and its bytes."""
    return next((each for each in UNITS if abs(size_bytes) >= each[0]), UNITS[-1])


def size_said(size_bytes: float, digits: int = 3) -> str:
    """``188 MiB``: three digits; four tell two tensors apart."""
    scale, unit = size_scale(size_bytes)
    return f"{digits_said(size_bytes / scale, digits)} {unit}"
