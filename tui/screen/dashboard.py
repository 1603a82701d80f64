"""The dashboard: panes over one session. It draws what the fold says and sends keys on."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.geometry import Size
from textual.screen import Screen

from roofwatch.notebook.finding import Finding
from roofwatch.session.file import UnreadableSession
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.screen import footer, layout, moving
from roofwatch.tui.screen.keys import KEYS
from roofwatch.tui.screen.loading import load
from roofwatch.tui.screen.margins import LINES, Margins
from roofwatch.tui.screen.painting import PANES, Painting, Scene, first_pane
from roofwatch.tui.screen.probing import why_no_run
from roofwatch.tui.screen.refusal import refused
from roofwatch.tui.screen.sources import Sources
from roofwatch.tui.screen.standing import Standing
from roofwatch.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from roofwatch.tui.notebook.check_fields import Entry

PUMP_S = 0.1
PAINT_S = 0.25
PARTS = {"upper": layout.UPPER, "lower": layout.LOWER, "alone": layout.ALONE}


class Dashboard(Screen[None]):
    """Nine panes: one alone under tabs, four or six together where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, action) for key in KEYS for keys, action in key.keys
    ]

    def __init__(self, sources: Sources, glyphs: Glyphs, at: Standing | None = None) -> None:
        super().__init__()
        self.sources = sources
        self.glyphs = glyphs
        self.at = at or Standing()
        self.open_pane = PANES.index("trace") if self.at.trace else first_pane(self.session)
        self.alone = self.open_pane > 0  # one pane fills a wide screen
        self.entry: Entry | None = None  # of the check form, once it was opened
        self._asked_run = 0
        self._alive = False  # it has been painted once
        self._loading = load()
        self._found: list[Finding] = []
        self._judged: tuple[Session, int] | None = None
        self._area = Size(0, 0)
        self._rooms: dict[str, Size] = {}
        # Held, not looked up: timers outlive the tree by a moment when the app closes.
        self._panes = {name: Pane(name) for name in (*LINES, *PANES)}
        self._painting = Painting(self._panes)
        self._margins = Margins(self._panes, sources)

    @property
    def session(self) -> Session:
        """The fold that is on show."""
        return self.sources.session

    def pane(self, name: str) -> Pane:
        """One of the panes, or of the lines around them."""
        return self._panes[name]

    def compose(self) -> ComposeResult:
        """Header, panes, message, footer."""
        yield self._panes["header"]
        yield self._panes["tabs"]
        with Container(id="panes"):
            for part, names in PARTS.items():
                with Container(id=part):
                    for name in names:
                        yield self._panes[name]
        yield self._panes["message"]
        yield self._panes["footer"]

    def on_mount(self) -> None:
        """Begin to listen and to paint."""
        self._area = self.app.size
        self._arrange()
        self._pump()
        self.paint()
        self.set_interval(PUMP_S, self._pump)
        self.set_interval(PAINT_S, self.paint)
        self.call_after_refresh(self._after_first_paint)

    def _after_first_paint(self) -> None:
        self._alive = True
        if (live := self.sources.live_at_home) is not None:
            live.start_probes()  # before all else: importing torch takes seconds
        gc.enable()
        self._pump()
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the panes out anew; everything is redrawn."""
        self._area = event.size  # App.size still tells the old one here
        self._arrange()
        self.paint()

    # -- listening ---------------------------------------------------------------------------

    def _pump(self) -> None:
        self.sources.poll(look_up=self._alive)
        if self._alive:
            next(self._loading, None)
        live = self.sources.live_at_home
        if live is None or not live.waiting or self._asked_run == live.session.run:
            return
        self._asked_run = live.session.run
        occupied = live.busy()
        if occupied is None:
            live.go()
        else:
            from roofwatch.tui.screen.dialogs import Ask  # most runs never ask

            self.app.push_screen(Ask(occupied.sentence, self._answered, self.glyphs))

    def _answered(self, yes: bool) -> None:
        live = self.sources.live_at_home
        if live is not None and yes:
            live.go()
        elif live is not None:
            live.stand_down()
            self.say("only watching; r runs the suite")

    # -- painting ----------------------------------------------------------------------------

    @property
    def _standing(self) -> tuple[str, ...]:
        """The panes on show."""
        names = layout.together(self._area)
        opened = PANES[self.open_pane]
        return names if names and not self.alone and opened in names else (opened,)

    def _arrange(self) -> None:
        standing = self._standing
        self._rooms = layout.rooms(self._area, standing)
        self.set_class(len(standing) == 1, "-tabs")
        for part, names in PARTS.items():
            heights = [self._rooms[name].height for name in names if name in standing]
            place = self.query_one(f"#{part}")
            place.display = bool(heights)
            place.styles.height = max(heights, default=0)
        for name in PANES:
            self._panes[name].display = name in standing
            if name in standing:
                self._panes[name].styles.width = self._rooms[name].width

    def paint(self) -> None:
        """Redraw what has changed; before the first paint only the pane whose keys act."""
        session = self.session
        if self._alive and self._judged != (session, session.revision):
            from roofwatch.session.findings import findings  # with all rules, after the first paint

            before, self._found = self._found, findings(session)
            self._judged = (session, session.revision)
            self.at.follow(before, self._found)
        scene, now = self._scene, time.monotonic()
        wanted = self._rooms if self._alive else {scene.focus: self._rooms[scene.focus]}
        self._painting.paint(scene, wanted, now)
        self._margins.paint(scene, self._area, self._room, self._types, now)

    @property
    def _scene(self) -> Scene:
        live = self.sources.live
        beat = live.instruments.beat("probes") if live else None
        return Scene(
            self.session,
            self.at,
            self._found,
            self.glyphs,
            self._standing,
            PANES[self.open_pane],
            layout.small(self._area),
            self._alive,
            lambda: self.sources.listing,
            beat.progress if beat and beat.probe == self.session.running() else None,
        )

    # -- keys --------------------------------------------------------------------------------

    def say(self, text: str, where: str = "") -> None:
        """A passing note in the footer, behind it a path."""
        self._margins.say(text, time.monotonic(), where)
        self.paint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a value is typed, no key of the panes is a command."""
        return not self._types

    def action_rerun(self) -> None:
        """Run the suite again in the same session."""
        live = self.sources.live
        self.sources.poll()  # the end of the last run may be waiting there
        if live is None:
            self.say("a replay cannot run anything")
        elif not live.rerun():
            self.say(why_no_run(live))
        else:
            self.say(f"run {self.session.run}")

    def action_copy(self) -> None:
        """The record as Markdown to the terminal's clipboard."""
        from roofwatch.session.markdown import markdown

        text = markdown(self.session)
        self.app.copy_to_clipboard(text)
        self.say(f"copied: the record as Markdown, {len(text.encode()) / 1e3:.1f} kB (OSC 52)")

    def action_saved(self) -> None:
        """Say where the session is: in the footer, or in a dialog where that is too narrow."""
        what, where = footer.saved(self.sources.shown.path, bool(self.sources.live))
        if cell_len(f" {what} {where}") <= self._area.width:
            self.say(what, where)
            return
        from roofwatch.tui.screen.dialogs import Saved

        self.app.push_screen(Saved(what, where, self.glyphs))

    def action_page(self, name: str) -> None:
        """Open a page over the panes: what the keys do, or the record with its answers."""
        from roofwatch.tui.screen.named_page import named_page

        self.app.push_screen(named_page(name, self.session, self.glyphs))

    def action_open(self, index: int) -> None:
        """Open a pane; where several stand together, show it alone, and again to go back."""
        roomy = bool(layout.together(self._area))
        self.alone = roomy and not (self.alone and index == self.open_pane)
        self._focus(index)

    def action_next(self, step: int) -> None:
        """The next or previous pane: where several stand together, the one whose keys act."""
        order = [PANES.index(name) for name in self._standing]
        if len(order) < 2:
            order = list(range(len(PANES)))
        self._focus(order[(order.index(self.open_pane) + step) % len(order)])

    def _focus(self, index: int) -> None:
        self.open_pane, self.at.first_row = index, 0
        self._margins.acted += 1
        self._arrange()
        self.paint()

    @property
    def _room(self) -> Size:
        """The room of the pane whose keys act, under its rule where it has one."""
        size = self._rooms[PANES[self.open_pane]]
        return Size(size.width, size.height - (len(self._standing) > 1))

    def _moved(self, by: Callable[[Scene], str | None]) -> None:
        said = by(self._scene)
        self._margins.acted += 1
        self.say(said or "")

    def action_move(self, step: int) -> None:
        """The cursor of the pane whose keys act."""
        self._moved(lambda scene: moving.move(scene, self._room, step))

    def action_end(self, step: int) -> None:
        """To the first or the last."""
        self._moved(lambda scene: moving.end(scene, self._room, step))

    def action_turn(self, step: int) -> None:
        """Another value, curve, moment, or precision."""
        self._moved(lambda scene: moving.turn(scene, step))

    def action_zoom(self, step: int) -> None:
        """A longer or shorter stretch of time."""
        self._moved(lambda scene: moving.zoom(scene, step))

    def action_precision(self) -> None:
        """Another precision of the roofline, wherever the keys act."""
        self._moved(moving.precision)

    @property
    def _types(self) -> bool:
        """Whether keys are typed into the plan."""
        return self.at.typing and self._standing == ("plan",)

    def on_key(self, event: events.Key) -> None:
        """A key that goes into a value of the plan is no command."""
        if self._types:
            event.stop()
            event.prevent_default()
            self._moved(lambda scene: moving.typed(scene, event.key, event.character))

    def on_paste(self, event: events.Paste) -> None:
        """The first line of what is pasted into a value of the plan."""
        if self._types:
            event.stop()
            line = (event.text.strip().splitlines() or [""])[0]
            self._moved(lambda scene: moving.pasted(scene, line))

    def on_click(self, event: events.Click) -> None:
        """With ``--mouse``: a tab opens its pane; where several stand, a pane takes the keys."""
        if event.widget is self._panes["tabs"]:
            index = self._margins.tab_at(event.x, self._area.width, self.open_pane, self.glyphs)
            if index is not None:
                self.action_open(index)
        elif isinstance(event.widget, Pane) and event.widget.id in self._standing:
            self._focus(PANES.index(event.widget.id))

    def on_mouse_scroll_down(self) -> None:
        """The wheel moves the cursor."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """And back."""
        self.action_move(-1)

    def action_details(self) -> None:
        """Open what the cursor of the pane is on, or type a value of the plan."""
        from roofwatch.tui.screen.opening import page_of

        scene = self._scene
        if scene.focus == "plan":
            self._moved(lambda scene: scene.at.plan(scene.session).begin(scene.session))
        elif scene.focus == "clocks":
            self._moved(moving.focus_card)
        elif scene.focus == "sessions":
            self._open_saved()
        elif isinstance(page := page_of(scene), str):
            self.say(page)
        else:
            self.app.push_screen(page)

    def _open_saved(self) -> None:
        """Put the session under the cursor on show; a fleet's grid stands over the panes."""
        from roofwatch.tui.screen.opening import opened_fleet

        if (entry := moving.saved_here(self._scene)) is None:
            return
        try:
            if (grid := opened_fleet(entry, self.glyphs)) is not None:
                self.app.push_screen(grid)
                return
            self.sources.open(entry.path)
        except UnreadableSession as error:
            self.say(refused(error, self._area.width, self.glyphs, entry.path))
            return
        self._changed_session("Esc goes back, x plays it" if self.sources.replay else "")

    def _changed_session(self, said: str) -> None:
        self.at.leave_session()
        self.alone = (first := first_pane(self.session)) > 0
        self._focus(first)
        self.say(said)

    def action_versus(self) -> None:
        """Mark a saved session, or compare the marked one with the one under the cursor."""
        from roofwatch.tui.screen.opening import versus

        page = versus(self._scene, self._area.width)
        if isinstance(page, str):
            self.say(page)
        else:
            self.app.push_screen(page)

    def action_back(self) -> None:
        """Take the cursor away, else go to the session that the screen was opened with."""
        if moving.released(self._scene):
            self._moved(lambda scene: None)
        elif self.sources.back():
            self._changed_session("")

    def action_replay(self, what: str) -> None:
        """Pause the replay or let it go on (``hold``), or play it at another ``speed``."""
        self.say(self.sources.hold() if what == "hold" else self.sources.next_speed())

    def action_check(self) -> None:
        """Open the form that judges a number."""
        from roofwatch.tui.notebook.check_form import CheckForm, entry_for

        self.entry = entry_for(self.session.device, self.entry)
        self.app.push_screen(CheckForm(self.entry, self.glyphs))

    def action_figures(self) -> None:
        """Measured roofs in the plan instead of nominal ones, or the other way round."""
        if PANES[self.open_pane] != "plan":
            self.say("m is for the plan (7): measured roofs or nominal ones")
            return
        self._moved(lambda scene: scene.at.plan(scene.session).toggle())
