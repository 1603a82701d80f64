"""Every card of a session beside the others: alone, all at once, and which is the odd one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from roofwatch.roofline.outliers import Outlier, outliers
from roofwatch.roofline.statistics import median
from roofwatch.roofline.suite import CARDS, at_once, suite
from roofwatch.session.card_events import CardEvents
from roofwatch.session.events import Device, Expect, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import card_of
from roofwatch.session.rates import value

UNMEASURED = "not_measured"
BANDWIDTH, BURST, SUSTAINED = "bandwidth_gbs", "burst_tflops", "sustained_tflops"
RATES = (BANDWIDTH, BURST, SUSTAINED)
CONDITIONS = ("sm_mhz", "power_w", "temp_c")
MOVED = 0.01  # a share that is lost to the neighbours; less is one card's own run to run


class CardFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What one card reached, with clock, power and temperature while its matmul was held.

    ``bandwidth_gbs`` alone is a stream until it settles, at once one that is held for seconds.
    """

    bandwidth_gbs: float | None = None
    burst_tflops: float | None = None
    sustained_tflops: float | None = None
    sm_mhz: float | None = None
    power_w: float | None = None
    temp_c: float | None = None
    status: dict[str, str] = {}


class CardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One card. ``lost`` is the share of its held matmul that went when all ran at once."""

    gpu: int | None
    name: str | None
    uuid: str | None
    measured: bool  # the session's own
    alone: CardFigures
    together: CardFigures
    lost: float | None
    outside: list[str]  # of alone: figures outside of what was expected of them
    status: dict[str, str] = {}


class OddCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card far from the others in one figure: ``off`` is its signed share of their median."""

    gpu: int | None
    figure: str
    at_once: bool
    value: float
    median: float
    off: float


class CardsTable(msgspec.Struct, frozen=True, kw_only=True):
    """All cards in NVML's order; ``peak_key`` is the precision that they were held at."""

    peak_key: str | None
    rows: list[CardRow]
    odd: list[OddCard]
    sentences: list[str]


def cards_table(session: Session, run: int | None = None) -> CardsTable | None:
    """Of one run (the reported one by default); None where not every card was asked for.

    Of one card it has one row: where no other was visible.
    """
    wanted = run or session.reported_run
    told = session.told_by("telemetry")
    own = told.index if told is not None else None
    cards = {gpu: events for gpu, events in session.cards.items() if events.measured(wanted)}
    if not cards and not session.all_cards:
        return None
    rows = [_own(session, own, wanted, cards.get(own) if own is not None else None)]
    rows += [_other(session, gpu, c, wanted) for gpu, c in cards.items() if gpu != own]
    rows.sort(key=lambda r: -1 if r.gpu is None else r.gpu)
    odd = _odd(rows)
    flats = (m for m in session.measured(wanted) if m.protocol == "sustained")
    key = next((m.peak_key for m in flats if m.peak_key), None)
    return CardsTable(peak_key=key, rows=rows, odd=odd, sentences=_sentences(rows, odd))


# -- one card ----------------------------------------------------------------------------------


def _own(session: Session, gpu: int | None, run: int, beside: CardEvents | None) -> CardRow:
    """The session's own card: alone by its suite, at once as every other."""
    device = session.device
    measured = {m.probe: m for m in session.measured(run)}
    expects = {probe: e for (of, probe), e in session.expects.items() if of == run}
    alone = _alone(session, gpu, device, measured)
    return _row(session, gpu, device, True, alone, beside, run, _outside(measured, expects, device))


def _other(session: Session, gpu: int, events: CardEvents, run: int) -> CardRow:
    device = card_of(session, gpu).device
    measured = events.measured(run)
    expects = {probe: e for (of, probe), e in events.expects.items() if of == run}
    alone = _alone(session, gpu, device, measured)
    return _row(
        session, gpu, device, False, alone, events, run, _outside(measured, expects, device)
    )


def _row(
    session: Session,
    gpu: int | None,
    device: Device,
    measured: bool,
    alone: CardFigures,
    events: CardEvents | None,
    run: int,
    outside: list[str],
) -> CardRow:
    together = _together(session, gpu, device, events.measured(run) if events else {})
    lost = None
    if alone.sustained_tflops and together.sustained_tflops:
        lost = 1 - together.sustained_tflops / alone.sustained_tflops
    fields = {"gpu": gpu, "name": device.name, "uuid": device.uuid, "lost": lost}
    return CardRow(
        measured=measured,
        alone=alone,
        together=together,
        outside=outside,
        gpu=gpu,
        name=device.name,
        uuid=device.uuid,
        lost=lost,
        status={name: UNMEASURED for name, known in fields.items() if known is None},
    )


def _keys(device: Device) -> dict[str, str]:
    """Of each figure of a card alone the probe that measures it."""
    kind, capability = device.kind or "cuda", device.compute_capability
    specs = suite(CARDS, kind, capability)
    by_protocol = {s.protocol: s.key for s in specs}
    return {
        BANDWIDTH: by_protocol["stream"],
        BURST: by_protocol["burst"],
        SUSTAINED: by_protocol["sustained"],
    }


def _alone(
    session: Session, gpu: int | None, device: Device, measured: dict[str, Measurement]
) -> CardFigures:
    of = {figure: measured.get(key) for figure, key in _keys(device).items()}
    return _figures(session, gpu, of)


def _together(
    session: Session, gpu: int | None, device: Device, measured: dict[str, Measurement]
) -> CardFigures:
    kind, capability = device.kind or "cuda", device.compute_capability
    held, stream = at_once(kind, capability, 1.0)
    return _figures(
        session, gpu, {BANDWIDTH: measured.get(stream.key), SUSTAINED: measured.get(held.key)}
    )


def _figures(session: Session, gpu: int | None, of: dict[str, Measurement | None]) -> CardFigures:
    found: dict[str, Any] = {figure: value(m) if m else None for figure, m in of.items()}
    held = of.get(SUSTAINED)
    samples = session.samples if gpu is None else session.samples_of(gpu)
    inside = samples.between(held.begin_s, held.end_s) if held else []
    for field in CONDITIONS:
        values = [v for s in inside if (v := getattr(s, field)) is not None]
        found[field] = round(median(values), 1) if values else None
    if held is not None and held.clock_mhz:
        found["sm_mhz"] = round(median(held.clock_mhz), 1)  # read on the device, between launches
    why = {
        field: next((s.status[field] for s in inside if field in s.status), UNMEASURED)
        for field in CONDITIONS
    }
    status = {f: why.get(f, UNMEASURED) for f in (*RATES, *CONDITIONS) if found.get(f) is None}
    return CardFigures(**found, status=status)


def _outside(
    measured: dict[str, Measurement], expects: dict[str, Expect], device: Device
) -> list[str]:
    found = []
    for figure, key in _keys(device).items():
        m, expect = measured.get(key), expects.get(key)
        if m is not None and expect is not None and not expect.holds(value(m)):
            found.append(figure)
    return found


# -- the odd one -------------------------------------------------------------------------------


def _odd(rows: list[CardRow]) -> list[OddCard]:
    """The cards far from the others, by each figure alone and at once."""
    found: list[OddCard] = []
    parts: tuple[tuple[bool, Callable[[CardRow], CardFigures]], ...] = (
        (False, lambda r: r.alone),
        (True, lambda r: r.together),
    )
    for together, part in parts:
        for figure in RATES:
            values = {
                str(i): v for i, r in enumerate(rows) if (v := getattr(part(r), figure)) is not None
            }
            found += [_odd_card(rows, each, figure, together) for each in outliers(values)]
    return sorted(found, key=lambda each: -abs(each.off))


def _odd_card(rows: list[CardRow], each: Outlier, figure: str, together: bool) -> OddCard:
    return OddCard(
        gpu=rows[int(each.name)].gpu,
        figure=figure,
        at_once=together,
        value=each.value,
        median=each.middle,
        off=each.off,
    )


SAID = {
    BANDWIDTH: ("GB/s", "bandwidth"),
    BURST: ("TFLOP/s", "burst"),
    SUSTAINED: ("TFLOP/s", "held"),
}


def _sentences(rows: list[CardRow], odd: list[OddCard]) -> list[str]:
    """What the table comes to."""
    said = []
    for each in odd:
        unit, what = SAID[each.figure]
        when = "all at once" if each.at_once else "alone"
        side = "over" if each.off > 0 else "under"
        said.append(
            f"card {each.gpu} is the odd one: {what} {when} {each.value:.4g} {unit}, "
            f"{abs(each.off):.1%} {side} the median of {each.median:.4g}"
        )
    if len(rows) == 2:
        said.append("two cards: where they differ, neither is known to be the odd one")
    lost = [(r, r.lost) for r in rows if r.lost is not None]
    worst = max(lost, key=lambda each: each[1], default=None)
    if worst is not None and worst[1] > MOVED:
        row, share = worst
        told = f"all at once card {row.gpu} holds {share:.1%} less than alone"
        said.append(told + _why(row))
    elif lost:
        said.append("all at once no card holds over 1 % less than alone")
    return [each.replace("%", " %") for each in said]


def _why(row: CardRow) -> str:
    """Clock and heat of both, where they are known."""
    parts = []
    for field, unit in (("sm_mhz", "MHz"), ("temp_c", "C"), ("power_w", "W")):
        before, after = getattr(row.alone, field), getattr(row.together, field)
        if before is not None and after is not None:
            parts.append(f"{before:.0f} to {after:.0f} {unit}")
    return f": {', '.join(parts)}" if parts else ""
