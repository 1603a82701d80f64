"""Bytes in words, by powers of 1024."""

from __future__ import annotations

from roofwatch.roofline.digits_said import digits_said

UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def size_scale(size_bytes: float) -> tuple[int, str]:
    """The unit that suits a size, and its bytes."""
    return next((each for each in UNITS if abs(size_bytes) >= each[0]), UNITS[-1])


def size_said(size_bytes: float, digits: int = 3) -> str:
    """``188 MiB``: three digits; four tell two tensors apart. What rounds to 1024 is one of the
    next unit."""
    scale, unit = size_scale(size_bytes)
    said = digits_said(size_bytes / scale, digits)
    if said.lstrip("-") == "1024" and scale < UNITS[0][0]:
        scale, unit = next(each for each in reversed(UNITS) if each[0] > scale)
        said = digits_said(size_bytes / scale, digits)
    return f"{said} {unit}"
