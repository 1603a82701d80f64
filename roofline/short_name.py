"""What a person may call a card: "A100 80GB SXM", "rtx4090", "RTX 6000 Ada".

A name is compared in whole tokens, never in parts: an A10 is no A100. One card is an answer,
several are an ambiguous name, none is an unknown one. What a driver prints is for ``lookup``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from roofwatch.roofline.lookup import bare_name
from roofwatch.roofline.nominal import Card

LONGEST = 200
"""Characters beyond which a text is no card's name."""

_EMPTY = frozenset(
    """
    nvidia geforce tesla amd instinct radeon gpu gpus graphics card accelerator tensor core
    generation edition founders tm r
    """.split()  # noqa: SIM905
)
"""Words that tell no two cards apart."""

_FAMILY = frozenset({"rtx", "gtx", "rx", "blackwell"})
"""Words that a short name may leave out ("4090"); typed, they must be the card's."""

_VARIANT = frozenset({"ti", "super", "d", "xt", "xtx", "gre"})
"""Words that make another card of the same number: never left out."""

_JOINED = {("max", "q"): "maxq", ("pci", "e"): "pcie", ("pci", "express"): "pcie"}
_SOLD_AS = {frozenset({"dgx", "spark"}): "gb10"}
"""Computers that go by a name of their own, with the one GPU inside."""

_BETWEEN = re.compile(r"[\s\-_/(),®™]+")
_SIZE = re.compile(r"([0-9]+)(?:g|gb|gib)")
_UNIT = re.compile(r"g|gb|gib")
_GLUED_FAMILY = re.compile(r"(rtx|gtx|rx)(a?[0-9].*)")
_GLUED_SUFFIX = re.compile(r"(.*[0-9]{3}.*?)(ti|super|d|xtx|xt|gre|ada|pcie|sxm[0-9]?|nvl)")
_FORM = re.compile(r"sxm[0-9]?|pcie")
_NO_MODEL = re.compile(r"[0-9]+gb|(?:hbm|gddr|lpddr)\S*|sxm[0-9]?")
_MIG = re.compile(
    r"[\s\-_(]*(?:(?<![a-z0-9])mig[\s\-_]+)?(?<![a-z0-9.])(?:(?P<c>[1-9])c\.)?(?P<g>[1-9])g\."
    r"(?P<gb>[1-9][0-9]{0,3}(?:\.[0-9]{1,2})?)gb(?:[+\-.](?:me|gfx)(?:\.all)?)*(?![a-z0-9])\)?",
    re.IGNORECASE | re.ASCII,
)


class _Form(msgspec.Struct, frozen=True, kw_only=True):
    """One name of a card. ``model`` is the token without which nobody means this card."""

    needed: frozenset[str]
    known: frozenset[str]  # needed and everything else that may be said of the card
    model: str


class _Index(msgspec.Struct, frozen=True, kw_only=True):
    """A table's cards by whole name, by key, and in tokens."""

    names: dict[str, tuple[Card, ...]]
    keys: dict[str, tuple[Card, ...]]
    forms: tuple[tuple[Card, tuple[_Form, ...]], ...]


class _Same:
    """A tuple of cards by its identity: cards hold tables and have no hash."""

    __slots__ = ("cards",)

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self.cards = cards

    def __hash__(self) -> int:
        return id(self.cards)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.cards is other.cards


def match(name: str, cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards that ``name`` may mean: one is understood, several are ambiguous, none unknown.

    A whole name as the driver prints it decides (in either case, with or without "NVIDIA"), then a
    whole key of the table. Otherwise each token of ``name`` must be said of the card by its name,
    memory, form factor, architecture or key. Cards that have nothing more to their name come
    before those that do: "RTX 4070" is no RTX 4070 Ti, but "A100" may be any of four.

    Tokens are worked out once for a tuple of cards; pass the same tuple for many names.
    """
    return _match(name, _Same(tuple(cards))) if _may_be_a_name(name) else ()


def mig(name: str) -> tuple[str, int, float] | None:
    """A MIG slice's name taken apart: name without it, compute slices, memory in GB (as named).

    Understood are "NVIDIA A100-SXM4-80GB MIG 1g.10gb" and "a100 80gb 3g.40gb"; of a compute
    instance ("1c.3g.40gb") the slices are its own. None for a name without a slice.
    """
    if not _may_be_a_name(name) or not (found := _MIG.search(name)):
        return None
    rest = f"{name[: found.start()]} {name[found.end() :]}".strip(" -_")
    return rest, int(found["c"] or found["g"]), float(found["gb"])


def mig_profile(name: str) -> tuple[int | None, int, float] | None:
    """The profile in a MIG slice's name: slices of a compute instance, of the GPU, memory in GB.

    The first is None where the name says none, as "1g.10gb". None for a name without a slice.
    """
    if not _may_be_a_name(name) or not (found := _MIG.search(name)):
        return None
    return int(found["c"]) if found["c"] else None, int(found["g"]), float(found["gb"])


def _may_be_a_name(text: str) -> bool:
    return len(text) <= LONGEST and not any(unicodedata.category(sign)[0] == "C" for sign in text)


@lru_cache(maxsize=1024)
def _match(name: str, same: _Same) -> tuple[Card, ...]:
    index, whole = _index(same), _folded(name)
    if exact := index.names.get(whole) or index.keys.get(whole):
        return exact
    asked = frozenset(_tokens(name))
    for words, gpu in _SOLD_AS.items():
        asked = (asked - words) | {gpu} if words <= asked else asked
    equal: list[Card] = []
    more: list[Card] = []
    for card, forms in index.forms:
        if close := [form for form in forms if _close(form, asked)]:
            (equal if any(form.needed <= asked for form in close) else more).append(card)
    return tuple(equal or more)


def _close(form: _Form, asked: frozenset[str]) -> bool:
    return form.model in asked and form.needed & _VARIANT <= asked <= form.known


def _folded(name: str) -> str:
    return bare_name(name).casefold().removeprefix("nvidia ").strip()


def _tokens(name: str) -> list[str]:
    """The telling tokens of a name in order, in one spelling: "80 GB" and "80G" are "80gb"."""
    parts: list[str] = []
    for part in _BETWEEN.split(name.casefold()):
        parts += _unglued(part)
    tokens: list[str] = []
    for part in parts:
        last = tokens[-1] if tokens else ""
        if _UNIT.fullmatch(part) and last.isdecimal():
            tokens[-1] = f"{last}gb"
        elif size := _SIZE.fullmatch(part):
            tokens.append(f"{size[1]}gb")
        elif (last, part) in _JOINED:
            tokens[-1] = _JOINED[last, part]
        elif part:
            tokens.append(part)
    return [token for token in tokens if token not in _EMPTY]


def _unglued(part: str) -> list[str]:
    """ "rtx4070tisuper" as "rtx", "4070", "ti", "super"."""
    if glued := _GLUED_FAMILY.fullmatch(part):
        return [glued[1], *_unglued(glued[2])]
    if glued := _GLUED_SUFFIX.fullmatch(part):
        return [*_unglued(glued[1]), glued[2]]
    return [part]


@lru_cache(maxsize=4)
def _index(same: _Same) -> _Index:
    names: dict[str, tuple[Card, ...]] = {}
    for card in same.cards:
        for name in dict.fromkeys(map(_folded, card.names)):
            names[name] = (*names.get(name, ()), card)
    return _Index(
        names=names,
        keys={card.key.casefold(): (card,) for card in same.cards},
        forms=tuple((card, tuple(_card_forms(card))) for card in same.cards),
    )


def _card_forms(card: Card) -> Iterable[_Form]:
    said = _said(card)
    for name in card.names:
        # "MI60 / MI50" is what the driver calls two cards: it holds as a whole only.
        tokens = [] if "/" in name else _tokens(name)
        numbered = [t for t in tokens if re.search(r"[0-9]", t) and not _NO_MODEL.fullmatch(t)]
        # In a name without a number ("TITAN RTX") the family's word is the name.
        needed = frozenset(tokens) - (_FAMILY if numbered else frozenset())
        if needed:
            model = (numbered or tokens)[0]
            yield _Form(needed=needed, known=said | frozenset(tokens), model=model)


def _said(card: Card) -> frozenset[str]:
    """What may be said of a card besides its name."""
    key = _tokens(card.key)
    said = {word for word in key if word.isalpha()}
    said |= set(_tokens(f"{card.architecture} {card.memory_type}"))
    if card.memory_gb:
        said.add(f"{card.memory_gb:g}gb")
    for token in (*key, *(token for name in card.names for token in _tokens(name))):
        if _FORM.fullmatch(token):
            said |= {token, token[:3] if token.startswith("sxm") else token}
            if token == "sxm" and card.compute_capability == "9.0":
                said.add("sxm5")
    return frozenset(said)
