"""The list of probes a suite runs, in order: known before any instrument has answered."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.precision import lacks

QUICK, FULL, MISTAKES = "quick", "full", "mistakes"
SUITES = (QUICK, FULL, MISTAKES)
HOLD_ALL = "all"
WRONG_PEAK = "E3"  # a rate that is right, held against the peak of another precision
PERCENT = "%"  # of the peak that a rate is compared with
SUSTAIN_S = {QUICK: 3.0, FULL: 10.0}  # seconds a sustained probe is held


class ProbeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One probe: what it launches and how it is timed. ``key`` names it everywhere.

    ``peak_key`` is None for a probe of the memory. Protocols: ``stream`` (warm, until settled),
    ``burst`` (rested, 20 ms), ``sustained`` (seconds), ``sweep`` (many sizes, a few repetitions),
    ``mistake`` (made on purpose, timed as its makers do). ``mistake`` is the notebook's code of
    what is done wrong, ``right`` the probe whose figure is the right one.
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

    @property
    def label(self) -> str:
        """What people read: ``matmul bf16``, ``matmul bf16 3 s``, ``read fp16 sizes``."""
        name = self.peak_key or self.dtype
        if self.mistake:
            return f"{self.mistake} {self.op} {name}"
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


def matmul_spec(peak_key: str, seconds: float = 0.0) -> ProbeSpec:
    """The matmul probe of a precision; with ``seconds`` its sustained form."""
    dtype, math, accumulate = _MATMUL[peak_key]
    key = f"matmul-{'fp64' if peak_key == 'fp64_tensor' else peak_key}"
    return ProbeSpec(
        key=key + ("-sustained" if seconds else ""),
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
        spec, key=f"{spec.key}-sweep", protocol="sweep", control=False, seconds=0.0
    )


def held(spec: ProbeSpec, seconds: float) -> ProbeSpec:
    """A streaming kernel held for seconds."""
    return msgspec.structs.replace(
        spec, key=f"{spec.key}-sustained", protocol="sustained", seconds=seconds, control=False
    )


def mistaken(code: str, right: ProbeSpec, like: ProbeSpec | None = None) -> ProbeSpec:
    """The probe that makes the mistake ``code`` of what ``right`` (or ``like``) launches."""
    return msgspec.structs.replace(
        like or right, key=f"mistake-{code}", protocol="mistake", mistake=code, right=right.key
    )


def sustain_default_s(name: str) -> float:
    """How long the suite ``name`` holds; a name that only a newer version knows is as quick."""
    return SUSTAIN_S.get(name, SUSTAIN_S[QUICK])


def load_key(kind: str, compute_capability: str | None) -> str:
    """The precision that stands for a device: bf16 where it has the unit, fp32 on a CPU."""
    if kind == "cpu":
        return "fp32"
    return "fp16" if lacks("bf16", compute_capability) else "bf16"


def suite(
    name: str,
    kind: str,
    compute_capability: str | None = None,
    sustain_s: float | None = None,
    hold: Collection[str] = (),
) -> tuple[ProbeSpec, ...]:
    """The probes of the suite ``name`` on a ``cuda`` or ``cpu`` device.

    The two probes that make the first roofline come first; the sustained ones come last, so that
    their heat disturbs nothing. ``hold`` names the precisions that are held for ``sustain_s``
    seconds (``all``: each that was measured); without it the load precision is, but none where
    mistakes are made.
    """
    seconds = sustain_s or sustain_default_s(name)
    load = load_key(kind, compute_capability)
    build = {FULL: _full, MISTAKES: _mistakes}.get(name, _quick)
    probes = build(kind, compute_capability, load, seconds)
    measured = [p.peak_key for p in probes if p.peak_key and p.protocol == "burst"]
    known = [k for k in hold if k in _MATMUL or k == HOLD_ALL]  # a newer file may name others
    wanted = [_fp64(compute_capability) if k in _FP64_KEYS else k for k in known]
    if not wanted and name != MISTAKES:
        wanted = [load]
    if HOLD_ALL in hold:
        wanted = [*measured, *(k for k in wanted if k != HOLD_ALL)]
    wanted = list(dict.fromkeys(wanted))
    # What is held but not in the suite is measured first: the hold needs its best shape.
    more = [matmul_spec(key) for key in wanted if key not in measured]
    return (*probes, *more, *(matmul_spec(key, seconds) for key in wanted))


def _ordered(load: str, *keys: str) -> list[str]:
    return [load, *(k for k in keys if k != load)]


def _quick(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    if kind == "cpu":
        return (
            stream_spec("add_scalar", "fp32"),
            *(matmul_spec(key) for key in ("fp32", "fp64", "bf16")),
            stream_spec("add_scalar", "fp64", control=True),
        )
    keys = _ordered(load, "bf16", "fp16", "tf32", "fp32", "fp8_fast", "fp8", "int8")
    return (
        stream_spec("add_scalar", "fp16"),
        *(matmul_spec(key) for key in keys),
        stream_spec("add_scalar", "fp32", control=True),
    )


def _full(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    if kind == "cpu":
        first, control, wide = "fp32", "fp64", "fp32"
        keys = ["fp32", "fp64", "bf16"]
    else:
        # read and fill in fp32: torch's two-byte kernels of one stream do not fill the bus.
        first, control, wide = "fp16", "fp32", "fp32"
        keys = _ordered(
            load, "bf16", "fp16", "tf32", "fp32", _fp64(compute_capability), "fp8_fast", "fp8"
        )
        keys += ["int8", "fp4"]
    add_scalar, triad = stream_spec("add_scalar", first), stream_spec("triad", first)
    return (
        add_scalar,
        *(matmul_spec(key) for key in keys),
        stream_spec("add_scalar", control, control=True),
        stream_spec("copy", first),
        triad,
        stream_spec("read", wide),
        stream_spec("fill", wide),
        stream_spec("strided", first),
        sweep_of(add_scalar),
        sweep_of(stream_spec("read", first)),
        sweep_of(matmul_spec(load)),
        held(triad, seconds),
    )


def _mistakes(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    """The right numbers, then E1 to E5; what a device cannot get wrong is skipped with a note."""
    stream = stream_spec("add_scalar", "fp32" if kind == "cpu" else "fp16")
    flat, plain, half = matmul_spec(load), matmul_spec("fp32"), matmul_spec("fp16")
    return (
        stream,
        flat,
        *(() if plain == flat else (plain,)),
        mistaken("E1", stream),
        mistaken("E2", stream),
        mistaken(WRONG_PEAK, plain),
        mistaken("E4", flat, half),
        mistaken("E5", stream),
    )


# GA100, GH100, GB100 (CUDA programming guide); AMD's MI200 and MI300.
_FP64_TENSOR = ("8.0", "9.0", "10.0", "gfx90a", "gfx942")


_FP64_KEYS = ("fp64", "fp64_tensor")


def _fp64(compute_capability: str | None) -> str:
    return "fp64_tensor" if compute_capability in _FP64_TENSOR else "fp64"
