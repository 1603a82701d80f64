"""Runs the probes of a suite one after the other and writes what each one learned."""

from __future__ import annotations

import threading
import time
from typing import Any

import torch

from roofwatch.probes import add_scalar, cpu, matmul, operands, sustained
from roofwatch.probes.device import Target
from roofwatch.probes.shapes import Shape
from roofwatch.probes.timing import Cancelled, Timed
from roofwatch.roofline.precision import lacks
from roofwatch.roofline.suite import SUSTAIN_S, ProbeSpec, quick
from roofwatch.roofline.workload import Work
from roofwatch.session.events import End, Fault, Measurement, Note, Series, Span, Tensor
from roofwatch.session.instrument import Instrument

CUDA_GONE = ("CUDA error", "CUDA-capable device", "cuBLAS", "CUBLAS", "unspecified launch failure")
DIGITS = 10


def one_line(error: BaseException) -> str:
    """The first line of an error's text, which is where torch says what happened."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


class Worker:
    """One run of a suite on one target."""

    def __init__(
        self, instrument: Instrument, target: Target, run: int, stop: threading.Event
    ) -> None:
        self._out = instrument
        self._target = target
        self._run = run
        self._stop = stop
        self._shapes: dict[str, tuple[Shape, str]] = {}

    def suite(self, sustain_s: float | None) -> int:
        """Run every probe; 0 when all ran or were skipped with a reason, else 4."""
        capability = self._target.identity().compute_capability
        failed = False
        for spec in quick(self._target.kind, capability, sustain_s or SUSTAIN_S):
            why = self._skip(spec, capability)
            if why:
                self._note(why, spec.key)
                continue
            self._out.say("measuring", spec.key, 0.0)
            self._span(spec, "begin")
            try:
                self._probe(spec)
            except Cancelled:
                self._span(spec, "end")
                self._end(False, "stopped")
                return 0
            except torch.OutOfMemoryError as error:
                failed = True
                self._fault(spec, f"out of memory: {one_line(error)}")
            except RuntimeError as error:
                failed = True
                self._fault(spec, one_line(error))
                if any(sign in str(error) for sign in CUDA_GONE):
                    return 4
            self._span(spec, "end")
            self._target.clean_up()
        self._end(True, "a probe failed" if failed else "")
        return 4 if failed else 0

    def _skip(self, spec: ProbeSpec, capability: str | None) -> str | None:
        if spec.peak_key and spec.protocol == "sustained" and spec.peak_key not in self._shapes:
            return f"{spec.peak_key} has no burst shape to hold"
        if self._target.kind == "cpu":
            if spec.dtype == "bf16" and not cpu.has_fast_bf16():
                return "this CPU emulates bf16: no number worth having"
            return None
        return (lacks(spec.peak_key, capability) if spec.peak_key else None) or operands.missing(
            spec
        )

    def _probe(self, spec: ProbeSpec) -> None:
        if spec.protocol == "stream":
            self._add_scalar(spec)
        elif spec.protocol == "burst":
            self._matmul(spec)
        else:
            self._sustained(spec)

    def _report(self, spec: ProbeSpec, progress: float) -> None:
        if self._stop.is_set():
            raise Cancelled
        self._out.say("measuring", spec.key, progress)

    def _add_scalar(self, spec: ProbeSpec) -> None:
        size, beyond_cache = add_scalar.tensor_bytes(self._target)
        work, launch = add_scalar.prepare(self._target, spec.dtype, size)
        if not beyond_cache:
            self._note(
                f"memory is short: tensors of {size / 2**20:.0f} MiB are less than "
                f"{add_scalar.CACHE_MULTIPLE} times the last-level cache",
                spec.key,
            )
        timed = add_scalar.measure(self._target, launch, lambda p: self._report(spec, p))
        self._measurement(spec, work, timed)

    def _matmul(self, spec: ProbeSpec) -> None:
        operands.set_math(spec)
        ranking = matmul.search(self._target, spec, lambda p: self._report(spec, p))
        self._report(spec, 0.5)
        best, timed = matmul.measure(self._target, ranking.finalists)
        if spec.peak_key:
            self._shapes[spec.peak_key] = (best.shape, best.layout)
        work = matmul.work(spec, best.shape)
        self._measurement(spec, work, timed, best.layout, ranking.searched)

    def _sustained(self, spec: ProbeSpec) -> None:
        operands.set_math(spec)
        shape, layout = self._shapes[spec.peak_key or ""]
        launch = operands.prepare(spec, shape, layout, self._target.torch_device)
        timer = self._target.timer()
        expect_s = min(timer.times(launch, 3))
        work = matmul.work(spec, shape)
        times: list[float] = []
        held_s = 0.0
        first: float | None = None
        for t0, chunk in sustained.launches(
            self._target, launch, spec.seconds, expect_s, self._stop.is_set
        ):
            first = t0 if first is None else first
            times += chunk
            held_s += sum(chunk)
            self._out.write(
                Series(
                    t=self._out.now(),
                    probe=spec.key,
                    t0=round(self._out.at(t0), 6),
                    times_s=[round(x, 9) for x in chunk],
                    flop=work.flop,
                    bytes=float(work.bytes),
                    run=self._run,
                )
            )
            self._report(spec, min(1.0, held_s / spec.seconds))
        if first is None:
            raise RuntimeError("no launch finished in time")
        self._measurement(spec, work, sustained.settle(first, times, timer.name), layout)

    def _measurement(
        self,
        spec: ProbeSpec,
        work: Work,
        timed: Timed,
        layout: str | None = None,
        searched: list[dict[str, Any]] | None = None,
    ) -> None:
        self._out.write(
            Measurement(
                t=self._out.now(),
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
                begin_s=round(self._out.at(timed.begin_s), 6),
                end_s=round(self._out.at(timed.end_s), 6),
                layout=layout,
                warmup_times_s=[round(x, DIGITS) for x in timed.warmup_times_s],
                searched=searched or [],
                library_limited=spec.dtype == "int8" and self._target.kind == "cuda",
                run=self._run,
            )
        )

    def _span(self, spec: ProbeSpec, edge: str) -> None:
        self._out.write(Span(t=self._out.now(), probe=spec.key, edge=edge, run=self._run))

    def _note(self, text: str, probe: str) -> None:
        self._out.write(Note(t=self._out.now(), text=text, probe=probe, run=self._run))

    def _fault(self, spec: ProbeSpec, what: str) -> None:
        self._out.write(
            Fault(t=self._out.now(), instrument="probes", what=what, probe=spec.key, run=self._run)
        )

    def _end(self, complete: bool, why: str) -> None:
        time.sleep(0.15)  # one more telemetry sample closes the last span's counters
        self._out.write(End(t=self._out.now(), complete=complete, why=why, run=self._run))
