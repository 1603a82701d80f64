"""``roofwatch watch``: the clocks while somebody else's work runs, or around a command."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from roofwatch.tui.printed.live_options import NOMINAL, any_device, seconds_of_watch
from roofwatch.tui.printed.look_options import add_look_options
from roofwatch.verbs.on_screen import draw, has_screen, hung_up, left_in_time
from roofwatch.verbs.parser import HUNG_UP, Parser, add_language_option, glyphs_for, tell

if TYPE_CHECKING:
    from roofwatch.session.live import Live

EPILOG = """\
Around a command its terminal, signals and exit code are its own; readings are
kept as a session, and a summary follows on stderr: clocks, energy, power,
limits by their counters, memory, use, what throttling took of this card's
saved roofline. The command may name its parts: a line in the file
$ROOFWATCH_MARK (echo "epoch 3" >> "$ROOFWATCH_MARK"), or
roofwatch.mark("epoch 3") in Python. Of the command only its name is kept,
never its arguments. Without a command: 0 watched; 1 a file that was named
could not be written (a full disk); 2 usage; 3 no such device; 128+n signal n.

examples:
  roofwatch watch                               the clocks alone, until q
  roofwatch watch -- python train.py --lr 1e-4
  roofwatch watch --device all -- torchrun --nproc-per-node 8 train.py
  roofwatch watch --json --seconds 60           one reading a line
  roofwatch watch --metrics /var/lib/node_exporter/gpu.prom
"""


def _parser() -> Parser:
    parser = Parser(
        prog="roofwatch watch",
        usage="%(prog)s [options] [-- COMMAND ...]",
        description="Clock, power and limits while any work runs; it needs no torch.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--device", type=any_device, default="auto", help="auto, all, cpu or cuda:N")
    add("--json", action="store_true", help="one reading a line, alone on stdout")
    add("--save", type=Path, metavar="FILE", help="keep the session there (must be new or empty)")
    add(
        "--seconds", type=seconds_of_watch, metavar="S", help="without a command: end after so long"
    )
    said = "keep OpenMetrics text there, renewed each second, for a node exporter"
    add("--metrics", type=Path, metavar="FILE", help=said)
    add("--nominal", type=Path, metavar="FILE", help=NOMINAL)
    add_look_options(parser)
    add_language_option(parser)
    return parser


def main(argv: list[str]) -> int:
    """Watch; the command's own exit code where there is one."""
    parser = _parser()
    at = argv.index("--") if "--" in argv else len(argv)
    options, unknown = parser.parse_known_args(argv[:at])
    command = argv[at + 1 :]
    if unknown:
        hint = "; a command stands behind --" if not unknown[0].startswith("-") else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if at < len(argv) and not command:
        parser.error("there is no command behind --")
    if command and options.seconds:
        parser.error("--seconds is of watching without a command")
    plain = bool(command or options.json or options.metrics or options.seconds)
    if not plain and has_screen():
        return _screen(options)
    if not plain and hung_up():
        return HUNG_UP
    return _plain(options, command)


def _plain(options: argparse.Namespace, command: list[str]) -> int:
    from roofwatch.session.exit_code import ABSENT, UNWRITTEN
    from roofwatch.session.watch.metrics_file import MetricsFile
    from roofwatch.tui.printed import watch_plain

    metrics = MetricsFile(options.metrics) if options.metrics is not None else None
    live = _live(options)
    out = watch_plain.Output(json=options.json, metrics=metrics)
    encoding = sys.stderr.encoding if sys.stderr is not None else None
    glyphs = glyphs_for(encoding, options.ascii)
    if command:
        code = watch_plain.around(live, command, os.environ, out, tell)
    else:
        out.lines = None if options.json else sys.stdout
        code = watch_plain.alone(live, options.seconds, out, glyphs)
    with contextlib.suppress(OSError):
        if not command or live.session.command or code == ABSENT:
            watch_plain.summarise(live, sys.stderr, glyphs, tell)
        if metrics is not None and metrics.problem:
            tell(f"roofwatch watch: {metrics.problem}")
    if not command and code == 0 and (_lacking(live) or (metrics and metrics.problem)):
        return UNWRITTEN
    return code


def _lacking(live: Live) -> bool:
    from roofwatch.session.exit_code import unwritten

    return unwritten(live.options, live.file.problem)


def _live(options: argparse.Namespace) -> Live:
    from roofwatch.roofline.suite import WATCH
    from roofwatch.session.asked import Options
    from roofwatch.session.cards import load_cards
    from roofwatch.session.live import Live

    asked = Options(device=options.device, suite=WATCH, save=options.save, probes=False)
    cards = load_cards(options.nominal)  # a mistake in a user's file is said before anything runs
    return Live(asked, lambda: cards)


def _screen(options: argparse.Namespace) -> int:
    from roofwatch.session.exit_code import UNWRITTEN
    from roofwatch.tui.printed import watch_plain
    from roofwatch.tui.screen.last_word import last_word

    live = _live(options)
    with left_in_time(last_word(live)) as leaving:
        live.start()
        try:
            code = draw(live, options, leaving)
        finally:
            live.close(leaving.why)
        with contextlib.suppress(OSError):  # its terminal may be gone
            glyphs = glyphs_for(sys.stderr.encoding, options.ascii)
            watch_plain.summarise(live, sys.stderr, glyphs, tell)
    return code or (UNWRITTEN if _lacking(live) else 0)
