"""A question and its answer: what may be asked, whose figures count, what every field says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import named
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Price
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Plan, PlanError, Question, plan
from roofwatch.session.plan_sources import SEEDS_PAIRS, answer, table
from roofwatch.session.plan_step import PlanPoint

ALL = packaged_cards()
CARDS, MODELS = Cards(ALL), packaged_models()
T4, TINY = card_named("T4", CARDS), named("TinyLlama", MODELS)
CONTRACT = {
    "gpu",
    "model",
    "precision",
    "ridge",
    "weights_bytes",
    "kv_bytes_per_token",
    "ai_max",
    "b_star",
    "reaches_roof",
    "batch_memory_cap",
    "limited_by",
    "decode_floor_s",
    "load_s",
    "cost_per_mtok",
    "curve",
}
POINT = {
    "batch",
    "intensity",
    "bytes",
    "flop",
    "step_s",
    "tokens_per_s",
    "gap_to_linear",
    "bound",
}


def ask(card: Nominal = T4, model: Model = TINY, **fields: Any) -> Plan:
    return plan(card, model, Question(**{"card": card.name, "model": model.name, **fields}))


def at(found: Plan, batch: int) -> PlanPoint:
    return next(p for p in found.curve if p.batch == batch)


def test_every_name_of_the_contract_is_in_the_json() -> None:
    said = msgspec.json.decode(msgspec.json.encode(ask()))
    assert said.keys() >= CONTRACT
    assert all(point.keys() >= POINT for point in said["curve"])
    nulls = {k for k, v in said.items() if v is None and k != "b_star"}  # that says: never
    assert nulls <= said["status"].keys()


def test_the_seeds_bends_by_the_command_of_day_18() -> None:
    found = ask(context=256, bandwidth_gbs=270, peak_tflops=50, overhead_s=7.8e-3)
    gaps = {p.batch: 100 * p.gap_to_linear for p in found.curve}
    assert [gaps[b] for b in (16, 64, 128)] == pytest.approx([1.97, 7.77, 14.52], abs=0.01)
    assert at(found, 128).step_s == pytest.approx(18.68e-3, abs=5e-6)
    assert at(found, 1).step_s == pytest.approx(15.97e-3, abs=5e-6)
    rates = at(found, 128).tokens_per_s / at(found, 1).tokens_per_s
    assert rates == pytest.approx(109.4, abs=0.05)
    assert (found.figures, found.overhead_source) == ("given", "given")
    assert ask().overhead_source == "none"
    assert found.ridge == pytest.approx(185.2, abs=0.05)
    assert found.ridge_nominal == pytest.approx(203.125)


def test_the_seeds_ridges() -> None:
    at_185 = ask(context=256, ridge=185.0)
    assert at_185.b_star == pytest.approx(359.2, abs=0.05)
    assert (at_185.reaches_roof, at_185.limited_by) == (True, "compute")
    nominal = ask(context=256)
    assert nominal.b_star == pytest.approx(434, abs=0.6)
    long = ask(context=2048)
    assert (long.b_star, long.reaches_roof, long.limited_by) == (None, False, "ai_max")


def test_a_step_is_the_longer_half_at_every_point() -> None:
    found = ask(context=16, batch_max=4096, overhead_s=1e-3)
    for p in found.curve:
        busy = max(p.bytes / (found.bandwidth_gbs * 1e9), p.flop / (found.peak_tflops * 1e12))
        assert p.step_s == pytest.approx(busy + 1e-3)
        assert p.tokens_per_s == pytest.approx(p.batch / p.step_s)
        assert p.intensity == pytest.approx(p.flop / p.bytes)
    bounds = [p.bound for p in found.curve]
    assert bounds == sorted(bounds, reverse=True)  # memory, then compute
    assert set(bounds) == {"memory", "compute"}
    assert found.curve[0].gap_to_linear == 0


@pytest.mark.parametrize(
    ("given", "roof"),
    [
        ({}, (320, 65)),
        ({"peak_tflops": 50.0}, (320, 50)),
        ({"bandwidth_gbs": 250.0}, (250, 65)),
        ({"peak_tflops": 50.0, "bandwidth_gbs": 250.0}, (250, 50)),
    ],
)
@pytest.mark.parametrize("ridge", [100.0, "nominal"])
def test_a_ridge_that_is_named_decides_b_star_alone(
    given: dict[str, float], roof: tuple[float, float], ridge: float | str
) -> None:
    found = ask(context=256, ridge=ridge, **given)
    assert (found.bandwidth_gbs, found.peak_tflops) == roof
    assert found.ridge == pytest.approx(100 if ridge == 100.0 else 203.125)
    assert found.ridge_from == ("given" if ridge == 100.0 else "nominal")
    assert found.roof_ridge == pytest.approx(roof[1] * 1e3 / roof[0])
    assert found.curve == ask(context=256, **given).curve
    assert found.b_star == ask(context=256, ridge=float(found.ridge)).b_star


def test_a_figure_that_nobody_knows_comes_from_the_ridge() -> None:
    bare = Nominal(origin="none", name="New card")
    no_peak = ask(bare, ridge=100.0, bandwidth_gbs=500)
    assert (no_peak.peak_tflops, no_peak.peak_from) == (50, "ridge")
    no_bandwidth = ask(bare, ridge=100.0, peak_tflops=50)
    assert (no_bandwidth.bandwidth_gbs, no_bandwidth.bandwidth_from) == (500, "ridge")


def test_the_nominal_ridge_beside_given_figures() -> None:
    found = ask(context=256, bandwidth_gbs=270, peak_tflops=50, ridge="nominal")
    assert found.ridge == pytest.approx(203.125)
    assert found.b_star == pytest.approx(434, abs=0.6)
    assert found.peak_tflops == 50
    measured = ask(bandwidth_gbs=270, peak_tflops=50, ridge="measured")
    assert measured.ridge == pytest.approx(185.2, abs=0.05)
    with pytest.raises(PlanError, match="needs a session, or both a bandwidth and a peak"):
        ask(bandwidth_gbs=270, ridge="measured")


def test_narrow_weights_and_who_multiplies_them() -> None:
    h100, a100 = card_named("H100 SXM", CARDS), card_named("A100 80GB SXM", CARDS)
    fp8 = ask(h100, weights="fp8")
    each = "weights: a byte for each, head and embedding too, no scales; "
    peak = "computed at the fp8 peak, so activations are fp8 as well"
    assert (fp8.peak_key, fp8.notes) == ("fp8", [f"fp8 {each}{peak}"])
    assert fp8.weights_bytes == TINY.params
    assert fp8.ridge == pytest.approx(2 * ask(h100).ridge, rel=1e-3)
    old = ask(a100, weights="fp8")
    assert (old.peak_key, old.ridge) == ("fp16", ask(a100).ridge)
    assert old.notes == [f"fp8 {each}unpacked and multiplied as fp16"]
    int8 = ask(a100, weights="int8")
    assert int8.peak_key == "int8"
    assert "computed at the int8 peak" in int8.notes[0]
    int4 = ask(a100, weights="int4")
    assert int4.weights_bytes == TINY.params / 2
    each = "int4 weights: half a byte for each, head and embedding too, no scales"
    assert int4.notes == [f"{each}; unpacked and multiplied as fp16"]
    assert ask(a100, weights="int4", peak_tflops=200).notes == [each]
    assert ask(kv="fp8").kv_bytes_per_token == TINY.kv_bytes_per_token() / 2
    assert ask(kv="int8").kv_bytes_per_token == TINY.kv_bytes_per_token() / 2


def test_bf16_is_of_the_size_of_fp16_and_said_as_bf16() -> None:
    a100 = card_named("A100 80GB SXM", CARDS)
    found, half = ask(a100, weights="bf16", kv="bf16"), ask(a100)
    assert (found.precision, found.kv_precision, found.peak_key) == ("bf16", "bf16", "bf16")
    assert (found.curve, found.b_star, found.notes) == (half.curve, half.b_star, [])
    old = ask(weights="bf16")  # a T4
    assert old.notes == ["bf16 weights go by the fp16 peak: the table has none of bf16"]


def test_the_ends_of_batching_stand_in_the_curve_or_beside_it() -> None:
    found = ask(context=256)
    assert [p.batch for p in found.landmarks] == [435, 2508]
    assert [p.fits for p in found.landmarks] == [True, True]
    assert found.curve == [p for p in found.curve if p.batch <= 128]
    seven = ask(card_named("A100 80GB SXM", CARDS), named("Llama-2-7B", MODELS))
    assert (seven.landmarks, at(seven, 65).fits) == ([], True)
    near = ask(ridge=ask().ai_max * (1 - 1e-7))
    assert (near.b_star or 0) > 10**6  # too large a batch to print
    assert [p.batch for p in near.landmarks] == [near.batch_memory_cap]


def test_the_cheapest_batch_is_where_tokens_stop_growing() -> None:
    price = Price(per_hour=1.0)
    roof = ask(context=256, price=price)
    assert (roof.cost_batch, roof.cheapest_batch) == (128, 435)
    shared = ask(context=256, price=price, overhead_s=7.8e-3)
    assert shared.cheapest_batch == shared.batch_memory_cap == 2508
    for found in (roof, shared):
        fits = [p.cost_per_mtok for p in (*found.curve, *found.landmarks) if p.fits]
        assert found.cheapest_per_mtok == pytest.approx(min(x for x in fits if x), rel=1e-9)
    memory = ask(price=price)
    assert memory.cheapest_batch == memory.batch_memory_cap
    unknown = ask(msgspec.structs.replace(T4, memory_bytes=None), price=price)
    assert (unknown.cheapest_batch, unknown.cheapest_per_mtok) == (None, None)
    assert "cheapest_per_mtok" in unknown.status


def test_what_does_not_fit() -> None:
    seven = named("Llama-2-7B", MODELS)
    found = ask(card_named("A100 80GB SXM", CARDS), seven)
    assert found.batch_memory_cap == 65
    assert (found.limited_by, found.reaches_roof) == ("memory", False)
    assert [p.batch for p in found.curve if not p.fits] == [128]
    assert at(found, 65).fits
    whole = ask(T4, named("Llama-3-70B", MODELS), price=Price(per_hour=1.0))
    assert whole.batch_memory_cap == 0
    assert not any(p.fits for p in whole.curve)
    assert (whole.cost_per_mtok, whole.status["cost_per_mtok"]) == (
        None,
        "no batch fits in the memory",
    )
    assert ask(reserve=0.5).batch_memory_cap < ask(reserve=0).batch_memory_cap


def test_money_is_that_of_the_largest_batch_that_fits() -> None:
    seven = named("Llama-2-7B", MODELS)
    found = ask(card_named("A100 80GB SXM", CARDS), seven, price=Price(per_hour=3.6))
    assert found.cost_batch == 65
    assert found.cost_per_mtok == at(found, 65).cost_per_mtok
    assert found.cost_per_mtok == pytest.approx(3.6 / 3600 / at(found, 65).tokens_per_s * 1e6)
    assert ask().cost_per_mtok is None
    assert ask().status["cost_per_mtok"] == "no price"


def test_loading_the_weights() -> None:
    found = ask(card_named("A100 80GB SXM", CARDS), named("Llama-2-7B", MODELS))
    assert found.link_gbs == pytest.approx(31.5, abs=0.01)
    assert found.load_s == pytest.approx(13.477 / 31.504, rel=1e-3)
    seed = ask(card_named("A100 80GB SXM", CARDS), named("Llama-2-7B", MODELS), link_gbs=64)
    assert seed.load_s == pytest.approx(0.21, abs=0.005)
    none = ask(msgspec.structs.replace(T4, pcie_gen=None, memory_bytes=None))
    assert (none.load_s, none.batch_memory_cap) == (None, None)
    assert none.status.keys() >= {"load_s", "link_gbs", "batch_memory_cap", "memory_bytes"}
    assert all(p.fits for p in none.curve)


def test_a_card_that_lacks_a_figure() -> None:
    bare = Nominal(origin="none", name="New card")
    with pytest.raises(PlanError, match="New card: no bandwidth is known"):
        ask(bare)
    with pytest.raises(PlanError, match="no peak for fp16 weights"):
        ask(bare, bandwidth_gbs=100)
    given = ask(bare, bandwidth_gbs=100, peak_tflops=10)
    assert (given.peak_key, given.ridge, given.ridge_nominal) == (None, 100, None)
    with pytest.raises(PlanError, match="no nominal ridge"):
        ask(bare, bandwidth_gbs=100, peak_tflops=10, ridge="nominal")


def test_what_a_model_leaves_out_is_a_note() -> None:
    assert ask(model=named("Mistral-7B", MODELS)).notes[0].startswith("Mistral-7B: v0.1 reads")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"context": 0}, "context is 0, not from 1 to 100000000"),
        ({"batch_max": 1_000_001}, "batch-max is 1000001, not from 1 to 1000000"),
        ({"overhead_s": -1.0}, "overhead"),
        ({"overhead_s": float("nan")}, "overhead"),
        ({"bandwidth_gbs": 0.0}, "bandwidth"),
        ({"peak_tflops": float("inf")}, "peak"),
        ({"reserve": 1.0}, "reserve is 1, not from 0 to 0.99"),
        ({"ridge": 0.0}, "ridge (FLOP/byte) is 0, not from 0.001"),
        ({"ridge": "best"}, "ridge is 'best', not nominal, measured or FLOP/byte"),
        ({"weights": "fp32"}, "weights is 'fp32', none of fp16, bf16, fp8, int8, int4"),
        ({"kv": "int4"}, "kv is 'int4', none of fp16, bf16, fp8, int8"),
    ],
)
def test_a_question_that_nobody_can_answer(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError) as caught:
        Question(card="", model="", **fields)
    assert says in str(caught.value)


def test_cards_by_name() -> None:
    assert card_named("h100 sxm", CARDS).name == "NVIDIA H100 80GB HBM3"
    for name, says in (
        ("A100", "may be NVIDIA A100-SXM4-40GB, NVIDIA A100-SXM4-80GB"),
        ("H1000", "no card is called 'H1000'; like it: "),
        ("zzz", "no card is called 'zzz'"),
    ):
        with pytest.raises(PlanError) as caught:
            card_named(name, CARDS)
        assert says in str(caught.value)


def test_a_mig_slice_has_its_share() -> None:
    whole, part = (card_named(n, CARDS) for n in ("A100 80GB SXM", "a100 80gb sxm 3g.40gb"))
    assert (part.bandwidth_gbs or 0) == (whole.bandwidth_gbs or 0) / 2
    assert (part.memory_bytes or 0) == (whole.memory_bytes or 0) / 2
    found = ask(part)
    assert found.batch_memory_cap < ask(whole).batch_memory_cap
    assert found.gpu == "NVIDIA A100-SXM4-80GB MIG 3g.40gb"
    assert (found.figures, found.bandwidth_from, found.peak_from) == ("derived",) * 3
    said = "derived from the whole card's share of SMs and memory"
    assert found.notes == [f"{found.gpu}: {said}"]
    measured = ask(part, bandwidth_gbs=900)
    assert (measured.bandwidth_from, measured.peak_from) == ("given", "derived")


def test_no_such_slice() -> None:
    for name, says in (
        ("T4 MIG 1g.5gb", "Tesla T4: no MIG profile of this card is known, so not 1g.5gb"),
        ("A100 80GB SXM MIG 9g.900gb", "NVIDIA A100-SXM4-80GB has no such MIG profile as 9g.900gb"),
    ):
        with pytest.raises(PlanError) as caught:
            card_named(name, CARDS)
        assert says in str(caught.value)


def test_the_seeds_table_and_the_tables_over_one_side() -> None:
    three = table(Question(card="", model=""), ALL, CARDS, MODELS)
    assert [p.model for p in three] == [m for _, m in SEEDS_PAIRS]
    assert [p.limited_by for p in three] == ["ai_max", "memory", "ai_max"]
    assert [round(p.ridge) for p in three] == [203, 153, 295]
    assert not any(p.reaches_roof for p in three)
    of_card = table(Question(card="T4", model=""), ALL, CARDS, MODELS)
    assert [p.model for p in of_card] == [m.name for m in MODELS]
    of_model = table(Question(card="", model="TinyLlama"), ALL, CARDS, MODELS)
    assert len(of_model) > 100
    assert len({p.gpu for p in of_model}) == len(of_model)


def test_an_answer_by_names() -> None:
    found = answer(Question(card="T4", model="tinyllama"), CARDS, MODELS)
    assert found == ask()
