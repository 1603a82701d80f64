"""Several tokens a pass: the tokens' rate is not the rate of passes over the weights."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, WRONG, Finding, finding
from roofwatch.notebook.reading import Reading


def speculative_decode(reading: Reading) -> Finding | None:
    """Tokens per step as stated; or as many as a rate over the ceiling needs."""
    if reading.op != "decode" or reading.judged != "gbs" or not reading.gbs:
        return None
    tokens = reading.tokens_per_step
    if tokens and tokens > 1.05:
        return finding(
            "speculative-decode",
            "stated",
            severity=NOTE,
            subject=reading.subject,
            tokens_per_step=tokens,
            as_if_gbs=reading.gbs * tokens,
            gbs=reading.gbs,
        )
    if not reading.over or not reading.high or reading.weights_bytes is None:
        return None
    if reading.memory_bytes and reading.weights_bytes > reading.memory_bytes:
        return None  # they were not all read from this card
    return finding(
        "speculative-decode",
        "implied",
        severity=WRONG,
        subject=reading.subject,
        fit=0.9,
        gbs=reading.gbs,
        nominal_gbs=reading.nominal_gbs,
        tokens_per_step=reading.gbs / reading.high,
    )
