"""Where a screen can be drawn, and a session on it until someone leaves."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import TYPE_CHECKING

from roofwatch.verbs.parser import glyphs_for, tell

if TYPE_CHECKING:
    from roofwatch.session.fleet.fleet import Fleet
    from roofwatch.session.live import Live
    from roofwatch.session.replay import Replay
    from roofwatch.tui.screen.leaving import LastWord, Leaving
    from roofwatch.tui.trace.opened_trace import OpenedTrace


def has_screen() -> bool:
    """Whether all three streams are a terminal that a screen can be drawn on."""
    real = all(s is not None and s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr))
    return real and os.environ.get("TERM", "dumb") not in ("", "dumb")


def hung_up() -> bool:
    """Someone had a terminal, and closed it before the screen could open."""
    from roofwatch.tui.screen.terminal import hung_up as gone

    return sys.__stdin__ is not None and gone(sys.__stdin__.fileno())


def left_in_time(last_word: LastWord | None = None) -> Leaving:
    """Signals end the block in order or, where it is held up, without it.

    A job in the background waits here until the terminal is its own: modes read before are the
    shell's.
    """
    from roofwatch.tui.screen.foreground import come_to_front
    from roofwatch.tui.screen.leaving import Leaving
    from roofwatch.tui.screen.terminal import Terminal

    come_to_front(sys.stdin.fileno())
    return Leaving(last_word, Terminal(sys.stdin.fileno(), sys.stderr.fileno()))


TOLD_BYTES = 20_000_000  # a trace from which on reading it is worth a word


def trace_of(options: argparse.Namespace) -> OpenedTrace | None:
    """The trace that ``--trace`` names, read before the screen opens.

    Raises:
        UnreadableTrace, NominalError: it cannot be used, in one line.
    """
    if options.trace is None:
        return None
    from roofwatch.tui.printed.trace_plain import opened
    from roofwatch.tui.trace.opened_trace import OpenedTrace

    with contextlib.suppress(OSError):
        if (size := options.trace.stat().st_size) >= TOLD_BYTES:
            tell(f"roofwatch: reading {options.trace}, {size / 1e6:.0f} MB")
    return OpenedTrace(*opened(options.trace, nominal=options.nominal))


def draw(
    source: Live | Replay,
    options: argparse.Namespace,
    leaving: Leaving,
    trace: OpenedTrace | None = None,
) -> int:
    """The screen over a session, until someone leaves it."""
    from roofwatch.tui.screen.first_frame import first_frame

    leaving.covers()
    with first_frame(sys.stderr):
        from roofwatch.tui.drawing.theme import theme_of
        from roofwatch.tui.screen.app import run as run_screen

        theme = options.theme or theme_of(os.environ)
        glyphs = glyphs_for(sys.stderr.encoding, options.ascii)
    return run_screen(source, glyphs, theme, options.mouse, options.nominal, leaving, trace)


def draw_fleet(fleet: Fleet, options: argparse.Namespace, leaving: Leaving) -> int:
    """The grid of a fleet's ranks, until someone leaves it."""
    from roofwatch.tui.drawing.theme import theme_of
    from roofwatch.tui.screen.fleet_app import run as run_screen

    leaving.covers()
    theme = options.theme or theme_of(os.environ)
    glyphs = glyphs_for(sys.stderr.encoding, options.ascii)
    return run_screen(fleet, glyphs, theme, options.mouse, leaving)
