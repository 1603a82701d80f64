"""``roofwatch show FILE … --table``: the record of a card and the five answers, on stdout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import msgspec

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.markdown import record_markdown
from roofwatch.session.record_table import SCHEMA, merged, record_table
from roofwatch.session.record_words import csv_text
from roofwatch.session.same_card import refuse_others
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.printed.print_json import print_json
from roofwatch.tui.printed.print_markdown import print_markdown


def print_table(
    options: argparse.Namespace, glyphs_of: Callable[[str | None, bool], Glyphs]
) -> None:
    """The table of the sessions in ``options.files``, in the form that ``options.table`` says.

    Raises:
        UnreadableSession, OtherCard: bad input, in one line.
    """
    sessions = _sessions(options)
    if sys.stdout is None:  # closed by the shell
        return
    if options.table == "json":
        told = merged(sessions)
        table = {"schema": SCHEMA, **msgspec.to_builtins(told.table)}
        table["questions"] = told.answers
        print_json(table)
    elif options.table == "text":
        _print_text(sessions, glyphs_of(sys.stdout.encoding, options.ascii))
    elif options.table == "csv":
        sys.stdout.write(csv_text(record_table(sessions)))
    else:
        glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
        print_markdown(record_markdown(sessions), glyphs)
    sys.stdout.flush()


def _sessions(options: argparse.Namespace) -> list[Session]:
    """Each file's fold, once they are known to be of one card."""
    kept = [list(events(path)) for path in options.files]  # once: they may be pipes
    read = list(zip(options.files, map(fold, kept), strict=True))
    refuse_others(read, options.one_kind, told=not options.anonymous)
    if options.anonymous:
        from roofwatch.session.anonymous import anonymous
        from roofwatch.session.stand_ins import StandIns

        shared = StandIns()  # one card stays one in all of them
        read = [
            (path, fold(anonymous(each, shared)))
            for path, each in zip(options.files, kept, strict=True)
        ]
    for _, session in read:
        session.closed = True
    return [session for _, session in read]


def _print_text(sessions: Sequence[Session], glyphs: Glyphs) -> None:
    from roofwatch.tui.drawing.print_rows import columns, print_rows
    from roofwatch.tui.drawing.rows_of_text import row
    from roofwatch.tui.notebook.record_rows import question_rows, table_rows

    room = columns(sys.stdout)
    told = merged(sessions)
    rows = table_rows(told.table, room, glyphs)
    print_rows([*rows, row(""), *question_rows(told.answers, room, glyphs)], sys.stdout, glyphs)
