"""``roofwatch compare``: saved sessions side by side."""

from __future__ import annotations

import argparse

from roofwatch.tui.printed import compare_plain
from roofwatch.verbs.parser import Parser, glyphs_for, tell


def main(argv: list[str]) -> int:
    """Saved sessions side by side."""
    said, more = compare_plain.DESCRIPTION, compare_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch compare", description=said, epilog=more, formatter_class=raw)
    compare_plain.add_options(parser)
    return compare_plain.run(parser.parse_args(argv), parser.error, glyphs_for, tell)
