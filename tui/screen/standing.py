"""Where one stands in each pane: all that keys have moved, apart from which pane is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.session.fold import Session
from roofwatch.tui.clocks.clocks_view import ClocksView
from roofwatch.tui.notebook.notebook_cursor import Place, followed
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.sessions.saved_cursor import SavedCursor

if TYPE_CHECKING:
    from pathlib import Path

    from roofwatch.notebook.finding import Finding
    from roofwatch.tui.plan.plan_fields import PlanFields
    from roofwatch.tui.trace.opened_trace import OpenedTrace


class Standing:
    """The app moves it; the panes are drawn from it."""

    def __init__(self, nominal: Path | None = None, trace: OpenedTrace | None = None) -> None:
        self.precision: str | None = None  # of the roofline, as last chosen
        self.point: int | None = None  # of the roofline, once a key has chosen one
        self.clocks = ClocksView()
        self.probe: int | None = None  # row of the probe table, once a key has chosen one
        self.place = Place()  # in the notebook
        self.curve = 0  # of the decode curves, counted round
        self.all_batches = False  # the table of a curve takes the room of its picture
        self.kernel_page = 0  # of the kernels' pages, counted round
        self.kernel = 0  # on which the cursor stands in the map, or the first row of another page
        self.first_row = 0  # of a pane that is compact text
        self.saved = SavedCursor()
        self.marked: Path | None = None  # the one to compare with
        self.trace = trace  # a profiler's, with its own cursor
        self._nominal = nominal  # a file of the user's cards
        self._plan: PlanFields | None = None

    def leave_session(self) -> None:
        """Another session is on show: what was chosen in the last one means nothing in it."""
        self.point = self.probe = None
        self.clocks, self.place = ClocksView(), Place()
        self.curve = self.kernel_page = self.kernel = self.first_row = 0

    def follow(self, before: list[Finding], found: list[Finding]) -> None:
        """Stay on the same finding of the notebook, now that there are others."""
        self.place = followed(self.place, before, found)

    def key(self, session: Session) -> str | None:
        """The precision on show: the one chosen while it has a roof, else the first that has."""
        keys = roofline_pane.precisions(session)
        return self.precision if self.precision in keys else next(iter(keys), None)

    def next_precision(self, session: Session, step: int) -> None:
        """Another precision that has a roof; its points are others."""
        keys = roofline_pane.precisions(session)
        if keys:
            at = keys.index(self.key(session) or keys[0])
            self.precision, self.point = keys[(at + step) % len(keys)], None

    def plan(self, session: Session) -> PlanFields:
        """The fields of the plan; the tables behind them are read when they are first asked for."""
        if self._plan is None:
            from roofwatch.tui.plan.plan_fields import PlanFields
            from roofwatch.tui.plan.plan_tables import load_tables

            self._plan = PlanFields(load_tables(self._nominal), session)
        return self._plan

    @property
    def typing(self) -> bool:
        """Whether a value of the plan is being typed."""
        return self._plan is not None and self._plan.line is not None
