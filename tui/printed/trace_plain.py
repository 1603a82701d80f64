"""``roofwatch trace`` without a screen: its options, and the answer on stdout."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from roofwatch.session.cards import load_cards
from roofwatch.session.saved_names import ROOFS, path_named
from roofwatch.trace.analysis import Examined, examined, report
from roofwatch.trace.card_roofs import roofs_for
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.trace.report import Card
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "A profiler's trace on the roofline: what binds each kernel, and the gaps."
EPILOG = """\
Reads torch.profiler's Chrome traces (.json, .json.gz), Nsight Systems exports
(nsys export --type sqlite). Record with profile(record_shapes=True): a kernel's
FLOP and bytes follow from its operator's shapes. Roofs are those of the trace's
card as a saved session measured them, else nominal; --gpu takes another card's
nominal figures, --session the roofs measured in that session. Exit codes: 0
answered; 1 it could not be written (a full disk); 2 usage, or a file that
cannot be read.

examples:
  roofwatch trace trace.json.gz
  roofwatch trace trace.json --gpu "A100 80GB SXM" --top 50
  roofwatch trace report.sqlite --session last --json
"""
TOP = 20
MOST_TOP = 10_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch trace``."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a trace")
    of = parser.add_mutually_exclusive_group()
    of.add_argument(
        "--gpu", metavar="NAME", help="the nominal roofs of this card (as plan takes it)"
    )
    of.add_argument(
        "--session", type=Path, metavar="FILE", help=f"the roofs measured in this session; {ROOFS}"
    )
    parser.add_argument("--nominal", type=Path, metavar="FILE", help="cards of your own")
    said = f"so many kernels, those that take most time ({TOP} without it)"
    parser.add_argument("--top", type=_count, default=TOP, metavar="N", help=said)
    parser.add_argument("--json", action="store_true", help="the answer as JSON, alone on stdout")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 0 < int(text) <= MOST_TOP):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_TOP}")
    return int(text)


def opened(
    file: Path,
    gpu: str | None = None,
    session: Path | None = None,
    nominal: Path | None = None,
) -> tuple[Examined, Card]:
    """A trace with its parts, and the roofs that it is held against.

    Raises:
        UnreadableTrace, UnreadableSession, NominalError: bad input, in one line.
    """
    table = load_cards(nominal)  # a mistake in it is said before a large file is read
    recording = read_trace(file)
    identity = None
    if recording.has_device and recording.cards:
        used = {a.device for a in recording.activities}
        first = next((d for d in sorted(recording.cards) if d in used), min(recording.cards))
        identity = recording.cards[first]
    if not recording.has_device and (gpu is not None or session is not None):
        raise UnreadableTrace(f"{file}: there is no GPU in it that --gpu or --session could be of")
    return examined(recording, os.fsencode(file).decode("utf-8", "replace")), roofs_for(
        identity, table, gpu, session
    )


def run(options: argparse.Namespace, glyphs_of: Callable[[str | None, bool], Glyphs]) -> int:
    """Print the answer; exit code 0.

    Raises:
        UnreadableTrace, UnreadableSession, NominalError: bad input, in one line.
    """
    session = path_named(str(options.session)) if options.session is not None else None
    seen, card = opened(options.file, options.gpu, session, options.nominal)
    found = report(seen, card)
    if sys.stdout is None:  # closed by the shell
        return 0
    if options.json:
        print_json(found)
        return 0
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.trace.trace_page import whole

    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    print_rows(whole(found, columns(sys.stdout), glyphs, options.top), sys.stdout, glyphs)
    return 0
