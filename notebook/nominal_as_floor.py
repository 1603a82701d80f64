"""E6, seed error 6: nominal taken for a floor; 75 to 90 % of it is where a sound card stands."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import NOTE, Finding, finding
from roofwatch.notebook.reading import Reading


def nominal_as_floor(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """Someone compares with nominal: a note beside a number that is where it should be."""
    compared = reading.compared_gbs if reading.judged == "gbs" else reading.compared_tflops
    nominal = reading.nominal
    if reading.rate is None:
        return _question(reading)
    if compared is None or nominal is None or not reading.within:
        return None
    if reading.emulated or reading.share_stated:
        return None  # no peak of its own, or a share already
    if reading.rate >= 0.98 * nominal or any(f.severity != NOTE for f in found):
        return None
    of_bytes = reading.judged == "gbs"
    return finding(
        "E6",
        "bandwidth" if of_bytes else "compute",
        severity=NOTE,
        subject=reading.subject,
        rate=reading.rate,
        unit=reading.unit,
        nominal=nominal,
        of_nominal=reading.rate / nominal,
        low=reading.low,
        high=reading.high,
    )


def _question(reading: Reading) -> Finding | None:
    """No number, only the datasheet's: what to expect instead of it."""
    own_gbs = reading.compared_gbs if reading.low and reading.op != "matmul" else None
    nominal = own_gbs or (reading.compared_tflops if reading.low else None)
    if nominal is None:
        return None
    return finding(
        "E6",
        "question",
        severity=NOTE,
        subject=reading.subject,
        nominal=nominal,
        unit="GB/s" if own_gbs else "TFLOP/s",
        low=reading.low,
        high=reading.high,
    )
