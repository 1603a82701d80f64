"""The list of probes a suite runs, in order: known before any instrument has answered."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from roofwatch.roofline.precision import lacks
from roofwatch.roofline.probe_spec import (
    LINK_GROUPS,
    MATMUL_KEYS,
    PAGEABLE,
    PINNED,
    WRONG_PEAK,
    ProbeSpec,
    decode_spec,
    group_spec,
    held,
    link_group_spec,
    matmul_spec,
    mistaken,
    stream_spec,
    sweep_of,
    transfer_spec,
)

QUICK, FULL, MISTAKES = "quick", "full", "mistakes"
DECODE, KERNELS, LINKS = "decode", "kernels", "links"
SHORT = "short"  # of a fleet on CPUs, whose ranks share one: the first roofline alone
CARDS = "cards"  # of each card beside the session's own, where all are asked for
WATCH = "watch"  # of a session that measures nothing: somebody else's work runs
SUITES = (QUICK, FULL, MISTAKES, DECODE, KERNELS, LINKS)
UNHELD = (MISTAKES, DECODE, KERNELS, LINKS, SHORT)  # suites that hold nothing unless asked
MODELS = ("TinyLlama-1.1B", "Llama-3-8B")  # of a decode suite that names none
CONTEXTS = (256, 2048)  # in tokens (seed, Day 16), of one that names none
HOLD_ALL = "all"
SUSTAIN_S = {QUICK: 3.0, FULL: 10.0}  # seconds a sustained probe is held


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
    models: Collection[str] = (),
) -> tuple[ProbeSpec, ...]:
    """The probes of the suite ``name`` on a ``cuda`` or ``cpu`` device.

    The two probes that make the first roofline come first; the sustained ones come last, so that
    their heat disturbs nothing. ``hold`` names the precisions that are held for ``sustain_s``
    seconds (``all``: each that was measured); without it the load precision is, but none in the
    suites of ``UNHELD``. ``models`` are those of the decode suite. ``WATCH`` has no probe.
    """
    if name == WATCH:
        return ()
    seconds = sustain_s or sustain_default_s(name)
    load = load_key(kind, compute_capability)
    if name == DECODE:
        probes = _decode(kind, load, models or MODELS)
    else:
        own = {FULL: _full, MISTAKES: _mistakes, KERNELS: _kernels, LINKS: _links}
        build = (own | {CARDS: _cards, SHORT: _short}).get(name, _quick)
        probes = build(kind, compute_capability, load, seconds)
    measured = [p.peak_key for p in probes if p.peak_key and p.protocol == "burst"]
    known = [k for k in hold if k in MATMUL_KEYS or k == HOLD_ALL]  # a newer file may name others
    wanted = [_fp64(compute_capability) if k in _FP64_KEYS else k for k in known]
    if not wanted and name not in UNHELD:
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


def _short(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    return stream_spec("add_scalar", "fp32" if kind == "cpu" else "fp16"), matmul_spec(load)


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


def _decode(kind: str, load: str, models: Collection[str]) -> tuple[ProbeSpec, ...]:
    """The card's two roofs, what a launch costs, then each model's decode step."""
    first = "fp32" if kind == "cpu" else "fp16"
    return (
        stream_spec("add_scalar", first),
        matmul_spec(load),
        stream_spec("triad", first),
        group_spec("launch", load),
        *(decode_spec(model, load) for model in models),
    )


def _kernels(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    """A roof for each mix of reads and writes, then what a transformer's kernels make of them."""
    first = "fp32" if kind == "cpu" else "fp16"
    return (
        stream_spec("add_scalar", first),
        matmul_spec(load),
        stream_spec("copy", first),
        stream_spec("triad", first),
        stream_spec("read", "fp32"),
        stream_spec("fill", "fp32"),
        *(group_spec(g, load) for g in ("launch", "kernels", "fusion", "alignment", "waves")),
    )


def _cards(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    """Of a card beside the measured one: its slope and its flat, which is held as in any suite."""
    return (stream_spec("add_scalar", "fp32" if kind == "cpu" else "fp16"), matmul_spec(load))


TOGETHER = "together-"  # begins the keys of what all cards do at once
COMPARED = (QUICK, FULL)  # suites that measure what every card is compared by


def at_once(kind: str, compute_capability: str | None, seconds: float) -> tuple[ProbeSpec, ...]:
    """What all cards do at the same time: the flat held, then the slope."""
    stream = stream_spec("add_scalar", "fp32" if kind == "cpu" else "fp16")
    specs = (matmul_spec(load_key(kind, compute_capability), seconds), held(stream, seconds))
    return tuple(msgspec.structs.replace(s, key=f"{TOGETHER}{s.key}") for s in specs)


def _links(
    kind: str, compute_capability: str | None, load: str, seconds: float
) -> tuple[ProbeSpec, ...]:
    """Between host and card, each way and both at once, by size; between cards; the host alone."""
    return (
        transfer_spec("h2d", PINNED),
        transfer_spec("d2h", PINNED),
        transfer_spec("duplex", PINNED),
        transfer_spec("h2d", PAGEABLE),
        transfer_spec("d2h", PAGEABLE),
        *(link_group_spec(group) for group in LINK_GROUPS),
    )


# GA100, GH100, GB100 (CUDA programming guide); AMD's MI200 and MI300.
_FP64_TENSOR = ("8.0", "9.0", "10.0", "gfx90a", "gfx942")


_FP64_KEYS = ("fp64", "fp64_tensor")


def _fp64(compute_capability: str | None) -> str:
    return "fp64_tensor" if compute_capability in _FP64_TENSOR else "fp64"
