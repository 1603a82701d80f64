"""How the screen and what is printed may look, and what is printed, on the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofwatch.tui.drawing.theme import THEMES

ASCII_ONLY = "only characters that any terminal can show (by itself where the locale is not UTF-8)"
THEME = "colours: dark, light, contrast (light by itself where COLORFGBG says so); NO_COLOR: none"
JSON = "the record as JSON, alone on stdout"
MARKDOWN = "the record as Markdown, alone on stdout: no host, no path"
TRACE = "a profiler's trace, opened in the screen's tab Trace (roofwatch trace FILE prints it)"
ANONYMOUS = (
    "without UUID, host and paths, also inside notes and logs; nothing is ever sent anywhere"
)
MOUSE = "let the mouse open panes and scroll; the terminal's own selection needs Shift then"


def add_ascii_option(parser: argparse.ArgumentParser) -> None:
    """``--ascii``, of everything that draws."""
    parser.add_argument("--ascii", action="store_true", help=ASCII_ONLY)


def add_look_options(parser: argparse.ArgumentParser) -> None:
    """What a screen takes beside that."""
    add_ascii_option(parser)
    parser.add_argument("--theme", choices=THEMES, help=THEME)
    parser.add_argument("--mouse", action="store_true", help=MOUSE)


def add_trace_option(parser: argparse.ArgumentParser) -> None:
    """``--trace``, of the screen."""
    parser.add_argument("--trace", type=Path, metavar="FILE", help=TRACE)


def add_output_options(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """``--json`` and ``--md``, one of them; the group, for more ways out."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help=JSON)
    how.add_argument("--md", action="store_true", help=MARKDOWN)
    return how
