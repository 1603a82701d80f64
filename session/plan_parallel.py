"""A plan over several cards: by which link they meet, what each step exchanges, where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from roofwatch.roofline.decode import Decode
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.parallel import (
    Peers,
    decode_splits,
    doublings,
    pays_to,
    prefill_splits,
    share_of,
)
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.roof import Roof
from roofwatch.roofline.time_said import time_said
from roofwatch.session.link_names import LINK_NAMES, NVLINK, PCIE
from roofwatch.session.three_digits import three_digits

if TYPE_CHECKING:
    from roofwatch.session.plan import Question

GIVEN, MEASURED, NONE = "given", "measured", "none"
FITTED = "fitted"  # a latency that no time is: where a line through measured ones begins
TRUSTED = 0.10  # assumed: of the kept fleets' all-reduces a line is off by 4 to 7 %


class Link(NamedTuple):
    """Between the cards of a plan; ``peers`` None where there is one card, or nothing is known."""

    peers: Peers | None
    whence: str  # "given" | "measured" | "nvlink" | "pcie" (both nominal) | "none"


class ScalePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A decode step of one batch on ``tp`` cards, and a prefill of the context of one sequence.

    ``speedup`` is over one card, whether the model fits there or not; ``efficiency`` is it over
    ``tp``. ``fits``: weights and batch, as far as the memory is known. ``break_even_s`` is the
    latency of one all-reduce from which on the cards are no faster than one (null of one card).
    """

    tp: int
    batch: int
    step_s: float
    comm_s: float
    tokens_per_s: float
    speedup: float
    efficiency: float
    fits: bool
    prefill_s: float
    prefill_comm_s: float
    break_even_s: float | None = None


class Scaling(NamedTuple):
    """The rows, and for each of their batches the most cards that still make a step shorter."""

    rows: list[ScalePoint]
    pays_to: dict[int, int]


def link_of(card: Nominal, q: Question) -> Link:
    """What was given or measured, else NVLink as printed, else the card's PCIe.

    A latency only where one was given or measured: none is printed anywhere.
    """
    if q.tp == 1:
        return Link(None, NONE)
    known = q.peer_gbs if q.peer_gbs is not None else card.nvlink_gbs or link_gbs(card)
    if known is None:
        return Link(None, NONE)
    peers = Peers(
        link_gbs=known,
        latency_s=q.peer_latency_s or 0.0,
        hop_s=q.peer_hop_s,
        least_s=q.peer_least_s,
        fewest=q.peer_fewest,
        most=q.peer_most,
        other=q.peer_other,
    )
    if q.peer_gbs is not None:
        return Link(peers, q.peer_source or GIVEN)
    return Link(peers, NVLINK if card.nvlink_gbs else PCIE)


def latency_from(q: Question) -> str:
    """Whose latency is counted: ``given``, ``measured``, ``fitted``, or ``none`` is."""
    if q.tp == 1 or (q.peer_latency_s is None and not q.peer_hop_s):
        return NONE
    if q.peer_hop_s:
        return MEASURED
    return FITTED if q.peer_ranks else GIVEN


def latency_cards(q: Question) -> int:
    """Of how many cards the latency counted is: over more an all-reduce waits longer.

    0: none is counted, or it is counted hop by hop and grows with the cards.
    """
    if latency_from(q) == NONE or q.peer_hop_s:
        return 0
    return q.peer_ranks or q.tp


def latency_most(q: Question) -> int:
    """Cards beyond which no latency was measured that is as long; 0: there are no such."""
    of = latency_cards(q)
    return max(of, q.peer_other_ranks) if latency_from(q) == FITTED else of


def sharing_host(q: Question, cards: int) -> int:
    """Of so many "cards" those of one host that have its memory together: 1 where each has its own.

    What runs on a CPU has none of its own.
    """
    return max(1, min(cards, q.host_ranks))


def node_cards(q: Question) -> int:
    """Cards of one node, where those of more meet by another link; 0: that is not known."""
    if q.tp == 1 or q.peer_other is None:
        return 0
    return q.peer_fewest - 1 if q.peer_fewest > 2 else q.peer_most


def scaling(
    decode: Decode,
    model: Model,
    roof: Roof,
    q: Question,
    peers: Peers | None,
    memory_bytes: float | None,
) -> Scaling:
    """Of 1, 2, 4, 8 and the asked number of cards, at batch 1 and at the largest of the curve."""
    if peers is None:
        return Scaling([], {})
    cards = doublings(q.tp)
    prefills = prefill_splits(decode, model, roof, q.context, peers, cards)
    rows: list[ScalePoint] = []
    ends: dict[int, int] = {}
    for batch in sorted({1, q.batch_max}):
        splits = decode_splits(decode, model, roof, batch, peers, cards, q.overhead_s)
        ends[batch] = pays_to(splits)
        for split, prefill in zip(splits, prefills, strict=True):
            part = share_of(decode, model, split.cards)
            shared = 1 if q.memory_bytes else sharing_host(q, split.cards)
            held = memory_bytes / shared if memory_bytes else None
            fits = held is None or batch <= part.memory_cap(held, q.reserve)
            rows.append(
                ScalePoint(
                    tp=split.cards,
                    batch=batch,
                    step_s=split.step_s,
                    comm_s=split.comm_s,
                    tokens_per_s=batch / split.step_s,
                    speedup=split.speedup,
                    efficiency=split.efficiency,
                    fits=fits,
                    prefill_s=prefill.step_s,
                    prefill_comm_s=prefill.comm_s,
                    break_even_s=split.break_even_s,
                )
            )
    return Scaling(rows, ends)


def _of_other_cards(q: Question, other: Peers) -> str:
    node = node_cards(q)
    which = "more than" if q.tp <= node else "up to"
    of = "several nodes" if q.tp <= node else "one node"
    said = f"{which} {node} cards are of {of}: their rows go by "
    ranks = q.peer_other_ranks
    said += f"an all-reduce of {ranks} ranks, " if ranks else "copies there, "
    said += f"{three_digits(other.link_gbs)} GB/s"
    if q.peer_latency_s is not None and latency_from(q) == GIVEN:
        return f"{said} and the latency that was given"
    late_s = other.waits_s(ranks or 2)
    return f"{said} and {time_said(late_s)}{'' if ranks else ' of 2 cards'}" if late_s else said


def _of_other_numbers(q: Question) -> list[str]:
    """That other numbers of cards wait longer or less, where their rows have one latency."""
    most, of, node = latency_most(q), latency_cards(q), node_cards(q)
    # Beyond a node, or within one, rows have the latency of the other link.
    alike = [n for n in doublings(q.tp) if not node or (n <= node) == (q.tp <= node)]
    told = []
    if any(1 < n < of for n in alike):
        told.append("over fewer an all-reduce may wait less")
    longer = most > 0 and doublings(q.tp)[-1] > most
    if longer and not q.peer_other_ranks:
        told.append("over more an all-reduce waits longer")
    said = [f"the latency is that of {of} cards; {', '.join(told)}, which is not counted"]
    said = said if told else []
    if longer and q.peer_other_ranks:
        over = f"no more were measured; over {most} an all-reduce waits longer"
        said.append(f"{over}, which is not counted")
    return said


def notes_of_link(model: Model, q: Question, link: Link) -> list[str]:
    """What has to be said of several cards: what is counted, and what is not."""
    if q.tp == 1 or link.peers is None:
        return []
    whose = {
        NVLINK: f"{LINK_NAMES[NVLINK]} as printed, one direction, all of a card's links",
        PCIE: f"{LINK_NAMES[PCIE]} as printed: no {LINK_NAMES[NVLINK]} of this card is known",
        MEASURED: q.peer_said or "measured between the cards of the session",
        GIVEN: "as given",
    }[link.whence]
    late = "; no latency is counted" if latency_from(q) == NONE else ""
    said = [
        f"tp {q.tp}: two all-reduces a layer, 2 (N - 1) / N of their bytes over the link "
        f"({whose}), not overlapped with computing{late}"
    ]
    if q.peer_off > TRUSTED:
        said.append(
            f"the line through the measured times of that all-reduce is off by "
            f"{per_cent(q.peer_off)} in the middle: what a step exchanges, and where more cards "
            "stop paying, are no surer than that"
        )
    if q.peer_other is not None:
        said.append(_of_other_cards(q, q.peer_other))
    said += _of_other_numbers(q)
    if q.tp > model.kv_heads:
        said.append(
            f"{model.name} has {model.kv_heads} KV heads: over {q.tp} cards each is kept "
            "more than once"
        )
    if model.heads % q.tp:
        said.append(f"{model.heads} heads do not split evenly over {q.tp} cards")
    return said
