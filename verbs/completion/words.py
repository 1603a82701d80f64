"""What a command line may hold, read from the verbs' own parsers: so it is never behind them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from roofwatch.verbs.parser import Parser, parser_of

NONE, ANY, FILES, SESSIONS, WORDS = "none", "any", "files", "sessions", "words"
PROBES = "probes"  # of the session that stands on the same line
MOST_SAID = 60  # characters of a help that stand beside an option
OF_SESSIONS = {"resume", "session"}  # options whose file is a session; so are files that are shown
OF_FILES = {"file", "function"}  # arguments that are none; --flag FILE tells itself by its type
GIVEN = {"show", "compare"}  # verbs whose arguments are sessions
LAST = ("last", "last~1")  # sessions that need no file's name


class Word(NamedTuple):
    """An option, or an argument where it has no names. ``takes`` says what its value is."""

    names: tuple[str, ...]
    takes: str
    words: tuple[str, ...]  # where it takes one of them
    said: str  # what it is, in a few words
    optional: bool = False  # it may stand without its value


class Command(NamedTuple):
    """A verb (the screen's name is empty), with its options and its arguments."""

    name: str
    said: str
    options: tuple[Word, ...]
    arguments: tuple[Word, ...]


def known_words() -> dict[str, tuple[str, ...]]:
    """Values that options of these names are known to take, in every verb that has them."""
    from roofwatch.notebook.catalog import LANGUAGES
    from roofwatch.notebook.claim import DTYPES, OPS
    from roofwatch.roofline.decode import KV, WEIGHTS
    from roofwatch.roofline.probe_spec import MATMUL_KEYS
    from roofwatch.roofline.suite import HOLD_ALL
    from roofwatch.session.cards import packaged_cards
    from roofwatch.session.models import packaged_models
    from roofwatch.session.plan import MEASURED, NOMINAL
    from roofwatch.verbs.completion.card_names import card_names

    return {
        "--device": ("auto", "cpu", "cuda"),
        "--dtype": tuple(DTYPES),
        "card": card_names(packaged_cards()),
        "--gpu": card_names(packaged_cards()),
        "--hold": (HOLD_ALL, *MATMUL_KEYS),
        "--kv": tuple(KV),
        "--lang": tuple(LANGUAGES),
        "--model": tuple(model.name for model in packaged_models()),
        "--op": tuple(OPS),
        "--ridge": (NOMINAL, MEASURED),
        "--weights": tuple(WEIGHTS),
    }


def commands(
    screen: Parser, verbs: Mapping[str, Callable[[list[str]], object]]
) -> tuple[Command, ...]:
    """The screen's own options first, then every verb."""
    known = known_words()
    found = {"": screen} | {name: parser_of(verb) for name, verb in verbs.items()}
    return tuple(_command(name, parser, known) for name, parser in found.items())


def _command(name: str, parser: Parser, known: Mapping[str, tuple[str, ...]]) -> Command:
    words = [_word(name, each, known) for each in parser._actions if each.help != argparse.SUPPRESS]
    return Command(
        name,
        _first(parser.description or ""),
        tuple(word for word in words if word.names),
        tuple(word for word in words if not word.names),
    )


def _word(verb: str, action: argparse.Action, known: Mapping[str, tuple[str, ...]]) -> Word:
    names = tuple(action.option_strings)
    listed = next((known[name] for name in (*names, action.dest) if name in known), ())
    if listed and "all" in (action.help or "").split(", "):  # of what measures nothing
        listed = (*listed, "all")
    if action.nargs == 0:
        takes = NONE
    elif action.choices is not None:
        takes, listed = WORDS, tuple(_said(each) for each in action.choices)
    elif listed:
        takes = WORDS
    elif action.dest == "probe":
        takes = PROBES
    elif action.dest in OF_SESSIONS or (not names and verb in GIVEN):
        takes = SESSIONS
    else:
        takes = FILES if action.type is Path or action.dest in OF_FILES else ANY
    return Word(names, takes, listed, _first(action.help or ""), action.nargs == "?")


def _said(choice: object) -> str:
    return f"{choice:g}" if isinstance(choice, float) else str(choice)


def _first(text: str) -> str:
    """A help's first part, without what a shell would take for its own."""
    text = text.replace("%%", "%").replace("%(prog)s", "roofwatch")
    text = text.partition("; ")[0].partition(": ")[0].partition(" (")[0].rstrip(".")
    text = "".join("" if each in "'\"`$\\[]" else each for each in text)
    return text if len(text) <= MOST_SAID else text[:MOST_SAID].rpartition(" ")[0]
