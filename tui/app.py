"""The screen. It draws what the fold says and sends keys on; it does no arithmetic of its own."""

from __future__ import annotations

import gc
import time
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.geometry import Size

from roofwatch.notebook.finding import Finding
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.live import Live
from roofwatch.session.replay import Replay
from roofwatch.tui import header
from roofwatch.tui.check_fields import Entry
from roofwatch.tui.glyphs import ASCII, Glyphs
from roofwatch.tui.leaving import leave_on_signals
from roofwatch.tui.moving import move, scroll, turn, typed
from roofwatch.tui.notebook_cursor import followed
from roofwatch.tui.painting import NAMES, PANES, TOGETHER, Painting, Scene
from roofwatch.tui.pane import Pane
from roofwatch.tui.probing import state
from roofwatch.tui.report import recorded_when
from roofwatch.tui.sheet import Sheet
from roofwatch.tui.standing import Standing

PUMP_S = 0.1
PAINT_S = 0.25
NOTE_S = 6.0
WIDE = (112, 34)
SMALL = (60, 16)


class RoofwatchApp(App[None]):
    """Seven panes over one session, live or replayed."""

    CSS_PATH = "roofwatch.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", priority=True),
        Binding("q", "leave", priority=True),
        Binding("r", "rerun"),
        Binding("s", "saved"),
        Binding("c", "check"),
        Binding("question_mark", "help"),
        Binding("1", "open(0)"),
        Binding("2", "open(1)"),
        Binding("3", "open(2)"),
        Binding("4", "open(3)"),
        Binding("5", "open(4)"),
        Binding("6", "open(5)"),
        Binding("7", "open(6)"),
        Binding("tab", "next(1)", priority=True),
        Binding("shift+tab", "next(-1)", priority=True),
        Binding("right,p", "turn(1)"),
        Binding("left", "turn(-1)"),
        Binding("down,j", "move(1)"),
        Binding("up,k", "move(-1)"),
        Binding("pagedown", "scroll(10)"),
        Binding("pageup", "scroll(-10)"),
        Binding("enter", "details"),
        Binding("m", "figures"),
    ]

    def __init__(self, source: Live | Replay, glyphs: Glyphs) -> None:
        super().__init__()
        self.source = source
        self.glyphs = glyphs
        self.open_pane = 0
        self.alone = False  # one pane fills a wide screen
        self.at = Standing()
        self.entry: Entry | None = None  # of the check form, once it was opened
        self._note = ""
        self._note_until = 0.0
        self._asked_run = 0
        self._found: list[Finding] = []
        self._found_revision = -1
        self._area = Size(0, 0)
        # Held, not looked up: timers outlive the tree by a moment when the app closes.
        self._panes = {name: Pane(name) for name in ("header", "tabs", *PANES, "message", "footer")}
        self._painting = Painting(self._panes)
        self._parts = tuple(Container(id=name) for name in ("upper", "lower", "alone"))

    @property
    def session(self) -> Session:
        """The fold that is on show."""
        return self.source.session

    @property
    def live(self) -> Live | None:
        """The live session, or None in a replay."""
        return self.source if isinstance(self.source, Live) else None

    def compose(self) -> ComposeResult:
        """Header, panes, message, footer."""
        yield self._panes["header"]
        yield self._panes["tabs"]
        with Container(id="panes"):
            parts = (PANES[:2], PANES[2:TOGETHER], PANES[TOGETHER:])
            for part, names in zip(self._parts, parts, strict=True):
                with part:
                    for name in names:
                        self._panes[name].add_class("pane")
                        yield self._panes[name]
        yield self._panes["message"]
        yield self._panes["footer"]

    def on_mount(self) -> None:
        """Begin to listen and to paint."""
        self._area = self.size
        leave_on_signals(lambda code: self.exit(return_code=code))
        self._arrange()
        self._pump()
        self.paint()
        self.set_interval(PUMP_S, self._pump)
        self.set_interval(PAINT_S, self.paint)
        self.call_after_refresh(self._first_paint)

    def _first_paint(self) -> None:
        self._pump()
        self.paint()
        if self.live is not None:
            self.call_after_refresh(self._after_first_paint, self.live)

    def _after_first_paint(self, live: Live) -> None:
        live.start_probes()
        gc.enable()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the panes out anew; everything is redrawn."""
        self._area = event.size  # App.size still tells the old one here
        self._arrange()
        self._painting.forget()
        self.call_after_refresh(self.paint)

    # -- listening ---------------------------------------------------------------------------

    def _pump(self) -> None:
        self.source.poll()
        live = self.live
        if live is None or not live.waiting or self._asked_run == self.session.run:
            return
        self._asked_run = self.session.run
        occupied = live.busy()
        if occupied is None:
            live.go()
        else:
            from roofwatch.tui.dialogs import Ask  # most runs never ask

            self.push_screen(Ask(occupied.sentence), self._answered)

    def _answered(self, yes: bool | None) -> None:
        if self.live is None:
            return
        if yes:
            self.live.go()
        else:
            self.live.stand_down()
            self.say("only watching; r runs the suite")

    # -- painting ----------------------------------------------------------------------------

    @property
    def _wide(self) -> bool:
        return not self.alone and self._roomy

    @property
    def _roomy(self) -> bool:
        return self._area.width >= WIDE[0] and self._area.height >= WIDE[1]

    def _arrange(self) -> None:
        self.screen_stack[0].set_class(not self._wide, "-tabs")
        for i, name in enumerate(PANES):
            opened = i == self.open_pane
            self._pane(name).set_class(opened, "-open")
        for i, part in enumerate(self._parts):
            part.set_class(i == min(2, self.open_pane // 2), "-open")

    def _pane(self, name: str) -> Pane:
        return self._panes[name]

    def paint(self) -> None:
        """Redraw what has changed."""
        session, cells = self.session, self._area.width
        if session.revision != self._found_revision:
            before, self._found = self._found, findings(session)
            self._found_revision = session.revision
            self.at.place = followed(self.at.place, before, self._found)
        key = self.at.key(session)
        self._pane("header").show(header.build(session, cells, key, self.glyphs))
        live = self.live
        recorded = "" if live else recorded_when(session)
        if self._wide:
            left = self._pane("roofline").size.width
            top = header.two_rules(left, cells, key, self.glyphs, recorded)
        else:
            top = header.tabs(cells, self.open_pane, NAMES, self.glyphs, recorded)
        self._pane("tabs").show([top])
        self._painting.paint(self._scene, self._clock())
        silent = live.silence if live else None
        said = header.message(session, self._found, cells, self.glyphs, state(live), silent)
        self._pane("message").show([said])
        note = self._note if self._clock() < self._note_until else ""
        alone, typing = self._alone_name, self._types
        keys = header.footer(cells, self.glyphs, note, live is not None, alone, typing)
        self._pane("footer").show([keys])

    @property
    def _scene(self) -> Scene:
        live = self.live
        beat = live.beat("probes") if live else None
        return Scene(
            self.session,
            self.at,
            self._found,
            self.glyphs,
            self._wide,
            self._area.width < SMALL[0] or self._area.height < SMALL[1],
            beat.progress if beat and beat.probe == self.session.running() else None,
        )

    @staticmethod
    def _clock() -> float:
        return time.monotonic()

    # -- keys --------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """A passing note in the footer."""
        self._note, self._note_until = text, self._clock() + NOTE_S
        self.paint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A sheet takes Tab and q itself: they move and type there; so does a value being typed."""
        if self._types:
            return action == "quit"
        return action not in ("leave", "next") or not isinstance(self.screen, Sheet)

    def action_leave(self) -> None:
        """Leave by a letter, which a form takes as text."""
        self.exit(return_code=0)

    async def action_quit(self) -> None:
        """Leave at once; what was measured is in the file."""
        self.exit(return_code=0)

    def action_rerun(self) -> None:
        """Run the suite again in the same session."""
        live = self.live
        self.source.poll()  # the end of the last run may be waiting there
        if live is None:
            self.say("a replay cannot run anything")
        elif not live.rerun():
            self.say("the suite is still running")
        else:
            self.say(f"run {self.session.run}")

    def action_saved(self) -> None:
        """Say where the session is: in the footer, or in a dialog where that is too narrow."""
        what, where = header.saved(self.source.path, bool(self.live))
        if cell_len(f" {what} {where}") <= self._area.width:
            self.say(f"{what} {where}")
            return
        from roofwatch.tui.dialogs import Saved

        self.push_screen(Saved(what, where, self._area.width))

    def action_help(self) -> None:
        """What the keys do."""
        from roofwatch.tui.dialogs import Help

        if len(self.screen_stack) > 1:
            if isinstance(self.screen, Help):
                self.pop_screen()
            return
        self.push_screen(Help(self.glyphs is ASCII))

    def action_open(self, index: int) -> None:
        """Open a pane; where four stand together, show it alone, and again to go back."""
        index %= len(PANES)
        again = self._roomy and self.alone and index == self.open_pane
        self.alone = not again if self._roomy else index >= TOGETHER
        self.open_pane = index
        self._arrange()
        self._painting.forget()
        self.call_after_refresh(self.paint)

    def action_next(self, step: int) -> None:
        """The next or previous pane."""
        self.action_open(self.open_pane + step)

    def action_scroll(self, rows: int) -> None:
        """Some rows on or back."""
        scroll(self._scene, self._movable, self._pane(self._movable).size, rows)
        self.paint()

    def action_move(self, step: int) -> None:
        """The next finding where the notebook stands alone, else the next row."""
        move(self._scene, self._movable, self._pane(self._movable).size, step)
        self.paint()

    @property
    def _movable(self) -> str:
        """The pane that the keys move."""
        return "notebook" if self._wide else PANES[self.open_pane]

    @property
    def _alone_name(self) -> str:
        """The pane that stands alone; empty where several do."""
        return "" if self._wide else PANES[self.open_pane]

    @property
    def _types(self) -> bool:
        """Whether keys are typed into the plan."""
        return self.at.typing and self._alone_name == "plan" and len(self.screen_stack) == 1

    def on_key(self, event: events.Key) -> None:
        """A key that goes into a value of the plan is no command."""
        if self._types:
            event.prevent_default()
            typed(self._scene, event.key, event.character)
            self.paint()

    def on_paste(self, event: events.Paste) -> None:
        """The first line of what is pasted into a value of the plan."""
        if self._types:
            for character in (event.text.strip().splitlines() or [""])[0]:
                typed(self._scene, "", character)
            self.paint()

    def action_details(self) -> None:
        """Type a value of the plan, or open the page of the finding under the cursor."""
        if self._alone_name == "plan":
            self.at.plan(self.session).begin(self.session)
            self.paint()
        elif self._alone_name != "notebook":
            self.say("4 shows the notebook alone; Enter opens a finding there")
        elif self._found:
            from roofwatch.tui.error_page import ErrorPage

            f = self._found[min(self.at.place.finding, len(self._found) - 1)]
            self.push_screen(ErrorPage(f, self.session.label(f.subject), self.glyphs))

    def action_check(self) -> None:
        """Open the form that judges a number."""
        from roofwatch.tui.check_form import CheckForm, entry_for

        self.entry = entry_for(self.session.device, self.entry)
        self.push_screen(CheckForm(self.entry, self.glyphs))

    def action_turn(self, step: int) -> None:
        """Another value in the plan, another decode curve, else another precision."""
        turn(self._scene, self._alone_name, step)
        self.paint()

    def action_figures(self) -> None:
        """Measured roofs in the plan instead of nominal ones, or the other way round."""
        if self._alone_name != "plan":
            self.say("m is for the plan (7): measured roofs or nominal ones")
            return
        self.at.plan(self.session).toggle()
        self.paint()


def run(source: Live | Replay, glyphs: Glyphs) -> int:
    """Draw until the user or a signal ends it; returns the exit code."""
    app = RoofwatchApp(source, glyphs)
    app.run(mouse=False)
    return app.return_code or 0
