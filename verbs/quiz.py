"""``roofwatch quiz``: the notes' self-tests with numbers for a card."""

from __future__ import annotations

import argparse
import signal

from roofwatch.tui.printed import quiz_plain
from roofwatch.verbs.parser import Parser, add_language_option


def main(argv: list[str]) -> int:
    """The self-tests. Ctrl-C is heard here: the score so far is said before the end."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    said, more = quiz_plain.DESCRIPTION, quiz_plain.EPILOG
    raw = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog="roofwatch quiz", description=said, epilog=more, formatter_class=raw)
    quiz_plain.add_options(parser)
    add_language_option(parser)
    return quiz_plain.run(parser.parse_args(argv))
