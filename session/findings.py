"""The notebook over a session: each measurement becomes a reading, the card its conditions."""

from __future__ import annotations

from roofwatch.notebook import reading as notebook
from roofwatch.notebook.cache_sweep import cache_sweep
from roofwatch.notebook.finding import Finding
from roofwatch.notebook.host_bound import weak_host
from roofwatch.notebook.power_capped import power_capped
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge, ranked
from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.links import DUPLEX
from roofwatch.roofline.probe_spec import TRANSFER
from roofwatch.roofline.statistics import drift, median, modes, spread
from roofwatch.roofline.suite import LINKS, WATCH
from roofwatch.session.claims import told
from roofwatch.session.controlled import controlled
from roofwatch.session.decode import decode_curves
from roofwatch.session.decode_bends import bends
from roofwatch.session.events import Flag, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.launch import LAUNCH, launch_costs
from roofwatch.session.link_findings import link_findings
from roofwatch.session.link_nominal import nominal_link_gbs
from roofwatch.session.others import cores_of, disturbing
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import (
    gbs,
    intensity,
    moved_bytes,
    tflops,
    time_s,
    value,
    working_set_bytes,
)
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.session.sweeps import cache_seen, highest_gbs, sweeps
from roofwatch.session.throttle import throttled

FIRST_BLOCK = 10  # repetitions after the very first, which loads the kernel


def reading(session: Session, m: Measurement, own: Roofs) -> Reading:
    """What the rules look at, for one measurement."""
    nominal = session.nominal
    key = m.peak_key
    two = modes(m.times_s)
    fresh = m.warmup_times_s[1 : 1 + FIRST_BLOCK] if m.protocol == "stream" else []
    settled_s = time_s(m)
    cache = session.device.l2_bytes or (nominal.l2_bytes if nominal else None)
    expect = session.expect(m.probe, m.run)
    held = held_of(session, m)
    control = controlled(session, m)
    nominal_gbs = nominal.bandwidth_gbs if nominal else None
    ceiling_gbs = nominal.ceiling_bandwidth_gbs if nominal else None
    if m.protocol == TRANSFER:
        nominal_gbs = ceiling_gbs = nominal_link_gbs(session, m.op)
    return Reading(
        subject=m.probe,
        op=m.op,
        dtype=m.dtype,
        math=m.math,
        accumulate=m.accumulate,
        peak_key=key,
        protocol=m.protocol,
        gbs=gbs(m),
        tflops=tflops(m) if key else None,
        judged="tflops" if key else "gbs",
        shape=m.shape,
        time_s=settled_s,
        intensity=intensity(m),
        low=expect.low if expect else None,
        high=expect.high if expect else None,
        working_set_bytes=working_set_bytes(m),
        cache_bytes=cache,
        nominal_gbs=nominal_gbs,
        ceiling_gbs=ceiling_gbs,
        link_gbs=nominal_gbs if m.protocol == TRANSFER else None,
        nominal_tflops=nominal.peaks_tflops.get(key) if nominal and key else None,
        ceiling_tflops=nominal.ceilings_tflops.get(key) if nominal and key else None,
        roof_gbs=own.bandwidth_gbs,
        has_fp64_tensor=bool(nominal and "fp64_tensor" in nominal.peaks_tflops),
        spread=spread(m.times_s),
        repetitions=len(m.times_s),
        modes=(two.fast, two.slow, two.slow_share) if two else None,
        drift=drift(m.times_s),
        first_block_ratio=median(fresh) / settled_s if len(fresh) == FIRST_BLOCK else None,
        control_ratio=control.ratio if control else None,
        control_noise=control.noise if control else None,
        control_restless=control is not None and control.restless,
        control_usual=control.usual if control else None,
        held_ratio=value(held) / value(m) if held else None,
        held_spread=spread(held.times_s) if held else None,
        profiler_ratio=m.kernel_time_s / settled_s if m.kernel_time_s else None,
        kernel=m.kernel,
        tensor_core=uses_tensor_cores(m.kernel) if m.kernel and m.op == "matmul" else None,
        moved_bytes=moved_bytes(m),
        others_cores=disturbing(session, m),
        cores=cores_of(session),
        in_giga=rate_scale(session).factor > 1,
    )


def held_of(session: Session, m: Measurement) -> Measurement | None:
    """What was held for seconds of a burst's precision, or of a stream's kernel and type."""
    if m.protocol not in ("burst", "stream") or m.claim is not None or not value(m):
        return None
    of = (m.peak_key, m.dtype, "" if m.peak_key else m.op)
    for x in session.measured(m.run):
        if x.protocol == "sustained" and of == (x.peak_key, x.dtype, "" if x.peak_key else x.op):
            return x
    return None


def _swept(session: Session, own: Roofs) -> Finding | None:
    """What the sweep of y = x + 1 over sizes shows of the cache."""
    found = sweeps(session, own)
    written = next((s for s in found if s.probe.startswith("add_scalar")), None)
    if written is None:
        return None
    seen = cache_seen(found)
    return cache_sweep(
        written.probe,
        highest_gbs(written, session.device.l2_bytes),
        own.nominal_gbs,
        written.cliff.bytes_seen if written.cliff else None,
        seen.bytes_seen if seen else None,
        session.device.l2_bytes,
    )


def _weak_host(session: Session) -> Finding | None:
    """What the launch probe and the host's cgroup say of the CPU that feeds a card."""
    costs = launch_costs(session)
    if costs is None or session.device.kind != "cuda":
        return None
    return weak_host(
        LAUNCH,
        costs.enqueue_s,
        costs.launches_per_s,
        costs.cpu_model,
        costs.cpu_cores,
        costs.cpu_limit,
        costs.throttled_share,
    )


def of_flag(flag: Flag) -> Finding:
    """A finding that was raised while the session ran."""
    names = [n for n in Finding.__struct_fields__ if n in Flag.__struct_fields__]
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
        if m.op != DUPLEX:  # no rule knows a link that carries both ways
            found += told(session, m) if m.claim else judge(reading(session, m, own))
    found += [f for f in (_swept(session, own), _weak_host(session)) if f is not None]
    found += [
        f
        for m in session.measured()
        if m.protocol == "sustained" and (f := throttled(session, m.probe)) is not None
    ]
    found += bends(decode_curves(session, own))
    found += link_findings(session) if session.suite == LINKS else []
    return ranked([*found, *_watched(session)])


def _watched(session: Session) -> list[Finding]:
    """Of somebody else's work, once it has ended."""
    if session.suite != WATCH or not (session.closed or session.run in session.ends):
        return []
    from roofwatch.session.watch.card_roofs import card_roofs  # few sessions watch
    from roofwatch.session.watch.summary import watched
    from roofwatch.session.watch.watch_findings import watch_findings

    cards = watched(session, card_roofs(session)).cards
    return [f for card in cards for f in watch_findings(card, alone=len(cards) == 1)]
