"""A plan over several cards: whose link, what each step adds, what one card holds."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.models import named
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Price
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Plan, PlanError, Question, plan
from roofwatch.session.plan_fields import question_of

CARDS = Cards(packaged_cards())
EIGHT = named("Llama-3-8B", packaged_models())


def ask(card: str | Nominal = "H100 SXM", **fields: Any) -> Plan:
    found = card_named(card, CARDS) if isinstance(card, str) else card
    return plan(found, EIGHT, Question(card=found.name, model=EIGHT.name, **fields))


def test_one_card_exchanges_nothing() -> None:
    found = ask()
    assert {x.comm_s for x in found.curve} == {0.0}
    assert (found.tp, found.peer_gbs, found.peer_from, found.scaling) == (1, None, "none", [])
    assert found.status["peer_gbs"] == "one card"


def test_nvlink_as_printed_is_taken_and_each_step_has_its_exchange() -> None:
    one, four = ask(), ask(tp=4)
    assert (four.peer_gbs, four.peer_from) == (450.0, "nvlink")
    for a, b in zip(one.curve, four.curve, strict=True):
        assert b.comm_s == pytest.approx(64 * 1.5 * b.batch * 8192 / 450e9)
        assert b.step_s == pytest.approx(a.step_s / 4 + b.comm_s)
        assert b.bytes == pytest.approx(a.bytes / 4)
    assert four.weights_bytes == one.weights_bytes
    assert four.ridge == one.ridge
    assert four.decode_floor_s == pytest.approx(one.decode_floor_s / 4)


def test_the_memory_of_each_holds_its_share() -> None:
    """A card of 24 GiB holds 29 sequences of 2048 beside all weights, beside a half of them more
    than twice as many."""
    one, two = ask("A10").batch_memory_cap, ask("A10", tp=2, peer_gbs=20.0).batch_memory_cap
    assert one is not None
    assert two is not None
    assert two > 2 * one


def test_a_card_without_nvlink_goes_by_its_pcie() -> None:
    found = ask("A10", tp=2)
    assert (found.peer_gbs, found.peer_from) == (pytest.approx(31.5, abs=0.05), "pcie")


def test_nothing_known_is_said_in_a_line() -> None:
    bare = Nominal(origin="user", name="X", bandwidth_gbs=1000, peaks_tflops={"fp16": 100})
    with pytest.raises(PlanError, match=r"no link to other cards is known.*--link-gbs"):
        ask(bare, tp=2)
    assert ask(bare, tp=2, peer_gbs=10.0).peer_from == "given"


def test_a_slow_link_is_the_bound() -> None:
    found = ask(tp=8, peer_gbs=1.0)
    assert found.curve[-1].bound == "communication"
    assert found.pays_to == {1: 8, 128: 1}


def test_every_card_costs() -> None:
    price = Price(per_hour=2.0)
    one, two = ask(price=price), ask(price=price, tp=2)
    for a, b in zip(one.curve, two.curve, strict=True):
        assert b.cost_per_mtok == pytest.approx(
            2 * (a.cost_per_mtok or 0) * b.step_s / a.step_s, rel=1e-9
        )


def test_scaling_says_what_fits() -> None:
    rows = ask("A10", tp=2, peer_gbs=20.0).scaling
    assert [(x.tp, x.batch, x.fits) for x in rows if x.batch == 128] == [
        (1, 128, False),
        (2, 128, False),
        (4, 128, True),
        (8, 128, True),
    ]


def test_heads_that_do_not_split_are_said() -> None:
    assert not [n for n in ask(tp=8).notes if "heads" in n]
    assert [n for n in ask(tp=16).notes if "8 KV heads: over 16 cards" in n]
    assert [n for n in ask(tp=3).notes if "32 heads do not split evenly" in n]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"tp": "0"}, "tp"),
        ({"tp": "2.5"}, "tp"),
        ({"link_gbs": "fast"}, "link-gbs"),
        ({"link_latency": "2h"}, "link-latency"),
    ],
)
def test_what_cannot_be_read_is_said(said: dict[str, str], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        question_of({"gpu": "T4", "model": "TinyLlama", **said})


def test_what_is_typed() -> None:
    q = question_of({"tp": "4", "link_gbs": "450GB/s", "link_latency": "12us"})
    assert (q.tp, q.peer_gbs, q.peer_latency_s) == (4, 450.0, pytest.approx(12e-6))
