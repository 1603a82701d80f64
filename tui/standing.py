"""Where one stands in each pane: all that keys have moved, apart from which pane is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofwatch.session.fold import Session
from roofwatch.tui import roofline_pane
from roofwatch.tui.notebook_cursor import Place

if TYPE_CHECKING:
    from roofwatch.tui.plan_fields import PlanFields


class Standing:
    """The app moves it; the panes are drawn from it."""

    def __init__(self) -> None:
        self.precision: str | None = None  # of the roofline, as last chosen
        self.first_probe = 0  # the first row of the probe table that is shown
        self.place = Place()  # in the notebook
        self.curve = 0  # of the decode curves, counted round
        self.all_batches = False  # the table of a curve takes the room of its picture
        self.kernel_page = 0  # of the kernels' pages, counted round
        self.kernel = 0  # on which the cursor stands in the map, or the first row of another page
        self._plan: PlanFields | None = None

    def key(self, session: Session) -> str | None:
        """The precision on show: the one chosen while it has a roof, else the first that has."""
        keys = roofline_pane.precisions(session)
        return self.precision if self.precision in keys else next(iter(keys), None)

    def next_precision(self, session: Session, step: int) -> None:
        """Another precision that has a roof."""
        keys = roofline_pane.precisions(session)
        if keys:
            at = keys.index(self.key(session) or keys[0])
            self.precision = keys[(at + step) % len(keys)]

    def plan(self, session: Session) -> PlanFields:
        """The fields of the plan; the tables behind them are read when they are first asked for."""
        if self._plan is None:
            from roofwatch.tui.plan_fields import PlanFields
            from roofwatch.tui.plan_tables import load_tables

            self._plan = PlanFields(load_tables(), session)
        return self._plan

    @property
    def typing(self) -> bool:
        """Whether a value of the plan is being typed."""
        return self._plan is not None and self._plan.line is not None
