"""What of a run is over already, as the probe instrument is told that goes on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from roofwatch.session.rates import time_s, traffic_bytes

if TYPE_CHECKING:
    from roofwatch.session.fold import Session


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Probes that need no measuring, and what later ones take from them.

    ``shapes``: of each peak key the burst's m, n, k and layout. ``reference``: the first stream
    and its rate in bytes a second, which the control is held against.
    """

    probes: list[str] = []
    shapes: dict[str, tuple[int, int, int, str]] = {}
    reference: tuple[str, float] | None = None


def done_so_far(session: Session, run: int, anew: bool = False) -> Done:
    """Every probe of the run that was measured to its end, failed or was left out.

    One that was cut short is none of them: it has begun and not ended, or has no figure. ``anew``:
    what failed or was left out is none either, for it may come out otherwise.
    """
    begun = {s.probe for s in session.spans if s.run == run}
    ended = {s.probe for s in session.spans if s.run == run and s.edge == "end"}
    found = [m.probe for m in session.measurements if m.run == run and m.probe in ended]
    failed = {f.probe for f in session.faults if f.run == run and not session.healed(f)}
    found = [probe for probe in found if probe not in failed]
    if not anew:
        found += [probe for probe in failed if probe]
        notes = (n for n in session.notes if n.run == run)
        found += [n.probe for n in notes if n.probe and n.probe not in begun]
    over = list(dict.fromkeys(found))
    measured = [m for m in session.measured(run) if m.probe in over]
    shapes = {
        m.peak_key: (m.shape["m"], m.shape["n"], m.shape["k"], m.layout)
        for m in measured
        if m.protocol == "burst" and m.peak_key and m.layout
    }
    streams = [m for m in measured if m.protocol == "stream"]
    first = streams[0] if streams else None
    reference = (first.probe, traffic_bytes(first) / time_s(first)) if first else None
    return Done(probes=over, shapes=shapes, reference=reference)
