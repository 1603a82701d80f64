"""Runs the probes of a suite one after the other and writes what each one learned."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from roofwatch.probes import (
    alignment,
    decode,
    fusion,
    kernel_map,
    kernels,
    matmul,
    memcpy,
    mistakes,
    operands,
    peers,
    streams,
    sustained,
    sweep,
    transfers,
    waves,
)
from roofwatch.probes import (
    launch as launches,
)
from roofwatch.probes.device import Target
from roofwatch.probes.kernels import Profiled
from roofwatch.probes.measurement import measurement, series
from roofwatch.probes.memory import out_of_memory, shortage, within_room
from roofwatch.probes.place import Place, Point
from roofwatch.probes.shapes import Shape
from roofwatch.probes.skipped import why_skipped
from roofwatch.probes.spin import SpinClock, spin_clock
from roofwatch.probes.sustained import Chunk
from roofwatch.probes.timing import Cancelled, Launch, Report, Timed
from roofwatch.probes.together import together as at_once_all
from roofwatch.roofline.error_text import first_line
from roofwatch.roofline.model import Model
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.probe_spec import TRANSFER, ProbeSpec
from roofwatch.roofline.statistics import median
from roofwatch.roofline.suite import FULL, at_once, suite, sustain_default_s
from roofwatch.roofline.workload import Work
from roofwatch.session.done import Done
from roofwatch.session.events import (
    End,
    Fault,
    HostCpu,
    Note,
    SessionInfo,
    Span,
)
from roofwatch.session.instrument import Instrument
from roofwatch.session.turns import Turns

LAST_SAMPLE_S = 0.15  # one more telemetry sample closes the last span's counters
CONTROL = 0.02  # bytes move as fast in either type (seed, Day 13)
CUDA_GONE = ("CUDA error", "CUDA-capable device", "cuBLAS", "CUBLAS", "unspecified launch failure")
POINTS: dict[str, Callable[[ProbeSpec, Place, Report], Iterator[Point]]] = {
    "launch": launches.points,
    "decode": decode.points,
    "kernels": kernel_map.points,
    "fusion": fusion.points,
    "alignment": alignment.points,
    "waves": waves.points,
    "transfers": transfers.points,
    "peers": peers.points,
    "memcpy": memcpy.points,
}


class _Lost(Exception):
    """The device's context is gone."""


class Worker:
    """One run of a suite on one target. ``peaks_tflops`` are nominal, as the parent told them."""

    def __init__(
        self,
        instrument: Instrument,
        target: Target,
        run: int,
        stop: threading.Event,
        peaks_tflops: Mapping[str, float] | None = None,
        models: Iterable[Model] = (),
        contexts: Collection[int] = (),
        done: Done | None = None,
    ) -> None:
        self._out = instrument
        self._target = target
        self._run = run
        self._stop = stop
        self._peaks_tflops = peaks_tflops or {}
        self._models = {model.name: model for model in models}
        self._contexts = tuple(contexts)
        self._done = done or Done()
        self._shapes = {
            key: (Shape(m, n, k), layout) for key, (m, n, k, layout) in self._done.shapes.items()
        }
        self._reference: tuple[ProbeSpec, float] | None = None  # the first stream, bytes a second
        self._profiles = False
        self._begins_s: Mapping[str, float] = {}  # of probes that wait for a moment, monotonic
        self._clock: SpinClock | None = None
        self._no_clock = "not_supported"  # why there is none

    def suite(
        self,
        name: str,
        sustain_s: float | None,
        hold: Collection[str] = (),
        stay: Turns | None = None,
    ) -> int:
        """Run a suite; 0 when all its probes ran or were skipped with a reason, else 4.

        ``stay``: afterwards wait for the word that all cards begin at once.
        """
        kind, capability = self._target.kind, self._target.identity().compute_capability
        specs = suite(name, kind, capability, sustain_s, hold, self._models)
        if stay is None:
            return self.run(specs, profiles=name == FULL)
        together = at_once(kind, capability, sustain_s or sustain_default_s(name))
        return self.run(specs, name == FULL, partial(at_once_all, self, self._out, together, stay))

    def run(
        self,
        specs: Iterable[ProbeSpec],
        profiles: bool = False,
        then: Callable[[], bool] = lambda: False,
    ) -> int:
        """Run probes in order; 0 when all ran or were skipped with a reason, else 4.

        With ``profiles`` each kernel's name and time are asked of the profiler. ``then`` is what
        follows before the end, and says whether something of it failed.
        """
        self._clock, self._no_clock = spin_clock(self._target)
        self._profiles = profiles
        if profiles:
            self._out.say("opening the profiler")
            kernels.wake(self._target)
        try:
            failed = self.measure(specs)
            self._profiles = False
            failed = then() or failed
        except Cancelled:
            self._end(False, "stopped")
            return 0
        except _Lost:
            return 4
        self._end(True, "a probe failed" if failed else "")
        return 4 if failed else 0

    def measure(
        self, specs: Iterable[ProbeSpec], begins_s: Mapping[str, float] | None = None
    ) -> bool:
        """Run probes in order; whether one failed. ``begins_s``: when those that are held begin.

        Raises:
            Cancelled: the parent asked to stop.
            _Lost: a fault took the context; no other probe can run in this process.
        """
        failed = False
        self._begins_s = begins_s or {}
        for spec in specs:
            if self._done.reference and self._done.reference[0] == spec.key:
                self._reference = spec, self._done.reference[1]
            if spec.key in self._done.probes:
                continue
            why = why_skipped(spec, self._place(spec))
            if why:
                self._note(why, spec.key)
                continue
            self._out.say("measuring", spec.key, 0.0)
            self._span(spec, "begin")
            try:
                within_room(
                    self._target, partial(self._probe, spec), partial(self._note, probe=spec.key)
                )
            except Cancelled:
                self._span(spec, "end")
                raise
            except Exception as error:  # whatever a library raises, the next probe may work
                failed = True
                short = out_of_memory(error)
                self._fault(spec, shortage(error, self._target) if short else first_line(error))
                if not short and any(sign in str(error) for sign in CUDA_GONE):
                    raise _Lost from None
            self._span(spec, "end")
            self._target.clean_up()
        return failed

    def _place(self, spec: ProbeSpec) -> Place:
        return Place(
            target=self._target,
            clock=self._clock,
            shapes=self._shapes,
            peaks_tflops=self._peaks_tflops,
            rest=self._rest,
            models=self._models,
            contexts=self._contexts,
            note=lambda text: self._note(text, spec.key),
            told_cpu=self._told_cpu,
        )

    def _probe(self, spec: ProbeSpec) -> None:
        if spec.mistake:
            self._mistake(spec)
        elif spec.protocol in POINTS:
            self._group(spec)
        elif spec.protocol == TRANSFER:
            made = transfers.held(spec, self._place(spec), lambda p: self._report(spec, p))
            self._measurement(spec, *made, variant=spec.variant)
        elif spec.protocol == "sweep":
            self._sweep(spec)
        elif spec.protocol == "sustained":
            self._sustained(spec)
        elif spec.peak_key is None:
            self._stream(spec)
        else:
            self._matmul(spec)

    def _report(self, spec: ProbeSpec, progress: float) -> None:
        if self._stop.is_set():
            raise Cancelled
        self._out.say("measuring", spec.key, progress)

    def _rest(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise Cancelled

    def _stream(self, spec: ProbeSpec) -> None:
        rate = self._stream_block(spec)
        if self._reference is None:
            self._reference = spec, rate
        if not spec.control:
            return
        first, reference = self._reference
        ratio = rate / reference
        if abs(ratio - 1) <= CONTROL:
            return
        apart = f"{per_cent(abs(ratio - 1), 1)} {'less' if ratio < 1 else 'more'}"
        self._note(f"{spec.key} shows {apart} than {first.key}: both are repeated", spec.key)
        self._span(spec, "end")  # each block lies in a span of its own probe
        self._span(first, "begin")
        self._reference = first, max(reference, self._stream_block(first))
        self._span(first, "end")
        self._span(spec, "begin")
        self._stream_block(spec)

    def _stream_block(self, spec: ProbeSpec) -> float:
        """Measure a stream and write it; returns bytes a second."""
        work, launch = self._stream_launch(spec)
        timed = streams.measure(
            self._target, launch, self._clock, lambda p: self._report(spec, 0.9 * p)
        )
        self._measurement(spec, work, timed, profile=self._profile(launch))
        return work.bytes / median(timed.times_s)

    def _stream_launch(self, spec: ProbeSpec) -> tuple[Work, Launch]:
        size, beyond_cache = streams.tensor_bytes(self._target, spec.op)
        if not beyond_cache:
            self._note(
                f"memory is short: tensors of {size / 2**20:.0f} MiB are less than "
                f"{streams.CACHE_MULTIPLE} times the last-level cache",
                spec.key,
            )
        return streams.prepare(self._target, spec.op, spec.dtype, size)

    def _matmul(self, spec: ProbeSpec) -> None:
        operands.set_math(spec)
        ranking = matmul.search(self._target, spec, lambda p: self._report(spec, p))
        self._report(spec, 0.5)
        best, timed = matmul.measure(self._target, ranking.finalists, self._clock, self._rest)
        self._report(spec, 0.9)
        if spec.peak_key:
            self._shapes[spec.peak_key] = (best.shape, best.layout)
        self._measurement(
            spec,
            matmul.work(spec, best.shape),
            timed,
            layout=best.layout,
            searched=ranking.searched,
            profile=self._profile(best.launch),
        )

    def _mistake(self, spec: ProbeSpec) -> None:
        made = mistakes.make(spec, self._place(spec), lambda p: self._report(spec, 0.9 * p))
        self._measurement(spec, made.work, made.timed, layout=made.layout, claim=made.claim)

    def _group(self, spec: ProbeSpec) -> None:
        for point in POINTS[spec.protocol](
            spec, self._place(spec), lambda p: self._report(spec, p)
        ):
            of_point = msgspec.structs.replace(
                spec,
                op=point.work.op,
                dtype=point.dtype or spec.dtype,
                peak_key=spec.peak_key if point.work.flop else None,
            )
            self._measurement(
                of_point,
                point.work,
                point.timed,
                layout=point.layout,
                profile=point.profile,
                variant=point.variant,
                cards=point.cards,
            )

    def _profile(self, launch: Launch) -> Profiled:
        if not self._profiles:
            return Profiled(status="not_measured")
        return kernels.profiled(self._target, launch)

    def _sweep(self, spec: ProbeSpec) -> None:
        if spec.peak_key is None:
            for i, (work, timed) in enumerate(sweep.over_bytes(self._target, spec)):
                self._measurement(spec, work, timed)
                self._report(spec, min(0.99, (i + 1) / sweep.MOST_SIZES))
            return
        _, layout = self._shapes[spec.peak_key]
        squares = sweep.over_squares(self._target, spec, layout, self._rest, self._profile)
        for i, (work, timed, profile) in enumerate(squares):
            self._measurement(spec, work, timed, layout=layout, profile=profile)
            self._report(spec, min(0.99, (i + 1) / len(sweep.SQUARES)))

    def _sustained(self, spec: ProbeSpec) -> None:
        layout = None
        if spec.peak_key is None:
            work, launch = self._stream_launch(spec)
        else:
            operands.set_math(spec)
            shape, layout = self._shapes[spec.peak_key]
            launch = operands.prepare(spec, shape, layout, self._target.torch_device)
            work = matmul.work(spec, shape)
        timer = self._target.timer()
        expect_s = min(timer.times(launch, 3))
        self._rest(max(0.0, self._begins_s.get(spec.key, 0.0) - time.monotonic()))
        chunks: list[Chunk] = []
        held_s = 0.0
        for chunk in sustained.launches(
            self._target, launch, spec.seconds, expect_s, self._clock, self._stop.is_set
        ):
            chunks.append(chunk)
            held_s += sum(chunk.times_s)
            self._out.write(series(self._out, spec, work, chunk, self._run))
            self._report(spec, min(1.0, held_s / spec.seconds))
        self._measurement(spec, work, sustained.settle(chunks, timer.name), layout=layout)

    def _measurement(self, spec: ProbeSpec, work: Work, timed: Timed, **more: Any) -> None:
        """Write one; what ``more`` may be: probes.measurement.measurement."""
        self._out.write(
            measurement(
                self._out,
                spec,
                work,
                timed,
                run=self._run,
                on_cuda=self._target.kind == "cuda",
                no_clock=self._why_no_clock(),
                **more,
            )
        )

    def _why_no_clock(self) -> str:
        # A graph leaves no room for a reading between its launches.
        return self._no_clock if self._clock is None else "not_measured"

    def _span(self, spec: ProbeSpec, edge: str) -> None:
        self._out.write(Span(t=self._out.now(), probe=spec.key, edge=edge, run=self._run))

    def _note(self, text: str, probe: str) -> None:
        self._out.write(Note(t=self._out.now(), text=text, probe=probe, run=self._run))

    def _told_cpu(self, cpu: HostCpu) -> None:
        self._out.write(SessionInfo(t=self._out.now(), instrument="probes", cpu=cpu))

    def _fault(self, spec: ProbeSpec, what: str) -> None:
        self._out.write(
            Fault(t=self._out.now(), instrument="probes", what=what, probe=spec.key, run=self._run)
        )

    def _end(self, complete: bool, why: str) -> None:
        if self._out.gpu is not None:  # of another card: the run goes on without it
            return
        time.sleep(LAST_SAMPLE_S)
        self._out.write(End(t=self._out.now(), complete=complete, why=why, run=self._run))
