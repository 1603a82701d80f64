"""``roofwatch compare`` without a screen: its options, and the comparison on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from roofwatch.session.compare import Pair, Which
from roofwatch.session.comparison_words import COUNTED, noise_said
from roofwatch.session.exit_code import WRONG_FINDING
from roofwatch.session.printable import shown
from roofwatch.session.replay import Replay
from roofwatch.session.saved_names import HELP, path_named
from roofwatch.session.side_by_side import (
    Against,
    CompareRefused,
    Named,
    SideBySide,
    printed,
    side_by_side,
)
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.look_options import add_ascii_option
from roofwatch.tui.printed.print_json import print_json

DESCRIPTION = "Saved sessions side by side: what differs, and what of it is more than noise."
EPILOG = """\
Each figure that both measured: the ratio, its 95 % interval, and whether it
lies outside of what fresh runs of one card differ by. Then the conditions that
are not the same: driver, torch, limits, clocks, settings, the size of tensors.
A matmul's shape is searched by each run and is no condition. A figure that its
own session does not believe is doubted: neither better nor worse. What a host
makes with a card is held against the same card alone. Of more than two sessions
the first is the reference.

examples:
  roofwatch compare monday.jsonl friday.jsonl
  roofwatch compare last~1 last --strict       exit 5 if this card became slower

exit codes: 0 compared; 2 unreadable, nothing in common, or with --strict not
of one card, or nothing slower but left open: doubted figures, some that failed
in B, slower ones of too few or too scattered repetitions; 5 with --strict:
something believed is slower outside noise, measured alike
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
    sessions = [Replay(p).session for p in paths]
    if options.md:
        from roofwatch.session.nameless import nameless

        sessions = nameless(sessions)
    named = [Named(n, s) for n, s in zip(options.sessions, sessions, strict=True)]
    told = side_by_side(named, options.strict)
    _tell_of_one_file(options.sessions, paths, tell)
    if sys.stdout is not None:  # closed by the shell
        _print(told, paths, options, glyphs_of)
    every = [(other.name if len(told.others) > 1 else "", other) for other in told.others]
    slower = [_named(p, name) for name, other in every for p in other.slower]
    if options.strict and slower:
        tell(f"roofwatch compare: slower outside noise: {', '.join(slower)}")
        return WRONG_FINDING
    if options.strict and (left_open := [x for name, other in every for x in _open(other, name)]):
        raise CompareRefused(f"--strict cannot tell: {'; '.join(left_open)}")
    return 0


def _tell_of_one_file(
    names: Sequence[str], paths: Sequence[Path], tell: Callable[[object], None]
) -> None:
    """A session beside itself differs in nothing, and says nothing of the card."""
    first: dict[Path, str] = {}
    for name, path in zip(names, paths, strict=True):
        file = path.resolve()
        if file in first:
            said = shown(f"{first[file]} and {name}")
            tell(f"roofwatch compare: {said} are one file, held against itself")
        first.setdefault(file, name)


def _open(other: Against, session: str) -> list[str]:
    """What leaves open whether this one became slower, by the reason."""
    of_word: dict[str, list[str]] = {}
    for p in other.told.pairs:
        if p.untold:
            of_word.setdefault(noise_said(p), []).append(_named(p, session))
    said = [f"{COUNTED[word]}: {', '.join(names)}" for word, names in of_word.items()]
    lost = [f"{m.what} ({m.why})" + (f" in {session}" if session else "") for m in other.told.lost]
    return [*said, f"missing: {', '.join(lost)}"] if lost else said


def _named(p: Pair, session: str) -> str:
    return f"{p.what} {p.ratio:.3f}" + (f" in {session}" if session else "")


def _print(
    told: SideBySide,
    paths: Sequence[Path],
    options: argparse.Namespace,
    glyphs_of: Callable[[str | None, bool], Glyphs],
) -> None:
    if options.json:
        print_json(printed(told))
        return
    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    if options.md:
        from roofwatch.session.markdown import compared_markdown
        from roofwatch.tui.printed.print_markdown import print_markdown

        print_markdown(compared_markdown(told), glyphs)
        return
    _print_text(told, paths, glyphs)


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
