"""The decode curves of a session: each step measured, predicted from its parts, and explained."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.decode_work import LINEAR
from roofwatch.roofline.roof import Roof
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.launch import launch_costs
from roofwatch.session.rates import time_s, traffic_bytes
from roofwatch.session.roofs import Roofs

BENT = 0.05  # seed, Day 16: the first batch that falls short of linear by more
STREAMING = (*LINEAR, "attention")  # parts whose time is bytes, or FLOP; the others are latency
FLOORS = ("weights", "kv")
TERMS = (*FLOORS, "compute", "kernels", "small", "launch")
"""What a step's time is made of, in the order in which it is said.

weights, kv: bytes over the bandwidth roof. compute: where FLOP take longer than those bytes, the
rest. kernels: what linear parts and attention take beyond that. small: norms, rotary, activation
and embedding, which wait for latency and not for bytes. launch: a graph node for each kernel.
"""
BOUND = {
    "memory": ("weights", "kv"),
    "compute": ("compute",),
    "overhead": ("small", "launch"),
}
"""Terms of each bottleneck. What kernels lose under the roof is of none of the three."""
UNKNOWN, UNMEASURED = "not_known", "not_measured"


class DecodePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One batch at one context. Times in seconds of one step; None was not measured.

    ``paper_s`` is max(bytes / B, FLOP / P) by the measured roofs and ``overhead_s`` of the curve;
    ``predicted_s`` the sum of ``terms``, each measured by itself and none fitted to the step.
    ``eager_predicted_s`` is the larger of that and of what the host takes to enqueue the parts.
    """

    batch: int
    flop: float
    weights_bytes: int  # as read: without an input embedding that has its own matrix
    kv_bytes: int
    graph_s: float | None  # the step replayed as one CUDA graph
    eager_s: float | None
    paper_s: float | None
    predicted_s: float | None
    eager_predicted_s: float | None
    terms: dict[str, float]
    bound: str  # "memory" | "compute" | "overhead": the largest of BOUND's sums; "" not known
    status: dict[str, str] = {}

    @property
    def step_s(self) -> float | None:
        """The graph's time; where there are no graphs the eager one."""
        return self.graph_s if self.graph_s is not None else self.eager_s

    @property
    def bytes(self) -> int:
        """What one step must read."""
        return self.weights_bytes + self.kv_bytes

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flop / self.bytes

    @property
    def gbs(self) -> float | None:
        """Bytes that must be read over the step's time."""
        return self.bytes / self.step_s / 1e9 if self.step_s else None

    @property
    def tokens_per_s(self) -> float | None:
        """One token a sequence and step."""
        return self.batch / self.step_s if self.step_s else None

    @property
    def explained(self) -> float | None:
        """Predicted over measured, of the way that ``step_s`` is of."""
        predicted = self.predicted_s if self.graph_s is not None else self.eager_predicted_s
        return predicted / self.step_s if predicted and self.step_s else None


class DecodeCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One model at one context, by rising batch.

    ``gaps``: by how much each batch falls short of linear, 1 - t(1) / t(b) (seed, Day 16).
    ``first_bend`` is the first batch over 5 % of that; ``last_over_first`` the step time of the
    largest batch over that of the smallest. ``growth``: by how much each term grew between the two,
    seconds; None where the parts were not measured. ``reason`` says in a sentence what bends it.
    """

    probe: str
    model: str
    context: int
    layers: int
    layers_of: int
    dtype: str
    points: list[DecodePoint]
    gaps: list[float]
    first_bend: int | None
    last_over_first: float | None
    ai_max: float
    b_star: float | None
    ridge: float | None
    overhead_s: float | None  # of a step at the smallest batch, from its parts alone
    reason: str
    growth: dict[str, float] | None = None
    bandwidth_gbs: float | None = None  # of the measured roofs
    peak_tflops: float | None = None


class _Part(msgspec.Struct, frozen=True):
    """One part of one step as measured: its own time of a call, others taken off."""

    measured: Measurement
    call_s: float

    @property
    def calls(self) -> int:
        """How many a step makes."""
        return self.measured.shape["calls"]

    @property
    def total_s(self) -> float:
        """Of all its calls in a step."""
        return self.calls * self.call_s


class _Apart(msgspec.Struct, frozen=True):
    """What was measured beside the steps of one model: parts by batch and context, the host."""

    parts: dict[tuple[int, int], list[_Part]]
    enqueue_s: float  # of one step's parts; neither batch nor context changes it
    node_s: float  # of a graph


def decode_curves(session: Session, own: Roofs) -> list[DecodeCurve]:
    """Every curve of the reported run, in the order it was measured."""
    found = []
    costs = launch_costs(session)
    node_s = (costs.graph_node_s if costs else None) or 0.0
    for spec in session.specs:
        if spec.protocol != "decode":
            continue
        group = session.group(spec.key)
        apart = _apart([m for m in group if m.op != "decode"], node_s)
        whole = [m for m in group if m.op == "decode"]
        roof = own.roof(spec.peak_key or "", "burst")
        for context in dict.fromkeys(m.shape["context"] for m in whole):
            of_context = [m for m in whole if m.shape["context"] == context]
            found.append(_curve(spec.model, of_context, apart, roof))
    return found


def _apart(measured: Sequence[Measurement], node_s: float) -> _Apart:
    """A part's own time is what a call took, less what stands between two calls."""
    between = {_place(m): time_s(m) for m in measured if m.variant == "between"}
    parts: dict[tuple[int, int], list[_Part]] = {}
    for m in measured:
        if m.variant == "part":
            call_s = max(0.0, time_s(m) - between.get(_place(m), 0.0))
            parts.setdefault(_place(m)[1:], []).append(_Part(m, call_s))
    enqueued = {m.op: m.shape["calls"] * time_s(m) for m in measured if m.variant == "enqueue"}
    return _Apart(parts, sum(enqueued.values()), node_s)


def _place(m: Measurement) -> tuple[str, int, int]:
    return m.op, m.shape["batch"], m.shape["context"]


def _curve(
    model: str,
    whole: Sequence[Measurement],
    apart: _Apart,
    roof: Roof | None,
) -> DecodeCurve:
    first = whole[0]
    context = first.shape["context"]
    batches = sorted({m.shape["batch"] for m in whole})
    points = [_point(b, [m for m in whole if m.shape["batch"] == b], apart, roof) for b in batches]
    floor = points[0]
    overhead_s = None
    if roof is not None and (predicted := floor.predicted_s or floor.eager_predicted_s):
        overhead_s = max(0.0, predicted - _roof_s(floor, roof))
        points = [msgspec.structs.replace(p, paper_s=_roof_s(p, roof) + overhead_s) for p in points]
    base_s = points[0].step_s
    gaps = [1 - base_s / p.step_s if base_s and p.step_s else 0.0 for p in points]
    growth = _growth(points)
    sequence_bytes = floor.kv_bytes / floor.batch
    flop = floor.flop / floor.batch
    ai_max = flop / sequence_bytes
    b_star = None
    if roof is not None and roof.ridge < ai_max:
        b_star = roof.ridge * floor.weights_bytes / (flop - roof.ridge * sequence_bytes)
    last_s = points[-1].step_s
    return DecodeCurve(
        probe=first.probe,
        model=model,
        context=context,
        layers=first.shape["layers"],
        layers_of=first.shape["layers_of"],
        dtype=first.dtype,
        points=points,
        gaps=gaps,
        first_bend=next((p.batch for p, g in zip(points, gaps, strict=True) if g > BENT), None),
        last_over_first=last_s / base_s if last_s and base_s else None,
        ai_max=ai_max,
        b_star=b_star,
        ridge=roof.ridge if roof else None,
        overhead_s=overhead_s,
        growth=growth,
        bandwidth_gbs=roof.bandwidth_gbs if roof else None,
        peak_tflops=roof.peak_tflops if roof else None,
        reason=_reason(points, growth, roof),
    )


def _roof_s(p: DecodePoint, roof: Roof) -> float:
    return p.flop / roof.attainable_tflops(p.intensity) / 1e12


def _point(
    batch: int,
    whole: Sequence[Measurement],
    apart: _Apart,
    roof: Roof | None,
) -> DecodePoint:
    by_variant = {m.variant: m for m in whole}
    graph, eager = by_variant.get("graph"), by_variant.get("eager")
    m = whole[0]
    tensors = {t.name: t.read_bytes for t in m.tensors}
    parts = apart.parts.get((batch, m.shape["context"]), [])
    sum_s = sum(p.total_s for p in parts) if parts else None
    terms = _terms(m, parts, roof, apart.node_s)
    on_graph = graph is not None
    status = {}
    if not on_graph:
        status["graph_s"] = status["predicted_s"] = "not_supported"
    if sum_s is None or roof is None:
        status["terms"] = status["predicted_s"] = UNMEASURED
    eager_s = max(sum_s, apart.enqueue_s) if sum_s is not None else None
    return DecodePoint(
        batch=batch,
        flop=m.flop,
        weights_bytes=tensors["weights"],
        kv_bytes=tensors["kv"],
        graph_s=time_s(graph) if graph else None,
        eager_s=time_s(eager) if eager else None,
        paper_s=None,
        predicted_s=sum_s if on_graph else None,
        eager_predicted_s=eager_s,
        terms=terms,
        bound=_bound(terms),
        status=status,
    )


def _terms(
    step: Measurement, parts: Sequence[_Part], roof: Roof | None, node_s: float
) -> dict[str, float]:
    """The step's time split; every term is measured or computed apart from the step."""
    if roof is None or not parts:
        return {}
    slope, flat = roof.bandwidth_gbs * 1e9, roof.peak_tflops * 1e12
    tensors = {t.name: t.read_bytes for t in step.tensors}
    floors = {name: tensors[name] / slope for name in FLOORS}
    streaming = [p for p in parts if p.measured.op in STREAMING]
    compute = sum(
        p.calls * max(0.0, p.measured.flop / flat - traffic_bytes(p.measured) / slope)
        for p in streaming
    )
    launch = step.shape.get("kernels", 0) * node_s
    own_launch = min(launch, node_s * sum(p.calls for p in streaming))
    streamed = sum(p.total_s for p in streaming)
    small = sum(p.total_s for p in parts) - streamed
    return {
        **floors,
        "compute": compute,
        "kernels": streamed - sum(floors.values()) - compute - own_launch,
        "small": small - (launch - own_launch),
        "launch": launch,
    }


def _bound(terms: dict[str, float]) -> str:
    if not terms:
        return ""
    sums = {bound: sum(terms[t] for t in names) for bound, names in BOUND.items()}
    return max(sums, key=sums.__getitem__)


def _growth(points: Sequence[DecodePoint]) -> dict[str, float] | None:
    first, last = points[0], points[-1]
    if len(points) < 2 or not first.terms or not last.terms:
        return None
    return {t: last.terms[t] - first.terms[t] for t in TERMS}


WORTH_MS = 0.005
SAID = {
    "weights": "weight bytes",
    "kv": "KV bytes",
    "compute": "FLOP beyond what the bytes hide",
    "kernels": "kernels under the roof",
    "small": "small kernels",
    "launch": "launches",
}


def _reason(
    points: Sequence[DecodePoint], growth: dict[str, float] | None, roof: Roof | None
) -> str:
    """What the step's growth from the smallest batch to the largest is made of."""
    first, last = points[0], points[-1]
    if not first.step_s or not last.step_s or growth is None or roof is None:
        return ""
    grew_s = last.step_s - first.step_s
    order = sorted((t for t in growth if growth[t] > 0), key=lambda t: -growth[t])[:3]
    told = [f"{growth[t] * 1e3:.2f} ms {SAID[t]}" for t in order]
    rest_ms = (grew_s - sum(growth[t] for t in order)) * 1e3
    told += [f"{rest_ms:+.2f} ms the rest"] if abs(rest_ms) >= WORTH_MS else []
    head = (
        f"From batch {first.batch} to {last.batch} the step grows by {grew_s * 1e3:.2f} ms, from "
        f"{first.step_s * 1e3:.2f} to {last.step_s * 1e3:.2f}"
    )
    flop_ms = last.flop / roof.peak_tflops / 1e9
    bytes_ms = last.bytes / roof.bandwidth_gbs / 1e6
    hidden = f"The FLOP take {flop_ms:.2f} ms, longer than {bytes_ms:.2f} ms of bytes."
    if flop_ms < bytes_ms:
        hidden = (
            f"The FLOP take {flop_ms:.2f} ms, hidden under {bytes_ms:.2f} ms of bytes: compute is "
            "not what bends it."
        )
    return f"{head}: {', '.join(told)}. {hidden}" if told else f"{head}. {hidden}"
