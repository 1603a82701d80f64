"""A decoder split over several cards (tensor parallel): what one holds, and what they exchange.

The third kind of moving (seed, H100 note): between cards, over NVLink within a machine and over
InfiniBand between machines, about nine times slower. The judgement stays the same, the longest part
of the time is the bound; nothing here overlaps with computing.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, bus_factor
from roofwatch.roofline.decode import Decode
from roofwatch.roofline.model import Model
from roofwatch.roofline.roof import Roof

COMMUNICATION = "communication"
REDUCES = 2  # all-reduces a layer: behind attention and behind the MLP (Shoeybi et al., 2019)
ACTIVATION_BYTES = 2  # of an element that is exchanged: fp16 or bf16
MOST_CARDS = 1024
PAYS = 0.1  # of a step, which more cards must take off to be worth the word


class Peers(msgspec.Struct, frozen=True, kw_only=True):
    """How cards reach each other: GB/s of one card in one direction, seconds of an all-reduce
    whatever its size (``latency_s``), and of each hop from card to card (``hop_s``).

    ``least_s``: no all-reduce was measured to take less, so none is counted with less. All of it
    holds for ``fewest`` to ``most`` cards, and ``other``, where it is known, for the rest: within a
    node and between nodes are two links."""

    link_gbs: float
    latency_s: float = 0.0
    hop_s: float = 0.0
    least_s: float = 0.0
    fewest: int = 2
    most: int = MOST_CARDS
    other: Peers | None = None

    def over(self, cards: int) -> Peers:
        """What so many cards meet by."""
        return self if self.other is None or self.fewest <= cards <= self.most else self.other

    def waits_s(self, cards: int) -> float:
        """Seconds of an all-reduce over ``cards`` that no bandwidth shortens.

        A ring passes 2 (N - 1) times from card to card, each after the last.
        """
        return self.latency_s + 2 * (cards - 1) * self.hop_s


def all_reduce_s(size_bytes: float, cards: int, peers: Peers) -> float:
    """Seconds to add up a buffer of ``size_bytes`` over ``cards``; one card needs none."""
    if cards == 1:
        return 0.0
    peers = peers.over(cards)
    sent_s = bus_factor(ALL_REDUCE, cards) * size_bytes / (peers.link_gbs * 1e9)
    return max(peers.least_s, peers.waits_s(cards) + sent_s)


def comm_s(model: Model, tokens: int, cards: int, peers: Peers | None) -> float:
    """Seconds that one pass of ``tokens`` exchanges: two all-reduces of [tokens, hidden] a layer.

    A decode step has a token a sequence, a prefill all tokens of its prompt.
    """
    if cards == 1 or peers is None:
        return 0.0
    once = all_reduce_s(tokens * model.hidden * ACTIVATION_BYTES, cards, peers)
    return model.layers * REDUCES * once


def kv_share(model: Model, cards: int) -> float:
    """Share of the KV cache on one card: whole heads, so beyond their number it is copied."""
    return -(-model.kv_heads // cards) / model.kv_heads


def share_of(decode: Decode, model: Model, cards: int) -> Decode:
    """What one of ``cards`` holds and does of a step: weights and FLOP by N, KV by whole heads."""
    if cards == 1:
        return decode
    return Decode(
        params=decode.params / cards,
        weights_bytes=decode.weights_bytes / cards,
        sequence_bytes=decode.sequence_bytes * kv_share(model, cards),
    )


class Split(NamedTuple):
    """One step, or one prefill, on some cards. ``speedup`` is over one card of the same kind.

    ``break_even_s`` is the latency of one all-reduce from which on the cards are no faster than
    one: 0 where they are not without any, None of one card.
    """

    cards: int
    step_s: float
    comm_s: float
    speedup: float
    break_even_s: float | None = None

    @property
    def efficiency(self) -> float:
        """Speedup over cards: what a card is still worth."""
        return self.speedup / self.cards


def decode_splits(
    decode: Decode,
    model: Model,
    roof: Roof,
    batch: int,
    peers: Peers,
    cards: list[int],
    overhead_s: float = 0.0,
) -> list[Split]:
    """A decode step of ``batch`` on each number of cards, whether it fits there or not."""
    alone_s = decode.step_s(batch, roof, overhead_s)
    found = []
    for n in cards:
        exchanged_s = comm_s(model, batch, n, peers)
        part_s = share_of(decode, model, n).step_s(batch, roof, overhead_s)
        step_s = part_s + exchanged_s
        even_s = None
        if n > 1:
            sent_s = comm_s(model, batch, n, Peers(link_gbs=peers.over(n).link_gbs))
            even_s = max(0.0, alone_s - part_s - sent_s) / (model.layers * REDUCES)
        found.append(Split(n, step_s, exchanged_s, alone_s / step_s, even_s))
    return found


def prefill_splits(
    decode: Decode, model: Model, roof: Roof, tokens: int, peers: Peers, cards: list[int]
) -> list[Split]:
    """A prefill of ``tokens`` on each number of cards: 2N FLOP a token, the weights read once."""

    def alone_s(n: int) -> float:
        flop_s = 2.0 * decode.params * tokens / n / (roof.peak_tflops * 1e12)
        return max(flop_s, decode.weights_bytes / n / (roof.bandwidth_gbs * 1e9))

    found = []
    for n in cards:
        exchanged_s = comm_s(model, tokens, n, peers)
        found.append(
            Split(n, alone_s(n) + exchanged_s, exchanged_s, alone_s(1) / (alone_s(n) + exchanged_s))
        )
    return found


def pays_to(splits: list[Split]) -> int:
    """The most cards up to which each of the rising numbers takes a tenth or more off the step."""
    last = splits[0]
    for each in splits[1:]:
        if each.step_s > last.step_s * (1 - PAYS):
            break
        last = each
    return last.cards


def doublings(cards: int, most: int = 8) -> list[int]:
    """1, 2, 4 … up to ``most``, with ``cards`` among them or beyond."""
    most = max(most, cards)
    return sorted({1 << i for i in range(most.bit_length()) if 1 << i <= most} | {cards})
