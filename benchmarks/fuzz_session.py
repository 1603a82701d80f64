"""Everything that is made of a session file: what `show` prints in each form, and the screen."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path

import fuzz_seeds as seeds
import msgspec
from fuzz_promises import SGR, Broken, hold_refusal, hold_text

from roofwatch.session.compare import compare
from roofwatch.session.entry import entry_of
from roofwatch.session.events import decode
from roofwatch.session.file import UnreadableSession, events, last_moment
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.listing import Listing
from roofwatch.session.markdown import markdown
from roofwatch.session.printable import plain_json
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.session.table import probe_rows
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.decode import decode_pane
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.print_rows import print_rows
from roofwatch.tui.drawing.rows_of_text import Row, text_of
from roofwatch.tui.kernels import kernels_pane
from roofwatch.tui.notebook import notebook_pane
from roofwatch.tui.printed.plain import line_of
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes import measurement_rows, probes_pane
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen import header, small_pane
from roofwatch.tui.sessions import comparison_rows, sessions_pane

SIZES = ((120, 36), (80, 18), (48, 12))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


@cache
def other() -> Session:
    """A sound session to hold the damaged one against."""
    return fold(e for line in seeds.session("quick") if (e := decode(line)) is not None)


def looked_at(path: Path) -> Session | None:
    """The fold of a file and its place in a list of sessions; None where it was refused."""
    for entry in entry_of(path):
        if entry is not None and entry.problem is not None:
            hold_refusal(entry.problem, "")
    try:
        last_moment(path)
        session = fold(events(path))
    except UnreadableSession as error:
        hold_refusal(str(error), str(path), "row ")
        return None
    session.closed = True
    return session


def whole(session: Session, path: Path, rng: random.Random) -> None:
    """Every form in which a session is shown."""
    found = findings(session)
    hold_text(plain_json(msgspec.json.encode(record(session, path))).decode(), "the record")
    hold_text(plain_json(msgspec.json.encode(found)).decode(), "the findings")
    hold_text(markdown(session), "the Markdown")
    rows = report(session, path, 80, UNICODE)
    hold_text("\n".join(map(text_of, rows)), "the report")
    _on_a_terminal(rows)
    cells, height = rng.choice(SIZES)
    panes = _panes(session, cells, height, path)
    for name, drawn in panes.items():
        hold_text("\n".join(map(text_of, drawn)), name)
    with_speed = Replay(path, speed=10.0, clock=iter(range(0, 1 << 60, 1 << 40)).__next__)
    for _ in range(3):
        with_speed.poll()


def _on_a_terminal(rows: list[Row]) -> None:
    """With colours the same characters stand there: no markup is taken for a style."""
    stream = Terminal()
    print_rows(rows, stream, UNICODE)
    shown = SGR.sub("", stream.getvalue())
    wanted = "".join(text_of(r).rstrip() + "\n" for r in micro(rows, UNICODE))
    if shown != wanted:
        pairs = zip(shown.split("\n"), wanted.split("\n"), strict=False)
        differs = next((pair for pair in pairs if pair[0] != pair[1]), None)
        raise Broken(f"a terminal shows another text: {differs!r}")


def _panes(session: Session, cells: int, height: int, path: Path) -> dict[str, list[Row]]:
    own, found = roofs(session), findings(session)
    told = compare(other(), session)
    listing = Listing(folders=[path.parent])
    listing.advance(1.0)
    out = {
        "the header": header.build(session, cells, own.main_key, UNICODE),
        "Roofline": roofline_pane.build(session, cells, height, own.main_key, UNICODE, 0, found),
        "Clocks": clocks_pane.build(session, cells, height, UNICODE),
        "Probes": probes_pane.build(session, cells, height, UNICODE, at=0, found=found),
        "Notebook": notebook_pane.build(session, cells, height, UNICODE, found),
        "Decode": decode_pane.build(session, cells, height, UNICODE),
        "Kernels": kernels_pane.build(session, cells, height, UNICODE, None),
        "Sessions": sessions_pane.build(listing, cells, height, UNICODE),
        "the small pane": small_pane.build(session, cells, height, found),
        "the comparison": comparison_rows.body(told, cells, UNICODE),
        "its head": comparison_rows.head(told, cells, UNICODE),
    }
    for spec in session.specs[:3]:
        page = measurement_rows.rows(session, spec.key, cells, UNICODE, found)
        out[f"the page of {spec.key}"] = page
    printed = [((line_of(r, UNICODE), ""),) for r in probe_rows(session, [])]
    return {**out, "a progress line": printed}
