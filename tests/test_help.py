"""``--help`` of every verb: examples that its own parser takes, in 80 columns."""

from __future__ import annotations

import itertools
import re
import shlex
from functools import cache

import pytest

from roofwatch.cli import VERBS
from roofwatch.fleet import options as fleet_options
from roofwatch.verbs.parser import Parser, parser_of
from roofwatch.verbs.screen import screen_parser

COLUMNS = 80
NAMES = ["", *VERBS]
EXAMPLE = re.compile(r"^  (roofwatch\b[^\\\n]*(?:\\\n[^\\\n]*)*)$", re.M)


@cache
def parser(verb: str) -> Parser:
    return parser_of(VERBS[verb]) if verb else screen_parser()


def examples(verb: str) -> list[list[str]]:
    """The words of each example, without what the shell takes and what is said of it."""
    _, _, told = (parser(verb).epilog or "").partition("examples:\n")
    found = []
    for line in EXAMPLE.findall(told.partition("\n\n")[0]):
        command = re.split(r" {3,}| [<>|] ", line.replace("\\\n      ", ""))[0]
        found.append(shlex.split(command)[1:])
    return found


@pytest.mark.parametrize("verb", NAMES)
def test_the_help_has_examples_that_the_verb_takes(verb: str) -> None:
    said = examples(verb)
    assert len(said) >= 2
    for words in said:
        if verb:
            assert words.pop(0) == verb
        at = words.index("--") if "--" in words else len(words)  # behind it stands a command
        assert words[at + 1 :] or at == len(words)
        parser(verb).parse_args(words[:at])


@pytest.mark.parametrize("verb", NAMES)
def test_the_help_fits_into_80_columns(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    for line in parser(verb).format_help().splitlines():
        assert len(line) <= COLUMNS, line


@pytest.mark.parametrize("verb", NAMES)
def test_the_help_says_what_the_exit_code_means(verb: str) -> None:
    told = " ".join((parser(verb).epilog or "").split()).lower()
    assert re.search(r"exit codes: 0 |exit code are its own", told)


@pytest.mark.parametrize("verb", NAMES)
def test_no_sentence_of_a_help_is_broken_early(verb: str) -> None:
    text, _, _ = (parser(verb).epilog or "").partition("examples:\n")
    for line, after in itertools.pairwise(text.splitlines()):
        ends = not line or not after or line[-1] in ".:" or line[:1] == " " or after[:1] == " "
        assert ends or len(line) + 1 + len(after.split(" ")[0]) > COLUMNS - 8, line


def test_the_fleets_help_fits_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    with pytest.raises(SystemExit):
        fleet_options.parse(["--help"])
    out = capsys.readouterr().out
    assert "Exit codes" in out
    assert max(map(len, out.splitlines())) <= COLUMNS


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_caught_with_its_own_name_and_still_prints_its_help(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert parser(verb).prog == f"roofwatch {verb}"
    with pytest.raises(SystemExit) as ended:
        VERBS[verb](["--help"])
    assert ended.value.code == 0
    assert f"usage: roofwatch {verb}" in capsys.readouterr().out


def test_the_screens_help_names_every_verb() -> None:
    told = re.findall(r"^  roofwatch (\w+)", parser("").epilog or "", re.M)
    assert set(VERBS) <= set(told)
