"""Over nominal: a bandwidth no memory of this card can carry, or FLOP its clock cannot do."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding, finding, percent
from roofwatch.notebook.reading import Reading

ROUNDING = 1.02  # datasheets round; memory does not boost


def over_bandwidth(reading: Reading) -> Finding | None:
    """Above 102 % of the physical bandwidth: the cache when the set is small, else impossible."""
    if reading.gbs is None or reading.nominal_gbs is None or reading.intensity is None:
        return None
    ceiling = max(reading.nominal_gbs, reading.ceiling_gbs or 0.0)
    if reading.gbs <= ceiling * ROUNDING or reading.op == "matmul":
        return None
    times = reading.gbs / reading.nominal_gbs
    if _fits_cache(reading):
        return None  # the working-set rule speaks, and names the cache
    return finding(
        "impossible",
        root="bytes",
        severity=WRONG,
        subject=reading.subject,
        message=f"{reading.gbs:.0f} GB/s is {times:.2f} times what this card's memory can carry "
        f"({reading.nominal_gbs:.0f} GB/s nominal).",
        why="Memory does not boost: its nominal rate is a physical limit.",
        do="1. check that the clock was stopped after a synchronise; 2. count each tensor's reads "
        "and writes again; 3. check which card this is.",
        gbs=reading.gbs,
        nominal_gbs=reading.nominal_gbs,
        ceiling_gbs=ceiling,
    )


def _fits_cache(reading: Reading) -> bool:
    return bool(
        reading.working_set_bytes
        and reading.cache_bytes
        and reading.working_set_bytes < 2 * reading.cache_bytes
    )


def over_compute(reading: Reading) -> Finding | None:
    """Above nominal x (highest SM clock / datasheet clock): another unit, or other FLOP."""
    if reading.tflops is None or reading.ceiling_tflops is None or reading.nominal_tflops is None:
        return None
    if reading.tflops <= reading.ceiling_tflops * ROUNDING:
        return None
    return finding(
        "impossible",
        root="flop",
        severity=WRONG,
        subject=reading.subject,
        message=f"{reading.tflops:.1f} TFLOP/s is "
        f"{percent(reading.tflops / reading.nominal_tflops)} of the {reading.peak_key} peak; "
        "even at its highest clock this card stops at "
        f"{reading.ceiling_tflops:.1f}.",
        why="No clock explains it: other work was done than was counted, or another unit did it.",
        do="1. check the synchronise; 2. check the FLOP count; 3. check the math mode (TF32, "
        "accumulate type, sparsity) against the peak.",
        tflops=reading.tflops,
        nominal_tflops=reading.nominal_tflops,
        ceiling_tflops=reading.ceiling_tflops,
        peak_key=reading.peak_key,
    )
