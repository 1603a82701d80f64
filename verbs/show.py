"""``roofwatch show``: a saved session again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.tui.printed import show_plain
from roofwatch.verbs.on_screen import draw, has_screen, left_in_time, trace_of
from roofwatch.verbs.parser import Parser, add_language_option, glyphs_for, tell

if TYPE_CHECKING:
    from roofwatch.session.replay import Replay


def main(argv: list[str]) -> int:
    """A saved session again."""
    parser = Parser(prog="roofwatch show", description="A saved session again.")
    show_plain.add_options(parser)
    add_language_option(parser)
    options = parser.parse_args(argv)

    def screen(replay: Replay) -> int:
        if not has_screen():
            parser.error("--replay needs a terminal")
        trace = trace_of(options)
        with left_in_time() as leaving:
            return draw(replay, options, leaving, trace)

    return show_plain.show(options, parser.error, tell, screen, glyphs_for)
