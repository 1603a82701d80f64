"""A path is taken out behind whatever sign or script it stands, and nothing that is none is."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roofwatch.session.private_path import ALIKE, GONE, PAIRED
from roofwatch.session.private_text import clean

SECRET = "zorguser"
PATH = f"/home/{SECRET}/k/main"
SIGNS = st.characters(exclude_categories=["L", "N", "M", "Cs"], exclude_characters="_/\\")
UNPARTED = st.sampled_from("在于的径エーに에서ที่")  # of scripts that write no blank between words
ORDINARY = (
    *("GB/s", "TFLOP/s,", "fp16/bf16", "and/or", "11/30", "1/2", "16:9", "(a + b)/2", "+/-5"),
    *("$/h", "$/Mtok", "/Mtok", "12 /s", "%/h", "€/day", "°C/W", "(次)/秒", "读/写", "张/秒，"),
    *("GB/s→GB/s", "“read/write”", "±2 µs/token", "tokens/s/GPU", "I/O:", "n/a!", "3×/week"),
    *("√(a)/2", "2026/11/30", "x²/y²", "a // b", "≥ 3 GB/s", "batch ≤ 8/card", "it’s 3/4"),
    *("吞吐：12 GB/s。", "（读/写）", "f(x)/g(x)", "[0-9]/8", "CUDA/torch.compile", "/min", "*/5"),
)


@given(sign=SIGNS | UNPARTED, end=SIGNS, word=st.sampled_from(["", "x", "failed", "路径", "9"]))
@example(sign="：", end="。", word="路径")
@example(sign="→", end="→", word="a")
@example(sign="\ufeff", end="\u200b", word="")
def test_whatever_sign_stands_before_it(sign: str, end: str, word: str) -> None:
    for path in (
        PATH,
        "C:\\Users\\zorguser\\k",
        "~zorguser/kept",
        "../zorguser/k",
        "//nas/zorguser/k",
    ):
        left = clean(f"open {word}{sign}{path}{end} b")
        if path[0].isalpha() and (word + sign)[-1].isalnum():
            continue  # a word goes on
        assert SECRET not in left, left
        assert left.startswith("open ")


@given(quote=st.sampled_from([(q, q) for q in ALIKE] + [(p[0], e) for p in PAIRED for e in p[1:]]))
def test_a_path_with_blanks_ends_where_its_quote_does(quote: tuple[str, str]) -> None:
    begin, end = quote
    text = f"cc1: error: {begin}/home/{SECRET}/secret project/main.c{end}: No such file"
    assert clean(text) == f"cc1: error: {begin}{GONE}{end}: No such file"


@given(words=st.lists(st.sampled_from(ORDINARY)))
def test_units_ratios_and_ordinary_words_stay(words: list[str]) -> None:
    text = " ".join(words)
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("gcc failed: “/home/a/k/main.c”: No such file", f"gcc failed: “{GONE}”: No such file"),
        ("mount of //nas/vol1/data failed", f"mount of {GONE} failed"),
        (r"\\srv\share\x is gone", f"{GONE} is gone"),
        (r"open 'C:\\Users\\a b\\x'", f"open '{GONE}'"),
        (r"C:\\Users\\a and \\\\srv\\share", f"{GONE} and {GONE}"),
        ("无法读取路径：/home/a/x.json，已放弃", f"无法读取路径：{GONE}，已放弃"),
        ("在/home/a/x里", f"在{GONE}"),
        ("à/home/a/x.c", GONE),
        ("#/a/bc !/a/bc *(/a/bc) &/a/bc", f"#{GONE} !{GONE} *({GONE}) &{GONE}"),
        ("GPU-d4570cb1, (MIG-d4570cb1-4f64)", f"{GONE}, ({GONE})"),
        ("卡GPU-d4570cb1在10.1.2.3和fd00:ac1e::17处", f"卡{GONE}在{GONE}和{GONE}处"),
        ("\x1b[01m\x1b[K/home/a/x.c:3:\x1b[m no", f"\x1b[01m\x1b[K{GONE}:3:\x1b[m no"),
        ("/home/jose\u0301/x and /home/it’s/x–y/z", f"{GONE} and {GONE}"),
        ("x=/home/a?u=http://b/c", f"x={GONE}"),
        ("the hosts’/cards’ order", "the hosts’/cards’ order"),
        ("GPU-accelerated, GPU-0 and MIG-1g", "GPU-accelerated, GPU-0 and MIG-1g"),
    ],
)
def test_what_is_left_of_it(text: str, left: str) -> None:
    assert clean(text) == left


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "“/a ",
            "‘/a",
            "「a:/x",
            "’/a",
            "在/a",
            "→/aa",
            "./1.",
            "$/1",
            "+/a",
            "\\\\a",
            "//a",
            "e\u0301",
        ),
        *("a:/", "$a", "\x1b[1", "\x1b[1m/a", "–", "x–", "GPU-01234567-", "在1:", "%/a.", "`/a b"),
    ],
)
def test_time_grows_with_the_text(piece: str) -> None:
    """Of eight times as many, eight times as long; each looked for from each: 64 times."""
    short_s, long_s = (min(_cleaning_s(piece * n) for _ in range(4)) for n in (1500, 12000))
    assert long_s < 24 * short_s


def _cleaning_s(text: str) -> float:
    begin = time.process_time()
    clean(text)
    return time.process_time() - begin


def test_our_own_command_stays_and_other_scripts_go() -> None:
    said = "decode: ./start run --suite decode (./start show last)"
    assert clean(said) == said
    assert (
        clean("in ./start/x.py or ./started or /a/start now")
        == f"in {GONE} or {GONE} or {GONE} now"
    )
