"""What every verb's command line has: one line for a mistake, the language, the glyphs."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from roofwatch.tui.drawing.glyphs import Glyphs

INTERNAL, USAGE, HUNG_UP = 1, 2, 129
OF_SHOW = ("--anonymous", "--table", "--plot", "--probe", "--replay", "--one-kind")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """One line on stderr, exit code 2."""
        from roofwatch.roofline.toml_text import one_line

        message += _of_show(message)
        message = one_line(message)  # it repeats what was typed, which may be of any length
        tell(f"{self.prog}: {message} (see {self.prog} --help)")
        sys.exit(USAGE)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """The help; to ``parser_of`` the parser itself."""
        if _asked.get():
            raise _Caught(self)
        super().print_help(file)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Help and version on stdout: what cannot be written (a full disk) is said, exit code 1."""
        if not message or file is None or file is not sys.stdout:
            super()._print_message(message, file)
            return
        from roofwatch.verbs.streams import written

        written(lambda: print(message, end="", file=file), self.prog)


def _of_show(message: str) -> str:
    """Where an option belongs that another verb was given; nothing where it is no such."""
    found = re.match(rf"unrecognized arguments: .*?({'|'.join(OF_SHOW)})(?![\w-])", message)
    return f"; {found[1]} is of a saved session: roofwatch show last {found[1]}" if found else ""


_asked: ContextVar[bool] = ContextVar("_asked", default=False)


class _Caught(Exception):
    def __init__(self, parser: Parser) -> None:
        self.parser = parser


def parser_of(verb: Callable[[list[str]], object]) -> Parser:
    """The parser that a verb reads its command line with, caught as it is asked for its help.

    So nothing of the verb runs, and each may build its parser where it likes.
    """
    token = _asked.set(True)
    try:
        verb(["--help"])
    except _Caught as caught:
        return caught.parser
    finally:
        _asked.reset(token)
    raise ValueError("a verb that has no --help")


def add_language_option(parser: argparse.ArgumentParser) -> None:
    """``--lang``, of everything that speaks of findings."""
    said = "language of the findings: en or zh-CN (LANG's own without it)"
    parser.add_argument("--lang", type=_language, default=None, metavar="LANG", help=said)


def _language(text: str) -> str:
    from roofwatch.notebook.catalog import LANGUAGES, choose

    known = {name.lower(): name for name in LANGUAGES} | {"zh": "zh-CN", "zh-hans": "zh-CN"}
    name = known.get(text.lower().partition(".")[0].replace("_", "-"))
    if name is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(LANGUAGES)}")
    choose(name)
    return name


def tell(said: object) -> None:
    """One line on stderr, without what would move the cursor; nothing where there is none."""
    from roofwatch.session.printable import shown

    if sys.stderr is not None:  # else print would write on stdout
        with contextlib.suppress(OSError):  # a full one costs the line, nothing else
            print(shown(str(said)), file=sys.stderr)


def glyphs_for(encoding: str | None, ascii_only: bool = False) -> Glyphs:
    """The characters for a stream of this encoding, as the environment asks."""
    from roofwatch.tui.drawing.glyphs import for_terminal

    return for_terminal(encoding, os.environ, ascii_only)
