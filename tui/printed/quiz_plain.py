"""``roofwatch quiz`` without a screen: questions on stdout, answers from stdin, line by line."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.quiz_answer import EXAMPLES, NotAnAnswer, NoUnit, both_right, is_right
from roofwatch.notebook.quiz_words import (
    LETTERS,
    answer_said,
    answers_said,
    asked,
    choice_said,
    explained,
    quiz_label,
)
from roofwatch.roofline.quiz import NEAR, NUMBER, Ground, Question, ground
from roofwatch.roofline.quiz_questions import MANY, question, questions
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import load_cards
from roofwatch.session.models import packaged_models
from roofwatch.session.own_card import own_card
from roofwatch.session.plan import PlanError
from roofwatch.session.plan_sources import SEEDS_PAIRS
from roofwatch.session.printable import shown
from roofwatch.tui.printed.patient_stream import left
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "The self-tests of the notes that the project grew from, with numbers for a card."
EPILOG = """\
Seventeen questions: which bottleneck, what a trip to the memory costs, ridges,
AI_max, tiles. The numbers are drawn for the card: --gpu, else this machine's,
else that of the last saved session, else an H100 SXM. An answer is checked and
worked out at once. q or Ctrl-D ends it with the score, s skips a question. Exit
codes: 0 asked, whatever was answered; 1 it could not be written (a full disk);
2 usage; 128+n signal n (Ctrl-C, with the score so far: 130).

examples:
  roofwatch quiz --gpu T4 --seed 7
  roofwatch quiz --answers --lang zh-CN      all of them with their answers
"""
MOST_SEED = 10**9
DRAWN_SEEDS = 10_000
FALLBACK = SEEDS_PAIRS[2][0]
LONGEST = 4096  # bytes of a line that is typed
SHOW = ("?", "？")
QUIT = ("q", "quit", "exit", "退出")
SKIP = ("s", "skip", "跳过")
INTERRUPTED = 130


class ToldThen(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked second, of the same numbers."""

    question: str
    choices: list[str]
    answer: float | str
    answer_said: str


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A question as ``--json`` prints it."""

    number: int
    note: str
    kind: str
    question: str
    choices: list[str]
    answer: float | str
    unit: str
    tolerance: float
    answer_said: str
    explanation: str
    values: dict[str, float | str]
    then: ToldThen | None


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """All of ``--json``."""

    gpu: str
    seed: int
    questions: list[Told]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch quiz``."""
    add = parser.add_argument
    add("--gpu", metavar="NAME", help="the card that the numbers are drawn for")
    said = "the same numbers again; without it they are new"
    add("--seed", type=_seed, metavar="N", help=said)
    add("--question", type=_number, metavar="N", help=f"one question alone, 1 to {MANY}")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--answers", action="store_true", help="all with their worked answers")
    how.add_argument("--json", action="store_true", help="the same as JSON, alone on stdout")
    add("--nominal", type=Path, metavar="FILE", help="cards of your own")


def run(options: argparse.Namespace) -> int:
    """Ask, or print; exit code 0 whatever was answered.

    Raises:
        PlanError, NominalError: no such card, or one without the figures; one line.
    """
    on, skipped = _ground(options.gpu, options.nominal)
    seed = secrets.randbelow(DRAWN_SEEDS) if options.seed is None else options.seed
    only = options.question
    found = questions(seed, on) if only is None else [question(only, seed, on)]
    if sys.stdout is None:  # closed by the shell
        return 0
    if options.json:
        told = Printed(gpu=on.card.name, seed=seed, questions=[_told(q) for q in found])
        print_json(told)
        return 0
    _say(
        quiz_label(
            "card",
            card=shown(on.card.name),
            bandwidth=on.roof.bandwidth_gbs,
            peak=on.roof.peak_tflops,
            ridge=on.roof.ridge,
            seed=seed,
        )
    )
    if skipped:
        _say(quiz_label("no_card", card=shown(on.card.name)), "dim")
    if options.answers:
        for q in found:
            _ask(q)
            if q.then is not None:
                _pose(q.then)
            _say(answers_said(q), "strong")
            _say(explained(q))
    else:
        _say(quiz_label("how", near=100 * NEAR), "dim")
        return _quiz(found)
    return 0


def _ground(name: str | None, nominal: Path | None) -> tuple[Ground, bool]:
    """What is asked about, and whether that is so for want of a card of one's own."""
    all_cards, user_keys = load_cards(nominal)
    cards = Cards(all_cards, user_keys)
    models = packaged_models()
    if name is not None:
        return _usable(name, cards), False
    own = own_card(cards)
    try:
        if own is not None:
            return ground(own, models), False
    except ValueError:
        pass  # a card of an age without tensor cores
    return _usable(FALLBACK, cards), True


def _usable(name: str, cards: Cards) -> Ground:
    try:
        return ground(card_named(name, cards), packaged_models())
    except PlanError:
        raise
    except ValueError as error:
        raise PlanError(str(error)) from None


class _Ended(Exception):
    """Nothing more will be typed."""


class _Skipped(Exception):
    """This question is left out."""


def _quiz(found: Sequence[Question]) -> int:
    """Each question until it is answered or skipped; at the end the score. The exit code."""
    lines = _lines()
    right = answered = code = 0
    label = "score"
    try:
        for q in found:
            _ask(q)
            try:
                verdict = _answered(q, lines)
            except _Skipped:
                label = "skipped"
                continue
            right, answered = right + verdict, answered + 1
            _say(explained(q))
        _say("")
    except (_Ended, KeyboardInterrupt) as end:
        label, code = "ended", INTERRUPTED if isinstance(end, KeyboardInterrupt) else 0
        sys.stdout.write("\n")
    left = len(found) - answered
    _say(quiz_label(label, right=right, asked=answered, left=left), "strong")
    return code


def _typed(lines: Iterator[str]) -> str:
    """The next line but one of ours: the question is skipped, or all of them are ended."""
    empty = False
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        typed = None if left(sys.stdout) else next(lines, None)  # nobody sees what is asked
        if typed is None:
            raise _Ended
        word = typed.strip().lower()
        if word in QUIT:
            raise _Ended
        if word in SKIP or (empty and not word):
            raise _Skipped
        if word:
            return typed
        empty = True
        _say(quiz_label("hint_empty"), "dim")


def _answered(q: Question, lines: Iterator[str]) -> bool:
    """Whether the answer is right, to what is asked second too.

    What is no answer is asked again. A number without its unit is asked back once: whoever then
    leaves it out again was told which it is.
    """
    asked_back = False
    while True:
        typed = _typed(lines)
        if typed.strip() in SHOW:
            _say(answers_said(q), "note")
            return False
        both: bool | None = None
        try:
            if pair := both_right(q, typed):
                right, both = pair[0], all(pair)
            else:
                right = is_right(q, typed, bare=asked_back)
        except NoUnit as bare:
            asked_back, example = True, EXAMPLES[q.unit]
            _say(quiz_label("hint_bare", typed=bare, example=example, unit=q.unit), "dim")
            continue
        except NotAnAnswer:
            _say(_hint(q), "dim")
            continue
        if both is not None:
            _told_right(both, answers_said(q))
            return both
        _told_right(right, quiz_label("wrong", answer=answer_said(q)))
        if q.then is None:
            return right
        _pose(q.then)
        return _answered(q.then, lines) and right


def _told_right(right: bool, wrong: str) -> None:
    """Right, or what is."""
    _say(quiz_label("right") if right else wrong, "ok" if right else "warn")


def _hint(q: Question) -> str:
    if q.kind == NUMBER:
        return quiz_label("hint_number", example=EXAMPLES[q.unit])
    letters = ", ".join(LETTERS[: len(q.choices)])
    return quiz_label("hint_choice", choices=letters)


def _lines() -> Iterator[str]:
    """What is typed, whatever bytes it is; of an endless line the beginning."""
    if sys.stdin is None:  # closed by the shell
        return
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        yield from sys.stdin
        return
    while raw := stream.readline(LONGEST):
        yield raw.decode("utf-8", "replace")
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST)


def _ask(q: Question) -> None:
    _say("")
    _say(quiz_label("of", number=q.number, many=MANY, note=q.note), "title")
    _pose(q)


def _pose(q: Question) -> None:
    _say(asked(q))
    for letter, choice in zip(LETTERS, q.choices, strict=False):
        _say(f"  {letter}) {choice_said(choice)}")


def _say(text: str, style: str = "") -> None:
    from roofwatch.tui.drawing.glyphs import for_terminal
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.drawing.rows_of_text import row, wrapped

    lead = text[: len(text) - len(text.lstrip())]
    rows = wrapped(text.strip(), columns(sys.stdout), style, lead) if text else [row("")]
    print_rows(rows, sys.stdout, for_terminal(sys.stdout.encoding, os.environ))


def _told(q: Question) -> Told:
    return Told(
        number=q.number,
        note=q.note,
        kind=q.kind,
        question=asked(q),
        choices=[choice_said(c) for c in q.choices],
        answer=q.answer,
        unit=q.unit,
        tolerance=q.tolerance,
        answer_said=answer_said(q),
        explanation=explained(q),
        values=q.values,
        then=None if q.then is None else _told_then(q.then),
    )


def _told_then(q: Question) -> ToldThen:
    return ToldThen(
        question=asked(q),
        choices=[choice_said(c) for c in q.choices],
        answer=q.answer,
        answer_said=answer_said(q),
    )


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) > MOST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {MOST_SEED}")
    return int(text)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4 or not 1 <= int(text) <= MANY:
        raise argparse.ArgumentTypeError(f"{text!r} is none of 1 to {MANY}")
    return int(text)
