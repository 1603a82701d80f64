"""The quiz in words: questions, choices and explanations from a catalog, one a language."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import msgspec

from roofwatch.notebook.catalog import LANGUAGES, fill, language
from roofwatch.roofline.digits_said import digits_said
from roofwatch.roofline.quiz import NUMBER, TIMES, Question

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ANY = "any"  # the words whichever way the answer goes
LETTERS = "abcd"


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """Templates of one question, by case; what is asked second is explained with the first."""

    ask: dict[str, str]
    explain: dict[str, str] = {}


class QuizCatalog(msgspec.Struct, frozen=True, kw_only=True):
    """All words of one language."""

    labels: dict[str, str]
    words: dict[str, str]
    questions: dict[str, Words]


@cache
def quiz_catalog(name: str) -> QuizCatalog:
    """Read the catalog of one of the notebook's languages."""
    path = Path(__file__).parent / "languages" / f"quiz-{name}.toml"
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), QuizCatalog)


def asked(question: Question) -> str:
    """The question, in the chosen language."""
    return _filled(quiz_catalog(language()).questions[question.key].ask, question)


def explained(question: Question) -> str:
    """Its answer worked out."""
    return _filled(quiz_catalog(language()).questions[question.key].explain, question)


def _filled(templates: dict[str, str], question: Question) -> str:
    return fill(templates.get(question.case) or templates[ANY], question.values)


def answers_said(question: Question) -> str:
    """The line that gives the answer, and that to what is asked second."""
    answer = answer_said(question)
    if question.then is None:
        return quiz_label("answer", answer=answer)
    return quiz_label("answers", answer=answer, then=answer_said(question.then))


def answer_said(question: Question) -> str:
    """The answer alone: a number with its unit, a choice in words."""
    if question.kind == NUMBER:
        number = digits_said(float(question.answer), 4)
        return f"{number}{'' if question.unit == TIMES else ' '}{question.unit}"
    return choice_said(str(question.answer))


def choice_said(choice: str) -> str:
    """A choice in words."""
    return quiz_catalog(language()).words[choice]


def words_of(choice: str) -> tuple[str, ...]:
    """A choice in the words of every language."""
    return tuple(quiz_catalog(name).words[choice] for name in LANGUAGES)


def quiz_label(name: str, **values: object) -> str:
    """A fixed word or line around the questions."""
    return fill(quiz_catalog(language()).labels[name], values)
