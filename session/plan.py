"""Card x model on paper: one question that a person can change, and its answer."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.decode import (
    COMPUTE,
    KV,
    WEIGHTS,
    Decode,
    batches,
    decode_of,
    gap_to_linear,
    limited_by,
    peak_key_of,
)
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.price import cost_per_mtok
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.roof import Roof
from roofwatch.session.events import Price
from roofwatch.session.roofs import Roofs

NOMINAL, MEASURED, GIVEN, OF_RIDGE, NONE = "nominal", "measured", "given", "ridge", "none"
MOST_CONTEXT, MOST_BATCH = 100_000_000, 1_000_000
OFF = 0.01  # by which a given ridge may differ from given peak over bandwidth


class PlanError(ValueError):
    """A question that has no answer. The message is one line."""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that a person can change.

    ``card`` and ``model`` are names as they are typed. ``bandwidth_gbs`` (GB/s), ``peak_tflops``
    (TFLOP/s), ``link_gbs`` (GB/s to the host) and ``memory_bytes`` stand in for the card's nominal
    ones; ``measured`` says that the first two were. ``ridge`` is ``nominal``, ``measured`` or
    FLOP/byte; None takes that of the bandwidth and peak in use. ``overhead_s`` is added to every
    step; ``overhead_source`` says whose it is (None: given, where it is not 0). ``reserve`` is the
    share of the memory kept free.
    """

    card: str
    model: str
    context: int = 2048
    weights: str = "fp16"
    kv: str = "fp16"
    batch_max: int = 128
    overhead_s: float = 0.0
    overhead_source: str | None = None
    bandwidth_gbs: float | None = None
    peak_tflops: float | None = None
    ridge: str | float | None = None
    reserve: float = 0.03
    price: Price | None = None
    link_gbs: float | None = None
    memory_bytes: float | None = None
    peak_key: str | None = None  # whose peak_tflops is; None: the card's own for such weights
    measured: bool = False  # bandwidth_gbs and peak_tflops come from a session

    def __post_init__(self) -> None:
        """Raises PlanError for a value that no plan can have."""
        for name, (said, low, high) in _RANGES.items():
            _within(getattr(self, name), said, low, high)
        for name, known in (("weights", WEIGHTS), ("kv", KV)):
            if getattr(self, name) not in known:
                raise PlanError(f"{name} is {getattr(self, name)!r}, none of {', '.join(known)}")
        if isinstance(self.ridge, str):
            if self.ridge not in (NOMINAL, MEASURED):
                raise PlanError(f"ridge is {self.ridge!r}, not nominal, measured or FLOP/byte")
        else:
            _within(self.ridge, "ridge", 1e-3, 1e6)


_RANGES: dict[str, tuple[str, float, float]] = {
    "context": ("context", 1, MOST_CONTEXT),
    "batch_max": ("batch-max", 1, MOST_BATCH),
    "overhead_s": ("overhead (s)", 0, 3600),
    "bandwidth_gbs": ("bandwidth (GB/s)", 1e-3, 1e9),
    "peak_tflops": ("peak (TFLOP/s)", 1e-6, 1e9),
    "reserve": ("reserve", 0, 0.99),
    "link_gbs": ("link (GB/s)", 1e-6, 1e6),
    "memory_bytes": ("memory (bytes)", 1, 1e18),
}


def _within(value: float | None, said: str, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:  # NaN fails this as well
        raise PlanError(f"{said} is {value:.10g}, not from {low:.10g} to {high:.10g}")


class PlanPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One batch. ``bound`` is the largest part of the step: memory, compute or overhead."""

    batch: int
    intensity: float
    bytes: float
    flop: float
    step_s: float
    tokens_per_s: float
    gap_to_linear: float
    bound: str
    fits: bool  # in the memory, as far as that is known
    cost_per_mtok: float | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. ``b_star`` None: no batch reaches the ridge; other nulls have their ``status``.

    ``decode_floor_s`` is the weights alone over the bandwidth; ``load_s`` over the host link, one
    direction. ``cost_per_mtok`` is that of ``cost_batch``, the largest of the curve that fits.
    ``reaches_roof``: some batch reaches the ridge, and fits.
    """

    gpu: str
    model: str
    precision: str  # of the weights
    kv_precision: str
    context: int
    ridge: float
    ridge_nominal: float | None
    bandwidth_gbs: float
    peak_tflops: float
    peak_key: str | None
    figures: str  # of the two together: "nominal" | "measured" | "given"
    bandwidth_from: str  # "nominal" | "measured" | "given" | "ridge": worked out from a given one
    peak_from: str
    params: int
    weights_bytes: float
    kv_bytes_per_token: int
    ai_max: float
    b_star: float | None
    reaches_roof: bool
    batch_memory_cap: int | None
    memory_bytes: float | None
    limited_by: str  # "compute" | "memory" | "ai_max"
    decode_floor_s: float
    overhead_s: float
    overhead_source: str  # "given" | "measured" | "none"
    load_s: float | None
    link_gbs: float | None
    cost_per_mtok: float | None
    cost_batch: int | None
    price: Price | None
    curve: list[PlanPoint]
    notes: list[str] = []
    status: dict[str, str] = {}


def plan(card: Nominal, model: Model, question: Question) -> Plan:
    """The answer for one card and one model; ``question`` names them, but is not asked for them.

    Raises:
        PlanError: the card lacks a figure that the question does not give, in one line.
    """
    q = question
    key = q.peak_key or peak_key_of(q.weights, card.peaks_tflops)
    roof, ridge, notes = _roof(card, key, q)
    decode = decode_of(model, q.context, q.weights, q.kv)
    memory = q.memory_bytes or card.memory_bytes
    cap = decode.memory_cap(memory, q.reserve) if memory else None
    b_star = decode.b_star(ridge)
    ends = limited_by(b_star, cap, q.batch_max)
    link = q.link_gbs or link_gbs(card)
    points = _curve(decode, roof, q, cap)
    cheapest = next((p for p in reversed(points) if p.fits), None)
    notes += _notes(card, model, key, q)
    status = {}
    if memory is None:
        status["batch_memory_cap"] = status["memory_bytes"] = "the card's memory is not known"
    if link is None:
        status["load_s"] = status["link_gbs"] = "the card's host link is not known"
    if q.price is None:
        status["cost_per_mtok"] = "no price"
    elif cheapest is None:
        status["cost_per_mtok"] = "no batch fits in the memory"
    bandwidth_from = _whence(q, q.bandwidth_gbs, q.peak_tflops is not None)
    peak_from = _whence(q, q.peak_tflops, True)
    whence = {bandwidth_from, peak_from}
    nominal = _nominal_ridge(card, key)
    if nominal is None:
        status["ridge_nominal"] = "the card has no nominal bandwidth or no such peak"
    return Plan(
        gpu=card.name,
        model=model.name,
        precision=q.weights,
        kv_precision=q.kv,
        context=q.context,
        ridge=ridge,
        ridge_nominal=nominal,
        bandwidth_gbs=roof.bandwidth_gbs,
        peak_tflops=roof.peak_tflops,
        peak_key=key,
        figures=MEASURED if q.measured else NOMINAL if whence == {NOMINAL} else GIVEN,
        bandwidth_from=bandwidth_from,
        peak_from=peak_from,
        params=model.params,
        weights_bytes=decode.weights_bytes,
        kv_bytes_per_token=model.kv_bytes_per_token(q.kv),
        ai_max=decode.ai_max,
        b_star=b_star,
        reaches_roof=ends == COMPUTE,
        batch_memory_cap=cap,
        memory_bytes=memory,
        limited_by=ends,
        decode_floor_s=decode.floor_s(roof.bandwidth_gbs),
        overhead_s=q.overhead_s,
        overhead_source=q.overhead_source or (GIVEN if q.overhead_s else NONE),
        load_s=decode.weights_bytes / (link * 1e9) if link else None,
        link_gbs=link,
        cost_per_mtok=cheapest.cost_per_mtok if cheapest else None,
        cost_batch=cheapest.batch if cheapest and q.price else None,
        price=q.price,
        curve=points,
        notes=notes,
        status=status,
    )


def _curve(decode: Decode, roof: Roof, q: Question, cap: int | None) -> list[PlanPoint]:
    first_s = decode.step_s(1, roof, q.overhead_s)
    points = []
    for batch in batches(q.batch_max, cap):
        step_s = decode.step_s(batch, roof, q.overhead_s)
        points.append(
            PlanPoint(
                batch=batch,
                intensity=decode.intensity(batch),
                bytes=decode.bytes(batch),
                flop=decode.flop(batch),
                step_s=step_s,
                tokens_per_s=batch / step_s,
                gap_to_linear=gap_to_linear(first_s, step_s),
                bound=decode.bound(batch, roof, q.overhead_s),
                fits=cap is None or batch <= cap,
                cost_per_mtok=cost_per_mtok(q.price.per_hour, batch / step_s) if q.price else None,
            )
        )
    return points


def _nominal_ridge(card: Nominal, key: str | None) -> float | None:
    peak = card.peaks_tflops.get(key or "")
    return peak * 1e3 / card.bandwidth_gbs if peak and card.bandwidth_gbs else None


def _whence(q: Question, given: float | None, of_ridge: bool) -> str:
    """Where a bandwidth or a peak comes from; ``of_ridge``: from a ridge, where one was given."""
    if given is not None:
        return MEASURED if q.measured else GIVEN
    return OF_RIDGE if of_ridge and isinstance(q.ridge, float | int) else NOMINAL


def _roof(card: Nominal, key: str | None, q: Question) -> tuple[Roof, float, list[str]]:
    """The roof that times are worked out with, and the ridge that the batch is held against.

    A ridge in FLOP/byte stands for the peak (or, beside a given peak, for the bandwidth) that was
    not given; beside both it stands alone, and a note says where they differ.
    """
    bandwidth = q.bandwidth_gbs
    peak = q.peak_tflops
    stated = None if isinstance(q.ridge, str) or q.ridge is None else float(q.ridge)
    if stated is not None and bandwidth is None and peak is not None:
        bandwidth = peak * 1e3 / stated
    bandwidth = bandwidth or card.bandwidth_gbs
    if bandwidth is None:
        raise PlanError(f"{card.name}: no bandwidth is known; give one (--bandwidth)")
    if stated is not None and peak is None:
        peak = stated * bandwidth / 1e3
    peak = peak or card.peaks_tflops.get(key or "")
    if peak is None:
        raise PlanError(f"{card.name}: no peak for {q.weights} weights is known; give one (--peak)")
    roof = Roof(bandwidth_gbs=bandwidth, peak_tflops=peak)
    if stated is not None:
        if abs(roof.ridge / stated - 1) > OFF:
            said = f"ridge {stated:g} was given; bandwidth and peak make {roof.ridge:.0f}"
            return roof, stated, [said]
        return roof, stated, []
    if q.ridge == NOMINAL:
        nominal = _nominal_ridge(card, key)
        if nominal is None:
            raise PlanError(f"{card.name}: no nominal ridge for {q.weights} weights is known")
        return roof, nominal, []
    if q.ridge == MEASURED and (q.bandwidth_gbs is None or q.peak_tflops is None):
        raise PlanError("a measured ridge needs a session, or both a bandwidth and a peak")
    return roof, roof.ridge, []


def _notes(card: Nominal, model: Model, key: str | None, q: Question) -> list[str]:
    notes = []
    given = q.peak_tflops is not None and q.peak_key is None
    if q.weights != "fp16" and key not in (None, q.weights) and not given:
        notes.append(f"{q.weights} weights are unpacked and multiplied as {key}")
    if card.origin == "derived" and card.note:
        notes.append(f"{card.name}: {card.note}")
    if model.note:
        notes.append(f"{model.name}: {model.note}")
    return notes


def with_measured(question: Question, own: Roofs, memory_bytes: float | None = None) -> Question:
    """The question with a session's bandwidth and peak in place of the nominal ones.

    Raises:
        PlanError: the session has no bandwidth, or no peak for such weights.
    """
    measured = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops}
    key = peak_key_of(question.weights, measured)
    if own.bandwidth_gbs is None or key is None:
        lacks = "bandwidth" if own.bandwidth_gbs is None else f"peak for {question.weights} weights"
        raise PlanError(f"the session has measured no {lacks}")
    return msgspec.structs.replace(
        question,
        bandwidth_gbs=own.bandwidth_gbs,
        peak_tflops=measured[key],
        peak_key=key,
        memory_bytes=memory_bytes or question.memory_bytes,
        ridge=MEASURED if question.ridge is None else question.ridge,
        measured=True,
    )


def card_named(name: str, cards: Cards) -> Nominal:
    """The one card of that name. Raises PlanError for an unknown or an ambiguous one."""
    found = cards.known(name).candidates
    if len(found) == 1:
        return found[0]
    said = repr(name[:60])
    if found:
        names = ", ".join(card.name for card in found[:6])
        raise PlanError(f"{said} may be {names}: say which card")
    near = cards.near(name)
    raise PlanError(f"no card is called {said}" + (f"; like it: {', '.join(near)}" if near else ""))
