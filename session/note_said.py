"""A note as a line: whose it is, then what it says."""

from __future__ import annotations

from roofwatch.session.events import Note


def note_said(note: Note) -> str:
    """Its text behind the probe that it is of, which is named once."""
    about = f"{note.probe} " if note.probe else ""
    return note.text if note.text.startswith(about) else f"{note.probe}: {note.text}"
