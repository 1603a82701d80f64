"""The cursor on the saved sessions: it stays on its file while others come and go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from roofwatch.session.listing import Listing


class SavedCursor(NamedTuple):
    """The file it is on, and the row that was last; None before there was any."""

    row: int = 0
    path: Path | None = None


def followed(at: SavedCursor, listing: Listing) -> SavedCursor:
    """On the same file in the list as it is now; where that is gone, on what took its row."""
    if not listing.entries:
        return at
    rows = (i for i, entry in enumerate(listing.entries) if entry.path == at.path)
    return _on(next(rows, at.row), listing)


def moved(at: SavedCursor, listing: Listing, step: int) -> SavedCursor:
    """So many sessions on or back, from the file it is on."""
    at = followed(at, listing)
    return _on(at.row + step, listing) if listing.entries else at


def _on(row: int, listing: Listing) -> SavedCursor:
    held = listing.held(row)
    return SavedCursor(held, listing.entries[held].path)
