"""Answers as rows of text: a page for a few, a line each for many; never wider than asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from roofwatch.notebook.catalog import LANGUAGES, choose
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_rows
from roofwatch.roofline.expected import Range
from roofwatch.session.cards import packaged_cards
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.notebook.verdict_body import body, is_guess, mark
from roofwatch.tui.notebook.verdict_rows import HINT, MANY, answer, answers, called, counts, lines

GIB = 1 << 30
WIDTHS = (60, 80, 120)
T4: dict[str, Any] = {"gpu": "T4", "op": "add_scalar", "dtype": "fp16"}
ROWS: list[dict[str, Any]] = [
    {**T4, "id": "good", "elements": GIB // 2, "time_ms": 7.9},
    {**T4, "id": "reads only", "elements": GIB // 2, "time_ms": 7.9, "claimed_gbs": 136},
    {"id": "pageable", "gpu": "A100 80GB SXM", "op": "h2d", "claimed_gbs": 12},
    {"id": "unknown", "op": "copy", "claimed_gbs": 1700},
    {
        "id": "which",
        "gpu": "A100",
        "op": "copy",
        "elements": GIB,
        "dtype": "fp32",
        "claimed_gbs": 1340,
    },
    {"id": "typo", "op": "ad"},
    {"id": "decode", "op": "decode", "batch": 8, "time_ms": 10},
    {"id": "decode", "op": "decode", "batch": 64, "time_ms": 11},
    {"op": "matmul", "gpu": "T4", "dtype": "fp16", "m": 512, "n": 512, "k": 512, "time_us": 60},
    {"id": 10**30, "op": "matmul", "gpu": "T4", "dtype": "fp16", "claimed_tflops": 1e23},
    {"id": "名前" * 40, "op": "copy", "gpu": "名" * 100, "claimed_gbs": 1e-11},
    {"id": "i8", "op": "matmul", "gpu": "T4", "dtype": "int8", "claimed_tflops": 60},
]


@cache
def cards() -> Cards:
    return Cards(packaged_cards())


def found() -> list[Verdict]:
    return check_rows([(f"row {i}", r) for i, r in enumerate(ROWS, 1)], cards())


def text(rows: list[Row]) -> str:
    return "\n".join(text_of(r).rstrip() for r in rows)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    choose("en")
    yield
    choose("en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("cells", WIDTHS)
def test_no_line_is_wider_than_asked(cells: int, glyphs: Glyphs, language: str) -> None:
    choose(language)
    for r in lines(found(), cells, glyphs):
        assert width(r) <= cells


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("cells", WIDTHS)
def test_no_row_of_a_page_is_wider_than_asked(cells: int, language: str) -> None:
    choose(language)
    for v in found():
        body = answer(v, cells, UNICODE)[v.error is None :]
        for r in body:
            assert width(r) <= cells, text_of(r)


@pytest.mark.parametrize("cells", [80, 120])
def test_nor_is_the_head_of_a_usual_one(cells: int) -> None:
    for v in found()[:9]:
        assert width(answer(v, cells, UNICODE)[0]) <= cells


@pytest.mark.parametrize(("cells", "which"), [(60, 2), (80, 10), (120, 10)])
def test_nor_the_head_of_any(cells: int, which: int) -> None:
    assert width(answer(found()[which], cells, UNICODE)[0]) <= cells


@pytest.mark.parametrize("cells", [60, 80])
def test_nor_the_counts_below(cells: int) -> None:
    assert all(width(r) <= cells for r in answers(found(), cells, UNICODE)[-3:])


def test_one_absurd_number_does_not_push_the_causes_of_others_out() -> None:
    row = text_of(lines(found(), 80, UNICODE)[1])
    assert "E1" in row


def test_a_page_says_verdict_number_range_and_finding() -> None:
    page = text(answer(found()[1], 80, UNICODE))
    head, *rest = page.split("\n")
    assert head == " ✗ wrong   reads only   Tesla T4   136 GB/s  42 % of nominal"
    assert rest[0].startswith("   expected 240 – 288 GB/s: 75 % to 90 % of nominal 320 GB/s")
    assert "   ✗ E1 read-only-bytes  wrong" in rest
    assert "     Why  " in page
    assert "     Do   " in page


def test_a_good_number_is_two_lines() -> None:
    page = text(answer(found()[0], 120, UNICODE)).split("\n")
    assert page[0] == " ✓ believable   good   Tesla T4   272 GB/s  85 % of nominal"
    assert len(page) == 2


def test_causes_that_one_number_cannot_tell_stand_in_one_line() -> None:
    page = text(answer(found()[3], 120, UNICODE)).split("\n")
    assert page[0] == " ? cannot say   unknown   1700 GB/s"
    assert "   To say more, add: gpu, dtype, elements, time_s"[:24] in page[1]
    assert "time_s" not in page[1]  # which is given as time, with its unit
    (line,) = [row for row in page if row.startswith("   Possible, and not to be told")]
    for code in ("cold-start", "E1 read-only-bytes", "E2 l2-hit", "copy-engine"):
        assert code in line
    assert "Why" not in text(answer(found()[3], 120, UNICODE))


def test_a_name_that_leaves_it_open_is_asked_back() -> None:
    page = text(answer(found()[4], 120, UNICODE))
    assert "NVIDIA A100-SXM4-40GB" in page
    assert "To say more, add: gpu" in page
    assert "expected" not in page.split("\n")[1]


def test_an_unreadable_row_is_its_error() -> None:
    page = text(answer(found()[5], 80, UNICODE))
    assert page == " ✗ row 6, field op: 'ad' is not known; did you mean add?"


def test_points_of_an_experiment_are_read_together() -> None:
    page = text(answer(found()[7], 80, UNICODE))
    assert "\n   Together\n" in page
    assert "not compute-bound" in page
    assert "Together" not in text(answer(found()[6], 80, UNICODE))


def test_few_answers_are_pages_many_are_lines() -> None:
    seven, eight = found()[: MANY - 1], found()[:MANY]
    assert "Why" in text(answers(seven, 80, UNICODE))
    assert "Why" not in text(answers(eight, 80, UNICODE))
    assert len(answers(eight, 120, UNICODE)) == MANY + 3  # a blank one, the counts, a hint
    assert "Why" in text(answers(eight, 80, UNICODE, full=True))


def test_one_answer_has_no_count_and_none_no_rows() -> None:
    assert "rows" not in text(answers(found()[:1], 80, UNICODE)).split("\n")[-1]
    assert answers([], 80, UNICODE) == []


def test_every_answer_is_counted_once() -> None:
    row = text(counts(found(), 120, UNICODE))
    assert row.startswith(f" {len(ROWS)} rows   ")
    said = [int(word) for word in row.split() if word.isdecimal()]
    assert said[0] == sum(said[1:]) == len(ROWS)
    assert "✗ 1 unreadable" in row
    assert "? " in row
    assert text(counts(found()[:1], 80, UNICODE)) == " 1 rows   ✓ 1 believable"


def test_lines_stand_under_each_other_and_name_the_first_cause() -> None:
    rows = [text_of(r) for r in lines(found()[:9], 120, UNICODE)]
    assert len(rows) == 9
    starts = {r.index(m) for r, m in zip(rows, "✓✗▲??✗??", strict=False)}
    assert len(starts) == 1
    assert " ".join(rows[0].split()) == "good ✓ believable 272 GB/s 85 % 240 – 288"
    assert rows[1].rstrip().endswith("E1 read-only-bytes")
    assert rows[2].rstrip().endswith("pageable")
    assert "cold-start" not in rows[3]
    assert rows[5].rstrip().endswith("✗ unreadable  row 6, field op")
    assert rows[8].startswith(" T4 matmul ")  # a row without an id is what ran where


@pytest.mark.parametrize(
    ("verdict", "name"),
    [
        (Verdict(id="x", verdict="wrong", op="copy", gpu="Tesla T4"), "x"),
        (Verdict(id=None, verdict="wrong", op="copy", gpu="Tesla T4"), "T4 copy"),
        (Verdict(id=None, verdict="wrong", op="copy", gpu="NVIDIA GeForce RTX 4090"), "RTX 4090 "),
        (Verdict(id=None, verdict="wrong", op="copy"), "copy"),
        (Verdict(id=None, verdict="wrong"), "7"),
        (Verdict(id=None, verdict=None, error="row 7: torn"), ""),
        (
            Verdict(
                id=None,
                verdict="wrong",
                op="add_scalar",
                gpu="NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
            ),
            "RTX PRO 60… add_scalar",
        ),
    ],
)
def test_a_row_without_an_id_says_what_it_is(verdict: Verdict, name: str) -> None:
    seen = called(verdict, 7, UNICODE)
    assert seen.startswith(name)
    assert len(seen) <= 22
    assert bool(seen) == bool(name)


def test_one_hint_at_pages_where_none_was_printed() -> None:
    assert text(answers(found(), 80, UNICODE)).split("\n")[-1] == f" {HINT}"
    assert HINT not in text(answers(found(), 80, UNICODE, full=True))
    assert HINT not in text(answers(found()[:3], 80, UNICODE))
    assert HINT not in text(answers([found()[5]] * MANY, 80, UNICODE))


GUESSED: dict[str, Any] = {"gpu": "T4", "op": "matmul", "dtype": "fp16", "claimed_tflops": 20}


def guess(code: str, fit: float | None, severity: str = "suspect") -> Finding:
    return Finding(
        code=code,
        name=code,
        root="conditions",
        severity=severity,
        subject="x",
        message=f"{code} it may be.",
        why="w",
        do="d",
        evidence={"op": "x", "gbs": 1.0},
        fit=fit,
    )


def test_the_two_likeliest_guesses_are_told_and_the_others_named() -> None:
    some = [
        guess("direct", None),
        *(guess(f"guess-{i}", 0.9 - i / 10) for i in range(4)),
        guess("remark", None, "note"),
    ]
    seen = Verdict(id=None, verdict="suspect", findings=some)
    rows = body(seen, 80, UNICODE, "   ")
    page = text(rows)
    told = [f.code for f in some if f"{f.code} it may be." in page]
    assert told == ["direct", "guess-0", "guess-1", "remark"]
    (also,) = [r for r in rows if "Also possible" in text_of(r)]
    assert text_of(also) == "   Also possible: guess-2, guess-3"
    assert {style for _, style in also} == {"dim"}
    few = Verdict(id=None, verdict="suspect", findings=some[:3])
    assert "Also possible" not in text(body(few, 80, UNICODE, "   "))
    choose("zh-CN")
    assert "   也可能是：guess-2、guess-3" in text(body(seen, 80, UNICODE, "   "))


def test_so_it_is_for_a_row_that_is_read() -> None:
    (seen,) = check_rows([("", GUESSED)], cards())
    assert sum(is_guess(f) for f in seen.findings) > 2
    page = text(answer(seen, 80, UNICODE))
    assert page.count("Why  ") == 2
    assert "Also possible: " in page


@pytest.mark.parametrize(
    ("gbs", "near"), [(290.0, True), (288.0, False), (288.04, False), (240.0, False), (233.0, True)]
)
def test_a_believable_number_a_little_outside_its_range_says_so(gbs: float, near: bool) -> None:
    spread = Range(low=240.0, high=288.0, unit="GB/s", why="w")
    seen = Verdict(id=None, verdict="believable", gbs=gbs, judged="gbs", expected=spread)
    page = text(body(seen, 80, UNICODE, "   "))
    assert ("   A little outside that range: no evidence of a mistake." in page) is near
    gone = msgspec.structs.replace(seen, verdict="suspect")
    assert "A little outside" not in text(body(gone, 80, UNICODE, "   "))


def test_words_of_the_catalog_stand_where_its_language_puts_them() -> None:
    choose("zh-CN")
    rows = found()
    assert "标称的 42 %" in text(answer(rows[1], 80, UNICODE))
    assert "：标称的 75 % - 90 %" in text(answer(rows[1], 80, UNICODE))
    assert "请补上：" in text(answer(rows[3], 120, UNICODE))
    assert "{" not in text(answers(rows, 80, UNICODE, full=True))


def test_a_head_keeps_its_number_and_shortens_the_card() -> None:
    seen = Verdict(id=None, verdict="believable", gbs=1500.0, judged="gbs", gpu="G" * 90)
    head = text_of(answer(seen, 80, UNICODE)[0])
    assert head.startswith(" ✓ believable   GGGG")
    assert head.endswith("G…   1500 GB/s")
    assert len(head) == 80


def test_integers_are_counted_in_tops() -> None:
    assert "60 TOPS" in text_of(lines(found(), 120, UNICODE)[11])


@pytest.mark.parametrize("verdict", ["believable", "suspect", "wrong", "cannot-say", None])
def test_a_verdict_has_a_mark_of_its_own(verdict: str | None) -> None:
    for glyphs in (UNICODE, ASCII):
        others = {"believable", "suspect", "wrong", "cannot-say"} - {verdict}
        if verdict is None:
            others -= {"wrong"}  # an unreadable row is one too
        assert mark(verdict, glyphs) not in {mark(o, glyphs) for o in others}
        assert glyphs is UNICODE or mark(verdict, glyphs).isascii()


def test_nothing_that_a_terminal_acts_on_is_in_a_row() -> None:
    odd = "\x1b[31m\x9b31m\u202eabc\r\n[bold red]x[/]"
    fields = [{"op": "copy", "id": odd, "gpu": odd, "note": odd, "claimed_gbs": 5}] * 2
    fields += [{"op": odd, "id": odd}, {"op": "copy", "dtype": odd}]
    some = check_rows([(f"row {i}", f) for i, f in enumerate(fields)], cards())
    for rows in (answers(some, 80, UNICODE, full=True), lines(some, 80, UNICODE)):
        for r in rows:
            assert text_of(r).isprintable(), text_of(r)
        assert "[bold red]x[/]"[:6] in text(rows)


@pytest.mark.parametrize(
    ("time", "said"),
    [("20us", "0.17 % of nominal"), ("8us", "0.42 % of nominal"), ("1s", "< 0.01 % of nominal")],
)
def test_a_small_share_is_not_none(time: str, said: str) -> None:
    gemv = {"gpu": "H200", "op": "matmul", "m": 1, "n": 4096, "k": 4096, "dtype": "bf16"}
    found = check_rows([("row 1", {**gemv, "time": time})], Cards(packaged_cards()))
    assert said in text_of(answer(found[0], 80, UNICODE)[0])
    share = said.removesuffix(" of nominal")
    assert share in text_of(lines([*found] * 2, 120, UNICODE)[0])


@pytest.mark.parametrize(("language", "said"), [("en", "2:4 sparsity"), ("zh-CN", "2:4 稀疏")])
def test_a_share_of_the_sparse_peak_says_so(language: str, said: str) -> None:
    square = {"gpu": "H200", "op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}
    row = {**square, "time": "0.75ms", "math": "sparse"}
    choose(language)
    try:
        head = text_of(answer(check_rows([("", row)], Cards(packaged_cards()))[0], 100, UNICODE)[0])
    finally:
        choose("en")
    assert said in head
    assert "74 %" in head
