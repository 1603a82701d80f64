"""One probe of a suite: what it launches, how it is timed, and what people call it."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.peaks import unit

WRONG_PEAK = "E3"  # a rate that is right, held against the peak of another precision
PERCENT = "%"  # of the peak that a rate is compared with
TRANSFER = "transfer"  # the protocol of a copy over the host link
PINNED, PAGEABLE = "pinned", "pageable"  # host memory that a card reads itself, or that is staged
LINK_GROUPS = ("transfers", "peers", "memcpy")
GROUPS = ("launch", "decode", "kernels", "fusion", "alignment", "waves", *LINK_GROUPS)
"""Protocols of a probe whose points are different work, each timed by what suits it."""


class ProbeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One probe: what it launches and how it is timed. ``key`` names it everywhere.

    ``peak_key`` is None for a probe of the memory. Protocols: ``stream`` (warm, until settled),
    ``burst`` (rested, 20 ms), ``sustained`` (seconds), ``sweep`` (many sizes, a few repetitions),
    ``transfer`` (a second of copies over the host link; ``variant`` is the host's memory),
    ``mistake`` (made on purpose, timed as its makers do). ``mistake`` is the notebook's code of
    what is done wrong, ``right`` the probe whose figure is the right one. The protocols of
    ``GROUPS`` have many points of different work under one key; ``model`` names what ``decode``
    runs.
    """

    key: str
    op: str
    dtype: str
    math: str = "ieee"
    accumulate: str | None = None
    peak_key: str | None = None
    protocol: str = "burst"
    control: bool = False  # repeats another probe's bytes in another type, as a check
    seconds: float = 0.0  # of a sustained probe
    mistake: str = ""
    right: str = ""
    model: str = ""
    variant: str = ""

    @property
    def label(self) -> str:
        """What people read: ``matmul bf16``, ``matmul bf16 3 s``, ``read fp16 sizes``."""
        name = self.peak_key or self.dtype
        if self.mistake:
            return f"{self.mistake} {self.op} {name}"
        if self.model:
            return f"{self.op} {self.model}"
        if self.protocol in (TRANSFER, *GROUPS):
            return self.key.replace("-", " ")
        tail = {"sustained": f" {self.seconds:g} s", "sweep": " sizes"}.get(self.protocol, "")
        return f"{self.op} {name}{tail}"

    @property
    def unit(self) -> str:
        """Of the figure that the probe is about; a share of a peak where that is the mistake."""
        if self.mistake == WRONG_PEAK:
            return PERCENT
        return unit(self.peak_key) if self.peak_key else "GB/s"


def stream_spec(op: str, dtype: str, control: bool = False) -> ProbeSpec:
    """The probe of one streaming kernel."""
    return ProbeSpec(key=f"{op}-{dtype}", op=op, dtype=dtype, protocol="stream", control=control)


_MATMUL = {
    "bf16": ("bf16", "ieee", "fp32"),
    "fp16": ("fp16", "ieee", "fp32"),
    "tf32": ("fp32", "tf32", "fp32"),
    "fp32": ("fp32", "ieee", "fp32"),
    "fp64": ("fp64", "ieee", "fp64"),
    "fp64_tensor": ("fp64", "ieee", "fp64"),
    "fp8": ("fp8", "ieee", "fp32"),
    "fp8_fast": ("fp8", "ieee", "reduced"),
    "int8": ("int8", "ieee", "int32"),
    "fp4": ("fp4", "ieee", "fp32"),
}

MATMUL_KEYS = tuple(_MATMUL)
"""Peak keys that a matmul probe exists for."""


_MATMUL_PROBE, _HELD, _SWEEP = "matmul-", "-sustained", "-sweep"


def matmul_key(peak_key: str) -> str:
    """The key of a precision's matmul probe; ``fp64`` and ``fp64_tensor`` are one."""
    return _MATMUL_PROBE + ("fp64" if peak_key == "fp64_tensor" else peak_key)


def held_key(key: str) -> str:
    """The key of the probe that holds what ``key`` launches."""
    return key + _HELD


def sweep_key(key: str) -> str:
    """The key of the probe that launches what ``key`` does over a range of sizes."""
    return key + _SWEEP


def is_matmul(key: str) -> bool:
    """Whether a key is a matmul probe's, whatever its protocol."""
    return key.startswith(_MATMUL_PROBE)


def is_held(key: str) -> bool:
    """Whether a key is that of a probe that holds a launch for seconds."""
    return key.endswith(_HELD)


def unheld_key(key: str) -> str:
    """The key of the probe whose launch ``key`` holds; another key as it is."""
    return key.removesuffix(_HELD)


def matmul_precision(key: str) -> str:
    """The precision as the key of a burst or held matmul probe names it."""
    return unheld_key(key).removeprefix(_MATMUL_PROBE)


def matmul_spec(peak_key: str, seconds: float = 0.0) -> ProbeSpec:
    """The matmul probe of a precision; with ``seconds`` its sustained form."""
    dtype, math, accumulate = _MATMUL[peak_key]
    key = matmul_key(peak_key)
    return ProbeSpec(
        key=held_key(key) if seconds else key,
        op="matmul",
        dtype=dtype,
        math=math,
        accumulate=accumulate,
        peak_key=peak_key,
        protocol="sustained" if seconds else "burst",
        seconds=seconds,
    )


def sweep_of(spec: ProbeSpec) -> ProbeSpec:
    """The same launch over a range of sizes."""
    return msgspec.structs.replace(
        spec, key=sweep_key(spec.key), protocol="sweep", control=False, seconds=0.0
    )


def held(spec: ProbeSpec, seconds: float) -> ProbeSpec:
    """A streaming kernel held for seconds."""
    return msgspec.structs.replace(
        spec, key=held_key(spec.key), protocol="sustained", seconds=seconds, control=False
    )


def mistaken(code: str, right: ProbeSpec, like: ProbeSpec | None = None) -> ProbeSpec:
    """The probe that makes the mistake ``code`` of what ``right`` (or ``like``) launches."""
    return msgspec.structs.replace(
        like or right, key=f"mistake-{code}", protocol="mistake", mistake=code, right=right.key
    )


def group_spec(protocol: str, peak_key: str) -> ProbeSpec:
    """The probe of a group of points in one precision."""
    dtype, math, accumulate = _MATMUL[peak_key]
    return ProbeSpec(
        key=protocol,
        op=protocol,
        dtype=dtype,
        math=math,
        accumulate=accumulate,
        peak_key=peak_key,
        protocol=protocol,
    )


def protocol_of_group(key: str) -> str:
    """The protocol of a group's points, from the key of its probe: of each model ``decode``."""
    return key.partition("-")[0]


def decode_spec(model: str, peak_key: str) -> ProbeSpec:
    """The decode step of one model."""
    return msgspec.structs.replace(
        group_spec("decode", peak_key), key=f"decode-{model}", model=model
    )


def transfer_spec(op: str, memory: str) -> ProbeSpec:
    """A copy over the host link from or to ``pinned`` or ``pageable`` memory of the host."""
    return ProbeSpec(key=f"{op}-{memory}", op=op, dtype="bytes", protocol=TRANSFER, variant=memory)


def link_group_spec(protocol: str) -> ProbeSpec:
    """The probe of a group of copies by size."""
    return ProbeSpec(key=protocol, op=protocol, dtype="bytes", protocol=protocol)
