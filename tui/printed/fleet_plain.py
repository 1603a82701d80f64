"""``roofwatch show`` of a fleet's file: its report again, as text or as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from roofwatch.session.fleet.fleet_file import fleet_lines, read_fleet
from roofwatch.session.fleet.lines import RankLine
from roofwatch.tui.drawing.glyphs import Glyphs

OF_A_SESSION = (
    "md",
    "plot",
    "probe",
    "precision",
    "speed",
    "price",
    "table",
    "anonymous",
    "log",
    "trace",
    "nominal",
    "one_kind",
)


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
    fleet = read_fleet(options.file)
    if sys.stdout is None:  # closed by the shell
        return 0
    if options.json:
        from roofwatch.session.fleet.fleet_json import fleet_json

        for piece in fleet_json(fleet, _ranks(options)):
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        return 0
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.printed.fleet_rows import fleet_rows

    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    print_rows(fleet_rows(fleet, columns(sys.stdout), glyphs), sys.stdout)
    return 0


def refuse_of_session(options: argparse.Namespace, refuse: Callable[[str], object]) -> None:
    """A fleet has no roofline of its own: what asks for one is refused."""
    for name in OF_A_SESSION:
        if getattr(options, name):
            refuse(f"--{name.replace('_', '-')} is of a session; {options.file} is a fleet's file")


def _ranks(options: argparse.Namespace) -> Iterator[RankLine]:
    """The ranks' lines, one after the other: a thousand records are not held at once."""
    last: dict[int, int] = {}
    for row, line in fleet_lines(options.file):
        if isinstance(line, RankLine):
            last[line.rank] = row
    stands = set(last.values())
    for row, line in fleet_lines(options.file):
        if isinstance(line, RankLine) and row in stands:
            yield line
