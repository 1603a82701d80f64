"""What the parent writes before anything is measured: the nominal card and each probe's range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from roofwatch.roofline.expected import Range, Reported, expected, expected_cpu, of_mistake
from roofwatch.roofline.links import expected_transfer
from roofwatch.roofline.lookup import Identity, Nominal, lookup
from roofwatch.roofline.nominal import Card
from roofwatch.roofline.own_best import own_range
from roofwatch.roofline.probe_spec import TRANSFER, ProbeSpec
from roofwatch.session.events import Device, Expect, SessionInfo

if TYPE_CHECKING:
    from roofwatch.session.fold import Session
    from roofwatch.session.history import Best


def nominal_of(device: Device, cards: tuple[Card, ...], user_keys: frozenset[str]) -> Nominal:
    """The nominal figures of a device; a CPU has none."""
    if device.kind != "cuda":
        own = [card for card in cards if card.key in user_keys]
        found = lookup(Identity(name=device.name or "CPU"), own, user_keys)
        if found.origin == "user":
            return found
        note = "a CPU has no datasheet roof here: what is drawn is measured"
        return Nominal(origin="none", name=device.name or "CPU", note=note)
    return lookup(
        Identity(
            name=device.name or "",
            sm_count=device.sm_count,
            bus_bits=device.bus_bits,
            memory_bytes=device.memory_bytes,
            mem_max_mhz=device.mem_max_mhz,
            sm_max_mhz=device.sm_max_mhz,
            compute_capability=device.compute_capability,
            l2_bytes=device.l2_bytes,
        ),
        cards,
        user_keys,
    )


def expectations(
    specs: tuple[ProbeSpec, ...],
    device: Device,
    nominal: Nominal,
    t: float,
    run: int,
    best: Mapping[str, Best] | None = None,
) -> Iterator[Expect]:
    """One expect event for each probe of which something can be said.

    ``best`` is what the card has reached before, by probe: then that is expected, and no fraction.
    """
    reported = Reported(
        power_limit_w=device.power_limit_w,
        power_default_w=device.power_default_w,
        sm_max_mhz=device.sm_max_mhz,
        core_count=device.core_count,
        vector_bits=device.vector_bits,
        fma_units=device.fma_units,
    )
    by_key = {spec.key: spec for spec in specs}
    for spec in specs:
        like = by_key.get(spec.right, spec)
        found = expected(like, nominal, reported)  # of a CPU too, where a user's card names it
        if spec.protocol == TRANSFER and device.kind == "cuda":
            most = device.pcie_gen_max, device.pcie_lanes_max
            found = expected_transfer(spec, nominal, *most)
        if found is None and device.kind == "cpu":
            found = expected_cpu(like, reported)
        if best and like.key in best:
            own = _own(best[like.key], like, nominal)
            found = _or_faster(own, found) if device.kind == "cpu" else own
        if found is not None and spec.mistake:
            found = of_mistake(spec, found, nominal)
        if found is not None:
            yield Expect(
                t=t,
                probe=spec.key,
                low=float(f"{found.low:.4g}"),
                high=float(f"{found.high:.4g}"),
                unit=found.unit,
                why=found.why,
                run=run,
            )


def _own(best: Best, spec: ProbeSpec, nominal: Nominal) -> Range:
    ceiling = nominal.ceiling_bandwidth_gbs
    if spec.peak_key:
        ceiling = nominal.ceilings_tflops.get(spec.peak_key)
    return own_range(best.rate, best.apart, spec.unit, best.why, ceiling)


def _or_faster(own: Range, paper: Range | None) -> Range:
    """Of a CPU: the runs before had other work beside them, so a faster one is no mistake."""
    if paper is None or paper.unit != own.unit or paper.high <= own.high:
        return own
    return msgspec.structs.replace(
        own, high=paper.high, why=f"{own.why}, and up to the most that is {paper.why}"
    )


def expected_anew(
    session: Session,
    cards: tuple[tuple[Card, ...], frozenset[str]],
    t: float,
    run: int,
    best: Mapping[str, Best] | None = None,
) -> Iterator[SessionInfo | Expect]:
    """Nominal figures and ranges that the session does not have yet, or has otherwise."""
    nominal = nominal_of(session.device, *cards)
    if nominal != session.nominal:
        yield SessionInfo(t=t, nominal=msgspec.to_builtins(nominal))
    for expect in expectations(session.specs, session.device, nominal, t, run, best):
        known = session.expect(expect.probe, run)
        if known is None or (known.low, known.high) != (expect.low, expect.high):
            yield expect
