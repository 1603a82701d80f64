"""``roofwatch cards``: the nominal table, with the arithmetic."""

from __future__ import annotations

import argparse

from roofwatch.tui.printed import cards_plain
from roofwatch.verbs.parser import Parser, glyphs_for


def main(argv: list[str]) -> int:
    """The nominal table."""
    said, more = cards_plain.DESCRIPTION, cards_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch cards", description=said, epilog=more, formatter_class=raw)
    cards_plain.add_options(parser)
    return cards_plain.run(parser.parse_args(argv), parser.error, glyphs_for)
