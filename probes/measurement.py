"""The event of one number: what was launched, how long it took, and how it was timed."""

from __future__ import annotations

from typing import Any

from roofwatch.probes import operands
from roofwatch.probes.kernels import Profiled
from roofwatch.probes.sustained import Chunk
from roofwatch.probes.timing import Timed
from roofwatch.roofline.probe_spec import GROUPS, ProbeSpec
from roofwatch.roofline.workload import Work
from roofwatch.session.events import Claimed, Measurement, Series, Tensor
from roofwatch.session.instrument import Instrument

DIGITS = 10


def moment(out: Instrument, monotonic_s: float) -> float:
    """A monotonic second on the session's clock."""
    return round(out.at(monotonic_s), 6)


def measurement(
    out: Instrument,
    spec: ProbeSpec,
    work: Work,
    timed: Timed,
    *,
    run: int,
    on_cuda: bool,
    no_clock: str,
    layout: str | None = None,
    searched: list[dict[str, Any]] | None = None,
    profile: Profiled | None = None,
    claim: Claimed | None = None,
    variant: str | None = None,
    cards: tuple[int, int] | None = None,
) -> Measurement:
    """The event, as of now. ``no_clock`` says why no SM clock was read, where none was."""
    profile = profile or Profiled(status="not_measured")
    status = {} if timed.clock else {"clock_mhz": no_clock}
    if profile.status:
        status["kernel"] = profile.status
    multiplies = spec.peak_key is not None and spec.protocol not in GROUPS
    return Measurement(
        t=out.now(),
        probe=spec.key,
        op=spec.op,
        shape=work.shape,
        dtype=spec.dtype,
        math=spec.math,
        accumulate=spec.accumulate,
        peak_key=spec.peak_key,
        flop=work.flop,
        tensors=[
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        times_s=[round(x, DIGITS) for x in timed.times_s],
        stop=timed.stop,
        timing=timed.timing,
        protocol=spec.protocol,
        begin_s=moment(out, timed.begin_s),
        end_s=moment(out, timed.end_s),
        layout=layout,
        warmup_times_s=[round(x, DIGITS) for x in timed.warmup_times_s],
        searched=searched or [],
        library_limited=spec.dtype == "int8" and on_cuda,
        out_dtype=operands.out_dtype(spec.dtype) if multiplies else None,
        kernel=profile.kernel,
        kernel_time_s=profile.time_s,
        clock_t_s=[moment(out, r.t_s) for r in timed.clock],
        clock_mhz=[round(r.mhz, 1) for r in timed.clock],
        settings=operands.math_flags() if multiplies or spec.op == "decode" else {},
        status=status,
        variant=variant,
        cards=cards,
        mistake=spec.mistake or None,
        claim=claim,
        run=run,
    )


def series(out: Instrument, spec: ProbeSpec, work: Work, chunk: Chunk, run: int) -> Series:
    """The event of some launches of a held probe."""
    return Series(
        t=out.now(),
        probe=spec.key,
        t0=moment(out, chunk.t0_s),
        times_s=[round(x, 9) for x in chunk.times_s],
        flop=work.flop,
        bytes=float(work.bytes),
        clock_t_s=[moment(out, r.t_s) for r in chunk.clock],
        clock_mhz=[round(r.mhz, 1) for r in chunk.clock],
        run=run,
    )
