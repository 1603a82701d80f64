"""The screen of a saved fleet: one grid of ranks and figures, and a page a rank."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.slow_ranks import slow_ranks
from roofwatch.session.printable import shown
from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, fit, row, width, words_of
from roofwatch.tui.drawing.theme import COLORLESS, DARK, THEMES
from roofwatch.tui.fleet.fleet_grid import At, Grid, grid_rows, moved, room_for, shown_slow
from roofwatch.tui.fleet.fleet_head import head_rows
from roofwatch.tui.fleet.fleet_help import FleetHelp
from roofwatch.tui.fleet.link_rows import slow_link_rows
from roofwatch.tui.fleet.links_page import LinksPage
from roofwatch.tui.fleet.rank_page import RankPage
from roofwatch.tui.screen.leaving import PATIENCE_S, Leaving
from roofwatch.tui.screen.themes import themes
from roofwatch.tui.widgets.pane import Pane
from roofwatch.tui.widgets.sheet import Sheet

FAR = 1 << 20
FOOTER_ROWS = 1


class FleetScreen(Screen[None]):
    """The grid; arrows move, Enter opens a rank, ``leave`` ends it.

    It is all there is of a fleet's file that is shown, and stands over the panes where one is
    opened from the saved ones.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave"),
        Binding("up,k", "move(-1)"),
        Binding("down,j", "move(1)"),
        Binding("pageup", "page(-1)"),
        Binding("pagedown,space", "page(1)"),
        Binding("home,g", f"move({-FAR})"),
        Binding("end,G", f"move({FAR})"),
        Binding("left,h", "aside(-1)"),
        Binding("right,l", "aside(1)"),
        Binding("n", "next"),
        Binding("c", "links"),
        Binding("question_mark,f1", "help"),
        Binding("t", "theme"),
        Binding("enter", "open"),
    ]

    def __init__(
        self, fleet: Fleet, glyphs: Glyphs, leave: Callable[[], None] | None = None
    ) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.grid = Grid(fleet)
        self.at = At()
        self.pane = Pane("fleet")
        self._slow = slow_ranks(fleet, self.grid.outliers)
        self._leave = leave

    def compose(self) -> ComposeResult:
        """One pane."""
        yield self.pane

    def on_mount(self) -> None:
        """Draw it."""
        self.at = shown_slow(self.grid, self.at, *self._room())
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for the new size."""
        self.call_after_refresh(self._draw)

    def rows(self, cells: int, height: int) -> list[Row]:
        """All of the screen."""
        head = self._head(cells)
        room = height - len(head) - FOOTER_ROWS - self._cause_rows
        self.at = moved(self.grid, self.at, cells, room)
        grid = grid_rows(self.grid, self.at, cells, room, self.glyphs)
        if self.grid.slow_links and room > len(grid):  # where the ranks leave room
            beneath = [row(""), *slow_link_rows(self.grid.fleet, cells, self.glyphs)]
            grid += beneath[: room - len(grid)]
        blank = [row("")] * max(0, room - len(grid))
        return [*head, *grid[:room], *blank, *self._cause(cells), self._footer(cells)]

    @property
    def _cause_rows(self) -> int:
        """A row for why the rank under the cursor is slow, where one is."""
        return 1 if self.grid.outliers else 0

    def _cause(self, cells: int) -> list[Row]:
        if not self._cause_rows:
            return []
        said = shown(self.grid.cause(self.at.rank))
        if not said:
            return [row("")]
        sign = f" {self.glyphs.warn} "
        return [row((sign, "warn"), words_of(said, cells - len(sign), self.glyphs.ellipsis))]

    def _head(self, cells: int) -> list[Row]:
        grid = self.grid
        return head_rows(grid.fleet, grid.metrics, self._slow, grid.slow_links, cells, self.glyphs)

    def _footer(self, cells: int) -> Row:
        room = room_for(self.grid, cells, self.size.height)
        beside = len(self.grid.names) > room[1]
        slow = self.grid.any_marked or bool(self.grid.slow_links)
        offered = (  # nothing that does nothing
            (self.glyphs.up_down, "rank", len(self.grid.ranks) > 1),
            (self.glyphs.left_right, "figure", beside),
            ("Enter", "open", bool(self.grid.ranks)),
            ("n", "slow", slow),
            ("c", "links", True),
            ("?", "keys", True),
            ("q Esc", "back" if self._leave is None else "quit", True),
        )
        keys = [(key, what) for key, what, stands in offered if stands]
        place = f" {self.at.rank + 1} of {len(self.grid.ranks)}"
        for left_out in range(len(keys)):  # from the left: the list of keys and the end stay
            some = keys[left_out:]
            said = [
                piece for key, what in some for piece in ((f" {key}", "key"), (f" {what} ", "dim"))
            ]
            if width([*said, (place, "dim")]) <= cells:
                break
        return fit([*said, (place, "dim")], cells)

    def _room(self) -> tuple[int, int]:
        cells, height = self.size.width, self.size.height
        return cells, height - len(self._head(cells)) - FOOTER_ROWS - self._cause_rows

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
        """The next rank that is slow or not whole, with its figure; else the slow links."""
        if not self.grid.any_marked and self.grid.slow_links:
            self.action_links()
            return
        self._move(self.grid.next_marked(self.at.rank) - self.at.rank)
        self.at = shown_slow(self.grid, self.at, *self._room())
        self._draw()

    def action_links(self) -> None:
        """The page of the links."""
        self.push_screen(LinksPage(self.grid.fleet, self.glyphs))

    def action_help(self) -> None:
        """The list of keys."""
        self.push_screen(FleetHelp(self.glyphs))

    async def action_theme(self) -> None:
        """The next theme, of the whole app."""
        await self.run_action("app.theme")
        self.pane.refresh()

    def push_screen(self, page: Sheet) -> None:
        """Open a page over the grid."""
        self.app.push_screen(page)

    def action_open(self) -> None:
        """The page of the rank under the cursor."""
        if self.grid.ranks:
            self.push_screen(RankPage(self.grid, self.grid.ranks[self.at.rank], self.glyphs))

    def action_leave(self) -> None:
        """Back to what it stands over, or out of the program."""
        if self._leave is not None:
            self._leave()
        elif self.is_current:  # once: keys pressed after it find it gone
            self.dismiss(None)


class FleetApp(App[None]):
    """A fleet's file on show: the grid and nothing else."""

    CSS_PATH = "roofwatch.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", priority=True)]

    def __init__(
        self, fleet: Fleet, glyphs: Glyphs, theme: str = DARK, leaving: Leaving | None = None
    ) -> None:
        super().__init__()
        for each in themes():
            self.register_theme(each)
        self.theme = COLORLESS if self.no_color else theme
        self.over = FleetScreen(fleet, glyphs, self._left)
        self._leaving = leaving

    @property
    def pane(self) -> Pane:
        """What the grid is drawn in."""
        return self.over.pane

    @property
    def at(self) -> At:
        """Where one stands in it."""
        return self.over.at

    def get_default_screen(self) -> Screen[None]:
        """The grid."""
        return self.over

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What the style sheet names, before a theme of ours is chosen."""
        return dict(palette.variables(DARK))

    def on_mount(self) -> None:
        """Leave in order on a signal."""
        if self._leaving is not None:
            later = functools.partial(asyncio.get_running_loop().call_soon_threadsafe)
            self._leaving.ask(
                lambda code: later(lambda: self.exit(return_code=code)), PATIENCE_S, later
            )

    def action_theme(self) -> None:
        """The next theme."""
        if not self.no_color:
            self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)]

    def _left(self) -> None:
        if self._leaving is not None:
            self._leaving.quitting()
        self.exit(return_code=0)

    async def action_quit(self) -> None:
        """Leave."""
        self._left()


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
