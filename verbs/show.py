"""``roofwatch show``: a saved session again."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from roofwatch.tui.printed import show_plain
from roofwatch.verbs.on_screen import draw, draw_fleet, has_screen, left_in_time
from roofwatch.verbs.parser import Parser, add_language_option, glyphs_for, tell

if TYPE_CHECKING:
    from roofwatch.session.replay import Replay


def main(argv: list[str]) -> int:
    """A saved session again."""
    parser = Parser(prog="roofwatch show", description="A saved session again.")
    show_plain.add_options(parser)
    add_language_option(parser)
    options = parser.parse_args(argv)
    from roofwatch.session.fleet.fleet_file import is_fleet

    if is_fleet(options.file):
        return _fleet(parser, options)

    def screen(replay: Replay) -> int:
        if not has_screen():
            parser.error("--replay needs a terminal")
        with left_in_time() as leaving:
            return draw(replay, options, leaving)

    return show_plain.show(options, parser.error, tell, screen, glyphs_for)


def _fleet(parser: Parser, options: argparse.Namespace) -> int:
    """A file of many ranks: its report, or the grid of them."""
    from roofwatch.tui.printed import fleet_plain

    if not options.replay:
        return fleet_plain.show(options, parser.error, glyphs_for)
    fleet_plain.refuse_of_session(options, parser.error)
    if not has_screen():
        parser.error("--replay needs a terminal")
    from roofwatch.session.fleet.fleet_file import read_fleet

    fleet = read_fleet(options.file)
    with left_in_time() as leaving:
        return draw_fleet(fleet, options, leaving)
