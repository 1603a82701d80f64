"""A decode step of real shapes, whole and in its parts (seed, Day 16).

The whole step is timed eager and as one CUDA graph, over batches and contexts. Each part is timed
by itself, right before its step. In a step a call finds its code and its weights cold, since a
whole layer has passed through the cache, and its input just written: so between two calls in a
graph a tensor beyond the cache is read and the input written anew. A graph without the calls is
what is taken off. What the host takes to enqueue a part is timed by the host's clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import torch

from roofwatch.probes import streams
from roofwatch.probes.device import CudaTarget, GraphTimer, Target
from roofwatch.probes.graph_nodes import graph_nodes
from roofwatch.probes.operands import TORCH_DTYPE, set_math
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Launch, Report, Timed, Timer, one_by_one, repeated
from roofwatch.probes.transformer import FORMS, Cache, Part, Step, Weights
from roofwatch.roofline import decode_work
from roofwatch.roofline.model import Model
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.statistics import median
from roofwatch.roofline.suite import CONTEXTS
from roofwatch.roofline.workload import Work, size_bytes

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
CPU_LAYERS = 2  # a CPU shows the shape of the curve with few
CPU_STEP_S = 1.5  # a longer step ends a CPU's curve
KEPT = 0.85  # of the free memory for weights and cache; the rest is for what a step works on
WARM, REPEATS = 2, 7
PART_REPEATS = 5
CPU_REPEATS = 3
MOVED = 0.03
FLUSHED = 2  # times the last-level cache
LEAST_CALLS = 24  # of a part in its graph, so that the graph is longer than its launch


class Shared(msgspec.Struct, frozen=True):
    """What every point of one model shares."""

    spec: ProbeSpec
    target: Target
    weights: Weights
    cache: Cache
    flush: Launch  # reads more than the last-level cache holds


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """For each context and batch the parts of the step, then the step."""
    target, model = place.target, place.models[spec.model]
    contexts = tuple(sorted(place.contexts or CONTEXTS))
    layers, batches = fitting(model, spec.dtype, target, contexts[-1])
    if layers < model.layers:
        place.note(f"{layers} of {model.layers} layers: {_why_fewer(target)}")
    if batches[-1] < BATCHES[-1]:
        place.note(f"batches up to {batches[-1]}: more sequences do not fit beside the weights")
    set_math(spec, reduced_reductions=True)  # as whoever serves a model has it
    weights = Weights(model, layers, TORCH_DTYPE[spec.dtype], target.torch_device)
    shared = Shared(
        spec=spec,
        target=target,
        weights=weights,
        cache=Cache(weights, batches[-1] * contexts[-1]),
        flush=_flush(target),
    )
    report(0.05)
    # Twice over: a device may launch the first graph of a process faster than all later ones.
    _prime(shared, contexts[0])
    done, total = 0, len(contexts) * (len(batches) + 1)
    for context in contexts:
        first_s = 0.0
        for batch in batches:
            found = list(_step_points(shared, batch, context))
            yield from found
            done += 1
            report(0.05 + 0.95 * done / total)
            slowest = max(median(p.timed.times_s) for p in found if p.work.op == "decode")
            first_s = first_s or median(found[-1].timed.times_s)
            if target.kind == "cpu" and slowest > CPU_STEP_S:
                place.note(f"context {context}: no batch over {batch}, a step took {slowest:.1f} s")
                break
        # All others are compared with the first batch: it is measured again, and that stands.
        found = list(_step_points(shared, batches[0], context))
        yield from found
        done += 1
        report(min(1.0, 0.05 + 0.95 * done / total))
        again_s = median(found[-1].timed.times_s)
        if abs(again_s / first_s - 1) > MOVED:
            place.note(
                f"context {context}: a step of batch {batches[0]} took {first_s * 1e3:.3g} ms at "
                f"first and {again_s * 1e3:.3g} ms behind the others, which stands"
            )


def _prime(shared: Shared, context: int) -> None:
    step = Step(shared.weights, shared.cache, 1, context, FORMS[-1], shared.spec.dtype)
    for _ in range(2):
        if (timer := _graph(shared.target, step.run)) is not None:
            timer.times(step.run, WARM)


def _step_points(shared: Shared, batch: int, context: int) -> Iterator[Point]:
    """The parts of one step, then the step."""
    form = _best_form(shared, batch, context)
    step = Step(shared.weights, shared.cache, batch, context, form, shared.spec.dtype)
    for part in step.parts():
        yield from _part(shared, part, batch, context, form)
        if shared.target.kind == "cuda" and batch == BATCHES[0]:
            yield _enqueued(shared, part, batch, context)
    yield from _whole(shared, step, batch, context, form)


def fitting(model: Model, dtype: str, target: Target, context: int) -> tuple[int, tuple[int, ...]]:
    """Layers and batches that fit into memory at ``context`` tokens; at least two layers.

    Layers give way first, since a step of fewer has the same shape; then batches.

    Raises:
        RuntimeError: not even two layers at batch 1 fit.
    """
    room = KEPT * target.free_bytes()
    most = min(model.layers, CPU_LAYERS) if target.kind == "cpu" else model.layers
    least = min(2, most)
    once = size_bytes((1 if model.tied else 2) * model.embedding_params, dtype)
    a_layer = size_bytes(model.layer_params, dtype)
    a_token = model.kv_bytes_per_token(dtype) / model.layers
    batches = list(BATCHES)
    while batches:
        of_layer = a_layer + batches[-1] * context * a_token
        layers = min(most, int((room - once) // of_layer))
        if layers >= least:
            return layers, tuple(batches)
        batches.pop()
    need = (once + least * (a_layer + context * a_token)) / 1e9
    raise RuntimeError(f"too little memory is free: two layers need {need:.1f} GB")


def _why_fewer(target: Target) -> str:
    if target.kind == "cpu":
        return "a CPU shows the shape of the curve with them"
    return "the others do not fit into the free memory beside the KV cache"


def _best_form(shared: Shared, batch: int, context: int) -> str:
    """The faster way to ask for grouped attention; a backend may serve only one of them well."""
    if shared.weights.model.group == 1:
        return FORMS[0]
    timer = shared.target.timer()
    times = {}
    for form in FORMS:
        step = Step(shared.weights, shared.cache, batch, context, form, shared.spec.dtype)
        part = next(p for p in step.parts() if p.name == "attention")
        launch = _all_calls(part)
        timer.times(launch, 1)
        times[form] = min(timer.times(launch, 2))
    return min(times, key=times.__getitem__)


def _flush(target: Target) -> Launch:
    elements = FLUSHED * target.cache_bytes // 4 if target.kind == "cuda" else streams.COLUMNS
    x = streams.random_normal(target, max(elements, streams.COLUMNS), "fp32")
    return streams.reading(x, "fp32", 1)[1]


def _calls(part: Part) -> int:
    return max(part.calls, LEAST_CALLS)


def _all_calls(part: Part) -> Launch:
    """All calls of a step, or some more of a part that has few."""

    def launch() -> None:
        for i in range(_calls(part)):
            part.launch(i % part.calls)

    return launch


def _part(shared: Shared, part: Part, batch: int, context: int, form: str) -> Iterator[Point]:
    """A call's time as a mean over the layers; on a card as in a step, and what is taken off.

    ``part`` less ``between`` is the part's own.
    """
    work = _shaped(part.work, batch, context, calls=part.calls)
    layout = form if part.name == "attention" else None
    calls = _calls(part)
    if shared.target.kind != "cuda":
        timed = _timed(shared.target.timer(), _all_calls(part), CPU_REPEATS, calls)
        yield Point(work=work, timed=timed, variant="part", layout=layout)
        return

    def between() -> None:
        for _ in range(calls):
            shared.flush()
            part.rewrite()

    def with_calls() -> None:
        for i in range(calls):
            shared.flush()
            part.rewrite()
            part.launch(i % part.calls)

    for variant, launch in (("part", with_calls), ("between", between)):
        timer = _graph(shared.target, launch) or shared.target.timer()
        timed = _timed(timer, launch, PART_REPEATS, calls)
        yield Point(work=work, timed=timed, variant=variant, layout=layout)


def _enqueued(shared: Shared, part: Part, batch: int, context: int) -> Point:
    """What one call costs the host, which does not wait for it."""
    launch, calls = _all_calls(part), _calls(part)

    def once() -> float:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        launch()
        return (time.perf_counter() - begin) / calls

    timed = one_by_one(once, "host", PART_REPEATS, [once() for _ in range(WARM)])
    torch.cuda.synchronize()
    work = _shaped(part.work, batch, context, calls=part.calls)
    return Point(work=work, timed=timed, variant="enqueue")


def _whole(shared: Shared, step: Step, batch: int, context: int, form: str) -> Iterator[Point]:
    """The step eager, and replayed as one graph where there are graphs."""
    target = shared.target
    model, layers = shared.weights.model, len(shared.weights.layers)
    work = decode_work.step(model, layers, batch, context, shared.spec.dtype)
    on_card = target.kind == "cuda"
    repeats = REPEATS if on_card else CPU_REPEATS
    timed = _timed(target.timer(), step.run, repeats, 1)
    # A step's kernels, which a batch may change: a library takes other ones for other rows.
    nodes = graph_nodes(step.run) if on_card else None
    if nodes is not None:
        work = msgspec.structs.replace(work, shape={**work.shape, "kernels": nodes})
    yield Point(work=work, timed=timed, variant="eager", layout=form)
    timer = _graph(target, step.run) if on_card else None
    if timer is not None:
        timed = _timed(timer, step.run, repeats, 1)
        yield Point(work=work, timed=timed, variant="graph", layout=form)


def _graph(target: Target, launch: Launch) -> GraphTimer | None:
    if not isinstance(target, CudaTarget):
        return None
    for _ in range(WARM):  # what is loaded or chosen on the way cannot be captured
        launch()
    return GraphTimer(target.index, launch, 1)


def _timed(timer: Timer, launch: Launch, repeats: int, calls: int) -> Timed:
    """A few repetitions, each the mean of ``calls`` in one launch."""
    warmup = timer.times(launch, WARM if timer.name != "host" else 1)
    return repeated(timer, launch, repeats, warmup, calls)


def _shaped(work: Work, batch: int, context: int, **more: Any) -> Work:
    """A part's work with the step's batch and context in its shape."""
    shape = {**work.shape, "batch": batch, "context": context, **more}
    return msgspec.structs.replace(work, shape=shape)
