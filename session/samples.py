"""A card's samples in columns: a day at 10 Hz takes some 50 MB, and any window is read at once."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from math import inf, nan
from operator import attrgetter
from typing import Any, NamedTuple, overload

import msgspec

from roofwatch.session.events import Sample

FLOATS = (
    *("sm_mhz", "mem_mhz", "power_w", "power_instant_w", "temp_c", "util", "energy_j"),
    "others_cores",
)
MEMORY = "mem_used_bytes"
POWER = "power"  # instant where the card has it, else the average
BLOCK = 64  # samples whose lowest and highest are kept
DIGITS = 9  # of a moment: instruments write nanoseconds

Range = tuple[float, float]
NONE: Range = (inf, -inf)

_floats = attrgetter(*FLOATS)


class Rest(NamedTuple):
    """What samples have in common with most others; of the counters the names."""

    gpu: int | None
    reasons: int | None
    processes: int | None
    status: tuple[tuple[str, str], ...]
    counters: tuple[str, ...]


NEVER_ZERO = ("sm_mhz", "mem_mhz", "power_w", "power_instant_w")


def read_only(sample: Sample) -> Sample:
    """A clock or a power of 0 is none that was read: null, as our own instruments have it."""
    if sample.sm_mhz and sample.mem_mhz and sample.power_w and sample.power_instant_w:
        return sample  # most
    zeros = {name: "error" for name in NEVER_ZERO if getattr(sample, name) == 0}
    if not zeros:
        return sample
    nulls = dict.fromkeys(zeros)
    return msgspec.structs.replace(sample, **nulls, status={**sample.status, **zeros})


class Samples(Sequence[Sample]):
    """Samples by their time; each is built when it is asked for, and equals the one that came.

    One that comes late is put in its place, after those of the same moment, when next somebody
    reads.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget them all."""
        self._t = array("d")
        self._floats = tuple(array("d") for _ in FLOATS)  # NaN: null
        self._memory = array("q")  # -1: null
        self._rest: list[Rest] = []
        self._rest_at = array("I")  # of each sample, in _rest
        self._rests: dict[tuple[object, ...], int] = {}
        self._counted = array("q")  # counters as they came: a late sample's stand at the end
        self._counted_at = array("q")  # the first of each sample, in _counted
        self._blocks: dict[str, tuple[array[float], array[float]]] = {}
        self._ordered = 0  # samples before the first late one
        self._latest_s = -inf
        self._late_s = inf  # the earliest of those that came late

    def append(self, sample: Sample) -> None:
        """Take in one more."""
        t = sample.t
        self._t.append(t)
        for column, value in zip(self._floats, _floats(sample), strict=True):
            column.append(nan if value is None else value)
        used = sample.mem_used_bytes
        self._memory.append(-1 if used is None else used)
        status, counters = tuple(sample.status.items()), tuple(sample.counters)
        rest = (sample.gpu, sample.reasons, sample.processes, status, counters)
        known = self._rests.get(rest)
        if known is None:
            known = self._rests[rest] = len(self._rest)
            self._rest.append(Rest(*rest))
        self._rest_at.append(known)
        counted = array("q", sample.counters.values())
        at = self._counted_at[-1] if self._counted_at else 0
        if self._counted[at : at + len(counted)] != counted:  # most stand still
            at = len(self._counted)
            self._counted.extend(counted)
        self._counted_at.append(at)
        if t < self._latest_s:
            self._late_s = min(self._late_s, t)
            return
        self._latest_s = t
        if self._late_s == inf:
            self._ordered += 1

    def __len__(self) -> int:
        return len(self._t)

    @overload
    def __getitem__(self, at: int) -> Sample: ...
    @overload
    def __getitem__(self, at: slice) -> list[Sample]: ...
    def __getitem__(self, at: int | slice) -> Sample | list[Sample]:
        self._settle()
        if isinstance(at, int):
            place = range(len(self._t))[at]
            return self._built(place, place + 1)[0]
        places = range(*at.indices(len(self._t)))
        if places.step == 1:
            return self._built(places.start, places.stop)
        return [self[place] for place in places]

    def __iter__(self) -> Iterator[Sample]:
        for begin in count(0, BLOCK):
            if begin >= len(self._t):
                return
            yield from self[begin : begin + BLOCK]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Samples, list)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def between(self, begin_s: float, end_s: float) -> list[Sample]:
        """Samples with begin <= t <= end."""
        return self[slice(*self.places(begin_s, end_s))]

    def places(self, begin_s: float, end_s: float) -> tuple[int, int]:
        """The first sample with begin <= t <= end, and the one behind the last."""
        self._settle()
        return bisect_left(self._t, begin_s), bisect_right(self._t, end_s)

    def before(self, t: float) -> Sample | None:
        """The last one that was read at ``t`` or earlier."""
        self._settle()
        place = bisect_right(self._t, t)
        return self[place - 1] if place else None

    def after(self, t: float) -> Sample | None:
        """The first one that was read at ``t`` or later."""
        self._settle()
        place = bisect_left(self._t, t)
        return self[place] if place < len(self._t) else None

    @property
    def moments(self) -> Sequence[float]:
        """When each was read, in order."""
        self._settle()
        return self._t

    def readable(self, field: str) -> Sequence[float]:
        """What a numeric field (or "power") said, in order, without the nulls."""
        self._settle()
        return self._values(field, 0, len(self._t))

    def why_null(self, field: str) -> str | None:
        """The first status that says why a field is null."""
        self._settle()
        whys = [dict(rest.status).get(field) for rest in self._rest]
        return next((why for rest in self._rest_at if (why := whys[rest]) is not None), None)

    def extremes(self, field: str, window: Range, columns: int) -> list[Range | None]:
        """The lowest and the highest reading in each column of a chart; None where there is none.

        ``field`` is a numeric one of a Sample, or "power". Column k of a window (a, b) holds
        a + k w <= t < a + (k + 1) w, the last one b too. Edges are whole nanoseconds, so that a
        window which moves by whole columns finds the same samples in the same company.
        """
        self._settle()
        found = (self._extreme(field, a, b) for a, b in self._places(window, columns))
        return [each if each[0] <= each[1] else None for each in found]

    def masks(self, window: Range, columns: int) -> list[int | None]:
        """All clocks event reasons of each column, as one mask; None where nothing was readable."""
        self._settle()
        found: list[int | None] = []
        for a, b in self._places(window, columns):
            rests = (self._rest[rest] for rest in set(self._rest_at[a:b]))
            told = [rest.reasons for rest in rests if rest.reasons is not None]
            mask = 0
            for each in told:
                mask |= each
            found.append(mask if told else None)
        return found

    def _places(self, window: Range, columns: int) -> list[tuple[int, int]]:
        """First sample of each column, and the one behind its last."""
        if columns < 1:
            return []
        begin, end = window
        width = (end - begin) / columns
        edges = [bisect_left(self._t, round(begin + k * width, DIGITS)) for k in range(columns)]
        return list(pairwise([*edges, bisect_right(self._t, round(end, DIGITS))]))

    def _built(self, first: int, last: int) -> list[Sample]:
        """The samples of a range of places."""
        found: list[Sample] = []
        for row in zip(*(column[first:last] for column in self._columns()), strict=True):
            t, sm, mem, power, instant, temp, util, energy, others, used, rest_at, begin = row
            rest = self._rest[rest_at]
            counted = self._counted[begin : begin + len(rest.counters)]
            found.append(
                Sample(
                    t=t,
                    gpu=rest.gpu,
                    sm_mhz=None if sm != sm else sm,
                    mem_mhz=None if mem != mem else mem,
                    power_w=None if power != power else power,
                    power_instant_w=None if instant != instant else instant,
                    temp_c=None if temp != temp else temp,
                    mem_used_bytes=None if used < 0 else used,
                    util=None if util != util else util,
                    reasons=rest.reasons,
                    energy_j=None if energy != energy else energy,
                    others_cores=None if others != others else others,
                    processes=rest.processes,
                    counters=dict(zip(rest.counters, counted, strict=True)),
                    status=dict(rest.status),
                )
            )
        return found

    def _columns(self) -> tuple[array[Any], ...]:
        return self._t, *self._floats, self._memory, self._rest_at, self._counted_at

    def _settle(self) -> None:
        """Put late ones in their places: only the part behind the earliest of them is moved."""
        if self._late_s == inf:
            return
        begin = bisect_right(self._t, self._late_s, 0, self._ordered)
        order = sorted(range(begin, len(self._t)), key=self._t.__getitem__)
        for column in self._columns():
            column[begin:] = array(column.typecode, map(column.__getitem__, order))
        for lows, highs in self._blocks.values():
            del lows[begin // BLOCK :]
            del highs[begin // BLOCK :]
        self._ordered, self._late_s = len(self._t), inf

    def _values(self, field: str, first: int, last: int) -> Sequence[float]:
        """Readings of a field in a range of places, without the nulls."""
        if field == MEMORY:
            return [used for used in self._memory[first:last] if used >= 0]
        if field == POWER:
            columns = self._column("power_instant_w"), self._column("power_w")
            both = zip(*(column[first:last] for column in columns), strict=True)
            return [v for i, a in both if (v := i if i == i else a) == v]
        part = self._column(field)[first:last]
        return part if (total := sum(part)) == total else [v for v in part if v == v]

    def _column(self, field: str) -> array[float]:
        return self._floats[FLOATS.index(field)]

    def _range(self, field: str, first: int, last: int) -> Range:
        values = self._values(field, first, last)
        return (min(values), max(values)) if values else NONE

    def _extreme(self, field: str, first: int, last: int) -> Range:
        """Lowest and highest in a range of places: full blocks, and what is left at both ends."""
        if last - first <= 2 * BLOCK:
            return self._range(field, first, last)
        block, end = -(-first // BLOCK), last // BLOCK
        lows, highs = self._summed_up(field, end)
        head = self._range(field, first, block * BLOCK)
        tail = self._range(field, end * BLOCK, last)
        low = min(head[0], tail[0], min(lows[block:end]))
        return low, max(head[1], tail[1], max(highs[block:end]))

    def _summed_up(self, field: str, end: int) -> tuple[array[float], array[float]]:
        """Lowest and highest of each block, up to ``end`` of them at least."""
        lows, highs = self._blocks.setdefault(field, (array("d"), array("d")))
        for block in range(len(lows), end):
            low, high = self._range(field, block * BLOCK, (block + 1) * BLOCK)
            lows.append(low)
            highs.append(high)
        return lows, highs
