"""The app: the terminal under the screen, its themes and signals, and the sessions on show."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen

from roofwatch.session.live import Live
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.theme import COLORLESS, CONTRAST, DARK, THEMES
from roofwatch.tui.screen.dashboard import Dashboard
from roofwatch.tui.screen.frame import Frame
from roofwatch.tui.screen.keys import ALWAYS, KEYS
from roofwatch.tui.screen.leaving import PATIENCE_S, Leaving
from roofwatch.tui.screen.sources import Sources
from roofwatch.tui.screen.standing import Standing
from roofwatch.tui.screen.terminal_driver import TerminalDriver
from roofwatch.tui.screen.themes import themes

if TYPE_CHECKING:
    from roofwatch.tui.trace.opened_trace import OpenedTrace


class RoofwatchApp(App[None]):
    """One dashboard over a session, live or replayed."""

    CSS_PATH = "roofwatch.tcss"
    ENABLE_COMMAND_PALETTE = False  # tui/screen/command_page.py
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", priority=True),
        *(
            Binding(name, action, priority=True)
            for key in KEYS
            for name, action in key.keys
            if name in ALWAYS
        ),
    ]

    def __init__(
        self,
        source: Live | Replay,
        glyphs: Glyphs,
        theme: str = DARK,
        nominal: Path | None = None,
        leaving: Leaving | None = None,
        trace: OpenedTrace | None = None,
    ) -> None:
        super().__init__()
        self._leaving = leaving
        self._from_thread: Callable[[Callable[[], Any]], Any] | None = None
        for each in themes():
            self.register_theme(each)
        self.theme = COLORLESS if self.no_color else theme
        self.glyphs = glyphs
        self.dashboard = Dashboard(Sources(source), glyphs, Standing(nominal, trace))
        self._frame = Frame(colorless=self.no_color)  # NO_COLOR, as Textual reads it

    def get_default_screen(self) -> Screen[None]:
        """The dashboard."""
        return self.dashboard

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What the style sheet names, before a theme of ours is chosen."""
        return dict(palette.variables(DARK))

    def get_driver_class(self) -> type[Driver]:
        """Ours, where Textual would take the one it is made of."""
        found = super().get_driver_class()
        return TerminalDriver if found is LinuxDriver else found

    def on_mount(self) -> None:
        """Leave in order on a signal; draw everything again after a stop."""
        here = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        later = functools.partial(loop.call_soon_threadsafe, context=here)
        self._from_thread = later
        if self._leaving is not None:
            self._leaving.ask(
                lambda code: later(lambda: self.exit(return_code=code)), PATIENCE_S, later
            )
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())

    def typed(self, key: str) -> None:
        """A key has come, says the thread that reads them; one that quits must do so."""
        quits = key in ("ctrl+c", "ctrl+q")
        if key == "q":
            quits = self.screen is self.dashboard and not self.dashboard.at.typing
        if quits and self._leaving is not None:
            self._leaving.pressed()

    def redraw_later(self) -> None:
        """The process was stopped and goes on: who knows what stands on the terminal."""
        if self._from_thread is not None:
            self._from_thread(self.action_redraw)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Textual's way to the terminal: only the cells that differ are sent."""
        if isinstance(renderable, CompositorUpdate):
            renderable = self._frame.sparse(renderable)
        super()._display(screen, renderable)

    def on_resize(self) -> None:
        """The terminal has moved its rows about, also where it is as large as before."""
        self.action_redraw()

    async def action_quit(self) -> None:
        """Leave at once; what was measured is in the file."""
        if self._leaving is not None:
            self._leaving.quitting()
        self.exit(return_code=0)

    def action_commands(self) -> None:
        """Every command by its name."""
        from roofwatch.tui.screen.command_page import CommandPage
        from roofwatch.tui.screen.commands import commands

        def act(action: str) -> None:
            self.call_later(self.run_action, action, self.dashboard)

        offered = commands(bool(self.dashboard.sources.replay))
        self.push_screen(CommandPage(offered, act, self.glyphs))

    def action_redraw(self) -> None:
        """Send every cell again."""
        self._frame.forget()
        self.refresh(layout=True)

    def action_theme(self, name: str = "") -> None:
        """The next theme, or the one that is named."""
        if self.no_color:
            self.dashboard.say("NO_COLOR is set: there is one theme, without colours")
            return
        at = THEMES.index(self.theme)
        self.theme = name or THEMES[(at + 1) % len(THEMES)]
        said = "high contrast" if self.theme == CONTRAST else self.theme
        self.dashboard.say(f"theme: {said}")


def run(
    source: Live | Replay,
    glyphs: Glyphs,
    theme: str = DARK,
    mouse: bool = False,
    nominal: Path | None = None,
    leaving: Leaving | None = None,
    trace: OpenedTrace | None = None,
) -> int:
    """Draw until the user or a signal ends it; returns the exit code."""
    app = RoofwatchApp(source, glyphs, theme, nominal, leaving, trace)
    try:
        app.run(mouse=mouse)
    finally:
        for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH):
            signal.signal(number, signal.SIG_DFL)  # the driver's are of no more use
        if leaving is not None:
            leaving.closing()
    return app.return_code or 0
