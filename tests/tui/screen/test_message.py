"""The line that matters most: a fault with what was done about it, until something goes on."""

from __future__ import annotations

from roofwatch.session.events import Fault, Note
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.screen.message import FRESH_S, message

KILLED = Fault(t=5.0, instrument="probes", what="the probes ended", probe="x", exit_code=-9)


def said(session: Session, state: str = "") -> str:
    return text_of(message(session, [], 80, UNICODE, state)).strip()


def test_a_fault_stands_with_what_was_done_about_it() -> None:
    session = Session()
    session.add(KILLED)
    session.add(Note(t=5.1, text="probes: started again, 4 remain"))
    session.add(Note(t=5.2, text="there is no driver here"))
    assert said(session, "measuring y") == "✗ the probes ended; started again, 4 remain"


def test_it_gives_way_to_what_goes_on_and_comes_back_at_the_end() -> None:
    session = Session()
    session.add(KILLED)
    session.add(Note(t=5.0 + FRESH_S, text="time has passed"))
    assert said(session, "measuring y") == "measuring y"
    assert said(session) == "✗ the probes ended"
