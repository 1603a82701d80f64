"""The notebook over a session: each measurement becomes a reading, the card its conditions."""

from __future__ import annotations

from roofwatch.notebook import reading as notebook
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.power_capped import power_capped
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge, ranked
from roofwatch.roofline.statistics import spread
from roofwatch.session.events import Flag, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, intensity, tflops, traffic_bytes
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.throttle import throttled


def reading(session: Session, m: Measurement, own: Roofs) -> Reading:
    """What the rules look at, for one measurement."""
    nominal = session.nominal
    key = m.peak_key
    stream = m.protocol == "stream"
    cache = session.device.l2_bytes or (nominal.l2_bytes if nominal else None)
    return Reading(
        subject=m.probe,
        op=m.op,
        dtype=m.dtype,
        math=m.math,
        accumulate=m.accumulate,
        peak_key=key,
        protocol=m.protocol,
        gbs=gbs(m),
        tflops=None if stream else tflops(m),
        intensity=intensity(m),
        working_set_bytes=traffic_bytes(m),
        cache_bytes=cache,
        nominal_gbs=nominal.bandwidth_gbs if nominal else None,
        ceiling_gbs=nominal.ceiling_bandwidth_gbs if nominal else None,
        nominal_tflops=nominal.peaks_tflops.get(key) if nominal and key else None,
        ceiling_tflops=nominal.ceilings_tflops.get(key) if nominal and key else None,
        roof_gbs=own.bandwidth_gbs,
        has_fp64_tensor=bool(nominal and "fp64_tensor" in nominal.peaks_tflops),
        spread=spread(m.times_s),
        repetitions=len(m.times_s),
    )


def of_flag(flag: Flag) -> Finding:
    """A finding that was raised while the session ran."""
    names = Finding.__struct_fields__
    return Finding(**{name: getattr(flag, name) for name in names})


def findings(session: Session) -> list[Finding]:
    """All findings of the reported run, the gravest first."""
    own = roofs(session)
    run = session.reported_run
    found = [of_flag(f) for f in session.flags if f.run == run]
    device = session.device
    capped = power_capped(
        notebook.Conditions(
            name=device.name or "the card",
            power_limit_w=device.power_limit_w,
            power_default_w=device.power_default_w,
        )
    )
    if capped is not None:
        found.append(capped)
    for m in session.measured():
        found += judge(reading(session, m, own))
    fall = throttled(session)
    if fall is not None:
        found.append(fall)
    return ranked(found)
