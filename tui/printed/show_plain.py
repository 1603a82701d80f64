"""``roofwatch show`` without a screen, and what ``run`` prints at its end: text, JSON, Markdown."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from roofwatch.roofline.peaks import PEAK_KEYS
from roofwatch.session.cards import load_cards
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.picture import PictureRefused, draw, precision, titles, write
from roofwatch.session.program import PROGRAM
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.session.saved_names import OF_ANY
from roofwatch.tui.drawing.ascii_signs import in_ascii
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.live_options import NOMINAL, add_price_option
from roofwatch.tui.printed.look_options import (
    ANONYMOUS,
    add_look_options,
    add_output_options,
    add_trace_option,
)

PLOT = "the roofline as a picture: .svg, .png (both need matplotlib) or .txt"
PRECISION = "whose roofline, such as bf16; without it the one that was held for seconds"
PROBE = "the page of one probe, such as matmul-bf16: its numbers, conditions, how it was timed"
SPEED = "with --replay: as fast as it was (1) or ten times (10); without it all of it at once"
TABLE = (
    "the record table with its checks and the five answers, of one session or several of one card: "
    "text (also without a word), md, csv or json"
)
LOG = "a line for each saved session, newest first; with --json an object a line"
ONE_KIND = "with --table: sessions of several cards of one name make one table, which says so"
TABLE_FORMS = ("text", "md", "csv", "json")
TEXT_PLOT = (100, 30)  # columns, rows


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch show``."""
    add = parser.add_argument
    said = f"a session file (.jsonl), or {OF_ANY}; of one card several, with --table"
    add("files", type=Path, nargs="*", metavar="file", help=said)
    add("--log", action="store_true", help=LOG)
    how = add_output_options(parser)
    how.add_argument("--table", nargs="?", const="text", choices=TABLE_FORMS, help=TABLE)
    how.add_argument("--replay", action="store_true", help="open it in the screen")
    how.add_argument("--plot", type=Path, metavar="FILE", help=PLOT)
    how.add_argument("--probe", metavar="KEY", help=PROBE)
    add("--one-kind", action="store_true", help=ONE_KIND)
    add("--anonymous", action="store_true", help=ANONYMOUS)
    add("--speed", type=float, choices=(1.0, 10.0), metavar="X", help=SPEED)
    add("--precision", choices=PEAK_KEYS, metavar="KEY", help=PRECISION)
    add("--nominal", type=Path, metavar="FILE", help=f"{NOMINAL} (in the screen's plan)")
    add_price_option(parser)
    add_look_options(parser)
    add_trace_option(parser)


def show(
    options: argparse.Namespace,
    refuse: Callable[[str], object],
    tell: Callable[[object], None],
    screen: Callable[[Replay], int],
    glyphs_of: Callable[[str | None, bool], Glyphs],
) -> int:
    """A saved session again; the exit code. ``screen`` draws it, ``refuse`` ends with code 2."""
    _refuse_pairs(options, refuse)
    if options.log:
        from roofwatch.tui.printed.log_plain import print_log

        print_log(options, glyphs_of)
        return 0
    options.file = options.files[0]
    if options.nominal is not None:
        load_cards(options.nominal)  # a mistake in a user's file is said before anything is drawn
    if options.table:
        from roofwatch.tui.printed.table_plain import print_table

        print_table(options, glyphs_of)
        return 0
    path: Path | None = options.file
    if options.anonymous:  # read once: it may be a pipe
        from roofwatch.session.anonymous import anonymous

        session, path = fold(anonymous(events(options.file))), None
        session.closed = True
    else:
        replay = Replay(options.file, speed=options.speed)
        session = replay.session
    session.price = options.price or session.price
    if options.replay:
        return screen(replay)
    if options.plot:
        glyphs = ASCII if options.ascii else UNICODE  # a file is of no terminal
        _plot(session, options.file, options.plot, options.precision, glyphs)
        tell(f"the roofline is in {options.plot}")
    elif options.probe is not None:
        known = [spec.key for spec in session.specs]
        if not known:
            refuse(f"--probe: {options.file} (suite {session.suite}) ran no probe")
        if options.probe not in known:
            refuse(f"--probe {options.probe!r} is none of {', '.join(known)} in {options.file}")
        _print_probe(session, options.probe, glyphs_of(sys.stdout.encoding, options.ascii))
    else:
        print_session(session, path, options, glyphs_of, options.precision)
    return 0


def _refuse_pairs(options: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """Options that do not go together; each is said to be of another."""
    others = (options.json, options.md, options.replay, options.probe is not None, options.table)
    if options.precision and any(others):
        refuse("--precision is of the text and of --plot")
    if options.speed and not options.replay:
        refuse("--speed is of --replay")
    if options.trace is not None and not options.replay:
        refuse(f"--trace is of --replay; {PROGRAM} trace FILE prints it")
    if options.anonymous and options.replay:
        refuse("--anonymous is of what is printed")
    if options.log:
        if options.files:
            refuse("--log is of all saved sessions: no file goes with it")
        if any((*others[1:], options.plot, options.nominal, options.one_kind)):
            refuse("with --log go --json, --anonymous and --price only")
        return
    if not options.files:
        refuse("the following arguments are required: file (or --log)")
    if len(options.files) > 1 and not options.table:
        refuse("several files are of --table")
    if options.one_kind and not options.table:
        refuse("--one-kind is of --table")
    if options.price and (options.table or options.plot or options.probe is not None):
        refuse("--price is of the whole record: --table, --plot and --probe have no bill")


def print_session(
    session: Session,
    path: Path | None,
    options: argparse.Namespace,
    glyphs_of: Callable[[str | None, bool], Glyphs],
    key: str | None = None,
) -> None:
    """The record on stdout, as it was asked for."""
    if sys.stdout is None:  # closed by the shell
        return
    if options.json:
        from roofwatch.session.summary import record
        from roofwatch.tui.printed.print_json import print_json

        print_json(record(session, path))
        return
    if options.md:
        from roofwatch.session.markdown import markdown
        from roofwatch.tui.printed.print_markdown import print_markdown

        print_markdown(markdown(session), glyphs_of(sys.stdout.encoding, options.ascii))
        return
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.printed.report import report

    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    key = precision(roofs(session), key) if key is not None else None
    print_rows(report(session, path, columns(sys.stdout), glyphs, key), sys.stdout, glyphs)


def _print_probe(session: Session, probe: str, glyphs: Glyphs) -> None:
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.probes import measurement_rows

    print_rows(
        measurement_rows.rows(session, probe, columns(sys.stdout), glyphs), sys.stdout, glyphs
    )


def _plot(session: Session, file: Path, picture: Path, key: str | None, glyphs: Glyphs) -> None:
    with contextlib.suppress(OSError):  # what is not there yet is not the session
        if picture.samefile(file):
            raise PictureRefused(f"{picture}: is the session; a picture is never written over it")
    if picture.suffix.lower() == ".txt":
        from roofwatch.tui.roofline.roofline_pane import build

        key = precision(roofs(session), key)
        rows = build(session, *TEXT_PLOT, key, glyphs)
        lines = [*(f" {t}" for t in titles(session, key)), "", *(text_of(r) for r in rows)]
        text = "".join(line.rstrip() + "\n" for line in lines)
        text = in_ascii(text) if glyphs is ASCII else text
        write(picture, text.encode("utf-8", "replace"))
    else:
        os.environ.pop("MPLBACKEND", None)  # a notebook's, say; a file needs none
        draw(session, key, picture)
