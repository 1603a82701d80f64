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
    modes: tuple[float, float, float] | None = None  # seconds fast and slow, the slow one's share
    drift: float | None = None  # last third against the first, as a share
    first_block_ratio: float | None = None  # warm-up's first block over the settled median
    control_ratio: float | None = None  # of a control: its rate over that of what it controls
    profiler_ratio: float | None = None  # the profiler's kernel time over the median
    kernel: str | None = None
    tensor_core: bool | None = None
    moved_bytes: int | None = None  # what the memory carries, where that is not what counts


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What the card itself said about its limits."""

    name: str
    power_limit_w: float | None = None
    power_default_w: float | None = None
