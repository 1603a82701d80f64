"""The sustained block of the record: onset, window, and what the card drew in it."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.onset import SETTLE_S
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops
from roofwatch.session.throttle import onset_of


class Sustained(msgspec.Struct, frozen=True, kw_only=True):
    """One sustained probe. Times on the session's clock; ``onset_s`` is after the probe's start."""

    measurement: str
    onset_s: float | None
    window_s: tuple[float, float]
    tflops: float | None
    gbs: float | None
    sm_mhz: float | None
    power_w: float | None
    energy_j: float | None
    tflops_per_w: float | None
    status: dict[str, str] = {}


def sustained(session: Session, m: Measurement, name: str) -> Sustained:
    """Fold a sustained measurement with its series and samples."""
    inside = session.between(m.begin_s, m.end_s)
    clocks = [s.sm_mhz for s in inside if s.sm_mhz is not None]
    powers = [s.power_w for s in inside if s.power_w is not None]
    energy = _energy_j(session, m)
    rate = tflops(m)
    power = median(powers) if powers else None
    held = onset_of(session, m.probe, m.run)
    status = {
        field: why
        for field, value, why in (
            ("onset_s", held, "never_fell"),
            ("sm_mhz", clocks, "not_supported"),
            ("power_w", powers, "not_supported"),
            ("energy_j", energy, "not_supported"),
            ("tflops_per_w", power, "not_supported"),
            ("gbs", None, "not_measured"),
        )
        if value is None or value == []
    }
    return Sustained(
        measurement=name,
        onset_s=held,
        window_s=(m.begin_s, m.end_s),
        tflops=rate if m.op == "matmul" else None,
        gbs=None if m.op == "matmul" else gbs(m),
        sm_mhz=median(clocks) if clocks else None,
        power_w=power,
        energy_j=energy,
        tflops_per_w=rate / power if power else None,
        status=status,
    )


def _energy_j(session: Session, m: Measurement) -> float | None:
    """Energy of the window, from the card's own counter.

    The counter is read once a second: its mean power between the first and the last reading under
    load (from two seconds before the window, when the load began) times the window's length.
    """
    loaded = session.between(m.begin_s - SETTLE_S, m.end_s)
    read = [(s.t, s.energy_j) for s in loaded if s.energy_j is not None]
    if len(read) < 2 or read[-1][0] <= read[0][0]:
        return None
    (t0, e0), (t1, e1) = read[0], read[-1]
    return (e1 - e0) / (t1 - t0) * (m.end_s - m.begin_s)
