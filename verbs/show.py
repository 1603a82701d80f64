"""``roofwatch show``: a saved session again."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from roofwatch.tui.printed import show_plain
from roofwatch.verbs.on_screen import draw, draw_fleet, has_screen, left_in_time, trace_of
from roofwatch.verbs.parser import Parser, add_language_option, glyphs_for, tell

if TYPE_CHECKING:
    from roofwatch.session.replay import Replay

EPILOG = """\
Sessions are kept in ~/.local/share/roofwatch/sessions (or under XDG_DATA_HOME).
A file that is still written, or was cut short, is shown as far as it goes. Exit
codes: 0 shown, whatever was found in it; 1 it could not be written (a full
disk); 2 usage, or a file that cannot be read; 128+n signal n.

examples:
  roofwatch show last --md                   the last one saved, for a comment
  roofwatch show s.jsonl                     the report
  roofwatch show s.jsonl --json > record.json
  roofwatch show s.jsonl --replay --speed 10
  roofwatch show s.jsonl --probe matmul-bf16
  roofwatch show s.jsonl --plot roof.svg --precision fp8
  roofwatch show s.jsonl --price 1.99/h      what it would have cost
  roofwatch show full.jsonl decode.jsonl --table md
  roofwatch show --log                       every saved session, a line each
  roofwatch show --log --price 1.99/h        what all of them would have cost
"""


def main(argv: list[str]) -> int:
    """A saved session again."""
    parser = Parser(
        prog="roofwatch show",
        description="A saved session again.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show_plain.add_options(parser)
    add_language_option(parser)
    options = parser.parse_args(argv)
    from roofwatch.session.fleet.fleet_file import is_fleet
    from roofwatch.session.saved_names import path_named
    from roofwatch.tui.printed.fleet_plain import asks_for_session

    of_session = asks_for_session(options)
    named, options.files = options.files, []
    for file in map(str, named):
        options.files.append(path_named(file, with_roofs=False, fleets=not of_session))
        if of_session and options.files[-1] != path_named(file, with_roofs=False):
            tell(f"roofwatch show: {file} of the sessions alone: {options.files[-1]}")

    if len(options.files) == 1 and is_fleet(options.files[0]):
        options.file = options.files[0]
        return _fleet(parser, options)

    def screen(replay: Replay) -> int:
        if not has_screen():
            parser.error("--replay needs a terminal")
        trace = trace_of(options)
        with left_in_time() as leaving:
            return draw(replay, options, leaving, trace)

    return show_plain.show(options, parser.error, tell, screen, glyphs_for)


def _fleet(parser: Parser, options: argparse.Namespace) -> int:
    """A file of many ranks: its report, or the grid of them."""
    from roofwatch.tui.printed import fleet_plain

    if not options.replay:
        return fleet_plain.show(options, parser.error, glyphs_for)
    fleet_plain.refuse_of_session(options, parser.error)
    if options.anonymous:
        parser.error("--anonymous is of what is printed")
    if not has_screen():
        parser.error("--replay needs a terminal")
    from roofwatch.session.fleet.fleet_file import read_fleet

    fleet = read_fleet(options.file)
    with left_in_time() as leaving:
        return draw_fleet(fleet, options, leaving)
