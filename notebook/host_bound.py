"""The GPU waited for the host: Python, dispatch and launches between short kernels."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

SHORT_S = 1e-4
LAUNCH_S = 2e-5


def host_bound(reading: Reading) -> Finding | None:
    """A decode step, or another train of short kernels, slower than its bytes explain."""
    if reading.ours or not reading.below or not reading.rate or not reading.low:
        return None
    short = reading.expected_s is not None and reading.expected_s < SHORT_S
    if reading.op not in ("decode", "other", "attention") and not short:
        return None
    if reading.timing in ("graph", "profiler") and reading.op != "decode":
        return None
    return finding(
        "host-bound",
        "decode" if reading.op == "decode" else "short_kernels",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.85 if reading.op == "decode" else 0.45,
        rate=reading.rate,
        unit=reading.unit,
        low=reading.low,
        of_nominal=reading.rate / reading.nominal if reading.nominal else None,
        time_ms=reading.time_s * 1e3 if reading.time_s else None,
        expected_ms=reading.expected_s * 1e3 if reading.expected_s else None,
        unexplained_ms=(reading.time_s - reading.expected_s) * 1e3
        if reading.time_s and reading.expected_s and _bytes_known(reading)
        else None,
    )


def _bytes_known(reading: Reading) -> bool:
    """Whether all bytes of the step are: a batch reads KV that the row may not tell."""
    return reading.op != "decode" or bool(reading.kv_bytes) or (reading.batch or 1) == 1


def launch_bound(reading: Reading) -> Finding | None:
    """A stream or a matmul whose work is shorter than the launch that starts it."""
    shortest, time = reading.expected_s, reading.time_s
    if reading.ours or not reading.below or shortest is None or time is None:
        return None
    if shortest > LAUNCH_S or time > 20 * LAUNCH_S or reading.op in ("h2d", "d2h", "decode"):
        return None
    return finding(
        "launch-bound",
        "short",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.7,
        time_us=time * 1e6,
        shortest_us=shortest * 1e6,
        rate=reading.rate,
        unit=reading.unit,
    )
