"""A share as text is written everywhere: ``84 %``."""

from __future__ import annotations

import re

CLOSE = re.compile(r"(?<=\d)%")


def per_cent(share: float, digits: int = 0, sign: bool = False) -> str:
    """A share in per cent, with so many digits behind the point: 0.842 -> ``84 %``."""
    return f"{100 * share:{'+' if sign else ''}.{digits}f} %"


def per_cents(low: float, high: float, digits: int = 0) -> str:
    """A range of shares; ``digits`` are those of the lower end: ``78 % to 94 %``."""
    return f"{per_cent(low, digits)} to {per_cent(high)}"


def spaced(text: str) -> str:
    """A sentence of an older session, which may say ``84%``, as it is written now."""
    return CLOSE.sub(" %", text)
