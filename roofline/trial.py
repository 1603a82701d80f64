"""An experiment with one argument changed: what its time must do under each bottleneck.

The seed (Day 1) asks whether the time follows the batch. What it must follow is counted here: FLOP
under the compute bound, bytes under the memory bound, the number of operators under overhead. Where
two of these change alike the experiment cannot tell them apart, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from roofwatch.roofline.floors import Ceilings, Counted

COMPUTE, MEMORY, OVERHEAD = "compute", "memory", "overhead"
BOUNDS = (COMPUTE, MEMORY, OVERHEAD)

APART = 1.3  # predictions closer than this factor are one prediction
ALSO = 1.5  # a prediction not much farther from the time than the nearest one fits as well
NEAR = 2.0  # a time farther than this factor from every prediction follows none


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One argument changed: the factor on the time, and the factor that each bound predicts.

    A prediction is None where it could not be counted.
    """

    what: str  # "batch 8 to 64"
    time_ratio: float
    compute_ratio: float | None = None
    memory_ratio: float | None = None
    overhead_ratio: float | None = None

    @property
    def predicted(self) -> dict[str, float]:
        """What is predicted, by bound."""
        all_three = (self.compute_ratio, self.memory_ratio, self.overhead_ratio)
        return {b: r for b, r in zip(BOUNDS, all_three, strict=True) if r is not None and r > 0}


class Varied(msgspec.Struct, frozen=True, kw_only=True):
    """One argument changed: the factor on the time, and what was counted with the other value.

    ``factor`` is that of the argument itself; None for one that is no number.
    """

    what: str
    time_ratio: float
    factor: float | None
    counted: tuple[Counted, ...]
    launches: float | None = None  # kernels or operators of a call


def trial_of(
    varied: Varied, counted: tuple[Counted, ...], launches: float | None, ceilings: Ceilings
) -> Trial:
    """The trial of a change against the call as it was (``counted``, ``launches``).

    Where no operator shows its work, FLOP are taken to follow the argument, as the seed does.
    """
    number = _ratio(varied.launches, launches)
    if not counted or not varied.counted:
        return Trial(
            what=varied.what,
            time_ratio=varied.time_ratio,
            compute_ratio=varied.factor,
            overhead_ratio=number,
        )
    return Trial(
        what=varied.what,
        time_ratio=varied.time_ratio,
        compute_ratio=_ratio(_flop_s(varied.counted, ceilings), _flop_s(counted, ceilings)),
        memory_ratio=_ratio(_bytes(varied.counted), _bytes(counted)),
        overhead_ratio=number,
    )


def _ratio(other: float | None, base: float | None) -> float | None:
    return other / base if other and base else None


def _bytes(counted: Iterable[Counted]) -> float:
    return sum(one.calls * one.bytes for one in counted)


def _flop_s(counted: Iterable[Counted], ceilings: Ceilings) -> float | None:
    """Seconds of all arithmetic, each by its own peak; None where one is unknown."""
    total = 0.0
    for one in counted:
        if one.flop:
            peak = ceilings.peaks_tflops.get(one.peak_key or "")
            if peak is None:
                return None
            total += one.calls * one.flop / peak / 1e12
    return total


def fitting(trial: Trial) -> frozenset[str]:
    """The bounds that the time speaks for; empty where it tells nothing.

    Nothing is told where the predictions agree or the time follows none of them. A bound without a
    prediction is neither spoken for nor against.
    """
    predicted = trial.predicted
    ratios = predicted.values()
    if len(predicted) < 2 or max(ratios) < APART * min(ratios) or trial.time_ratio <= 0:
        return frozenset()
    away = {b: abs(math.log(trial.time_ratio / r)) for b, r in predicted.items()}
    nearest = min(away.values())
    if nearest > math.log(NEAR):
        return frozenset()
    return frozenset(b for b, d in away.items() if d <= nearest + math.log(ALSO))


def excluded(trial: Trial) -> frozenset[str]:
    """The bounds that the time speaks against."""
    fits = fitting(trial)
    return frozenset(trial.predicted) - fits if fits else frozenset()
