"""Someone's callable with its batch or its element type changed, timed beside itself."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from roofwatch.probes import op_count
from roofwatch.probes.device import Target
from roofwatch.probes.op_count import CallCount
from roofwatch.probes.their_device import Say, TheirDevice
from roofwatch.probes.timing import Launch, Timer
from roofwatch.probes.variation import (
    FACTORS,
    Change,
    batch_argument,
    changed_batch,
    changed_dtype,
    dtype_argument,
)
from roofwatch.roofline.error_text import named
from roofwatch.roofline.statistics import median
from roofwatch.roofline.trial import Varied

TURNS = 3  # of an experiment: the call as it is and as it is changed, one after the other
TURN_S = 0.15
MOST_IN_TURN = 20
LONGEST_CALL_S = 1.5  # of a changed call
FREE_SHARE = 0.5  # of the free memory that a larger batch may take


def experiments(
    fn: Callable[..., object],
    place: TheirDevice,
    timer: Timer,
    time_s: float,
    counted: CallCount | None,
    batch_name: str | None,
    status: dict[str, str],
    say: Say,
) -> Iterator[Varied]:
    """Each experiment that the parameters allow; one that fails is told in ``status``."""
    changes = []
    batch = batch_argument(fn, batch_name)
    if batch is not None:
        name, value = batch
        factor = _factor(place.target(), time_s, counted.written_bytes if counted else None, value)
        if factor is None:
            status["experiments"] = f"{name} cannot be changed: too little memory or time"
        else:
            changes.append(changed_batch(name, value, factor))
    dtype = dtype_argument(fn)
    if dtype is not None:
        other = changed_dtype(dtype[1], place.kind)
        changes += [other] if other is not None else []
    for change in changes:
        say(change.what)
        try:
            yield _varied(fn, change, place, timer)
        except (Exception, SystemExit) as error:  # their function need not take every value
            status["experiments"] = f"{change.what}: {brief(error)}"
            place.target().clean_up()


def _factor(target: Target, time_s: float, written_bytes: float | None, batch: int) -> float | None:
    """How much larger the batch may be, else half of it: a call takes no more than it writes."""
    free = FREE_SHARE * target.free_bytes()
    for factor in FACTORS:
        if factor * time_s <= LONGEST_CALL_S and factor * (written_bytes or 0.0) <= free:
            return float(factor)
    return 0.5 if batch > 1 else None


def _varied(fn: Callable[..., object], change: Change, place: TheirDevice, timer: Timer) -> Varied:
    """The call as it is and as it is changed, in turns, so that both see the same machine."""

    def changed() -> object:
        return fn(**{change.name: change.value})

    changed()
    other = place.timer(changed)
    base_s: list[float] = []
    other_s: list[float] = []
    for _ in range(TURNS):
        base_s += _turn(timer, fn)
        other_s += _turn(other, changed)
    count = None
    with contextlib.suppress(Exception, SystemExit):  # as of the call itself
        count = op_count.count(changed, place.kind)
    return Varied(
        what=change.what,
        time_ratio=median(other_s) / median(base_s),
        factor=change.factor,
        counted=count.counted if count else (),
        launches=float(count.operators) if count and count.operators else None,
    )


def _turn(timer: Timer, launch: Launch) -> list[float]:
    first = timer.times(launch, 1)
    return first + timer.times(launch, min(MOST_IN_TURN, int(TURN_S / (first[0] * timer.calls))))


def brief(error: BaseException) -> str:
    """An error of theirs in a few words of one line."""
    return named(error)[:160]
