"""The quiz in two languages, and what of a typed answer is understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from roofwatch.notebook.catalog import LANGUAGES, choose, fields
from roofwatch.notebook.quiz_answer import EXAMPLES, SAID, NotAnAnswer, NoUnit, both_right, is_right
from roofwatch.notebook.quiz_words import (
    ANY,
    answer_said,
    answers_said,
    asked,
    choice_said,
    explained,
    quiz_catalog,
    quiz_label,
)
from roofwatch.roofline.decode import decode_of
from roofwatch.roofline.example import nominal_roof
from roofwatch.roofline.quiz import NUMBER, Question, ground
from roofwatch.roofline.quiz_day_1 import batch_and_latency, chain, picture, relu_of
from roofwatch.roofline.quiz_day_18 import ceiling, measured_ridge, of_the_roof, stream
from roofwatch.roofline.quiz_questions import questions
from roofwatch.roofline.roof import Roof
from roofwatch.session.models import packaged_models
from roofwatch.session.plan_sources import seeds

EN, ZH = (quiz_catalog(name) for name in LANGUAGES)
S = seeds()
SHEET = Roof(bandwidth_gbs=4000, peak_tflops=1000)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    choose("en")


def test_both_languages_say_the_same_with_the_same_fields() -> None:
    assert EN.labels.keys() == ZH.labels.keys()
    assert EN.words.keys() == ZH.words.keys()
    assert EN.questions.keys() == ZH.questions.keys()
    for name, said in EN.labels.items():
        assert fields(said) == fields(ZH.labels[name]), name
    for key, words in EN.questions.items():
        for part in ("ask", "explain"):
            ours, theirs = getattr(words, part), getattr(ZH.questions[key], part)
            assert ours.keys() == theirs.keys(), key
            for case in ours:
                assert fields(ours[case]) == fields(theirs[case]), (key, part, case)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answer_as_it_is_printed_is_right(language: str) -> None:
    choose(language)
    label = quiz_label("answer", answer="")
    asked_second = 0
    for card in (S.t4, S.h100):
        for seed in range(20):
            for q in questions(seed, ground(card, packaged_models())):
                printed = answers_said(q).removeprefix(label)
                if q.then is None:
                    assert is_right(q, printed), printed
                    continue
                asked_second += 1
                assert both_right(q, printed) == (True, True), printed
    assert asked_second


def test_a_comma_within_an_answer_parts_no_two() -> None:
    (q,) = (x for x in questions(7, ground(S.t4, packaged_models())) if x.number == 11)
    assert q.then is not None
    value, ours = float(q.answer), choice_said(str(q.then.answer))
    assert "," in ours
    assert both_right(q, f"{value} %, {ours}") == (True, True)
    assert both_right(q, f"{value * 2} %; {ours}") == (False, True)
    with pytest.raises(NotAnAnswer):
        both_right(q, "who knows, stop")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_that_can_be_drawn_has_words(language: str) -> None:
    choose(language)
    seen: set[tuple[str, str]] = set()
    for card in (S.t4, S.a100, S.h100):
        on = ground(card, packaged_models())
        for seed in range(40):
            for q in questions(seed, on):
                said = f"{asked(q)} {explained(q)} {answer_said(q)}"
                assert not re.search(r"[{}\[\]]|nan|inf\b|\de[+]", said), said
                assert "(s)" not in said
                assert not re.search(r"\b1 (rows|operations|sequences)\b", said), said
                seen.add((q.key, q.case))
                if q.then is not None:
                    assert asked(q.then).endswith(("?", "？"))
                    assert answer_said(q.then) in map(choice_said, q.then.choices)
                    seen.add((q.then.key, q.then.case))
    assert {key for key, _ in seen} == EN.questions.keys()
    for key, words in EN.questions.items():
        for case in {*words.ask, *words.explain} - {ANY}:
            assert (key, case) in seen or (key, case) == ("tile_reuse", "compute"), (key, case)


@pytest.mark.parametrize(("language", "alone"), [("en", "weights alone"), ("zh-CN", "光是权重")])
def test_weights_that_do_not_fit_are_not_called_no_room_beside_them(
    language: str, alone: str
) -> None:
    choose(language)
    t4 = nominal_roof(S.t4)
    for memory_bytes, fits in ((16e9, False), (26.03e9 / 0.97 + 4e9, True)):
        said = explained(ceiling(S.thirteen, 4096, t4, memory_bytes))
        assert (alone in said) == (not fits)
        assert "0 sequences" not in said
        assert ("1 sequence fits" in said) == (fits and language == "en")
    assert alone not in explained(ceiling(S.thirteen, 4096, t4, None))


def test_chinese_is_chinese() -> None:
    choose("zh-CN")
    for q in questions(1, ground(S.h100, packaged_models())):
        assert re.search("[\u4e00-\u9fff]", asked(q))
        assert re.search("[\u4e00-\u9fff]", explained(q))


RIDGE = measured_ridge(SHEET, 85, 80)  # 265.6
STREAM = stream(1024, 1.2, 2039)  # 1789.6
SHARE = of_the_roof(48, 52, nominal_roof(S.t4))  # 92.3
MOVING = relu_of(1.0, nominal_roof(S.a100), 78.0)  # 0.981 ms
THREE = chain(3, 256, nominal_roof(S.t4))
BATCH = batch_and_latency(8, 64, 10, 11)
TRUCKS = picture("memory")


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        (RIDGE, "266"),
        (RIDGE, "265.6 FLOP/byte"),
        (RIDGE, "≈ 266 flop/B"),
        (RIDGE, "约266。"),
        (RIDGE, "２６６"),
        (RIDGE, "2.66e2"),
        (STREAM, "1790"),
        (STREAM, "1,790 GB/s"),
        (STREAM, "1.79 TB/s"),
        (STREAM, "1667 GiB/s"),
        (STREAM, "1790 gb/s"),
        (STREAM, "1.79e3 gb/s"),
        (STREAM, "1.79 tb/s"),
        (STREAM, "1790000 MB/S"),
        (STREAM, "1667 gib/s"),
        (STREAM, "14317 Gb/s"),
        (STREAM, "14317 gbit/s"),
        (STREAM, "1790 gbytes/s"),
        (STREAM, "1790 GByte/s"),
        (STREAM, "1790 GBytes/s"),
        (STREAM, "1790 GB/second"),
        (STREAM, "1790 GB per second"),
        (STREAM, "1790 gb per second"),
        (STREAM, "1790 GB / s"),
        (STREAM, "1790 GB/秒"),
        (STREAM, "14317 GBit/s"),
        (RIDGE, "265.6 FLOP per byte"),
        (RIDGE, "265.6 FLOP / byte"),
        (RIDGE, "265.6 FLOP/字节"),
        (RIDGE, "265.6 FLOP 每字节"),
        (SHARE, "92"),
        (SHARE, "92%"),
        (SHARE, "0.923"),
        (SHARE, "92 ％"),
        (MOVING, "1"),
        (MOVING, "0.98ms"),
        (MOVING, "981 us"),
        (MOVING, "981µs"),
        (MOVING, "0.98 毫秒"),
        (THREE, "3"),
        (THREE, "3x"),
        (THREE, "3 倍"),
        (THREE, "3×"),
        (MOVING, "0.981 msecs"),
        (THREE, "300 %"),
        (MOVING, "0.98 MS"),
        (BATCH, "d"),
        (BATCH, "D)"),
        (BATCH, " either "),
        (BATCH, "memory or overhead"),
        (TRUCKS, "memory"),
        (TRUCKS, "Memory-Bound"),
        (TRUCKS, "带宽"),
        (TRUCKS, "b"),
    ],
)
def test_right(question: Question, typed: str) -> None:
    assert is_right(question, typed)


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        (RIDGE, "250"),
        (STREAM, "1790 GBit/s"),
        (STREAM, "895"),
        (STREAM, "1.79"),
        (STREAM, "1790 Gb/s"),
        (STREAM, "1790 gbit/s"),
        (STREAM, "1790 mb/s"),
        (THREE, "3 %"),
        (SHARE, "74 %"),
        (SHARE, "0.92 %"),
        (MOVING, "1 s"),
        (MOVING, "1 us"),
        (THREE, "1"),
        (BATCH, "b"),
        (BATCH, "compute"),
        (TRUCKS, "c"),
    ],
)
def test_wrong_but_an_answer(question: Question, typed: str) -> None:
    assert not is_right(question, typed)


def test_a_short_word_stands_once_and_blanks_hyphens_and_case_tell_none_apart() -> None:
    for words in SAID.values():
        bare = [re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", word.lower()) for word in words]
        assert len(set(bare)) == len(bare)
    for typed in (
        "memory bound",
        "Memory_Bound",
        "MEMORY-BANDWIDTH BOUND",
        "memory bandwidth-bound",
    ):
        assert is_right(TRUCKS, typed)
    for typed in ("go on", "go_on", "Go-On", "yes"):
        assert SHARE.then is not None  # at 92 % of the roof there is nothing to gain
        assert not is_right(SHARE.then, typed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_choice_is_understood_as_it_is_printed(language: str) -> None:
    choose(language)
    met: set[str] = set()
    for seed in range(40):
        for drawn in questions(seed, ground(S.t4, packaged_models())):
            for q in (drawn, drawn.then):
                if q is None or q.kind == NUMBER:
                    continue
                for letter, choice in zip("abcd", q.choices, strict=False):
                    said = choice_said(choice)
                    for typed in (said, said.upper(), f" {said}. ", f"{letter}) {said}"):
                        assert is_right(q, typed) is (choice == q.answer), typed
                    met.add(choice)
                with pytest.raises(NotAnAnswer):  # the letter says another than the words
                    is_right(q, f"a) {choice_said(q.choices[1])}")
    assert met == EN.words.keys()


@pytest.mark.parametrize("typed", ["0,250", "0,981", "-0,250", "1234,567", "1,79", "0,250,000"])
def test_a_comma_that_sets_no_thousands_apart_is_asked_back(typed: str) -> None:
    for question in (RIDGE, STREAM, SHARE, MOVING, THREE):
        for unit in ("", f" {question.unit}"):
            with pytest.raises(NotAnAnswer) as none:
                is_right(question, typed + unit, bare=False)
            assert not isinstance(none.value, NoUnit)


def test_the_batch_that_is_named_gets_there() -> None:
    t4 = nominal_roof(S.t4)
    for seed in range(60):
        q = questions(seed, ground(S.t4, packaged_models()))[9]
        if q.case != "reaches":
            continue
        star = q.values["star"]
        model = next(m for m in packaged_models() if m.name == q.values["model"])
        exact = decode_of(model, int(q.values["context"])).b_star(t4.ridge)
        assert exact is not None
        assert star == int(star)
        assert exact <= star < exact + 1
        for language, words in (("en", f"a batch of {star} would"), ("zh-CN", f"batch 到 {star} ")):
            choose(language)
            assert words in explained(q)
        return
    raise AssertionError("no seed asks of a model that reaches the ridge")


@pytest.mark.parametrize("question", [RIDGE, STREAM, SHARE, MOVING])
def test_a_bare_number_is_asked_back_where_a_unit_matters(question: Question) -> None:
    for typed in ("3125", " 0.5 ", "≈ 266", "1,790"):
        with pytest.raises(NoUnit):
            is_right(question, typed, bare=False)
    assert is_right(THREE, "3", bare=False)
    assert is_right(BATCH, "d", bare=False)
    with pytest.raises(NotAnAnswer) as none:
        is_right(question, "1e999", bare=False)
    assert not isinstance(none.value, NoUnit)


@pytest.mark.parametrize(
    "typed", ["", " ", "x", "1.2.3", "nan", "inf", "1e999", "12 apples", "-3", "\0"]
)
@pytest.mark.parametrize("question", [RIDGE, STREAM, SHARE, MOVING, THREE, BATCH, TRUCKS])
def test_no_answer_is_asked_back(question: Question, typed: str) -> None:
    with pytest.raises(NotAnAnswer):
        is_right(question, typed)


@pytest.mark.parametrize(
    "typed", ["5" * 100_000, "\u0665", "1" + "0" * 400, "\ud800", "%", "/", "("]
)
def test_whatever_is_typed_is_taken(typed: str) -> None:
    for question in (RIDGE, STREAM, SHARE, MOVING, THREE, BATCH, TRUCKS):
        try:
            assert not is_right(question, typed)
        except NotAnAnswer:
            continue


def test_the_form_that_a_hint_shows_is_understood() -> None:
    for question in (RIDGE, STREAM, SHARE, MOVING, THREE):
        assert question.kind == NUMBER
        is_right(question, EXAMPLES[question.unit])
