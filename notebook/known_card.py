"""The cards that rows name, looked up once each: figures, neighbours, what a name leaves open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches

import msgspec

from roofwatch.roofline.lookup import Identity, Nominal, lookup
from roofwatch.roofline.nominal import Card, ceiling_tflops
from roofwatch.roofline.short_name import match, mig

SAME = 0.02
MOST_KEPT = 10_000  # answers; a file may name anything
SM_OF_SLICE = {"8.0": 14, "9.0": 16}
"""SMs of one compute slice: A100 seven of 14 in 108, A30 four of 14 in 56, H100 seven of 16."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a GPU name means: several figures where it fits several cards, none for an unknown."""

    candidates: tuple[Nominal, ...] = ()
    slice_share: float | None = None  # of the SMs, where the name says MIG

    @property
    def names(self) -> list[str]:
        """Of the candidates."""
        return [c.name for c in self.candidates]


class Cards:
    """A table of cards that answers by name. Answers are kept: files repeat their cards."""

    def __init__(self, cards: Sequence[Card], user_keys: Collection[str] = frozenset()) -> None:
        self._cards = tuple(cards)
        self._user_keys = frozenset(user_keys)
        self._names = Counter(card.names[0] for card in self._cards)
        self._known: dict[str, Known] = {}
        self._nominal: dict[str, Nominal] = {}
        self._siblings: dict[str, dict[str, Nominal]] = {}
        self._figures: dict[tuple[float, str | None, str | None], tuple[str, ...]] = {}

    def known(self, name: str | None) -> Known:
        """What ``name`` means; cheap when asked again."""
        if not name:
            return Known()
        found = self._known.get(name)
        if found is None:
            found = self._look(name)
            if len(self._known) > MOST_KEPT:
                self._known.clear()
            self._known[name] = found
        return found

    def _look(self, name: str) -> Known:
        part = mig(name)
        whole = part[0] if part else name
        cards = match(whole, self._cards)
        own = tuple(c for c in cards if c.key in self._user_keys)
        found = tuple(self.nominal(c) for c in own or cards)
        if part is None:
            return Known(candidates=found)
        return Known(
            candidates=tuple(
                _slice(n, part[1], part[2] / c.memory_gb if c.memory_gb else part[1] / 7)
                for n, c in zip(found, own or cards, strict=True)
            ),
            slice_share=_sm_share(found[0], part[1]) if found else None,
        )

    def near(self, name: str) -> list[str]:
        """Names of cards that look like ``name``, at most three."""
        names = {_short(card.names[0]): card.names[0] for card in self._cards}
        return [names[each] for each in get_close_matches(_short(name[:60]), names, 3, 0.6)]

    def nominal(self, card: Card) -> Nominal:
        """The figures of one card of the table."""
        if card.key not in self._nominal:
            found = lookup(Identity(name=card.names[0]), (card,), self._user_keys)
            ceilings = {key: ceiling_tflops(card, key) or peak for key, peak in card.peaks.items()}
            # The rates that are no peak keys too: fp16 on vector lanes, fp32 on AMD's matrix cores.
            name = card.names[0]
            if card.memory_gb and self._names[name] > 1:
                name = f"{name} {card.memory_gb:g} GB"  # two cards share it
            self._nominal[card.key] = msgspec.structs.replace(
                found, name=name, peaks_tflops=dict(card.peaks), ceilings_tflops=ceilings
            )
        return self._nominal[card.key]

    def siblings(self, nominal: Nominal) -> dict[str, Nominal]:
        """Other cards of the same model word: A100 in its four forms, 3090 beside 3090 Ti."""
        key = nominal.key or nominal.name
        if key not in self._siblings:
            family = _family(nominal.name)
            self._siblings[key] = {
                n.name: n
                for c in self._cards
                if c.key != nominal.key and family and _family(c.names[0]) == family
                for n in (self.nominal(c),)
            }
        return self._siblings[key]

    def with_figure(self, figure: float, key: str | None, besides: Nominal) -> tuple[str, ...]:
        """Cards of which ``figure`` is the bandwidth (no ``key``), or the peak (dense or sparse).

        Relatives of the card come first: those are taken for one another.
        """
        asked = (figure, key, besides.key)
        if asked not in self._figures:
            if len(self._figures) > MOST_KEPT:
                self._figures.clear()
            self._figures[asked] = self._with_figure(figure, key, besides)
        return self._figures[asked]

    def _with_figure(self, figure: float, key: str | None, besides: Nominal) -> tuple[str, ...]:
        found = []
        for card in self._cards:
            own = card.peaks.get(key) if key else card.bandwidth_gbs
            if card.key == besides.key or not own:
                continue
            if any(abs(figure / own / times - 1) <= SAME for times in ((1, 2) if key else (1,))):
                found.append(card)
        near = _family(besides.name)[:2]
        found.sort(key=lambda c: (_family(c.names[0])[:2] != near, c.vendor != besides.vendor))
        return tuple(dict.fromkeys(self.nominal(c).name for c in found))


def _short(name: str) -> str:
    """A name as people type it: without maker and series."""
    return re.sub(
        r"^(?:(?:nvidia|geforce|tesla|amd|instinct|radeon)\s+)+", "", name.lower().strip()
    )


def _family(name: str) -> str:
    """The word that names a model: A100 of A100-SXM4-40GB, 3090 of GeForce RTX 3090 Ti."""
    words = re.split(r"[\s\-]+", name.removeprefix("NVIDIA ").removeprefix("Tesla "))
    return next((w.lower() for w in words if any(c.isdigit() for c in w)), "")


def _sm_share(whole: Nominal, slices: int) -> float:
    of_slice = SM_OF_SLICE.get(whole.compute_capability or "")
    if of_slice is None or not whole.sm_count:
        return slices / 7
    return min(1.0, slices * of_slice / whole.sm_count)


def _slice(whole: Nominal, slices: int, memory_share: float) -> Nominal:
    """A slice's figures: its share of the SMs, and of eight memory slices."""
    sms = _sm_share(whole, slices)
    memory = min(8, max(1, round(memory_share * 8))) / 8
    return msgspec.structs.replace(
        whole,
        origin="derived",
        bandwidth_gbs=whole.bandwidth_gbs * memory if whole.bandwidth_gbs else None,
        ceiling_bandwidth_gbs=whole.ceiling_bandwidth_gbs * memory
        if whole.ceiling_bandwidth_gbs
        else None,
        peaks_tflops={k: v * sms for k, v in whole.peaks_tflops.items()},
        ceilings_tflops={k: v * sms for k, v in whole.ceilings_tflops.items()},
        measured_best={},
        sm_count=round(whole.sm_count * sms) if whole.sm_count else None,
        memory_bytes=whole.memory_bytes * memory if whole.memory_bytes else None,
        llc_bytes=round(whole.llc_bytes * memory) if whole.llc_bytes else None,
    )
