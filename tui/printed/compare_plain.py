"""``roofwatch compare`` without a screen: its options, and the comparison on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from roofwatch.session.compare import Pair, Which
from roofwatch.session.exit_code import WRONG_FINDING
from roofwatch.session.printable import shown
from roofwatch.session.replay import Replay
from roofwatch.session.saved_names import HELP, path_named
from roofwatch.session.side_by_side import CompareRefused, Named, SideBySide, printed, side_by_side
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "Saved sessions side by side: what differs, and what of it is more than noise."
EPILOG = """\
Each figure that both measured: the ratio, its 95 % interval, and whether it
lies outside of what fresh runs of one card differ by. Then the conditions that
are not the same: driver, torch, limits, clocks, settings, the size of tensors.
A matmul's shape is searched by each run and is no condition. Of more than two
sessions the first is the reference.

examples:
  roofwatch compare monday.jsonl friday.jsonl
  roofwatch compare last~1 last --strict       exit 5 if this card became slower

exit codes: 0 compared; 2 unreadable, nothing in common, or with --strict not
of one card, or slower by too few repetitions to tell; 5 with --strict:
something is slower outside noise, measured alike
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``roofwatch compare``."""
    add = parser.add_argument
    add("sessions", nargs="+", metavar="SESSION", help=HELP)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="pairs and conditions, alone on stdout")
    how.add_argument("--md", action="store_true", help="as Markdown: no host, no path")
    add("--strict", action="store_true", help="exit 5 when the same card became slower")
    add_ascii_option(parser)


def run(
    options: argparse.Namespace,
    refuse: Callable[[str], object],
    glyphs_of: Callable[[str | None, bool], Glyphs],
    tell: Callable[[object], None],
) -> int:
    """Print the comparison; the exit code. ``refuse`` ends with code 2.

    Raises:
        UnreadableSession, CompareRefused: one line.
    """
    if len(options.sessions) < 2:
        refuse("two sessions at least: roofwatch compare A B")
    paths = [path_named(n) for n in options.sessions]  # once: another may be saved meanwhile
    named = [Named(n, Replay(p).session) for n, p in zip(options.sessions, paths, strict=True)]
    told = side_by_side(named, options.strict)
    if sys.stdout is not None:  # closed by the shell
        _print(told, named, paths, options, glyphs_of)
    every = [(other.name if len(told.others) > 1 else "", other) for other in told.others]
    slower = [_named(p, name) for name, other in every for p in other.slower]
    untold = [_named(p, name) for name, other in every for p in other.told.pairs if p.untold]
    if options.strict and slower:
        tell(f"roofwatch compare: slower outside noise: {', '.join(slower)}")
        return WRONG_FINDING
    if options.strict and untold:
        few = ", ".join(untold)
        raise CompareRefused(f"--strict cannot tell, of too few repetitions: {few}")
    return 0


def _named(p: Pair, session: str) -> str:
    return f"{p.what} {p.ratio:.3f}" + (f" in {session}" if session else "")


def _print(
    told: SideBySide,
    named: Sequence[Named],
    paths: Sequence[Path],
    options: argparse.Namespace,
    glyphs_of: Callable[[str | None, bool], Glyphs],
) -> None:
    if options.json:
        print_json(printed(told))
        return
    if options.md:
        from roofwatch.session.markdown import compared_markdown

        sys.stdout.write(compared_markdown(told, [one.session for one in named]))
        sys.stdout.flush()
        return
    _print_text(told, paths, glyphs_of(sys.stdout.encoding, options.ascii))


def _print_text(told: SideBySide, paths: Sequence[Path], glyphs: Glyphs) -> None:
    from roofwatch.session.comparison_markdown import letter
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.drawing.rows_of_text import hung
    from roofwatch.tui.sessions import comparison_rows, side_by_side_rows

    cells = columns(sys.stdout)
    sides = [told.others[0].told.a, *(o.told.b for o in told.others)]
    names = [told.name, *(o.name for o in told.others)]
    rows = [
        r
        for i, each in enumerate(zip(names, paths, sides, strict=True))
        for r in hung(f"{letter(i)}  ", _which(*each), cells, "dim")
    ]
    if len(told.others) == 1:
        one = told.others[0].told
        head = comparison_rows.head(one, cells, glyphs)
        rows += [*head, *comparison_rows.body(one, cells, glyphs)]
    else:
        rows += side_by_side_rows.rows(told, cells, glyphs)
    print_rows(rows, sys.stdout, glyphs)


def _which(name: str, path: Path, which: Which) -> str:
    """What finds it again: its file, where ``last`` was said too, and its id."""
    said = shown(path.name or name)
    if str(path) != name:
        said = f"{shown(name)}: {said}"
    return f"{said}, session {shown(which.id)}" if which.id and which.id not in said else said
