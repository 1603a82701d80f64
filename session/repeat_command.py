"""What one types to measure a number again: the shortest run that has it, and a line of Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.suite import CONTEXTS, DECODE, FULL, QUICK, SUITES, suite
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.models import packaged_models
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM

HELD_S = (1.0, 3600.0)  # what the options take
MOST_CONTEXT = 1 << 20


def repeat_command(session: Session, spec: ProbeSpec) -> str | None:
    """``roofwatch run --suite full --hold bf16 --sustain 10``; None where no options ask for it.

    The quick suite where it has this very probe, else the session's own, else the first that has.
    """
    kind = session.device.kind or "cuda"
    capability = session.device.compute_capability
    if spec.model:
        return _decode(session, spec)
    held = spec.seconds > 0
    if held and not HELD_S[0] <= spec.seconds <= HELD_S[1]:
        return None
    names = _suites(session)
    holds = list(_holds(spec))
    # A held probe is asked for by its precision; a burst so only where no suite has it by itself.
    tries = (
        [(n, *h) for n in names for h in holds] if held else [(n, *h) for h in holds for n in names]
    )
    for name, sustain_s, hold in tries:
        if spec in suite(name, kind, capability, sustain_s, hold):
            return _line(_device(session), name, sustain_s, hold)
    return None


def _suites(session: Session) -> list[str]:
    """Those to look through, in order; the decode suite is looked at apart."""
    own = [session.suite] if session.suite in SUITES else []
    return [s for s in dict.fromkeys((QUICK, *own, FULL, *SUITES)) if s != DECODE or s in own]


def _holds(spec: ProbeSpec) -> Iterator[tuple[float | None, tuple[str, ...]]]:
    """Seconds and precisions to hold, as little as suffices first."""
    keys: list[tuple[str, ...]] = [(), *([(spec.peak_key,)] if spec.peak_key else [])]
    for seconds in (None, *([spec.seconds] if spec.seconds else [])):
        for hold in keys:
            yield seconds, hold


def _line(device: str, name: str, sustain_s: float | None, hold: Sequence[str]) -> str:
    words = [PROGRAM, "run"]
    words += ["--device", device] if device else []
    words += ["--suite", name] if name != QUICK else []
    words += ["--hold", ",".join(hold)] if hold else []
    words += ["--sustain", _digits(sustain_s)] if sustain_s is not None else []
    return shlex.join(words)


def _digits(seconds: float) -> str:
    """As few as tell it exactly."""
    return f"{seconds:g}" if float(f"{seconds:g}") == seconds else repr(seconds)


def _device(session: Session) -> str:
    """Of the option; empty where what is chosen by itself is the same one."""
    if session.device.kind == "cpu":
        return "cpu"
    own = session.told_by("probes")  # torch's number, which the option takes
    index = own.index if own is not None and own.kind == "cuda" else None
    return f"cuda:{index}" if index and index > 0 else ""


def _decode(session: Session, spec: ProbeSpec) -> str | None:
    """The decode suite of one model, if the table that comes with roofwatch has it."""
    if spec.model not in {model.name for model in packaged_models()}:
        return None
    words = ["--model", spec.model]
    contexts = session.contexts
    if contexts and tuple(contexts) != CONTEXTS:
        if max(contexts) > MOST_CONTEXT:
            return None
        words += ["--context", ",".join(map(str, contexts))]
    return f"{_line(_device(session), DECODE, None, ())} {shlex.join(words)}"


# -- Python ----------------------------------------------------------------------------------

TORCH = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
STREAMED = {"add_scalar": "torch.add(x, 1, out=y)", "copy": "y.copy_(x)"}
BUT_WARM = "the same launch, but warm and not on a rested card"
AS_HERE = "the same launch, warmed up and repeated until settled"


def python_lines(session: Session, m: Measurement) -> list[str]:
    """Lines of Python that measure the same kernel by ``roofwatch.measure``; none without a way."""
    dtype = TORCH.get(m.dtype)
    if dtype is None or m.claim is not None or m.protocol not in ("stream", "burst", "sustained"):
        return []
    on_cpu = session.device.kind == "cpu"
    head = [
        "import torch, roofwatch",
        f'kind = dict(dtype=torch.{dtype}, device="{"cpu" if on_cpu else "cuda"}")',
    ]
    if m.op == "matmul" and {*"mnk"} <= m.shape.keys():
        if m.dtype == "fp32" and not on_cpu:
            head.append(f"torch.backends.cuda.matmul.allow_tf32 = {m.math == 'tf32'}")
        return [*head, *_matmul(m)]
    if m.op in STREAMED and "elements" in m.shape:
        return [*head, *_stream(m)]
    return []


def python_differs(m: Measurement) -> str:
    """How far those lines time it as the probe does."""
    return BUT_WARM if m.op == "matmul" else AS_HERE


def _matmul(m: Measurement) -> list[str]:
    rows, columns, depth = m.shape["m"], m.shape["n"], m.shape["k"]
    second = f"torch.randn({depth}, {columns}, **kind)"
    if m.layout == "nt":
        second = f"torch.randn({columns}, {depth}, **kind).t()"
    return [
        f"a = torch.randn({rows}, {depth}, **kind)",
        f"b = {second}",
        "print(roofwatch.measure(lambda: a @ b,",
        f'    op="matmul", dtype="{m.dtype}",',
        f"    shape=({rows}, {columns}, {depth})))",
    ]


def _stream(m: Measurement) -> list[str]:
    count = m.shape["elements"]
    return [
        f"x = torch.randn({count}, **kind)",
        "y = torch.empty_like(x)",
        f"print(roofwatch.measure(lambda: {STREAMED[m.op]},",
        f'    op="{m.op}", dtype="{m.dtype}",',
        f"    elements={count}))",
    ]


def not_repeatable(spec: ProbeSpec) -> str:
    """Why there is no command."""
    if spec.model:
        return f"--suite decode --model with the config.json of {shown(spec.model)} again"
    return "no options of this version ask for this very probe"
