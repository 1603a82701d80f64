"""``roofwatch --completion SHELL``: what a shell needs to complete our command lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roofwatch.verbs.completion import bash, fish, zsh
from roofwatch.verbs.completion.words import commands
from roofwatch.verbs.parser import Parser

SCRIPTS = {"bash": bash.script, "fish": fish.script, "zsh": zsh.script}


def script(shell: str, screen: Parser, verbs: Mapping[str, Callable[[list[str]], object]]) -> str:
    """The script, for a file of the shell's own, or to be evaluated.

    Raises:
        KeyError: a shell that is none of ``SCRIPTS``.
    """
    return SCRIPTS[shell](commands(screen, verbs))
