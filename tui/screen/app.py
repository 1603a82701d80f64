"""The app: the terminal under the screen, its themes and signals, and the sessions on show."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from roofwatch.session.live import Live
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.theme import COLORLESS, CONTRAST, DARK, THEMES
from roofwatch.tui.screen.dashboard import Dashboard
from roofwatch.tui.screen.frame import Frame
from roofwatch.tui.screen.keys import ALWAYS, KEYS
from roofwatch.tui.screen.leaving import leave_on_signals
from roofwatch.tui.screen.sources import Sources
from roofwatch.tui.screen.themes import themes


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
    ) -> None:
        super().__init__()
        for each in themes():
            self.register_theme(each)
        self.theme = COLORLESS if self.no_color else theme
        self.glyphs = glyphs
        self.dashboard = Dashboard(Sources(source), glyphs, nominal)
        self._frame = Frame(colorless=self.no_color)  # NO_COLOR, as Textual reads it

    def get_default_screen(self) -> Screen[None]:
        """The dashboard."""
        return self.dashboard

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What the style sheet names, before a theme of ours is chosen."""
        return dict(palette.variables(DARK))

    def on_mount(self) -> None:
        """Leave in order on a signal; draw everything again after a stop."""
        leave_on_signals(lambda code: self.exit(return_code=code))
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())

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
) -> int:
    """Draw until the user or a signal ends it; returns the exit code."""
    app = RoofwatchApp(source, glyphs, theme, nominal)
    app.run(mouse=mouse)
    return app.return_code or 0
