"""E7 of a session's own decode curves: why each of them leaves linear."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.ai_equals_batch import Bend, bend
from roofwatch.notebook.finding import Finding
from roofwatch.session.decode import DecodeCurve


def bends(curves: Sequence[DecodeCurve]) -> list[Finding]:
    """E7 of every curve that bends: whether KV bytes explain it."""
    found = []
    for c in curves:
        first, last = c.points[0], c.points[-1]
        if c.first_bend is None or c.growth is None or not (first.step_s and last.step_s):
            continue
        if c.bandwidth_gbs is None or c.peak_tflops is None:
            continue
        found.append(
            bend(
                Bend(
                    subject=c.probe,
                    context=c.context,
                    first_bend=c.first_bend,
                    batch=last.batch,
                    intensity=last.intensity,
                    ai_max=c.ai_max,
                    first_ms=first.step_s * 1e3,
                    last_ms=last.step_s * 1e3,
                    kv_ms=c.growth["kv"] * 1e3,
                    kernels_ms=(c.growth["kernels"] + c.growth["small"]) * 1e3,
                    flop_ms=last.flop / c.peak_tflops / 1e9,
                    bytes_ms=last.bytes / c.bandwidth_gbs / 1e6,
                )
            )
        )
    return found
