"""Checks numbers without a screen: answers on stdout, what was unreadable on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from roofwatch.notebook.finding import WRONG
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import rows, shell_rows
from roofwatch.notebook.verdict import check_rows
from roofwatch.session.cards import load_cards
from roofwatch.session.number_file import STDIN, UnreadableNumbers, read_numbers, said_name
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.print_json import print_json_lines

UNREADABLE, WRONG_NUMBER = 2, 5
MOST_NAMES = 12


def run(
    name: str | None,
    fields: dict[str, str],
    glyphs_of: Callable[[str | None], Glyphs],
    *,
    cards: Path | None,
    as_json: bool,
    full: bool,
    strict: bool,
) -> int:
    """Answer a file (``name``) or one number (``fields``); the exit code.

    2: a row was unreadable, the others are answered; 5: a number is wrong, if ``strict``.

    Raises:
        UnreadableNumbers, NominalError: a file cannot be used at all.
    """
    given = shell_rows(fields) if name is None else rows(read_numbers(name), name)
    found = check_rows(given, Cards(*load_cards(cards)))
    if not found:
        raise UnreadableNumbers(f"{said_name(name or STDIN)}: no rows in it")
    unreadable = [v.error for v in found if v.error is not None]
    if as_json:
        print_json_lines(found)
    elif sys.stdout is not None and (name is not None or not unreadable):
        from roofwatch.tui.drawing.print_rows import columns, print_rows
        from roofwatch.tui.notebook.verdict_rows import answers

        glyphs = glyphs_of(sys.stdout.encoding)
        print_rows(answers(found, columns(sys.stdout), glyphs, full), sys.stdout, glyphs)
    where = f"{name}: " if name not in (None, STDIN) else ""
    if sys.stderr is not None:  # else print would write among the answers
        for error in unreadable:
            print(f"roofwatch: {shown(where + error)}", file=sys.stderr)
        unused = list(dict.fromkeys(name for v in found for name in v.unused))
        if unused:
            names = ", ".join(unused[:MOST_NAMES])
            print(f"roofwatch: {shown(where)}not used: {shown(names)}", file=sys.stderr)
    if unreadable:
        return UNREADABLE
    return WRONG_NUMBER if strict and any(v.verdict == WRONG for v in found) else 0
