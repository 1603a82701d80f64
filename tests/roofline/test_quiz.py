"""The seventeen questions: with a seed's card and numbers the answer is the seed's own."""

from __future__ import annotations

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.quiz_answer import is_right
from roofwatch.notebook.quiz_words import explained
from roofwatch.roofline import quiz
from roofwatch.roofline import quiz_day_1 as day_1
from roofwatch.roofline import quiz_day_18 as day_18
from roofwatch.roofline import quiz_h100_note as h100
from roofwatch.roofline.example import DAY_1, DAY_18, H100_NOTE, nominal_roof
from roofwatch.roofline.quiz import Question, ground
from roofwatch.roofline.quiz_questions import DRAWN, MANY, question, questions
from roofwatch.roofline.roof import Roof
from roofwatch.roofline.shared_memory import shared_bytes
from roofwatch.roofline.workload import tiled
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.models import packaged_models
from roofwatch.session.plan_sources import seeds

S = seeds()
T4, A100, H100 = (nominal_roof(card) for card in (S.t4, S.a100, S.h100))
SHEET = Roof(bandwidth_gbs=4000, peak_tflops=1000)
CARDS = Cards(packaged_cards())

SEEDS: list[tuple[Question, str]] = [
    (day_1.batch_and_latency(8, 64, 10, 11), "either"),
    (day_1.chain(2, 256, T4), "2x"),
    (day_1.capacity_or_bandwidth(S.seven, 2048, S.a100.memory_bytes or 0, A100, "capacity"), "a"),
    (day_1.capacity_or_bandwidth(S.seven, 2048, S.a100.memory_bytes or 0, A100, "bandwidth"), "b"),
    (day_1.rows_of_a_layer(1, 4096, A100), "1 FLOP/byte"),
    (day_1.compiled(20, 3), "overhead-bound"),
    (day_1.relu_of(1.0, A100, S.a100.peaks_tflops["fp16_vector"]), "1 ms"),
    (day_1.picture("compute"), "compute-bound"),
    (day_1.picture("memory"), "memory-bandwidth-bound"),
    (day_1.picture("overhead"), "overhead-bound"),
    (day_18.measured_ridge(SHEET, 85, 80), "266"),
    (day_18.stream(1024, 1.2, A100.bandwidth_gbs), "1790 GB/s"),
    (day_18.ceiling(S.thirteen, 4096, A100, 80e9), "7.9"),
    (day_18.of_the_roof(48, 52, T4), "92 %"),
    (day_18.norm(1, S.tiny.hidden, 8, T4), "overhead"),
    (day_18.first_suspect(S.t4, T4, 900, 1.0), "L2"),
    (day_18.first_suspect(S.t4, T4, 7, None), "peak"),
    (h100.token_intensity(S.eight, "fp16", H100), "1"),
    (h100.side_of_ridge(4096, 4096, 16, H100), "memory-bound"),
    (h100.each_element("layernorm", H100), "2"),
    (h100.tile_reuse(128, H100), "64"),
]


@pytest.mark.parametrize(("asked", "said"), SEEDS, ids=[f"{q.number} {q.key}" for q, _ in SEEDS])
def test_the_seeds_own_answer_is_right(asked: Question, said: str) -> None:
    assert is_right(asked, said)


def test_the_seeds_ask_seventeen_things() -> None:
    assert MANY == len(DRAWN) == 17
    assert sorted({q.number for q, _ in SEEDS}) == list(range(1, 18))
    notes = [q.note for q in questions(0, ground(S.h100, packaged_models()))]
    assert notes == [DAY_1] * 7 + [DAY_18] * 6 + [H100_NOTE] * 4


FIGURES: list[tuple[str, str, float]] = [
    # What the seeds say on the way, of the same questions.
    ("chain", "one_ms", 1.6),
    ("measured_ridge", "nominal", 250),
    ("measured_ridge", "moved", 6),
    ("stream", "reads_gbs", 895),
    ("stream", "share", 88),
    ("stream", "reads_share", 44),
    ("of_the_roof", "of_nominal", 74),
    ("norm", "floor_us", 0.04),
    ("norm", "rest", 99),
    ("rows_of_a_layer", "square", 1365),
    ("token_intensity", "read_gb", 16),
    ("token_intensity", "floor_ms", 4.8),
    ("side_of_ridge", "intensity", 16),
    ("side_of_ridge", "gflop", 0.54),
    ("side_of_ridge", "mb", 34),
    ("side_of_ridge", "ridge", 295),
    ("tile_reuse", "uses", 128),
    ("capacity_or_bandwidth", "tokens", 150),
    ("batch_and_latency", "factor", 8),
    ("relu_of", "elements_g", 0.5),
]


@pytest.mark.parametrize(("key", "name", "said"), FIGURES)
def test_so_are_the_figures_on_the_way(key: str, name: str, said: float) -> None:
    of = next(q for q, _ in SEEDS if q.key == key)
    assert of.values[name] == pytest.approx(said, rel=0.05)


def test_what_the_seeds_tell_people_to_do() -> None:
    cases = {q.key: q.case for q, _ in SEEDS}
    assert cases["of_the_roof"] == "stop"
    second = {q.key: q.then.answer for q, _ in SEEDS if q.then is not None}
    assert second == {"of_the_roof": quiz.STOP, "each_element": quiz.MEMORY}
    assert cases["ceiling"] == "never"
    assert cases["measured_ridge"] == "right"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (day_1.batch_and_latency(8, 64, 10, 78), quiz.COMPUTE),
        (day_1.compiled(98, 3), quiz.MEMORY),
        (day_1.rows_of_a_layer(4096, 4096, A100), 4096 / 3),
        (day_18.norm(65536, 4096, 9000, T4), quiz.OVERHEAD),
        (day_18.norm(65536, 4096, 3900, T4), quiz.MEMORY),
        (day_18.first_suspect(S.t4, T4, 30_000, 512.0), quiz.SYNCHRONIZE),
        (h100.side_of_ridge(4096, 4096, 4096, H100), quiz.COMPUTE),
        (h100.token_intensity(S.eight, "int4", H100), 4.0),
    ],
)
def test_other_numbers_have_other_answers(asked: Question, answer: float | str) -> None:
    assert asked.answer == (pytest.approx(answer) if isinstance(answer, float) else answer)


def test_a_tile_of_one_is_the_naive_kernel() -> None:
    assert tiled(1, "bf16").intensity == 0.5
    for tile in (16, 64, 256):
        assert tiled(tile, "bf16").intensity / tiled(1, "bf16").intensity == tile


def test_a_seed_asks_the_same_again_and_another_something_else() -> None:
    on = ground(S.h100, packaged_models())
    assert questions(7, on) == questions(7, on)
    assert question(9, 7, on) == questions(7, on)[8]
    assert len({str([q.values for q in questions(seed, on)]) for seed in range(20)}) == 20
    for number in (0, 18, -1):
        with pytest.raises(IndexError):
            question(number, 7, on)


def test_every_answer_of_every_question_is_drawn() -> None:
    on = ground(S.h100, packaged_models())
    drawn = [q for seed in range(60) for q in questions(seed, on)]
    for key, cases in (
        ("batch_and_latency", {quiz.COMPUTE, quiz.EITHER}),
        ("capacity_or_bandwidth", {quiz.CAPACITY, quiz.BANDWIDTH}),
        ("compiled", {quiz.OVERHEAD, quiz.MEMORY}),
        ("picture", set(quiz.BOUNDS)),
        ("measured_ridge", {"left", "right"}),
        ("of_the_roof", {"stop", "go_on"}),
        ("norm", {quiz.OVERHEAD, quiz.MEMORY}),
        ("first_suspect", {quiz.CACHE, quiz.PEAK, quiz.SYNCHRONIZE}),
        ("side_of_ridge", {quiz.COMPUTE, quiz.MEMORY}),
    ):
        assert {q.case for q in drawn if q.key == key} == cases, key


def test_every_card_with_the_figures_can_be_asked_about() -> None:
    models, refused = packaged_models(), []
    for card in packaged_cards():
        try:
            on = ground(CARDS.nominal(card), models)
        except ValueError as error:
            refused.append(str(error))
            continue
        for seed in range(3):
            for q in questions(seed, on):
                numbers = [v for v in (q.answer, *q.values.values()) if isinstance(v, (int, float))]
                assert all(0 <= v < 1e15 for v in numbers), (card.name, q)
                assert q.kind == quiz.NUMBER or q.answer in q.choices
                assert q.then is None or q.then.answer in q.then.choices
    assert 0 < len(refused) < 20
    assert all("need" in said for said in refused)


def test_no_question_asks_of_what_the_card_lacks() -> None:
    """A type, a tile or a model that it has no room for."""
    for card in packaged_cards():
        nominal = CARDS.nominal(card)
        try:
            on = ground(nominal, packaged_models())
        except ValueError:
            continue
        assert on.roof.peak_tflops == nominal.peaks_tflops[on.half]
        room = shared_bytes(nominal.compute_capability) or 48 * 1024
        for seed in range(12):
            asked = questions(seed, on)
            assert {q.values["dtype"] for q in asked if "dtype" in q.values} == {on.half}
            assert 4 * float(asked[16].values["tile"]) ** 2 <= room, nominal.name
            memory = nominal.memory_bytes
            if memory:
                assert 2e9 * float(asked[5].values["size_gb"]) < memory
                assert float(asked[13].values["read_gb"]) * 1e9 < memory, nominal.name


@pytest.mark.parametrize(
    ("card", "half", "largest"),
    [
        ("T4", "fp16", 128),
        ("V100-SXM2-16GB", "fp16", 128),
        ("A100 80GB SXM", "bf16", 128),
        ("H100 SXM", "bf16", 128),
        ("AMD Instinct MI100", "fp16", 128),  # bf16 has half of its rate
    ],
)
def test_the_type_and_the_largest_tile_of_a_card(card: str, half: str, largest: int) -> None:
    on = ground(card_named(card, CARDS), packaged_models())
    assert on.half == half
    tiles = {question(17, seed, on).values["tile"] for seed in range(60)}
    assert tiles == {t for t in (16, 32, 64, 128, 256) if t <= largest}


def test_weights_that_fit_nowhere_are_said_not_to() -> None:
    on = ground(card_named("T4", CARDS), [m for m in packaged_models() if m.params > 60e9])
    q = question(14, 1, on)
    assert q.values["memory_gb"] == pytest.approx(17.18, abs=0.01)
    assert "do not fit in this card's 17.18 GB" in explained(q)


def test_a_small_card_is_asked_what_it_holds() -> None:
    on = ground(card_named("T4", CARDS), packaged_models())
    for seed in range(40):
        q = question(3, seed, on)
        assert q.case == quiz.BANDWIDTH or q.values["sequences"] > 0  # type: ignore[operator]
