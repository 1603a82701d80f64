"""``roofwatch doctor``: a rented machine looked over before money is spent on it."""

from __future__ import annotations

import argparse

from roofwatch.tui.printed import doctor_plain
from roofwatch.verbs.parser import Parser, glyphs_for, tell


def main(argv: list[str]) -> int:
    """A rented machine looked over."""
    said, more = doctor_plain.DESCRIPTION, doctor_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch doctor", description=said, epilog=more, formatter_class=raw)
    doctor_plain.add_options(parser)
    return doctor_plain.run(parser.parse_args(argv), glyphs_for, tell)
