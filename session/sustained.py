"""The sustained block of the record: onset, window, and what the card drew in it."""

from __future__ import annotations

import msgspec

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
    """Fold a sustained measurement with its series and samples.

    Energy is the difference of the card's counter over the whole seconds read inside the window,
    scaled to it; null where the counter was read fewer than twice there.
    """
    inside = session.between(m.begin_s, m.end_s)
    clocks = [s.sm_mhz for s in inside if s.sm_mhz is not None]
    powers = [s.power_w for s in inside if s.power_w is not None]
    energies = [(s.t, s.energy_j) for s in inside if s.energy_j is not None]
    energy = None
    if len(energies) >= 2:
        (t0, e0), (t1, e1) = energies[0], energies[-1]
        energy = (e1 - e0) / (t1 - t0) * (m.end_s - m.begin_s)
    rate = tflops(m)
    power = median(powers) if powers else None
    held = onset_of(session, m.probe, m.run)
    status = {
        field: why
        for field, value, why in (
            ("onset_s", held, "the rate never fell by 3 %"),
            ("sm_mhz", clocks, "not_supported"),
            ("power_w", powers, "not_supported"),
            ("energy_j", energy, "fewer than two readings in the window"),
            ("gbs", None, "a matmul is judged by its FLOP"),
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
