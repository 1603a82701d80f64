"""Card x model on paper: one question that a person can change, and its answer."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.decode import (
    COMPUTE,
    KV,
    RESERVE,
    WEIGHTS,
    at_roof,
    batches,
    decode_of,
    limited_by,
    peak_key_of,
)
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.parallel import MOST_CARDS, Peers, share_of
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.roof import Roof
from roofwatch.session.events import Price
from roofwatch.session.plan_notes import notes_of
from roofwatch.session.plan_parallel import (
    ScalePoint,
    latency_cards,
    latency_from,
    latency_most,
    link_of,
    node_cards,
    notes_of_link,
    scaling,
    sharing_host,
)
from roofwatch.session.plan_step import PlanPoint, PlanStep

NOMINAL, MEASURED, GIVEN, OF_RIDGE, NONE = "nominal", "measured", "given", "ridge", "none"
PARTLY = "partly measured"  # of bandwidth and peak one is nominal
DERIVED = "derived"  # from a device's properties, or a slice's from its whole card
OF_ROOF = "roof"  # a ridge that is peak over bandwidth
LONGEST = 60  # characters of a text that a refusal repeats
MOST_CONTEXT, MOST_BATCH = 100_000_000, 1_000_000


class PlanError(ValueError):
    """A question that has no answer. The message is one line."""


class NoLink(PlanError):
    """Several cards, and nothing is known of how they meet: one card has a plan."""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that a person can change.

    ``card`` and ``model`` are names as they are typed. ``bandwidth_gbs`` (GB/s), ``peak_tflops``
    (TFLOP/s), ``link_gbs`` (GB/s to the host) and ``memory_bytes`` stand in for the card's nominal
    ones; ``bandwidth_measured`` and ``peak_measured`` (``burst`` or ``sustained``) say which a
    session did, ``bandwidth_slowest_of`` and ``peak_slowest_of`` of how many ranks of a fleet it is
    the least (0: one card's own). ``ridge`` is ``nominal``, ``measured`` or FLOP/byte
    (``ridge_source`` says whose; None: given) and decides b* alone; None takes that of the
    bandwidth and peak in use. ``overhead_s`` is added to every step; ``overhead_source`` says whose
    (None: given, where it is not 0). ``reserve`` is the share of the memory kept free.
    ``tp`` cards share each layer; ``host_ranks`` of them are processes that share the memory of one
    host (0: each card has its own). ``peer_gbs`` (GB/s of one card in one direction;
    ``peer_source``: whose, None: given) stands in for their nominal link; ``peer_said`` is what was
    measured there in words. ``peer_latency_s`` is that of one all-reduce (None: not known;
    ``peer_ranks``: by a
    line through times over so many cards, ``peer_off`` the median distance of a time from it, as a
    share; ``peer_least_s`` the shortest), ``peer_hop_s`` that of each copy in its ring; for
    ``peer_fewest`` to ``peer_most`` cards, else ``peer_other`` (of ``peer_other_ranks``).
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
    reserve: float = RESERVE
    price: Price | None = None
    link_gbs: float | None = None
    memory_bytes: float | None = None
    peak_key: str | None = None  # whose peak_tflops is; None: the card's own for such weights
    bandwidth_measured: bool = False
    peak_measured: str | None = None
    bandwidth_slowest_of: int = 0
    peak_slowest_of: int = 0
    ridge_source: str | None = None
    host_ranks: int = 0
    tp: int = 1
    peer_gbs: float | None = None
    peer_latency_s: float | None = None
    peer_hop_s: float = 0.0
    peer_ranks: int = 0
    peer_off: float = 0.0
    peer_least_s: float = 0.0
    peer_source: str | None = None
    peer_said: str = ""
    peer_fewest: int = 2
    peer_most: int = MOST_CARDS
    peer_other: Peers | None = None
    peer_other_ranks: int = 0

    @property
    def measured(self) -> bool:
        """Whether a session's figures stand in for nominal ones."""
        return self.bandwidth_measured or self.peak_measured is not None

    def __post_init__(self) -> None:
        """Raises PlanError for a value that no plan can have."""
        for name, (said, low, high) in RANGES.items():
            if name != "ridge":
                _within(getattr(self, name), said, low, high)
        for name, known in (("weights", WEIGHTS), ("kv", KV)):
            if getattr(self, name) not in known:
                said = brief(getattr(self, name))
                raise PlanError(f"{name} is {said}, none of {', '.join(known)}")
        if isinstance(self.ridge, str):
            if self.ridge not in (NOMINAL, MEASURED):
                raise PlanError(f"ridge is {brief(self.ridge)}, not nominal, measured or FLOP/byte")
        else:
            _within(self.ridge, *RANGES["ridge"])


def brief(text: str) -> str:
    """A text as a refusal repeats it: quoted, and cut where it is long."""
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "...")


RANGES: dict[str, tuple[str, float, float]] = {
    "context": ("context", 1, MOST_CONTEXT),
    "batch_max": ("batch-max", 1, MOST_BATCH),
    "overhead_s": ("overhead (s)", 0, 3600),
    "bandwidth_gbs": ("bandwidth (GB/s)", 1e-3, 1e9),
    "peak_tflops": ("peak (TFLOP/s)", 1e-6, 1e9),
    "reserve": ("reserve", 0, 0.99),
    "link_gbs": ("link (GB/s)", 1e-6, 1e6),
    "memory_bytes": ("memory (bytes)", 1, 1e18),
    "ridge": ("ridge (FLOP/byte)", 1e-3, 1e6),
    "tp": ("tp", 1, MOST_CARDS),
    "peer_gbs": ("link-gbs (GB/s)", 1e-6, 1e6),
    "peer_latency_s": ("link-latency (s)", 0, 1),
}
"""Of each field: what it is called, its least and its most."""


def _within(value: float | None, said: str, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:  # NaN fails this as well
        raise PlanError(f"{said} is {value:.10g}, not from {low:.10g} to {high:.10g}")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. ``b_star`` None: no batch reaches the ridge; other nulls have their ``status``.

    ``decode_floor_s`` is the weights alone over the bandwidth; ``load_s`` over the host link, one
    direction. ``cost_per_mtok`` is that of ``cost_batch``, the largest of the curve that fits;
    ``cheapest_batch`` is the first that makes a token as cheap as it gets on this card.
    ``reaches_roof``: some batch reaches the ridge, and fits. ``ridge_from`` is ``roof`` where the
    ridge is peak over bandwidth, which is ``roof_ridge``. ``landmarks`` are the batches of b* and
    of the full memory where the curve lacks them. Of ``tp`` cards the memory and the floor are one
    card's; ``scaling`` has other numbers of cards, ``pays_to`` by batch the most that still help.
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
    figures: str  # of both: "nominal" | "derived" | "measured" | "partly measured" | "given"
    bandwidth_from: str  # as figures, or "ridge": worked out from a given one
    peak_from: str
    bandwidth_slowest_of: int = 0  # ranks of a fleet; 0: one card's own
    peak_slowest_of: int = 0
    peak_flat: str  # "burst" | "sustained" of a measured one, else as peak_from
    ridge_from: str  # "roof" | "nominal" | "measured" | "given"
    roof_ridge: float
    params: int
    weights_bytes: float
    kv_bytes_per_token: int
    ai_max: float
    b_star: float | None
    reaches_roof: bool
    batch_memory_cap: int | None
    memory_bytes: float | None
    memory_shared_by: int = 0  # ranks of one host that have its memory together; 0: each its own
    limited_by: str  # "compute" | "memory" | "ai_max"
    decode_floor_s: float
    overhead_s: float
    overhead_source: str  # "given" | "measured" | "none"
    load_s: float | None
    link_gbs: float | None
    cost_per_mtok: float | None
    cost_batch: int | None
    cheapest_per_mtok: float | None
    cheapest_batch: int | None
    price: Price | None
    curve: list[PlanPoint]
    landmarks: list[PlanPoint] = []
    tp: int = 1
    peer_gbs: float | None = None  # between the cards, one direction
    peer_latency_s: float = 0.0  # of one all-reduce over tp cards
    peer_from: str = NONE  # "given" | "measured" | "nvlink" | "pcie" | "none"
    latency_from: str = NONE  # "given" | "measured" | "fitted" | "none": then steps are shortest
    peer_off: float = 0.0  # of a fitted line: the median distance of a time from it, as a share
    peer_least_s: float = 0.0  # what each all-reduce takes at least, as measured
    latency_cards: int = 0  # of how many cards it is; 0: it is counted hop by hop, or not at all
    latency_most: int = 0  # cards beyond which it is longer than counted; 0: there are no such
    node_cards: int = 0  # beyond which cards of another node are needed; 0: not known
    scaling: list[ScalePoint] = []
    pays_to: dict[int, int] = {}
    notes: list[str] = []
    doubts: list[str] = []  # those of the notes that say which measured roof is not to be believed
    status: dict[str, str] = {}


def plan(card: Nominal, model: Model, question: Question) -> Plan:
    """The answer for one card and one model; ``question`` names them, but is not asked for them.

    Raises:
        PlanError: the card lacks a figure that the question does not give, in one line.
    """
    q = question
    key = q.peak_key or peak_key_of(q.weights, card.peaks_tflops)
    roof, ridge, ridge_from = _roof(card, key, q)
    whole = decode_of(model, q.context, q.weights, q.kv)
    decode = share_of(whole, model, q.tp)
    between = link_of(card, q)
    if q.tp > 1 and between.peers is None:
        raise NoLink(f"{card.name}: no link to other cards is known; give one (--link-gbs)")
    sharing = 1 if q.memory_bytes else sharing_host(q, q.tp)
    held = q.memory_bytes or card.memory_bytes
    memory = held / sharing if held else None
    cap = decode.memory_cap(memory, q.reserve) if memory else None
    b_star = decode.b_star(ridge)
    ends = limited_by(b_star, cap, q.batch_max)
    link = q.link_gbs or link_gbs(card)
    step = PlanStep(decode, model, roof, q, cap, between.peers)
    points = step.points(batches(q.batch_max, cap))
    largest = next((p for p in reversed(points) if p.fits), None)
    marks = {p.batch for p in points}
    marks = {b for b in (cap, at_roof(b_star)) if b and b <= MOST_BATCH and b not in marks}
    landmarks = step.points(sorted(marks))
    least = step.cheapest()
    scaled = scaling(whole, model, roof, q, between.peers, held)
    status = {}
    if memory is None:
        status["batch_memory_cap"] = status["memory_bytes"] = "the card's memory is not known"
    if link is None:
        status["load_s"] = status["link_gbs"] = "the card's host link is not known"
    status |= _no_cost(q, largest, least)
    bandwidth_from = _whence(card, q.bandwidth_gbs, q.bandwidth_measured, card.bandwidth_gbs)
    known = card.peaks_tflops.get(key or "")
    peak_from = _whence(card, q.peak_tflops, q.peak_measured is not None, known)
    whence = {bandwidth_from, peak_from}
    nominal = _nominal_ridge(card, q)
    if nominal is None:
        status["ridge_nominal"] = "the card has no nominal bandwidth or no such peak"
    if between.peers is None:
        status["peer_gbs"] = "one card"
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
        figures=_together(whence),
        bandwidth_from=bandwidth_from,
        peak_from=peak_from,
        bandwidth_slowest_of=q.bandwidth_slowest_of if bandwidth_from == MEASURED else 0,
        peak_slowest_of=q.peak_slowest_of if peak_from == MEASURED else 0,
        peak_flat=q.peak_measured or peak_from,
        ridge_from=ridge_from,
        roof_ridge=roof.ridge,
        params=model.params,
        weights_bytes=whole.weights_bytes,
        kv_bytes_per_token=model.kv_bytes_per_token(q.kv),
        ai_max=decode.ai_max,
        b_star=b_star,
        reaches_roof=ends == COMPUTE,
        batch_memory_cap=cap,
        memory_bytes=memory,
        memory_shared_by=sharing if sharing > 1 else 0,
        limited_by=ends,
        decode_floor_s=decode.floor_s(roof.bandwidth_gbs),
        overhead_s=q.overhead_s,
        overhead_source=q.overhead_source or (GIVEN if q.overhead_s else NONE),
        load_s=decode.weights_bytes / (link * 1e9) if link else None,
        link_gbs=link,
        cost_per_mtok=largest.cost_per_mtok if largest else None,
        cost_batch=largest.batch if largest and q.price else None,
        cheapest_per_mtok=least.cost_per_mtok if least else None,
        cheapest_batch=least.batch if least and q.price else None,
        price=q.price,
        curve=points,
        landmarks=landmarks,
        tp=q.tp,
        peer_gbs=between.peers.link_gbs if between.peers else None,
        peer_latency_s=between.peers.waits_s(q.tp) if between.peers else 0.0,
        peer_from=between.whence,
        latency_from=latency_from(q),
        peer_off=q.peer_off if q.tp > 1 else 0.0,
        peer_least_s=between.peers.least_s if between.peers else 0.0,
        latency_cards=latency_cards(q),
        latency_most=latency_most(q),
        node_cards=node_cards(q),
        scaling=scaled.rows,
        pays_to=scaled.pays_to,
        notes=[*notes_of(card, model, key, q), *notes_of_link(model, q, between)],
        status=status,
    )


def _together(whence: set[str]) -> str:
    """Of bandwidth and peak together."""
    if whence in ({MEASURED, NOMINAL}, {MEASURED, DERIVED}):
        return PARTLY
    return next(iter(whence)) if whence in ({MEASURED}, {NOMINAL}, {DERIVED}) else GIVEN


def _no_cost(q: Question, largest: PlanPoint | None, least: PlanPoint | None) -> dict[str, str]:
    """Why each field of the cost is null, of those that are."""
    of_least = ("cheapest_per_mtok", "cheapest_batch")
    of_both = ("cost_per_mtok", "cost_batch", *of_least)
    if q.price is None:
        return dict.fromkeys((*of_both, "price"), "no price")
    if largest is None:
        return dict.fromkeys(of_both, "no batch fits in the memory")
    return {} if least else dict.fromkeys(of_least, "the card's memory is not known")


def _nominal_ridge(card: Nominal, q: Question) -> float | None:
    """That of the card's own peak for such weights, whichever a session has measured."""
    peak = card.peaks_tflops.get(peak_key_of(q.weights, card.peaks_tflops) or "")
    return peak * 1e3 / card.bandwidth_gbs if peak and card.bandwidth_gbs else None


def _whence(card: Nominal, asked: float | None, measured: bool, known: float | None) -> str:
    """Where a bandwidth or a peak comes from."""
    if asked is not None:
        return MEASURED if measured else GIVEN
    if known is None:
        return OF_RIDGE
    return DERIVED if card.origin == DERIVED else NOMINAL


def _roof(card: Nominal, key: str | None, q: Question) -> tuple[Roof, float, str]:
    """The roof that times are worked out with, the ridge that decides b*, and whose ridge it is.

    A ridge that the question names never moves a bandwidth or a peak that is known. One that nobody
    knows is worked out from a ridge in FLOP/byte.
    """
    stated = float(q.ridge) if isinstance(q.ridge, float | int) else None
    bandwidth = q.bandwidth_gbs or card.bandwidth_gbs
    peak = q.peak_tflops or card.peaks_tflops.get(key or "")
    if bandwidth is None and peak is not None and stated is not None:
        bandwidth = peak * 1e3 / stated
    if bandwidth is None:
        raise PlanError(f"{card.name}: no bandwidth is known; give one (--bandwidth)")
    if peak is None and stated is not None:
        peak = stated * bandwidth / 1e3
    if peak is None:
        raise PlanError(f"{card.name}: no peak for {q.weights} weights is known; give one (--peak)")
    roof = Roof(bandwidth_gbs=bandwidth, peak_tflops=peak)
    if stated is not None:
        return roof, stated, q.ridge_source or GIVEN
    if q.ridge == NOMINAL:
        nominal = _nominal_ridge(card, q)
        if nominal is None:
            raise PlanError(f"{card.name}: no nominal ridge for {q.weights} weights is known")
        return roof, nominal, NOMINAL
    if q.ridge == MEASURED and (q.bandwidth_gbs is None or q.peak_tflops is None):
        raise PlanError("a measured ridge needs a session, or both a bandwidth and a peak")
    return roof, roof.ridge, OF_ROOF
