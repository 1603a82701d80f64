"""The pages over the panes that a key opens whatever the cursor is on."""

from __future__ import annotations

from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.widgets.sheet import Sheet

HELP, RECORD = "help", "record"


def named_page(name: str, session: Session, glyphs: Glyphs) -> Sheet:
    """The page of that name: ``HELP`` or ``RECORD``."""
    if name == RECORD:
        from roofwatch.tui.notebook.record_page import RecordPage

        return RecordPage(session, glyphs)
    from roofwatch.tui.screen.help_page import HelpPage

    return HelpPage(glyphs)
