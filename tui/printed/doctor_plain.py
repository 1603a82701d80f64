"""``roofwatch doctor`` without a screen: progress on stderr, the rows on stdout."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from roofwatch.session.doctor.checks import rows
from roofwatch.session.doctor.look import look
from roofwatch.session.doctor.said import FAIL
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.live_options import device
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "A rented machine looked over in ten seconds, before money is spent on it."
EPILOG = """\
Driver, torch and CUDA, the card and who else is on it, clocks and limits, its
memory's errors, its links under a short load, the host, and variables that
change results or speed. Each row says what was found and what to do. Nothing
is kept.
Exit codes: 0 looked at; 2 usage; 3 the device that was named is absent; 5
something fails, with --strict.

examples:
  roofwatch doctor
  roofwatch doctor --device cuda:1
  roofwatch doctor --json --strict > doctor.json
"""
ABSENT, FAILS = 3, 5
ENDING = (signal.SIGTERM, signal.SIGHUP)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch doctor``."""
    add = parser.add_argument
    add("--device", type=device, default="auto", help="auto, cpu or cuda:N")
    add("--json", action="store_true", help="the rows as JSON, alone on stdout")
    add("--strict", action="store_true", help="exit 5 when a row says fail")
    add_ascii_option(parser)


def run(
    options: argparse.Namespace,
    glyphs_of: Callable[[str | None, bool], Glyphs],
    tell: Callable[[object], None],
) -> int:
    """Look, and print what was found; the exit code. ``tell`` says one line on stderr.

    Raises:
        NominalError: the user's own cards cannot be used; one line.
    """
    with _ended_in_order():
        facts = look(options.device, os.environ, _saying(tell))
    found = rows(facts)
    if options.json:
        print_json(found)
    elif sys.stdout is not None:  # closed by the shell
        from roofwatch.tui.drawing.print_rows import columns, print_rows
        from roofwatch.tui.printed.doctor_rows import doctor_rows

        glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
        print_rows(doctor_rows(found, columns(sys.stdout), glyphs), sys.stdout, glyphs)
    if facts.missing:
        tell(f"roofwatch: {facts.problem}")
        return ABSENT
    return FAILS if options.strict and any(one.status == FAIL for one in found) else 0


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """A signal that ends us ends the instruments first. Main thread only."""

    def leave(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, leave) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _saying(tell: Callable[[object], None]) -> Callable[[str], None]:
    """Progress, where somebody looks."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda _: None
    return lambda what: tell(f"{what} ...")
