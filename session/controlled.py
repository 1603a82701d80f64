"""A control beside the stream that it repeats in another type: how far apart, and by how much the
two move by themselves."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.notebook.control import CONTROL, agrees, apart
from roofwatch.notebook.unstable import SPREAD
from roofwatch.roofline.statistics import modes, spread
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.measured_again import measured_again
from roofwatch.session.noise import ON_HOST
from roofwatch.session.rates import gbs


class Controlled(NamedTuple):
    """``ratio``: its rate over the other's. ``noise`` is the share by which the two move by
    themselves, ``restless`` whether one scatters beyond all use, ``usual`` a share as well.
    """

    ratio: float
    noise: float
    restless: bool
    usual: float

    @property
    def agrees(self) -> bool:
        """Within the seed's tolerance, or no further apart than two runs of this device may be."""
        return agrees(self.ratio) or apart(self.ratio) <= self.usual


def controlled(session: Session, m: Measurement) -> Controlled | None:
    """Of a control; None for what is none.

    The noise is the sum of what repetitions, their two groups and repeated blocks lie apart.
    """
    spec = next((s for s in session.specs if s.key == m.probe), None)
    if spec is None or not spec.control:
        return None
    of_run = session.measured(m.run)
    like = [x for x in of_run if (x.op, x.protocol) == (m.op, m.protocol) and x.probe != m.probe]
    if not like:
        return None
    both = (m, like[0])
    again = {one.probe: one.apart for one in measured_again(session, m.run)}
    return Controlled(
        ratio=gbs(m) / gbs(like[0]),
        noise=min(1.0, sum(_scatter(x) + again.get(x.probe, 0.0) for x in both)),
        restless=any(spread(x.times_s) > SPREAD for x in both),
        usual=ON_HOST if session.device.kind == "cpu" else CONTROL,
    )


def _scatter(m: Measurement) -> float:
    two = modes(m.times_s)
    return max(spread(m.times_s), 1 - two.fast / two.slow if two else 0.0)
