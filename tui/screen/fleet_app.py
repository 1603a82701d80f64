"""The screen of a saved fleet: one grid of ranks and figures, and a page a rank."""

from __future__ import annotations

import asyncio
import functools
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.slow_ranks import slow_ranks
from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row
from roofwatch.tui.drawing.theme import COLORLESS, DARK, THEMES
from roofwatch.tui.fleet.fleet_grid import At, Grid, grid_rows, moved, room_for
from roofwatch.tui.fleet.fleet_head import head_rows
from roofwatch.tui.fleet.fleet_keys import KEYS, FleetHelp
from roofwatch.tui.fleet.rank_page import RankPage
from roofwatch.tui.screen.footer import footer
from roofwatch.tui.screen.leaving import PATIENCE_S, Leaving
from roofwatch.tui.screen.themes import themes
from roofwatch.tui.widgets.pane import Pane

FOOTER_ROWS = 1


class FleetApp(App[None]):
    """The grid; arrows move, Enter opens a rank, ? tells the keys."""

    CSS_PATH = "roofwatch.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(keys, action) for key in KEYS for keys, action in key.keys
    ]

    def __init__(
        self, fleet: Fleet, glyphs: Glyphs, theme: str = DARK, leaving: Leaving | None = None
    ) -> None:
        super().__init__()
        for each in themes():
            self.register_theme(each)
        self.theme = COLORLESS if self.no_color else theme
        self.glyphs = glyphs
        self.grid = Grid(fleet)
        self.at = At()
        self.pane = Pane("fleet")
        self._slow = slow_ranks(fleet, self.grid.outliers)
        self._leaving = leaving

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What the style sheet names, before a theme of ours is chosen."""
        return dict(palette.variables(DARK))

    def compose(self) -> ComposeResult:
        """One pane."""
        yield self.pane

    def on_mount(self) -> None:
        """Leave in order on a signal."""
        if self._leaving is not None:
            later = functools.partial(asyncio.get_running_loop().call_soon_threadsafe)
            self._leaving.ask(
                lambda code: later(lambda: self.exit(return_code=code)), PATIENCE_S, later
            )
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for the new size."""
        self.call_after_refresh(self._draw)

    def rows(self, cells: int, height: int) -> list[Row]:
        """All of the screen."""
        head = head_rows(self.grid.fleet, self._slow, cells, self.glyphs)
        room = height - len(head) - FOOTER_ROWS
        self.at = moved(self.grid, self.at, cells, room)
        grid = grid_rows(self.grid, self.at, cells, room, self.glyphs)
        blank = [row("")] * max(0, room - len(grid))
        return [*head, *grid[:room], *blank, self._footer(cells)]

    def _footer(self, cells: int) -> Row:
        offers = [(key.sign, key.offer) for key in KEYS if key.offer]
        place = f"{self.at.rank + 1} of {len(self.grid.ranks)}"
        return footer(cells, self.glyphs, offers, state=place)

    def _room(self) -> tuple[int, int]:
        cells, height = self.size.width, self.size.height
        head = head_rows(self.grid.fleet, self._slow, cells, self.glyphs)
        return cells, height - len(head) - FOOTER_ROWS

    def _draw(self) -> None:
        self.pane.show(self.rows(self.size.width, self.size.height))

    def _move(self, rows: int = 0, columns: int = 0) -> None:
        self.at = moved(self.grid, self.at, *self._room(), rows, columns)
        self._draw()

    def action_move(self, step: int) -> None:
        """So many ranks on or back."""
        self._move(step)

    def action_page(self, step: int) -> None:
        """A screenful of ranks."""
        self._move(step * max(1, room_for(self.grid, *self._room())[0] - 1))

    def action_aside(self, step: int) -> None:
        """The figures beside."""
        self._move(columns=step)

    def action_next(self) -> None:
        """The next rank that is slow or not whole."""
        self._move(self.grid.next_marked(self.at.rank) - self.at.rank)

    def action_help(self) -> None:
        """Every key, and what the marks mean."""
        self.push_screen(FleetHelp(self.glyphs))

    def action_theme(self) -> None:
        """The next theme."""
        if not self.no_color:
            self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)]
            self.pane.refresh()

    def action_open(self) -> None:
        """The page of the rank under the cursor."""
        if self.grid.ranks:
            self.push_screen(RankPage(self.grid, self.grid.ranks[self.at.rank], self.glyphs))

    async def action_quit(self) -> None:
        """Leave."""
        if self._leaving is not None:
            self._leaving.quitting()
        self.exit(return_code=0)


def run(
    fleet: Fleet,
    glyphs: Glyphs,
    theme: str = DARK,
    mouse: bool = False,
    leaving: Leaving | None = None,
) -> int:
    """Draw until someone leaves; the exit code."""
    app = FleetApp(fleet, glyphs, theme, leaving)
    try:
        app.run(mouse=mouse)
    finally:
        if leaving is not None:
            leaving.closing()
    return app.return_code or 0
