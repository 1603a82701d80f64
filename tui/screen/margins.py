"""The lines above and below the panes: each is drawn where what it is made of has changed."""

from __future__ import annotations

from collections.abc import Mapping

from textual.geometry import Size

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.screen import footer, header, tabs
from roofwatch.tui.screen.message import message
from roofwatch.tui.screen.offers import offers
from roofwatch.tui.screen.painting import PANES, Scene, names, short_names
from roofwatch.tui.screen.probing import state
from roofwatch.tui.screen.sources import Sources, replay_said
from roofwatch.tui.widgets.pane import Pane

HEADER_S = 0.5  # its figures change with every sample; more often nobody reads them
NOTE_S = 6.0
NO_NOTE = ("", "")
LINES = ("header", "tabs", "message", "footer")


class Margins:
    """Header, tabs, message and footer; ``now`` is in seconds on a clock that only rises."""

    def __init__(self, panes: Mapping[str, Pane], sources: Sources) -> None:
        self._panes = panes
        self._sources = sources
        self._headed: tuple[object, ...] = ()  # what the header was made of, and when
        self._headed_at = 0.0
        self._footed: tuple[object, ...] = ()
        self._note = NO_NOTE
        self._note_until = 0.0
        self._note_at = 0  # how many keys had acted then: the next one takes it away
        self.acted = 0  # keys that did something: they may offer others now

    def say(self, text: str, now: float, where: str = "") -> None:
        """A passing note in the footer's place; ``where`` is a path behind it."""
        self._note, self._note_until, self._note_at = (text, where), now + NOTE_S, self.acted

    def tab_at(self, x: int, cells: int, active: int, glyphs: Glyphs) -> int | None:
        """The pane whose name stands at column ``x`` of the tabs."""
        of = self._sources.session
        return tabs.tab_at(x, cells, active, names(of), glyphs, short_names(of))

    def paint(self, scene: Scene, area: Size, room: Size, typing: bool, now: float) -> None:
        """All four lines. ``room`` is that of the pane whose keys act."""
        self._head(scene, area, now)
        at = PANES.index(scene.focus)
        of = scene.session
        told = tabs.tabs(area.width, at, names(of), scene.glyphs, short_names(of))
        self._panes["tabs"].show([told])
        live = self._sources.live
        silent = live.instruments.silence if live else None
        said = message(scene.session, scene.found, area.width, scene.glyphs, state(live), silent)
        self._panes["message"].show([said])
        self._foot(scene, area, room, typing, now)

    def _head(self, scene: Scene, area: Size, now: float) -> None:
        key = scene.at.key(scene.session)
        stamp = (scene.session, scene.session.revision, key, area)
        if stamp != self._headed or now - self._headed_at >= HEADER_S:
            self._headed, self._headed_at = stamp, now
            rows = header.build(scene.session, area.width, key, scene.glyphs, scene.found)
            self._panes["header"].show(rows)

    def _foot(self, scene: Scene, area: Size, room: Size, typing: bool, now: float) -> None:
        live, replay = self._sources.live, self._sources.replay
        note, where = (
            self._note if now < self._note_until and self._note_at == self.acted else NO_NOTE
        )
        told = replay_said(replay, area.width) if replay else ""
        again = bool(live and live.options.probes and not live.probing)
        revision = scene.session.revision
        stamp = (
            scene.session,
            revision,
            area,
            scene.focus,
            self.acted,
            note,
            where,
            told,
            again,
            typing,
        )
        if stamp == self._footed:
            return
        self._footed = stamp
        offered, state = list(footer.TYPING), ""  # how a value is left goes before what is recorded
        if not typing:
            hold = [] if replay is None or replay.done else [footer.HOLDS[replay.paused]]
            here = [*hold, *offers(scene, room)]
            panes = [footer.PANES, *[footer.AMONG] * scene.wide]
            offered = [*footer.FIRST, *here, *panes, *[footer.AGAIN] * again, *footer.LAST]
            state = told
        said = footer.footer(area.width, scene.glyphs, offered, note, state, where)
        self._panes["footer"].show([said])
