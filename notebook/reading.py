"""What the rules look at: one measured number with what it was counted from and compared with."""

from __future__ import annotations

import msgspec


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A measured rate and its circumstances; None is «not known», never zero.

    Rates in GB/s (1e9) and TFLOP/s (1e12), sizes in bytes, intensity and ridge in FLOP per byte.
    ``nominal_tflops`` is the dense peak of ``peak_key``; the ceilings are what the silicon could do
    (factor product for bandwidth, highest clock for compute).
    """

    subject: str
    op: str
    dtype: str
    math: str = "ieee"
    accumulate: str | None = None
    peak_key: str | None = None
    protocol: str | None = None
    gbs: float | None = None
    tflops: float | None = None
    intensity: float | None = None
    working_set_bytes: int | None = None
    cache_bytes: int | None = None
    nominal_gbs: float | None = None
    ceiling_gbs: float | None = None
    nominal_tflops: float | None = None
    ceiling_tflops: float | None = None
    roof_gbs: float | None = None  # this card's own measured slope
    has_fp64_tensor: bool = False
    spread: float | None = None  # IQR over median of the repetitions
    repetitions: int | None = None


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What the card itself said about its limits."""

    name: str
    power_limit_w: float | None = None
    power_default_w: float | None = None
