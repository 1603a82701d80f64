"""``roofwatch show`` of a fleet's file: its report again, as text, Markdown or JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from roofwatch.session.began import minute_utc
from roofwatch.session.fleet.anonymous_fleet import anonymous_lines
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import fleet_lines, folded
from roofwatch.session.fleet.lines import AnyLine, RankLine
from roofwatch.tui.drawing.glyphs import Glyphs

OF_A_SESSION = (
    "plot",
    "probe",
    "precision",
    "speed",
    "price",
    "table",
    "one_kind",
    "log",
    "trace",
    "nominal",
)
MARKDOWN_CELLS = 92  # a line of code that a comment on GitHub shows whole
FENCE = "```"
LinesOf = Callable[[Path], Iterable[tuple[int, AnyLine]]]


def show(
    options: argparse.Namespace,
    refuse: Callable[[str], object],
    glyphs_of: Callable[[str | None, bool], Glyphs],
) -> int:
    """Print it; the exit code. What is of a session alone is refused.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    refuse_of_session(options, refuse)
    hidden = options.anonymous or options.md  # what is pasted names no host, as of a session
    lines_of = anonymous_lines if hidden else fleet_lines
    fleet = Fleet()
    for _ in folded(options.file, fleet, lines_of):
        pass
    if sys.stdout is None:  # closed by the shell
        return 0
    if options.json:
        from roofwatch.session.fleet.fleet_json import fleet_json

        for piece in fleet_json(fleet, _ranks(options.file, lines_of)):
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        return 0
    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    if options.md:
        from roofwatch.tui.printed.print_markdown import print_markdown

        print_markdown(_markdown(fleet, glyphs), glyphs)
        return 0
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.printed.fleet_rows import fleet_rows

    print_rows(fleet_rows(fleet, columns(sys.stdout), glyphs), sys.stdout, glyphs)
    return 0


def asks_for_session(options: argparse.Namespace) -> bool:
    """Whether what is asked has an answer of a session alone: then ``last`` is the last session."""
    return any(getattr(options, name) for name in OF_A_SESSION)


def refuse_of_session(options: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """A fleet has no roofline of its own: what asks for one is refused."""
    for name in OF_A_SESSION:
        if getattr(options, name):
            option = name.replace("_", "-")
            refuse(f"--{option} is of a session; {options.file} is a fleet's file")


def _markdown(fleet: Fleet, glyphs: Glyphs) -> str:
    """The rows of the text in a block of code: columns stay columns, and nothing is markup."""
    from roofwatch.tui.drawing.rows_of_text import text_of
    from roofwatch.tui.printed.fleet_rows import fleet_rows

    rows = [text_of(r).rstrip() for r in fleet_rows(fleet, MARKDOWN_CELLS, glyphs)]
    body = "\n".join(rows).strip("\n").replace(FENCE, "'" * len(FENCE))
    when = minute_utc(fleet.header.started_at)
    head = f"**roofwatch fleet**{f', {when} UTC' if when else ''}"
    return f"{head}\n\n{FENCE}text\n{body}\n{FENCE}\n"


def _ranks(path: Path, lines_of: LinesOf) -> Iterator[RankLine]:
    """The ranks' lines, one after the other: a thousand records are not held at once."""
    last: dict[int, int] = {}
    for row, line in lines_of(path):
        if isinstance(line, RankLine):
            last[line.rank] = row
    stands = set(last.values())
    for row, line in lines_of(path):
        if isinstance(line, RankLine) and row in stands:
            yield line
