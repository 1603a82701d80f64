"""Several tokens a pass: the tokens' rate is not the rate of passes over the weights."""

from __future__ import annotations

from roofwatch.notebook.ceilings import cached, passed_memory, step_known
from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.units import OF_FLOP, slip_of

TOKENS = 0.06  # rates and times of one run agree that well


def _by_time(reading: Reading) -> Finding:
    batch = reading.batch or 1
    return finding(
        "speculative-decode",
        "by_time",
        severity=SUSPECT,
        subject=reading.subject,
        tokens=(reading.tokens_ratio or 0.0) * batch,
        batch=batch,
    )


def speculative_decode(reading: Reading) -> Finding | None:
    """Tokens per step as stated; or as many as a rate over the ceiling needs."""
    if reading.op != "decode" or not reading.gbs:
        return None
    if reading.tokens_ratio and reading.tokens_ratio > 1 + TOKENS:
        return None if slip_of(reading.tokens_ratio, 0.0, OF_FLOP) else _by_time(reading)
    if reading.judged != "gbs":
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
    beyond = passed_memory(reading)
    if beyond is not None and cached(reading, beyond):
        return None  # E2 says so
    if step_known(reading) and beyond is not None and beyond.sure:
        return None  # a step reads the weights once, whatever it yields
    return finding(
        "speculative-decode",
        "implied",
        severity=SUSPECT,
        subject=reading.subject,
        gbs=reading.gbs,
        nominal_gbs=reading.nominal_gbs,
        tokens_per_step=reading.gbs / reading.high,
    )
