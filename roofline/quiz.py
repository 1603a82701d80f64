"""A question of the seeds' self-tests: what is asked of which numbers, and its answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.roof import Roof

NUMBER, CHOICE = "number", "choice"
COMPUTE, MEMORY, OVERHEAD, EITHER = "compute", "memory", "overhead", "either"
BOUNDS = (COMPUTE, MEMORY, OVERHEAD)
CAPACITY, BANDWIDTH = "capacity", "bandwidth"
CACHE, PEAK, SYNCHRONIZE = "cache", "peak", "synchronize"
GO_ON, STOP = "go_on", "stop"
FLOP_BYTE, TIMES, MS, GBS, PERCENT = "FLOP/byte", "x", "ms", "GB/s", "%"
NEAR = 0.05  # of an answer: the seeds round to two digits
GB = 1e9

Value = float | str
T = TypeVar("T")


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question. ``key`` names its words, ``case`` which way its answer goes.

    ``answer`` is a number in ``unit``, right within the share ``tolerance`` of it, or one of
    ``choices``. ``values`` are all numbers that question and explanation name. ``then`` is asked
    of the same numbers once this is answered; the explanation is of both.
    """

    number: int  # of the seventeen
    note: str
    key: str
    kind: str
    answer: float | str
    values: dict[str, Value]
    case: str = ""
    unit: str = ""
    tolerance: float = NEAR
    choices: tuple[str, ...] = ()
    then: Question | None = None


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What questions are drawn for: a card, its roof of two-byte products, the decoders known.

    ``half`` is the two-byte type of that roof, one that the card has.
    """

    card: Nominal
    roof: Roof
    half: str
    lanes_tflops: float  # what elementwise work runs on
    models: tuple[Model, ...]


def ground(card: Nominal, models: Sequence[Model]) -> Ground:
    """The ground of a card. Raises ValueError where it lacks a figure that the questions need."""
    peaks = card.peaks_tflops
    half = _half(peaks)
    peak = peaks.get(half)
    lanes = next((peaks[key] for key in ("fp16_vector", "fp32") if key in peaks), None)
    if card.bandwidth_gbs is None or peak is None or lanes is None:
        raise ValueError(f"{card.name}: the questions need a bandwidth, an fp16 and an fp32 peak")
    roof = Roof(bandwidth_gbs=card.bandwidth_gbs, peak_tflops=peak)
    return Ground(card=card, roof=roof, half=half, lanes_tflops=lanes, models=tuple(models))


def _half(peaks: Mapping[str, float]) -> str:
    """bf16, unless the card lacks it or multiplies fp16 faster: fp16 questions go by its ridge."""
    bf16, fp16 = peaks.get("bf16"), peaks.get("fp16")
    if bf16 is None or (fp16 is not None and bf16 < fp16 * (1 - NEAR)):
        return "fp16"
    return "bf16"


def digits(value: float, count: int = 3) -> float:
    """A drawn value as a person would write it down."""
    return float(f"{value:.{count}g}")


def pick(chance: random.Random, among: Sequence[T]) -> T:
    """One of several."""
    return among[chance.randrange(len(among))]


def between(chance: random.Random, low: float, high: float, count: int = 3) -> float:
    """A value of so many digits."""
    return digits(low + (high - low) * chance.random(), count)
