"""The least time that counted operators can take under a roof, each on its own side of the ridge.

One program has both kinds: its matmuls may fill the units while its softmax waits for memory, so
the side is asked of every operator (seed, Day 1: look kernel by kernel).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

FEW_FLOP_PER_BYTE = 8.0
"""Highest intensity of work that multiplies no matrices: LayerNorm's 8 FLOP on an 8-bit element."""


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """An operator that was called ``calls`` times: FLOP and bytes of one call.

    ``bytes`` are each distinct input read once and each output written once. ``peak_key`` is the
    rate that its arithmetic is judged by; None for integers that are only moved.
    """

    op: str
    calls: int
    flop: float
    bytes: float
    peak_key: str | None = None


class Ceilings(msgspec.Struct, frozen=True, kw_only=True):
    """Rates to hold work against: GB/s and, by peak key, TFLOP/s (int8: TOPS).

    Origins: ``session``, ``measured`` (on the spot) or ``nominal``.
    """

    bandwidth_gbs: float | None = None
    bandwidth_origin: str | None = None
    peaks_tflops: dict[str, float] = {}
    peak_origins: dict[str, str] = {}

    def or_else(self, other: Ceilings) -> Ceilings:
        """These, and from ``other`` what they lack, each with its origin."""
        lacks = self.bandwidth_gbs is None
        return Ceilings(
            bandwidth_gbs=other.bandwidth_gbs if lacks else self.bandwidth_gbs,
            bandwidth_origin=other.bandwidth_origin if lacks else self.bandwidth_origin,
            peaks_tflops=other.peaks_tflops | self.peaks_tflops,
            peak_origins=other.peak_origins | self.peak_origins,
        )


class Floors(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that one call needs at least: ``compute_s`` by operators right of the ridge,
    ``memory_s`` by those left of it. None where a rate is missing that would decide.
    """

    flop: float
    bytes: float
    compute_s: float | None = None
    memory_s: float | None = None
    peak_key: str | None = None  # of most FLOP
    ridge: float | None = None  # FLOP per byte, of that peak
    unknown: str | None = None  # what is missing

    @property
    def intensity(self) -> float | None:
        """FLOP per byte; None where nothing is moved."""
        return self.flop / self.bytes if self.bytes else None

    @property
    def total_s(self) -> float | None:
        """Both together; None where one of them is."""
        if self.compute_s is None or self.memory_s is None:
            return None
        return self.compute_s + self.memory_s


def main_key(counted: Iterable[Counted]) -> str | None:
    """The peak key under which most FLOP were counted."""
    by_key: dict[str, float] = {}
    for one in counted:
        if one.peak_key is not None:
            by_key[one.peak_key] = by_key.get(one.peak_key, 0.0) + one.calls * one.flop
    return max(by_key, key=by_key.__getitem__, default=None)


def keys_of_note(counted: Iterable[Counted], share: float = 0.05) -> tuple[str, ...]:
    """Peak keys whose rate decides something: the main one, and each of dense work."""
    counted = tuple(counted)
    first = main_key(counted)
    total = sum(one.calls * one.flop for one in counted)
    dense: dict[str, float] = {}
    for one in counted:
        if one.peak_key is not None and is_dense(one):
            dense[one.peak_key] = dense.get(one.peak_key, 0.0) + one.calls * one.flop
    others = [key for key, flop in dense.items() if flop >= share * total and key != first]
    return (*((first,) if first else ()), *others)


def is_dense(one: Counted) -> bool:
    """Whether an operator may be right of a ridge at all."""
    return one.flop > FEW_FLOP_PER_BYTE * one.bytes


def floors(counted: Iterable[Counted], ceilings: Ceilings) -> Floors:
    """The floors of one call (Williams et al., 2009: the longer of the two trips of each)."""
    counted = tuple(counted)
    key = main_key(counted)
    peak, gbs = ceilings.peaks_tflops.get(key or ""), ceilings.bandwidth_gbs
    found = Floors(
        flop=sum(one.calls * one.flop for one in counted),
        bytes=sum(one.calls * one.bytes for one in counted),
        peak_key=key,
        ridge=peak * 1e3 / gbs if peak and gbs else None,
    )
    if gbs is None:
        return msgspec.structs.replace(found, unknown="the bandwidth")
    compute_s = memory_s = 0.0
    for one in counted:
        bytes_s = one.bytes / gbs / 1e9
        flop_s = _flop_s(one, ceilings.peaks_tflops)
        if flop_s is None:
            return msgspec.structs.replace(found, unknown=f"the peak of {one.peak_key}")
        if flop_s > bytes_s:
            compute_s += one.calls * flop_s
        else:
            memory_s += one.calls * bytes_s
    return msgspec.structs.replace(found, compute_s=compute_s, memory_s=memory_s)


def _flop_s(one: Counted, peaks_tflops: Mapping[str, float]) -> float | None:
    """Seconds of its arithmetic; where the peak is unknown 0 for what only memory can hold up."""
    peak = peaks_tflops.get(one.peak_key or "")
    if peak is not None:
        return one.flop / peak / 1e12
    return None if is_dense(one) and one.peak_key is not None else 0.0
