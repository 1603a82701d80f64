"""The links of a session: host and card, card and card, and the host's own memory beside them."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from roofwatch.roofline.line_fit import FEWEST, line_fit
from roofwatch.roofline.links import (
    BOTH_WAYS,
    D2H,
    DUPLEX,
    H2D,
    PEER_DUPLEX,
    pcie_gbs,
)
from roofwatch.roofline.probe_spec import PAGEABLE, PINNED
from roofwatch.roofline.size_said import size_said
from roofwatch.session.conditions import span_of
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.health import CardHealth, CardPair
from roofwatch.session.link_names import C2C, NVLINK, PCIE, THROUGH_HOST, UNKNOWN
from roofwatch.session.link_nominal import nominal_link_gbs
from roofwatch.session.rates import gbs, time_s

HOST = "host"
ONE_WAY, BOTH = "one way", "both ways"
PEERS = "peer"
MEMORY = "memory"
ONE, MANY = "memcpy", "memcpy all threads"
KINDS = ((H2D, PINNED), (D2H, PINNED), (DUPLEX, PINNED), (H2D, PAGEABLE), (D2H, PAGEABLE))


class LinkSize(NamedTuple):
    """One size: bytes of a copy (of both ways each way), GB/s together, seconds."""

    bytes: int
    gbs: float
    time_s: float


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of copy over one link.

    ``gbs`` is that of the largest copy, or of the one that was held for a second; of ``both ways``
    the two together, of the host's memory the bytes read and those written. ``nominal_gbs`` is the
    link's as sold, ``carries_gbs`` what generation and lanes, as read under load, would carry, in
    one direction. ``latency_s`` is the part of a copy's time that does not grow with its size.
    """

    source: str = msgspec.field(name="from")
    sink: str = msgspec.field(name="to")
    kind: str  # "pinned" | "pageable" | "peer" | "memcpy" | "memcpy all threads"
    direction: str  # "one way" | "both ways"
    link: str  # a key of LINK_NAMES, of the host's own copies "memory"
    bytes: int
    gbs: float
    nominal_gbs: float | None
    of_nominal: float | None
    latency_s: float | None
    gen: int | None = None
    lanes: int | None = None
    carries_gbs: float | None = None
    ancestor: str | None = None  # of two cards: what of PCIe they share
    within_expected: bool | None = None
    sizes: list[LinkSize] = []
    status: dict[str, str] = {}


def links(session: Session, run: int | None = None) -> list[Link]:
    """Every link that one run (the reported one by default) measured: host, peers, memory."""
    wanted = run or session.reported_run
    held = {m.probe: m for m in session.measured(wanted)}
    points = session.group("transfers", wanted)
    found = []
    for op, memory in KINDS:
        of = [m for m in points if (m.op, m.variant) == (op, memory)]
        one = held.get(f"{op}-{memory}")
        if one is not None or of:
            found.append(_host_link(session, op, memory, one, of))
    return [_told(link) for link in (*found, *_peers(session, wanted), *_memory(session, wanted))]


def _told(link: Link) -> Link:
    """With a status for what else is null: no expectation, or nothing between two cards."""
    nulls = (n for n in link.__struct_fields__ if getattr(link, n) is None)
    whys = {n: "not_applicable" if n == "ancestor" else "not_known" for n in nulls}
    return msgspec.structs.replace(link, status=whys | link.status)


def loaded(session: Session, m: Measurement) -> CardHealth | None:
    """The card's condition as telemetry read it within that very probe's span; else None."""
    told = session.health.get(m.probe)
    if told is None:
        return None
    begin, end = span_of(session, m)
    return told[1] if begin <= told[0] <= end else None


def under_load(session: Session, run: int | None = None) -> CardHealth | None:
    """The last reading of the link under load in a run."""
    of_run = session.measured(run or session.reported_run)
    found = [h for m in of_run if (h := loaded(session, m)) is not None]
    return found[-1] if found else None


def point_name(m: Measurement) -> str:
    """What tells a copy of a group from its neighbours."""
    size = size_said(m.shape.get("bytes", 0))
    if m.cards is not None:
        arrow = "<>" if m.op == PEER_DUPLEX else ">"
        return f"{m.cards[0]} {arrow} {m.cards[1]} {m.variant or ''} {size}".replace("  ", " ")
    return f"{m.op} {m.variant or ''} {size}".replace("  ", " ")


def _sizes(points: list[Measurement]) -> list[LinkSize]:
    found = [LinkSize(m.shape["bytes"], gbs(m), time_s(m)) for m in points]
    return sorted(found)


def _latency(sizes: list[LinkSize]) -> tuple[float | None, dict[str, str]]:
    """Seconds of a copy that do not grow with it; why not, where the sizes do not tell them."""
    found = line_fit([each.bytes for each in sizes], [each.time_s for each in sizes])
    if found is None or found.beta_gbs is None or not found.alpha_s:
        return None, {"latency_s": "too_few" if len(sizes) < FEWEST else "not_known"}
    return found.alpha_s, {}


def _host_link(
    session: Session, op: str, memory: str, one: Measurement | None, points: list[Measurement]
) -> Link:
    sizes = _sizes(points)
    latency_s, status = _latency(sizes)
    nominal = nominal_link_gbs(session, op)
    rate = gbs(one) if one else sizes[-1].gbs
    health = loaded(session, one) if one else None
    health = health or under_load(session)
    expect = session.expect(one.probe, one.run) if one else None
    own = f"card {session.device.index}" if session.device.index is not None else "card"
    ends = (own, HOST) if op == D2H else (HOST, own)
    gen, lanes = (health.pcie_gen, health.pcie_lanes) if health else (None, None)
    for name, value in (("gen", gen), ("lanes", lanes)):
        if value is None:
            status[name] = health.status.get(f"pcie_{name}", "error") if health else "not_measured"
    carries = pcie_gbs(gen, lanes)
    if carries is None:
        status["carries_gbs"] = status.get("gen", "not_known")
    if nominal is None:
        status["nominal_gbs"] = status["of_nominal"] = "not_known"
    coherent = bool(session.nominal and session.nominal.c2c_gbs)
    return Link(
        source=ends[0],
        sink=ends[1],
        kind=memory,
        direction=BOTH if op in BOTH_WAYS else ONE_WAY,
        link=C2C if coherent else PCIE,
        bytes=one.shape["bytes"] if one else sizes[-1].bytes,
        gbs=rate,
        nominal_gbs=nominal,
        of_nominal=rate / nominal if nominal else None,
        latency_s=latency_s,
        gen=gen,
        lanes=lanes,
        carries_gbs=carries,
        within_expected=expect.holds(rate) if expect else None,
        sizes=sizes,
        status=status,
    )


# -- between cards -----------------------------------------------------------------------------


def index_of(session: Session, ordinal: int) -> int | None:
    """NVML's index of the card that torch counts so, by its UUID; None where that is not told."""
    uuid = next((d.uuid for d in session.visible if d.index == ordinal), None)
    cards = (session.told_by("telemetry"), *session.neighbours)
    known = {d.uuid.lower(): d.index for d in cards if d is not None and d.uuid}
    return known.get(uuid.lower()) if uuid else None


def _named(session: Session, ordinal: int) -> str:
    index = index_of(session, ordinal)
    return f"cuda:{ordinal}" if index is None else f"card {index}"


def _pair(session: Session, ordinals: tuple[int, int]) -> CardPair | None:
    ends = {index_of(session, ordinal) for ordinal in ordinals}
    told = (health for _, health in session.health.values() if health.pairs)
    pairs = next(told, None)
    return next((p for p in pairs.pairs if {p.a, p.b} == ends), None) if pairs else None


def _peers(session: Session, run: int) -> list[Link]:
    of: dict[tuple[tuple[int, int], str], list[Measurement]] = {}
    for m in session.group("peers", run):
        if m.cards is not None:
            of.setdefault((m.cards, m.op), []).append(m)
    return [_peer(session, cards, op, points) for (cards, op), points in sorted(of.items())]


def _peer(session: Session, cards: tuple[int, int], op: str, points: list[Measurement]) -> Link:
    sizes = _sizes(points)
    latency_s, status = _latency(sizes)
    pair = _pair(session, cards)
    which = _meets(pair, points[0].variant)
    nominal = _peer_nominal(session, which, op)
    if nominal is None:
        status["nominal_gbs"] = status["of_nominal"] = "not_known"
    if pair is None:
        status["ancestor"] = "not_measured"
    elif pair.ancestor is None:
        status["ancestor"] = pair.status.get("ancestor", "error")
    last = sizes[-1]
    return Link(
        source=_named(session, cards[0]),
        sink=_named(session, cards[1]),
        kind=PEERS,
        direction=BOTH if op in BOTH_WAYS else ONE_WAY,
        link=which,
        bytes=last.bytes,
        gbs=last.gbs,
        nominal_gbs=nominal,
        of_nominal=last.gbs / nominal if nominal else None,
        latency_s=latency_s,
        ancestor=pair.ancestor if pair else None,
        sizes=sizes,
        status=status | dict.fromkeys(("gen", "lanes", "carries_gbs"), "not_measured"),
    )


def _meets(pair: CardPair | None, variant: str | None) -> str:
    """Over what two cards copy: the driver's word for NVLink, torch's for the way round."""
    if variant == "staged":
        return THROUGH_HOST
    if pair is None or pair.nvlink is None:
        return UNKNOWN
    return NVLINK if pair.nvlink else PCIE


def _peer_nominal(session: Session, which: str, op: str) -> float | None:
    """Of NVLink all links of one card; of PCIe the card's own; nothing is sold of the way round."""
    nominal = session.nominal
    if which == NVLINK and nominal is not None and nominal.nvlink_gbs:
        return nominal.nvlink_gbs * (2 if op in BOTH_WAYS else 1)
    return nominal_link_gbs(session, op) if which == PCIE else None


def _memory(session: Session, run: int) -> list[Link]:
    points = session.group("memcpy", run)
    found = []
    for variant, kind in (("one thread", ONE), ("all threads", MANY)):
        sizes = _sizes([m for m in points if m.variant == variant])
        if not sizes:
            continue
        latency_s, status = _latency(sizes)
        unsold = ("nominal_gbs", "of_nominal", "gen", "lanes", "carries_gbs")
        found.append(
            Link(
                source=HOST,
                sink=HOST,
                kind=kind,
                direction=ONE_WAY,
                link=MEMORY,
                bytes=sizes[-1].bytes,
                gbs=sizes[-1].gbs,
                nominal_gbs=None,
                of_nominal=None,
                latency_s=latency_s,
                sizes=sizes,
                status=status | dict.fromkeys(unsold, "not_known"),
            )
        )
    return found
