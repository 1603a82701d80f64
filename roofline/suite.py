"""The list of probes a suite runs, in order: known before any instrument has answered."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.precision import lacks

SUSTAIN_S = 3.0


class ProbeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One probe: what it launches and how it is timed. ``key`` names it everywhere."""

    key: str
    op: str
    dtype: str
    math: str = "ieee"
    accumulate: str | None = None
    peak_key: str | None = None
    protocol: str = "burst"  # "stream" | "burst" | "sustained"
    control: bool = False  # repeats another probe's bytes in another type, as a check
    seconds: float = 0.0  # of a sustained probe

    @property
    def label(self) -> str:
        """What people read: ``matmul bf16``, ``matmul bf16 3 s``."""
        name = self.peak_key or self.dtype
        tail = f" {self.seconds:.0f} s" if self.protocol == "sustained" else ""
        return f"{self.op} {name}{tail}"


def _stream(dtype: str, control: bool = False) -> ProbeSpec:
    return ProbeSpec(
        key=f"add_scalar-{dtype}", op="add_scalar", dtype=dtype, protocol="stream", control=control
    )


_MATMUL = {
    "bf16": ("bf16", "ieee", "fp32"),
    "fp16": ("fp16", "ieee", "fp32"),
    "tf32": ("fp32", "tf32", "fp32"),
    "fp32": ("fp32", "ieee", "fp32"),
    "fp64": ("fp64", "ieee", "fp64"),
    "fp8": ("fp8", "ieee", "fp32"),
    "fp8_fast": ("fp8", "ieee", "reduced"),
    "int8": ("int8", "ieee", "int32"),
}


def matmul_spec(peak_key: str, seconds: float = 0.0) -> ProbeSpec:
    """The matmul probe of a precision; with ``seconds`` its sustained form."""
    dtype, math, accumulate = _MATMUL[peak_key]
    return ProbeSpec(
        key=f"matmul-{peak_key}" + ("-sustained" if seconds else ""),
        op="matmul",
        dtype=dtype,
        math=math,
        accumulate=accumulate,
        peak_key=peak_key,
        protocol="sustained" if seconds else "burst",
        seconds=seconds,
    )


def quick(
    kind: str, compute_capability: str | None = None, sustain_s: float = SUSTAIN_S
) -> tuple[ProbeSpec, ...]:
    """The quick suite of a ``cuda`` or ``cpu`` device.

    The two probes that make the first roofline come first; the sustained one comes last, so that
    its heat disturbs nothing. A card without bf16 units is loaded with fp16 instead.
    """
    if kind == "cpu":
        return (
            _stream("fp32"),
            *(matmul_spec(key) for key in ("fp32", "fp64", "bf16")),
            _stream("fp64", control=True),
            matmul_spec("fp32", sustain_s),
        )
    load = "fp16" if lacks("bf16", compute_capability) else "bf16"
    keys = [load, *(k for k in ("bf16", "fp16") if k != load)]
    keys += ["tf32", "fp32", "fp8_fast", "fp8", "int8"]
    return (
        _stream("fp16"),
        *(matmul_spec(key) for key in keys),
        _stream("fp32", control=True),
        matmul_spec(load, sustain_s),
    )
