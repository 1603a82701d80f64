"""``roofwatch cards`` without a screen: its options, and the table on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import NoReturn

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.nominal import Card
from roofwatch.roofline.short_name import match
from roofwatch.session.card_entry import TABLE, USER, card_entry
from roofwatch.session.card_named import unknown_card
from roofwatch.session.cards import load_cards
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "The nominal table: what the datasheets print, and the arithmetic behind it."
EPILOG = """\
Without a name a card a line: GB/s, TFLOP/s (dense), the ridge in fp16. With one
each card that it may mean: the factors behind every figure, what they come to,
and what is printed. Nothing is measured. Your own cards stand with the others:
~/.config/roofwatch/nominal.toml, or --nominal FILE in the same form.

examples:
  roofwatch cards
  roofwatch cards H200                    with the arithmetic
  roofwatch cards "A100 80GB" --json      one list, alone on stdout

exit codes: 0 answered; 1 it could not be written (a full disk); 2 usage, no such
card, or a file that cannot be used
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch cards``."""
    add = parser.add_argument
    add("card", nargs="?", metavar="CARD", help="a name as the driver prints it, or a short one")
    add("--nominal", type=Path, metavar="FILE", help="cards of your own")
    add("--json", action="store_true", help="a list of cards, alone on stdout")
    add_ascii_option(parser)


def run(
    options: argparse.Namespace,
    refuse: Callable[[str], NoReturn],
    glyphs_of: Callable[[str | None, bool], Glyphs],
) -> int:
    """Print the cards; exit code 0.

    Raises:
        NominalError: a file of cards cannot be used, in one line.
    """
    cards, own = load_cards(options.nominal)
    found = cards if options.card is None else match(options.card, cards)
    if not found:
        refuse(unknown_card(options.card, Cards(cards, own)))
    if options.json:
        print_json([card_entry(card, USER if card.key in own else TABLE) for card in found])
    elif sys.stdout is not None:  # closed by the shell
        _print_text(found, own, options.card is None, glyphs_of(sys.stdout.encoding, options.ascii))
    return 0


def _print_text(
    found: tuple[Card, ...], own: frozenset[str], as_table: bool, glyphs: Glyphs
) -> None:
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.drawing.rows_of_text import row
    from roofwatch.tui.printed.card_rows import arithmetic_rows, table_rows

    cells = columns(sys.stdout)
    if as_table:
        rows = table_rows(found, cells, glyphs)
    else:
        of_each = [arithmetic_rows(c, c.key in own, cells, glyphs) for c in found]
        rows = list(chain.from_iterable([row("")] * bool(i) + r for i, r in enumerate(of_each)))
    print_rows(rows, sys.stdout, glyphs)
