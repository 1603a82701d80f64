"""How often telemetry reads: at its full rate, and less between probes once a session is long."""

from __future__ import annotations

FULL_BYTES = 128 << 20  # of the file: nine hours at 10 Hz
LONG_HZ = 1.0


def pace_hz(asked_hz: float, file_bytes: int, measuring: bool) -> float:
    """Readings a second. While a probe measures they are as many as was asked for."""
    if measuring or file_bytes < FULL_BYTES:
        return asked_hz
    return min(asked_hz, LONG_HZ)
