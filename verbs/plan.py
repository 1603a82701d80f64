"""``roofwatch plan``: a card and a model on paper."""

from __future__ import annotations

import argparse

from roofwatch.tui.printed import plan_plain
from roofwatch.verbs.parser import Parser, glyphs_for


def main(argv: list[str]) -> int:
    """A card and a model on paper."""
    said, more = plan_plain.DESCRIPTION, plan_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch plan", description=said, epilog=more, formatter_class=raw)
    plan_plain.add_options(parser)
    return plan_plain.run(parser.parse_args(argv), glyphs_for)
