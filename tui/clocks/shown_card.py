"""One card over one stretch of time: what every chart of the Clocks pane is drawn from."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import NamedTuple

from roofwatch.session.events import Sample
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import HostCard
from roofwatch.session.printable import shown
from roofwatch.session.samples import Samples
from roofwatch.tui.drawing.column_curve import Curve, held_over
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ
from roofwatch.tui.drawing.time_columns import TimeColumns

GAP_S = 1.0
NEIGHBOUR_GAP_S = 3.0  # it is read once a second
LATE_S = 1.0  # beyond a gap, after which a reading is not of now


class ShownCard(NamedTuple):
    """``lead`` columns left of the chart are read too, for what a curve comes from."""

    session: Session
    card: HostCard
    columns: TimeColumns
    lead: int
    end_s: float  # the moment at the right edge
    last: Sample | None  # until then
    glyphs: Glyphs

    @property
    def following(self) -> bool:
        """Whether the right edge is the end of the session."""
        return self.columns.window[1] > self.session.duration_s

    @property
    def wide(self) -> TimeColumns:
        """The columns and those that lead to them."""
        return self.columns.earlier(self.lead)

    @property
    def end(self) -> int:
        """The first of the columns that is yet to come."""
        return min(self.columns.size, self.columns.at(self.end_s) + 1)

    def curve(self, field: str) -> Curve:
        """Lowest and highest reading of each column of ``wide``."""
        wide = self.wide
        return self.held(self.card.samples.extremes(field, wide.window, wide.size))

    def held(self, curve: Curve) -> Curve:
        """A curve over the columns of ``wide`` without gaps that readings leave by themselves."""
        return held_over(curve, self.lead, self.lead + self.end)

    def why_null(self, field: str) -> str:
        """The word for why the last reading lacks a field, in brackets."""
        reason = self.last.status.get(field) if self.last else None
        return f" ({shown(reason).replace('_', ' ')})" if reason else ""


def shown_card(session: Session, card: HostCard, columns: TimeColumns, glyphs: Glyphs) -> ShownCard:
    """A card over the time of the columns."""
    end_s = min(columns.window[1], session.duration_s)
    lead = 1 + math.ceil(gap_s(card) / columns.width_s)
    return ShownCard(session, card, columns, lead, end_s, reading(card.samples, end_s), glyphs)


def gap_s(card: HostCard) -> float:
    """Seconds without a reading over which a line would be invented."""
    return GAP_S if card.measured else NEIGHBOUR_GAP_S


def reading(samples: Samples, end_s: float) -> Sample | None:
    """The last sample until a moment."""
    at = bisect_right(samples.moments, end_s) - 1
    return samples[at] if at >= 0 else None


def silence(card: HostCard, last: Sample | None, end_s: float) -> str:
    """What is said in place of figures that are not of that moment; nothing where they are."""
    if last is None:
        return "no reading"
    late_s = end_s - last.t
    return f"no reading for {late_s:.0f} s" if late_s > gap_s(card) + LATE_S else ""


def power_w(sample: Sample) -> float | None:
    """Instant power where the card has it: the average needs a second to climb."""
    return sample.power_instant_w if sample.power_instant_w is not None else sample.power_w


def status_said(sample: Sample, field: str) -> str:
    """The word for a field that could not be read."""
    return f"{NOT_READ} ({shown(sample.status.get(field, 'error')).replace('_', ' ')})"
