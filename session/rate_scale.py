"""The unit in which a session's rates of arithmetic have digits: TFLOP/s, of slow ones GFLOP/s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from roofwatch.roofline.peaks import unit
from roofwatch.session.fold import Session
from roofwatch.session.rates import tflops

if TYPE_CHECKING:
    from roofwatch.session.table import ProbeRow

FROM_TERA = {"TFLOP/s": "GFLOP/s", "TOPS": "GOPS"}


class RateScale(NamedTuple):
    """``factor`` times a figure in TFLOP/s (TOPS) is the figure in the unit that is shown."""

    factor: float = 1.0

    @property
    def decades(self) -> int:
        """The same on a log scale."""
        return 3 if self.factor > 1 else 0

    def named(self, tera: str) -> str:
        """The unit that stands for ``TFLOP/s`` or ``TOPS``; any other is itself."""
        return FROM_TERA.get(tera, tera) if self.factor > 1 else tera

    def factor_of(self, tera: str) -> float:
        """Times which a figure in this unit is that in the unit that is shown."""
        return 1.0 if self.named(tera) == tera else self.factor

    def of(self, key: str | None) -> str:
        """The unit of one precision."""
        return self.named(unit(key) if key else "TFLOP/s")


def rate_scale(session: Session) -> RateScale:
    """One for a whole session, by what its fastest precision should reach at least.

    That is known before anything is measured, so that the unit stays what it is.
    """
    run = session.shown_run
    specs = [s for s in session.specs if s.peak_key and not s.mistake]
    expects = [e for s in specs if (e := session.expect(s.key, run)) is not None]
    lows = [e.low for e in expects if e.unit in FROM_TERA]
    if not lows and session.nominal is not None:
        lows = list(session.nominal.peaks_tflops.values())
    if not lows:  # nobody expected anything
        lows = [tflops(m) for m in session.measured(run) if m.peak_key]
    return scale_of(lows)


def scale_of(tera: Sequence[float]) -> RateScale:
    """The one in which the fastest of these figures in TFLOP/s (TOPS) has digits."""
    return RateScale(1e3) if tera and 0 < max(tera) < 1 else RateScale()


def scaled(r: ProbeRow, scale: RateScale) -> ProbeRow:
    """A row of the probe table in that unit."""
    if scale.named(r.unit) == r.unit:
        return r

    def times(value: float | None) -> float | None:
        return None if value is None else value * scale.factor_of(r.unit)

    return msgspec.structs.replace(
        r,
        unit=scale.named(r.unit),
        low=times(r.low),
        high=times(r.high),
        measured=times(r.measured),
    )
