"""Where a plan's card, model and figures come from: names, files, a session's own roofs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.example import Seeds
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import named
from roofwatch.roofline.nominal import Card
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_roofs import (
    device_names,
    least_memory_bytes,
    ranks_of_a_host,
    slowest_roofs,
)
from roofwatch.session.fold import Session
from roofwatch.session.models import model_named, packaged_models
from roofwatch.session.plan import MEASURED, Plan, PlanError, Question, plan
from roofwatch.session.plan_doubts import fleet_doubts, roof_notes
from roofwatch.session.plan_fleet import fleet_notes
from roofwatch.session.plan_links import with_links
from roofwatch.session.plan_overhead import with_overhead
from roofwatch.session.plan_roofs import first_of, unmeasured, with_measured
from roofwatch.session.roofs import roofs


def answer(question: Question, cards: Cards, models: Sequence[Model]) -> Plan:
    """The plan of the card and the model that the question names.

    Raises:
        PlanError, ModelError: a name or a file cannot be used, or a figure is missing; one line.
    """
    return plan(card_named(question.card, cards), model_named(question.model, models), question)


SEEDS_PAIRS = (
    ("T4", "TinyLlama-1.1B"),
    ("A100 80GB SXM", "Llama-2-7B"),
    ("H100 SXM", "Llama-3-8B"),
)
"""The card x model table of the seeds (Day 18)."""


def seeds() -> Seeds:
    """The seeds' cards and models by the packaged tables: no user's own entry changes them."""
    cards, models = Cards(packaged_cards()), packaged_models()
    t4, a100, h100 = (card_named(card, cards) for card, _ in SEEDS_PAIRS)
    tiny, seven, eight = (named(model, models) for _, model in SEEDS_PAIRS)
    return Seeds(
        t4=t4,
        a100=a100,
        h100=h100,
        tiny=tiny,
        seven=seven,
        thirteen=named("Llama-2-13B", models),
        eight=eight,
    )


def table(
    question: Question, all_cards: Iterable[Card], cards: Cards, models: Sequence[Model]
) -> list[Plan]:
    """One plan a row: the seeds' pairs; a named card over all models; a named model over all cards.

    Cards without a figure that the plan needs are left out. Raises as ``answer`` does.
    """
    if question.card:
        card = card_named(question.card, cards)
        return [plan(card, model, question) for model in models]
    if not question.model:
        pairs = [(card_named(c, cards), model_named(m, models)) for c, m in SEEDS_PAIRS]
        return [plan(card, model, question) for card, model in pairs]
    model = model_named(question.model, models)
    found = []
    for each in all_cards:
        with suppress(PlanError):
            found.append(plan(cards.nominal(each), model, question))
    return found


def kept_plan(
    sessions: Sequence[Session],
    fleets: Sequence[Fleet],
    question: Question,
    cards: Cards,
    model: Model,
) -> Plan:
    """The plan of one card by what several files measured there: roofs, links, the overhead.

    Of each figure the first that has it counts, sessions before fleets; what none has is the
    card's nominal one, and a note says so.

    Raises:
        PlanError: the files are of several cards or of another than the question names, or a
            figure is neither measured nor nominal.
    """
    asked_for = card_named(question.card, cards) if question.card else None
    card = _one_card(sessions, fleets, asked_for, cards)
    of_each = [roofs(s) for s in sessions] + [slowest_roofs(f, card.name) for f in fleets]
    own = first_of(of_each)
    together = max((ranks_of_a_host(f, card.name) for f in fleets), default=0)
    question = msgspec.structs.replace(question, host_ranks=together)
    asked = with_links(with_measured(question, own), sessions, fleets)
    said = [unmeasured(question, own)]
    for session, each in zip(sessions, of_each, strict=False):
        more, told = with_overhead(asked, model, session, each)
        if more.overhead_source == MEASURED or session is sessions[-1]:
            asked, said = more, [*said, *told]
            break
    if not sessions and asked.overhead_source is None:
        said.append("no overhead: a fleet times no decode step")
    doubts = roof_notes(asked, sessions, of_each) + fleet_doubts(asked, fleets, card.name)
    for fleet in fleets:
        said += fleet_notes(fleet, card.name, asked)
    found = plan(card, model, asked)
    notes = [*found.notes, *(note for note in said if note), *doubts]
    return msgspec.structs.replace(found, notes=notes, doubts=doubts)


def _one_card(
    sessions: Sequence[Session], fleets: Sequence[Fleet], asked_for: Nominal | None, cards: Cards
) -> Nominal:
    """The card that all files are of, and the question where it names one."""
    found = [card_of(s) for s in sessions]
    for fleet in fleets:
        names = device_names(fleet)
        of_fleet = [_named(name, cards) for name in names]
        told = asked_for or (found[0] if found else None)
        own = [c for c in of_fleet if told is not None and _same(c, told)] or of_fleet
        if len(own) > 1:
            raise PlanError(f"its ranks are {' and '.join(names)}: say which card (--gpu)")
        if not own:
            raise PlanError("no rank of the fleet has measured a card")
        found += [_with_memory(c, least_memory_bytes(fleet, c.name)) for c in own]
    for other in ([asked_for] if asked_for else []) + found[1:]:
        if not _same(found[0], other):
            raise PlanError(f"measured on {found[0].name}, not on {other.name}")
    return found[0]


def _same(a: Nominal, b: Nominal) -> bool:
    return a.key == b.key and (a.key is not None or a.name == b.name)


def _named(name: str, cards: Cards) -> Nominal:
    """The card that a rank calls so; one that is in no table has no nominal figures."""
    try:
        return card_named(name, cards)
    except PlanError:
        return Nominal(origin="none", name=name)


def _with_memory(card: Nominal, seen_bytes: float | None) -> Nominal:
    """With the memory of the very cards, whichever roofs are asked for."""
    return msgspec.structs.replace(card, memory_bytes=seen_bytes) if seen_bytes else card


def card_of(session: Session) -> Nominal:
    """The card's nominal figures, with the memory that the driver reports.

    Its link as well, where they have none.
    """
    device = session.device
    card = session.nominal or Nominal(origin="none", name=device.name or "unnamed")
    card = _with_memory(card, device.memory_bytes)
    if card.pcie_gen or not (device.pcie_gen_max and device.pcie_lanes_max):
        return card
    link = {"pcie_gen": device.pcie_gen_max, "pcie_lanes": device.pcie_lanes_max}
    return msgspec.structs.replace(card, **link)
