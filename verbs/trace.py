"""``roofwatch trace``: a profiler's trace on the card's roofline."""

from __future__ import annotations

import argparse
import gc

from roofwatch.tui.printed import trace_plain
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.verbs.parser import Parser, glyphs_for


def main(argv: list[str]) -> int:
    """A profiler's trace on the card's roofline."""
    said, more = trace_plain.DESCRIPTION, trace_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch trace", description=said, epilog=more, formatter_class=raw)
    trace_plain.add_options(parser)
    add_ascii_option(parser)
    options = parser.parse_args(argv)
    gc.disable()  # a million events are kept until the answer is there
    return trace_plain.run(options, glyphs_for)
