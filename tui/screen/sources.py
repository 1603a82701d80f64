"""The session that the screen was opened with, and the one on show, which may be a saved one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roofwatch.session.began import minute_utc
from roofwatch.session.fold import Session
from roofwatch.session.live import Live
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.time_columns import clock_text

if TYPE_CHECKING:
    from roofwatch.session.listing import Listing

ROOM_FOR_DATE = 100
SPEEDS = (1.0, 10.0, None)  # as it was, ten times, at once


class Sources:
    """A live session goes on behind a saved one that is looked at."""

    def __init__(self, home: Live | Replay) -> None:
        self.home = home
        self.shown = home
        self._listing: Listing | None = None

    @property
    def session(self) -> Session:
        """The fold on show."""
        return self.shown.session

    @property
    def live(self) -> Live | None:
        """The live session, where it is on show."""
        return self.shown if isinstance(self.shown, Live) else None

    @property
    def live_at_home(self) -> Live | None:
        """The live session, on show or behind."""
        return self.home if isinstance(self.home, Live) else None

    @property
    def replay(self) -> Replay | None:
        """The recording on show."""
        return self.shown if isinstance(self.shown, Replay) else None

    @property
    def listing(self) -> Listing:
        """The saved sessions: of our own folder, and of that of the file that was given."""
        if self._listing is None:
            from roofwatch.session.listing import Listing  # not before somebody looks

            self._listing = Listing(self.home.path, fleets=True)
        self._listing.now = self.home.path  # it is renamed once the card is known
        return self._listing

    def poll(self, look_up: bool = True) -> None:
        """Take in what has come; ``look_up`` as for a live session."""
        for source in dict.fromkeys((self.shown, self.home)):
            if isinstance(source, Live):
                source.poll(look_up)
            else:
                source.poll()

    def open(self, path: Path) -> None:
        """Put a saved session on show, whole.

        Raises:
            UnreadableSession: naming file, row and field; what was on show stays.
        """
        if path != self.home.path:
            self.shown = Replay(path)
        else:
            self.shown = self.home

    def back(self) -> bool:
        """Show the first one again; False where it is on show."""
        was, self.shown = self.shown, self.home
        return was is not self.home

    def next_speed(self) -> str:
        """The next speed of the recording on show, in words."""
        replay = self.replay
        if replay is None:
            return "this is live"
        at = SPEEDS.index(replay.speed) if replay.speed in SPEEDS else 0
        speed = SPEEDS[(at + 1) % len(SPEEDS)]
        if replay.done:  # there is nothing left to play: from the beginning
            self.shown = replay = Replay(replay.path, speed=speed or SPEEDS[0])
            if self.home.path == replay.path:
                self.home = replay
        else:
            replay.speed = speed
        said = "at once" if replay.speed is None else f"{replay.speed:.0f}x"
        return f"{said}, still paused: Space goes on" if replay.paused else said

    def hold(self) -> str:
        """Pause the recording, or let it go on, in words."""
        replay = self.replay
        if replay is None:
            return "this is live: it cannot be paused"
        if replay.done:
            return "all of it is on show; x plays it"
        replay.paused = not replay.paused
        return "paused" if replay.paused else "going on"


def replay_said(replay: Replay, cells: int) -> str:
    """``10x 2:31 of 8:00:00, paused``; of one that is whole when it was recorded, in short where
    there are few ``cells``."""
    if replay.done:
        when = minute_utc(replay.session.started_at) or ""
        if cells < ROOM_FOR_DATE:
            return f"recorded {when[5:]}".rstrip()
        return f"recorded {when} UTC" if when else "recorded"
    speed = "at once" if replay.speed is None else f"{replay.speed:.0f}x"
    held = ", paused" if replay.paused else ""
    return f"{speed} {clock_text(int(replay.at_s))} of {clock_text(int(replay.length_s))}{held}"
