"""What was watched, summed up a card: clocks, energy, power, limits, memory, use, and the marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from roofwatch.roofline.reasons import (
    HW_THERMAL,
    NAMES,
    POWER_BRAKE,
    POWER_CAP,
    SW_THERMAL,
    SYNC_BOOST,
    keys,
)
from roofwatch.session.fold import Session
from roofwatch.session.host_cards import HostCard, host_cards
from roofwatch.session.saved_session import Saved
from roofwatch.session.watch.tally import Tally, energy_j, tally
from roofwatch.session.watch.throttle_cost import ThrottleCost, throttle_cost

COUNTED = {
    POWER_CAP: "power_cap",
    SYNC_BOOST: "sync_boost",
    SW_THERMAL: "sw_thermal",
    HW_THERMAL: "hw_thermal",
    POWER_BRAKE: "power_brake",
}
"""Clocks event reasons that have a counter in nanoseconds, and its name in a sample."""

MOST_BANDS = 6
APART = 0.15  # between counter and integral: further apart nobody knows which of them is right
TOO_SHORT = "too_short"  # no two readings were taken
SavedOf = Mapping[str, Saved]
"""Saved sessions with roofs, by the card's name."""


class ClockBand(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds within a range of SM clocks in MHz, both ends in it; ``share`` is of all read."""

    low_mhz: int
    high_mhz: int
    seconds: float
    share: float


class ReasonTime(msgspec.Struct, frozen=True, kw_only=True):
    """Time under one clocks event reason: by its counter, and by the samples that had its bit.

    Shares are of the time between the first and the last reading.
    """

    key: str  # of roofline.reasons
    counter_s: float | None
    counter_share: float | None
    sampled_s: float
    sampled_share: float
    status: dict[str, str] = {}


class Energy(msgspec.Struct, frozen=True, kw_only=True):
    """``joules`` of it all; beside it the counter and power times time over equal ``seconds``.

    ``agree``: the two lie within 15 % of each other; where they do not, the counter is not used.
    """

    joules: float
    counter_j: float | None
    integral_j: float | None
    seconds: float
    agree: bool = True


class CardWatched(msgspec.Struct, frozen=True, kw_only=True):
    """One card over a stretch of time. Of what could not be read ``status`` says why.

    ``limited_mhz`` and ``cost`` are null where nothing limited; ``cost`` too where no roof of such
    a card is saved.
    """

    gpu: int | None
    measured: bool  # the one that was chosen; all others are read beside it
    kind: str | None  # "cuda" | "cpu"
    name: str | None
    memory_bytes: int | None
    power_limit_w: float | None
    samples: int
    read_s: float
    unread_s: float
    busy_share: float | None
    sm_mhz: float | None  # mean over time
    sm_max_mhz: float | None  # the card's own
    limited_mhz: float | None  # mean over the time under a limit
    clocks: list[ClockBand]
    power_w: float | None  # mean over time
    power_max_w: float | None
    energy: Energy | None
    reasons: list[ReasonTime]
    below_clocks_s: dict[str, float]  # time below application and base clocks, by their counters
    work_s: float  # from the first to the last reading of work
    starved_share: float | None  # of that, without work
    memory_max_bytes: int | None
    temp_max_c: float | None
    processes_before: int | None
    cost: ThrottleCost | None
    status: dict[str, str]


class Stretch(NamedTuple):
    """A part of the work that was named by a mark."""

    name: str
    begin_s: float
    end_s: float


class MarkWatched(msgspec.Struct, frozen=True, kw_only=True):
    """What the measured card did under one mark."""

    name: str
    begin_s: float
    seconds: float
    sm_mhz: float | None
    power_w: float | None
    energy_j: float | None
    busy_share: float | None


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """The whole: what ran, how it ended, each card, and the marks in order."""

    command: str | None
    begin_s: float
    seconds: float
    ended: str
    cards: list[CardWatched]
    marks: list[MarkWatched]


def watched(session: Session, saved: SavedOf) -> Watched:
    """Sum up a session that watches, from the command's begin (else its own) to its end."""
    begin_s, end_s = work(session)
    end = session.ends.get(session.run)
    return Watched(
        command=session.command[0] if session.command else None,
        begin_s=begin_s,
        seconds=end_s - begin_s,
        ended=end.why if end else "",
        cards=[
            _card(session, card, begin_s, end_s, saved)
            for card in host_cards(session)
            if card.measured or _whole(card)
        ],
        marks=[_mark(session, each) for each in marks(session, end_s)],
    )


def _whole(card: HostCard) -> bool:
    """Whether it was read in full (``--device all``): others are read once a second, in part."""
    return any(
        s.counters or any(name.startswith("counters.") for name in s.status)
        for s in card.samples[:3]
    )


def work(session: Session) -> tuple[float, float]:
    """When the work began and ended, in seconds of the session."""
    begin_s = session.command[1] if session.command else 0.0
    end = session.ends.get(session.run)
    return begin_s, max(begin_s, end.t if end is not None else session.duration_s)


def marks(session: Session, end_s: float) -> list[Stretch]:
    """Named parts, each up to the next one; without any mark there is none."""
    begins = [s for s in session.spans if s.edge == "begin" and s.run == session.run]
    named = begins[1:] if session.command else begins  # the first is the command itself
    ends = [*(s.t for s in named), end_s][1:]
    return [Stretch(s.probe, s.t, end) for s, end in zip(named, ends, strict=True)]


def _card(
    session: Session, card: HostCard, begin_s: float, end_s: float, saved: SavedOf
) -> CardWatched:
    seen = tally(card.samples, begin_s, end_s)
    earlier = [s.processes for s in card.samples.between(0.0, begin_s) if s.processes is not None]
    before = earlier[-1] if earlier else card.device.processes
    starved = seen.starved_s / seen.work_s if seen.work_s else None
    cost = throttle_cost(seen.limited_clock_s, seen.read_s, saved.get(card.device.name or ""))
    told = {
        "busy_share": ("util", seen.util_read_s),
        "sm_mhz": ("sm_mhz", seen.clock_s),
        "power_w": ("power_w", seen.power_s),
        "energy": ("energy_j", seen.power_s),
        "starved_share": ("util", seen.work_s),
        "reasons": ("reasons", seen.reasons_read_s),
        "memory_max_bytes": ("mem_used_bytes", seen.memory_max_bytes),
        "temp_max_c": ("temp_c", seen.temp_max_c is not None),
        "processes_before": ("processes", before is not None),
    }
    unknown = TOO_SHORT if seen.samples < 2 else "not_supported"
    found = CardWatched(
        gpu=card.gpu,
        measured=card.measured,
        kind=card.device.kind,
        name=card.device.name,
        memory_bytes=card.device.memory_bytes,
        power_limit_w=card.device.power_limit_w,
        samples=seen.samples,
        read_s=seen.read_s,
        unread_s=max(0.0, end_s - begin_s - seen.read_s),
        busy_share=seen.util_s / seen.util_read_s if seen.util_read_s else None,
        sm_mhz=_mean(seen.clock_s),
        sm_max_mhz=card.device.sm_max_mhz,
        limited_mhz=_mean(seen.limited_clock_s),
        clocks=clock_bands(seen.clock_s),
        power_w=seen.energy_j / seen.power_s if seen.power_s else None,
        power_max_w=seen.power_max_w,
        energy=_energy(seen, *energy_j(card.samples, begin_s, end_s)),
        reasons=_reasons(seen),
        below_clocks_s={
            name: seen.counters_ns[name] / 1e9
            for name in ("below_app_clocks", "below_base_clocks")
            if seen.counters_ns.get(name)
        },
        work_s=seen.work_s,
        starved_share=starved,
        memory_max_bytes=seen.memory_max_bytes,
        temp_max_c=seen.temp_max_c,
        processes_before=before,
        cost=cost,
        status={n: seen.status.get(f, unknown) for n, (f, there) in told.items() if not there},
    )
    nulls = [n for n in found.__struct_fields__ if getattr(found, n) is None]
    limited = bool(seen.limited_clock_s)
    of_limits = dict.fromkeys(("cost", "limited_mhz"), "not_known" if limited else "not_limited")
    whys = {n: of_limits.get(n, "not_known") for n in nulls if n not in found.status}
    return msgspec.structs.replace(found, status={**found.status, **whys})


def _mean(seconds_at: Mapping[int, float]) -> float | None:
    total = sum(seconds_at.values())
    return sum(mhz * s for mhz, s in seconds_at.items()) / total if total else None


def clock_bands(seconds_at: Mapping[int, float]) -> list[ClockBand]:
    """At most six ranges of equal width over the clocks that were seen, the fastest first.

    Ranges in which nothing was seen are left out; the ends of each are clocks that were.
    """
    total = sum(seconds_at.values())
    if not total:
        return []
    low, high = min(seconds_at), max(seconds_at)
    width = max(1, -(-(high - low + 1) // MOST_BANDS))
    bands: dict[int, dict[int, float]] = {}
    for mhz, seconds in seconds_at.items():
        bands.setdefault((high - mhz) // width, {})[mhz] = seconds
    return [
        ClockBand(
            low_mhz=min(band),
            high_mhz=max(band),
            seconds=sum(band.values()),
            share=sum(band.values()) / total,
        )
        for _, band in sorted(bands.items())
    ]


def _energy(seen: Tally, whole_j: float, covered_s: float) -> Energy | None:
    """Of ``whole_j``, power times time over all, the counter replaces what it covers."""
    counter_j = seen.counter_j
    if seen.samples < 2 or (not covered_s and counter_j is None):
        return None
    if counter_j is None or not seen.power_s:
        joules = whole_j if counter_j is None else counter_j
        seconds = covered_s if counter_j is None else seen.counter_s
        return Energy(joules=joules, counter_j=counter_j, integral_j=None, seconds=seconds)
    agree = abs(counter_j - seen.beside_j) <= APART * max(counter_j, seen.beside_j)
    return Energy(
        joules=whole_j + (counter_j - seen.beside_j if agree else 0.0),
        counter_j=counter_j,
        integral_j=seen.beside_j,
        seconds=seen.counter_s,
        agree=agree,
    )


def _reasons(seen: Tally) -> list[ReasonTime]:
    """Every reason that was seen or counted, in the order of ``roofline.reasons``; idle last."""
    grown = {bit: seen.counters_ns.get(name) for bit, name in COUNTED.items()}
    found = {bit for bit, ns in grown.items() if ns} | set(seen.reasons_s)
    out = []
    for bit in [*(b for b in NAMES if b in found), *sorted(found - NAMES.keys())]:
        ns, sampled_s = grown.get(bit), seen.reasons_s.get(bit, 0.0)
        share = None
        if ns is not None and seen.counters_s:  # a counter is renewed every 100 ms
            share = min(1.0, ns / 1e9 / seen.counters_s)
        read_s = seen.reasons_read_s
        out.append(
            ReasonTime(
                key=keys(bit)[0],
                counter_s=ns / 1e9 if ns is not None else None,
                counter_share=share,
                sampled_s=sampled_s,
                sampled_share=sampled_s / read_s if read_s else 0.0,
                status=_uncounted(ns, share),
            )
        )
    return out


def _uncounted(ns: int | None, share: float | None) -> dict[str, str]:
    """Why there is no counter of a reason, or no share by it."""
    told = {} if ns is not None else {"counter_s": "not_supported"}
    if share is None:
        told["counter_share"] = "not_supported" if ns is None else TOO_SHORT
    return told


def _mark(session: Session, stretch: Stretch) -> MarkWatched:
    seen = tally(session.samples, stretch.begin_s, stretch.end_s)
    joules, covered_s = energy_j(session.samples, stretch.begin_s, stretch.end_s)
    return MarkWatched(
        name=stretch.name,
        begin_s=stretch.begin_s,
        seconds=stretch.end_s - stretch.begin_s,
        sm_mhz=_mean(seen.clock_s),
        power_w=joules / covered_s if covered_s else None,
        energy_j=joules if covered_s else None,
        busy_share=seen.util_s / seen.util_read_s if seen.util_read_s else None,
    )
