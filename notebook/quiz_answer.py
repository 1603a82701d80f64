"""What a person typed as an answer: understood, or asked back; and whether it is right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from roofwatch.notebook.quantity import (
    GBS,
    TIMES_S,
    QuantityError,
    number,
    rate,
    slashed,
    time_s,
)
from roofwatch.notebook.quiz_words import LETTERS, words_of
from roofwatch.roofline import quiz
from roofwatch.roofline.quiz import NUMBER, Question

LONGEST = 200  # characters of an answer that are looked at
LEAD = re.compile(r"\s*(?:≈|~|约|大约|about|=)?\s*(.*?)\s*[.。]?\s*", re.DOTALL | re.IGNORECASE)
FLOP_BYTE = re.compile(r"(?:flops?|ops?)?\s*/(?:bytes?|b|字节)|", re.IGNORECASE)
TIMES = re.compile(r"x|×|times|倍|%|percent|per cent|", re.IGNORECASE)
SHARE = re.compile(r"%|percent|per cent|", re.IGNORECASE)
FIGURE = re.compile(
    r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)", re.DOTALL | re.IGNORECASE
)
ONE_CASE = re.compile(r"([kmgtp]?i?)(b|bits?|bytes?)(/s|/sec|ps)", re.IGNORECASE)
"""A rate of bytes in letters of one case, which then tell no bits from bytes: those asked for."""
GROUPED = re.compile(r"^([+-]?[1-9]\d{0,2}(?:,\d{3})+)(?![\d,])")
"""Thousands set apart; a number that begins with 0 has none, so that 0,250 is asked back."""
SECOND = re.compile(r"[,;，；、]")
"""What parts two answers in one line."""
LETTERED = re.compile(rf"([{LETTERS}])\s*[).:,、]\s*(.+)", re.DOTALL)
"""A choice as it stands in the list, its letter before it."""
EXAMPLES = {
    quiz.FLOP_BYTE: "85.3 FLOP/byte",
    quiz.TIMES: "3x",
    quiz.MS: "1.2 ms",
    quiz.GBS: "1790 GB/s",
    quiz.PERCENT: "88 %",
}
"""What an answer in each unit looks like."""
SAID = {
    quiz.COMPUTE: ("compute", "compute-bound", "算力", "计算"),
    quiz.MEMORY: (
        *("memory", "memory-bound", "memory-bandwidth-bound", "bandwidth", "bandwidth-bound"),
        *("访存", "显存", "带宽", "显存带宽"),
    ),
    quiz.OVERHEAD: (
        *("overhead", "overhead-bound", "launch-bound"),
        *("开销", "调度", "调度开销"),
    ),
    quiz.EITHER: (
        *("either", "both", "memory or overhead", "overhead or memory"),
        *("memory- or overhead-bound", "分不开", "都有可能"),
    ),
    quiz.CAPACITY: ("capacity", "size", "容量", "显存容量"),
    quiz.BANDWIDTH: ("bandwidth", "speed", "带宽", "显存带宽"),
    quiz.CACHE: ("cache", "l2", "size", "tensor size", "缓存", "张量大小"),
    quiz.PEAK: ("peak", "nominal", "which peak", "标称", "哪个标称"),
    quiz.SYNCHRONIZE: ("synchronize", "sync", "synchronise", "同步"),
    quiz.GO_ON: ("yes", "y", "go on", "是", "该"),
    quiz.STOP: ("no", "n", "stop", "否", "不", "不该"),
}
"""Short words for a choice, beside its letter; blanks, hyphens and case tell none from another."""


class NotAnAnswer(ValueError):
    """It is none in the form that was asked for."""


class NoUnit(NotAnAnswer):
    """A bare number where one of several units is meant; the message is the number."""


def is_right(question: Question, typed: str, bare: bool = True) -> bool:
    """Whether an answer is right; with ``bare`` a number without a unit counts in the question's.

    Raises:
        NoUnit: a bare number, and not ``bare``; a factor needs no unit.
        NotAnAnswer: it is no number of that unit, or none of the choices.
    """
    found = LEAD.fullmatch(unicodedata.normalize("NFKC", typed[:LONGEST]))
    text = found[1] if found else ""
    if question.kind == NUMBER:
        value = _number(text, question, bare)
        right = float(question.answer)
        return abs(value - right) <= question.tolerance * abs(right)
    return _choice(text, question) == question.answer


def both_right(question: Question, typed: str) -> tuple[bool, bool] | None:
    """Whether an answer and that to what is asked second are right, typed in one: ``71 %, yes``.

    None where nothing is asked second, or the line is not two answers; raises as ``is_right``.
    """
    if question.then is None:
        return None
    none: NotAnAnswer | None = None
    for first, second in _parted(typed[:LONGEST]):
        try:
            then = is_right(question.then, second)
        except NotAnAnswer:
            continue
        try:
            return is_right(question, first), then
        except NotAnAnswer as error:
            none = none or error
    if none is not None:
        raise none
    return None


def _parted(typed: str) -> Iterator[tuple[str, str]]:
    """A line at each of its commas and semicolons, the last first: a choice may have one too."""
    for sign in reversed([*SECOND.finditer(typed)]):
        first, second = typed[: sign.start()].strip(), typed[sign.end() :].strip()
        if first and second:
            yield first, second


def _choice(text: str, question: Question) -> str:
    word = text.lower().strip("()").strip()
    letters = dict(zip(LETTERS, question.choices, strict=False))
    if word in letters:  # a letter is a place, whatever word it might shorten
        return letters[word]
    line = LETTERED.fullmatch(text.lower())
    said = _bare(line[2] if line else text)
    for choice in question.choices:
        if said in map(_bare, (*SAID[choice], *words_of(choice))):
            if line and letters.get(line[1]) != choice:
                break  # the letter says another than the words
            return choice
    raise NotAnAnswer


def _bare(text: str) -> str:
    """Letters and digits alone: blanks, hyphens and brackets tell no choice from another."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def _number(text: str, question: Question, bare: bool) -> float:
    """In the question's unit; a bare number counts in it, or is asked back."""
    text = GROUPED.sub(lambda found: found[0].replace(",", ""), text, count=1)
    found = FIGURE.fullmatch(text)
    if found is None:
        raise NotAnAnswer
    try:
        if not found[2] and not bare and question.unit != quiz.TIMES:
            number(found[1])  # it may be none at all
            raise NoUnit(found[1])
        if question.unit == quiz.MS:
            return time_s(_spelled(text, found[2]), 1e-3).value * 1e3
        if question.unit == quiz.GBS:
            return rate(_cased(found[1], found[2]), GBS).value
        value = number(found[1]).value
    except QuantityError:
        raise NotAnAnswer from None
    unit = {quiz.FLOP_BYTE: FLOP_BYTE, quiz.TIMES: TIMES, quiz.PERCENT: SHARE}[question.unit]
    if not unit.fullmatch(slashed(found[2])):
        raise NotAnAnswer
    said_share = bool(found[2]) and SHARE.fullmatch(found[2].strip()) is not None
    if question.unit == quiz.TIMES:
        return value / 100 if said_share else value  # 400 % is four times
    return value * 100 if question.unit == quiz.PERCENT and not said_share and value <= 1 else value


def _cased(figure: str, unit: str) -> str:
    """A rate whose unit is written in one case, in the usual one: 250 gb/s is 250 GB/s.

    Mixed letters stay as they are: Gb/s are bits, and so is what says bit.
    """
    unit = slashed(unit)
    found = ONE_CASE.fullmatch(unit)
    if found is None or unit not in (unit.lower(), unit.upper()):
        return f"{figure} {unit}"
    prefix, what, _ = found.groups()
    what = "B" if len(what) == 1 else what.lower()
    return f"{figure} {prefix.capitalize()}{what}/s"


def _spelled(text: str, unit: str) -> str:
    """Chinese names of units as their signs."""
    for said, sign in (("毫秒", "ms"), ("微秒", "us"), ("秒", "s")):
        if unit.strip() == said and sign in TIMES_S:
            return text.replace(said, sign)
    return text
