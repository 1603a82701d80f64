"""The notebook's pages are what the rules say of the examples, in both languages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import notebook_pages
import pytest

from roofwatch.notebook.book import anchor
from roofwatch.notebook.catalog import FIELD, LANGUAGES, OPTIONAL, catalog, choose
from roofwatch.notebook.entry import READ
from roofwatch.notebook.examples import EXAMPLES, Example, spoken
from roofwatch.notebook.finding import ROOTS
from roofwatch.notebook.known_card import Cards
from roofwatch.session.cards import packaged_cards

CARDS = Cards(packaged_cards())
OF_ROWS = [e for e in EXAMPLES if e.code != "experiment"]
SEEDS = [f"E{n}" for n in range(1, 8)]


def named(example: Example) -> str:
    return f"{example.code} {example.case}"


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each language, chosen for one test."""
    choose(request.param)
    yield request.param
    choose(LANGUAGES[0])


@pytest.mark.parametrize("language_", LANGUAGES)
def test_a_page_is_what_the_rules_say(language_: str) -> None:
    page = notebook_pages.OUTPUT[language_].read_text(encoding="utf-8")
    assert page == notebook_pages.document(language_)


@pytest.mark.parametrize("language_", LANGUAGES)
def test_every_code_has_a_section_and_every_link_a_heading(language_: str) -> None:
    page = notebook_pages.OUTPUT[language_].read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", page, re.M)
    assert [re.split(r"[ :：]", h)[0] for h in headings] == [*ROOTS, "experiment"]
    assert sorted(re.findall(r"\]\(#(.*?)\)", page)) == sorted(map(anchor, headings))


@pytest.mark.parametrize("example", OF_ROWS, ids=named)
def test_an_example_raises_its_own_code(example: Example) -> None:
    (verdict,) = example.verdicts(CARDS)
    codes = [f.code for f in verdict.findings]
    assert verdict.error is None
    if example.code in SEEDS:
        assert codes[0] == example.code
    assert example.code in codes


def test_every_error_of_the_seeds_has_an_example() -> None:
    assert {e.code for e in EXAMPLES} >= set(SEEDS)
    assert len({(e.code, e.case) for e in EXAMPLES}) == len(EXAMPLES)


def pattern(template: str) -> str:
    """What a template looks like when it is filled."""
    out, at = "", 0
    for found in OPTIONAL.finditer(template):
        out += f"{_fields(template[at : found.start()])}(?:{_fields(found[1])})?"
        at = found.end()
    return out + _fields(template[at:])


def _fields(text: str) -> str:
    out, at = "", 0
    for found in FIELD.finditer(text):
        out += re.escape(text[at : found.start()]) + ".+?"
        at = found.end()
    return out + re.escape(text[at:])


def test_an_example_speaks_in_the_words_of_its_case(language: str) -> None:
    told = spoken(CARDS)
    for example in EXAMPLES:
        case = catalog(language).pages[example.code].cases[example.case]
        answer = told[(example.code, example.case)]
        for part in ("message", "why", "do"):
            template, text = getattr(case, part), getattr(answer, part)
            assert re.fullmatch(pattern(template), text), f"{named(example)}: {text}"


def test_a_chinese_sentence_does_not_end_with_an_ascii_period() -> None:
    choose("zh-CN")
    try:
        for answer in spoken(CARDS).values():
            for text in (answer.message, answer.why, answer.do):
                assert not re.search(r"(?<!\d)\.(\s|$)", text), text
                assert text.endswith("。")
    finally:
        choose(LANGUAGES[0])


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_a_command_line_is_the_row_again(example: Example) -> None:
    program, verb, *words = shlex.split(example.command)
    assert (program, verb) == ("roofwatch", "check")
    names = [word.removeprefix("--").replace("-", "_") for word in words[::2]]
    assert dict(zip(names, words[1::2], strict=True)) == example.said
    assert set(names) <= set(READ)


SEED_NUMBERS = {
    "E1 counted": ("895 GB/s counts 1074 MB where 2147 MB move", "1790 GB/s, 88 % of nominal"),
    "E2 fits": ("900 GB/s", "2.0 MiB", "4 MiB", "320 GB/s"),
    "E3 other": ("65 TFLOP/s", "8.1 TFLOP/s", "11 %", "86 %"),
    "E3 sparse": ("624 TFLOP/s", "312"),
    "E4 left_of_ridge": ("171 FLOP/byte", "203", "40 SMs", "20 % of nominal"),
    "E6 bandwidth": ("80 % of nominal",),
    "E7 kv_bytes": ("intensity 96, not 128", "382"),
    "experiment flat": ("8 to 64", "10 ms to 11 ms", "not compute-bound"),
}
"""What the seeds worked out by hand."""


def test_the_seeds_own_numbers_come_out() -> None:
    told = {f"{code} {case}": answer for (code, case), answer in spoken(CARDS).items()}
    for name, parts in SEED_NUMBERS.items():
        for part in parts:
            assert part in told[name].message, told[name].message
