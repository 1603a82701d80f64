"""Every card of a session beside the others: alone, all at once, and which is the odd one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from roofwatch.roofline.odd_ones import OddOne, odd_ones
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.statistics import median
from roofwatch.roofline.suite import TOGETHER
from roofwatch.session.card_events import CardEvents
from roofwatch.session.differences import apart_of
from roofwatch.session.events import Device, Expect, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import card_of
from roofwatch.session.rates import value
from roofwatch.session.stand_ins import REMOVED, is_stand_in, unless_stand_in

UNMEASURED = "not_measured"
BANDWIDTH, BURST, SUSTAINED = "bandwidth_gbs", "burst_tflops", "sustained_tflops"
RATES = (BANDWIDTH, BURST, SUSTAINED)
STREAM = "add_scalar"
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
    measured = session.measured(wanted)
    beside = [m for events in cards.values() for m in events.measured(wanted).values()]
    held = next((m for m in (*beside, *measured) if m.protocol == "sustained" and m.peak_key), None)
    key = held.peak_key if held else None
    rows = []
    if own is None or own not in cards:
        cards[-1 if own is None else own] = CardEvents()  # nothing of it but the session's own
    for gpu, events in cards.items():
        mine = gpu in (-1, own)
        alone = measured if mine else list(events.measured(wanted).values())
        expects = session.expects if mine else events.expects
        device = session.device if mine else card_of(session, gpu).device
        one = _One(session, None if gpu < 0 else gpu, device, mine, wanted, key)
        rows.append(one.row(alone, list(events.measured(wanted).values()), expects))
    rows.sort(key=lambda r: -1 if r.gpu is None else r.gpu)
    odd = _odd(rows)
    return CardsTable(peak_key=key, rows=rows, odd=odd, sentences=_sentences(rows, odd))


class _One(NamedTuple):
    """One card of the table, and what it is held at."""

    session: Session
    gpu: int | None
    device: Device
    measured: bool
    run: int
    key: str | None

    def row(
        self,
        alone: list[Measurement],
        cards: list[Measurement],
        expects: dict[tuple[int, str], Expect],
    ) -> CardRow:
        """Of what it measured alone, and of what in particular: with all the others."""
        ones = self._of([m for m in alone if not m.probe.startswith(TOGETHER)])
        all_ = self._of([m for m in cards if m.probe.startswith(TOGETHER)])
        before, after = self._figures(ones), self._figures(all_)
        lost = None
        if before.sustained_tflops and after.sustained_tflops:
            lost = 1 - after.sustained_tflops / before.sustained_tflops
        device = self.device
        fields = {
            "gpu": self.gpu,
            "name": device.name,
            "uuid": unless_stand_in(device.uuid),
            "lost": lost,
        }
        return CardRow(
            gpu=self.gpu,
            name=device.name,
            uuid=unless_stand_in(device.uuid),
            measured=self.measured,
            alone=before,
            together=after,
            lost=lost,
            outside=[
                figure
                for figure, m in ones.items()
                if (e := expects.get((self.run, m.probe))) is not None and not e.holds(value(m))
            ],
            status={name: UNMEASURED for name, known in fields.items() if known is None}
            | ({"uuid": REMOVED} if is_stand_in(device.uuid) else {}),
        )

    def _of(self, found: list[Measurement]) -> dict[str, Measurement]:
        """The measurement behind each figure: the first stream, burst and hold of the precision."""
        of: dict[str, Measurement] = {}
        for m in found:
            plain = m.peak_key is None and m.op == STREAM
            if plain and m.protocol in ("stream", "sustained"):
                of.setdefault(BANDWIDTH, m)
            elif m.peak_key is not None and m.peak_key == self.key and m.protocol == "burst":
                of.setdefault(BURST, m)
            elif m.peak_key is not None and m.peak_key == self.key and m.protocol == "sustained":
                of.setdefault(SUSTAINED, m)
        return of

    def _figures(self, of: dict[str, Measurement]) -> CardFigures:
        rates = {figure: value(of[figure]) if figure in of else None for figure in RATES}
        held = of.get(SUSTAINED)
        samples = self.session.samples if self.gpu is None else self.session.samples_of(self.gpu)
        inside = samples.between(held.begin_s, held.end_s) if held else []
        found: dict[str, Any] = dict(rates)
        status = {figure: UNMEASURED for figure, rate in rates.items() if rate is None}
        for field in CONDITIONS:
            values = [v for s in inside if (v := getattr(s, field)) is not None]
            found[field] = round(median(values), 1) if values else None
            if not values:
                told = (s.status[field] for s in inside if field in s.status)
                status[field] = next(told, UNMEASURED)
        if held is not None and held.clock_mhz:
            found["sm_mhz"] = round(median(held.clock_mhz), 1)  # read on the device
            status.pop("sm_mhz", None)
        return CardFigures(**found, status=status)


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
            floor = apart_of(SAID[figure][0])
            found += [_odd_card(rows, each, figure, together) for each in odd_ones(values, floor)]
    return sorted(found, key=lambda each: -abs(each.off))


def _odd_card(rows: list[CardRow], each: OddOne, figure: str, together: bool) -> OddCard:
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
            f"{per_cent(abs(each.off), 1)} {side} the median of {each.median:.4g}"
        )
    if len(rows) == 2 and _apart(*rows):
        said.append("two cards: where they differ, neither is known to be the odd one")
    lost = [(r, r.lost) for r in rows if r.lost is not None]
    worst = max(lost, key=lambda each: each[1], default=None)
    if worst is not None and worst[1] > MOVED:
        row, share = worst
        told = f"all at once card {row.gpu} holds {per_cent(share, 1)} less than alone"
        said.append(told + _why(row))
    elif lost:
        said.append("all at once no card holds over 1 % less than alone")
    return said


def _apart(a: CardRow, b: CardRow) -> bool:
    """Whether two cards differ by more than two of a kind do without a cause."""
    for one, other in ((a.alone, b.alone), (a.together, b.together)):
        for figure in RATES:
            pair = getattr(one, figure), getattr(other, figure)
            floor = apart_of(SAID[figure][0])
            if None not in pair and max(pair) > (1 + floor) * min(pair):
                return True
    return False


def lost_said(lost: float | None) -> str:
    """The share that went when all ran at once: nothing within a card's own run to run, or a gain.

    Empty where it is not known.
    """
    if lost is None:
        return ""
    if abs(lost) <= MOVED:
        return "0 %"
    return per_cent(lost) if lost > 0 else f"gain {per_cent(-lost)}"


def _why(row: CardRow) -> str:
    """Clock and heat of both, where they are known."""
    parts = []
    for field, unit in (("sm_mhz", "MHz"), ("temp_c", "C"), ("power_w", "W")):
        before, after = getattr(row.alone, field), getattr(row.together, field)
        if before is not None and after is not None:
            parts.append(f"{before:.0f} to {after:.0f} {unit}")
    return f": {', '.join(parts)}" if parts else ""
