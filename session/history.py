"""What the saved sessions know of the best that a card has reached, read a little at a time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import structs

from roofwatch.notebook.finding import WRONG
from roofwatch.roofline.own_best import TIMES
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.suite import WATCH
from roofwatch.session.began import NO_DAY, day_utc
from roofwatch.session.differences import apart_of
from roofwatch.session.entry import Parts, folded, parts_of
from roofwatch.session.events import Device
from roofwatch.session.figures import spread
from roofwatch.session.file import slug
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.listing import Listing
from roofwatch.session.noise import TURNS_TO_TURNS
from roofwatch.session.rates import unit_of, value
from roofwatch.session.roof_doubts import unsound
from roofwatch.session.same_card import same_card

RATED = ("stream", "burst", "sustained")  # protocols of a probe that one rate is expected of
PATIENCE_S = 4.0  # of reading in all: then what is known by then counts
LIMIT_ALIKE = 0.01  # power limits this near are one
OURS = re.compile(r"\d{8}T\d{6}Z-(.+)-[0-9a-f]{6}\.jsonl")


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best rate that a probe has reached, and by what share such runs lie apart.

    ``own``: on this very card, by its UUID (of a CPU by its host); else on another of its name.
    """

    probe: str
    rate: float
    apart: float
    date: str
    own: bool
    device: str = "card"  # or "CPU", in words

    @property
    def why(self) -> str:
        """What the range rests on."""
        whose = f"this {self.device}'s own best" if self.own else "the best of a card of this name"
        apart = per_cent(self.apart, 1)
        return f"{whose} of {self.date}, with twice what runs of it lie apart ({apart})"


class History:
    """The best rates of one device, from complete sessions without a wrong finding.

    A figure that is itself suspect, unsettled or out of the physical order is none of them.
    ``advance`` reads for a while; ``best`` is what is known when it says that nothing is left.
    """

    def __init__(self, session: Session, folders: Iterable[Path] | None = None) -> None:
        self.best: dict[str, Best] = {}
        self.device = session.device
        self._session = session
        self._left_s = PATIENCE_S
        self._steps = self._read(folders)

    @property
    def done(self) -> bool:
        """Whether everything was read that will be."""
        return self._left_s <= 0

    def advance(self, budget_s: float) -> bool:
        """Read on for about so many seconds; whether it is done."""
        began_s = time.monotonic()
        while not self.done and time.monotonic() - began_s < budget_s:
            if next(self._steps, None) is None:
                self._left_s = 0.0
                return True
        self._left_s -= time.monotonic() - began_s
        return self.done

    def _read(self, folders: Iterable[Path] | None) -> Iterator[bool]:
        listing = Listing(folders=folders)
        listing.refresh()
        yield True
        for one in listing.entries:
            named = OURS.fullmatch(one.path.name)
            if named and named[1] != slug(self.device.name or ""):
                continue  # our own files say whose they are
            for read in parts_of(one.path):
                if read is not None:
                    self._take(read)
                yield True

    def _take(self, read: Parts) -> None:
        """Take what a session reached, unless it says itself that something is wrong with it."""
        if read.problem is not None:
            return
        try:
            whole, session = folded(read)
        except (ValueError, msgspec.MsgspecError, RecursionError):
            return
        if whole.id == self._session.id or not whole.complete or not self._alike(session):
            return
        own = _is(session, self._session)
        if own is None:
            return
        rates = list(_rates(session, self._session.sustain_s, own))
        if not any(map(self._better, rates)) or session.suite == WATCH:
            return
        found = findings(session)
        if any(f.severity == WRONG for f in found):
            return
        doubtful = unsound(session, found)
        sound = [b for b in rates if b.probe not in doubtful]
        self.best |= {b.probe: b for b in _of_any_type(session, sound) if self._better(b)}

    def _better(self, b: Best) -> bool:
        """The very card before others of its name, and then the higher rate."""
        known = self.best.get(b.probe)
        return known is None or (b.own, b.rate) > (known.own, known.rate)

    def _alike(self, session: Session) -> bool:
        """Whether it was held to the same power: under another limit a card does otherwise."""
        ours, theirs = self.device.power_limit_w, session.device.power_limit_w
        if ours is None or theirs is None:
            return True
        return abs(ours - theirs) <= LIMIT_ALIKE * ours


def _is(session: Session, ours: Session) -> bool | None:
    """True: measured on this very device; False: on another of its name; None: on none of it."""
    a, b = session.device, ours.device
    if a.name is None or a.name != b.name or a.kind != b.kind:
        return None
    known = same_card(session, ours) is True
    # Of another host with a CPU of such a name nothing is known.
    return True if known else None if a.kind == "cpu" else False


def _rates(session: Session, sustain_s: float, own: bool) -> Iterator[Best]:
    for m in session.measured():
        if m.protocol not in RATED or m.mistake is not None:
            continue
        if m.protocol == "sustained" and session.sustain_s != sustain_s:
            continue  # the longer it is held, the hotter it is
        apart = spread(session, m.protocol)
        if m.protocol == "burst":  # the next search may find other shapes, which take other turns
            apart = max(apart, TURNS_TO_TURNS / TIMES)
        if not own:
            apart = max(apart, apart_of(unit_of(m)))
        date = day_utc(session.started_at) or NO_DAY
        device = "CPU" if session.device.kind == "cpu" else "card"
        yield Best(probe=m.probe, rate=value(m), apart=apart, date=date, own=own, device=device)


def _of_any_type(session: Session, sound: list[Best]) -> list[Best]:
    """On a CPU each stream with the best rate of its kernel in any type.

    Bytes are bytes, and there two types differ by less than two runs do.
    """
    if session.device.kind != "cpu":
        return sound
    streams = [m for m in session.measured() if m.protocol == "stream" and m.mistake is None]
    by_probe = {b.probe: b for b in sound}
    for m in streams:
        like = [by_probe[x.probe] for x in streams if x.op == m.op and x.probe in by_probe]
        if like:
            by_probe[m.probe] = structs.replace(max(like, key=lambda b: b.rate), probe=m.probe)
    return list(by_probe.values())


def same_device(a: Device, b: Device) -> bool:
    """Whether what was looked up for one stands for the other."""
    names = ("kind", "name", "uuid", "core_count", "power_limit_w")
    return all(getattr(a, n) == getattr(b, n) for n in names)
