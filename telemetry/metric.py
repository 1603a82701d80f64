"""One number that NVML may or may not give: how to ask, what to believe, why it is silent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from roofwatch.session.events import Status
from roofwatch.telemetry.nvml import FINAL, NO_PERMISSION, Nvml, NvmlError, status

T = TypeVar("T")
Route = tuple[Any, ...]
"""A pynvml function's name and its arguments."""


class Metric(Generic[T]):
    """Asks by the first route that the driver supports, and never again where none is.

    ``take`` turns NVML's answer into the value, or into None when nobody should believe it; an
    answer of another form than expected counts as unbelievable too.
    """

    def __init__(self, nvml: Nvml, take: Callable[[Any], T | None], *routes: Route) -> None:
        self._nvml = nvml
        self._take = take
        self._routes = list(routes)
        self._refused: Status = "not_supported"
        self.status: Status | None = None
        self.code = 0  # of the last failed call

    @property
    def settled(self) -> bool:
        """Whether it is known that there will never be a value."""
        return not self._routes

    def read(self) -> T | None:
        """The value, or None with ``status`` set.

        Raises:
            Gone: the card was lost.
        """
        while self._routes:
            try:
                answer = self._nvml.call(*self._routes[0])
            except NvmlError as error:
                self.code = error.code
                if error.code not in FINAL:
                    self.status = status(error.code)
                    return None
                # A refused permission tells more than the older route's missing symbol.
                if self._refused == "not_supported" or error.code == NO_PERMISSION:
                    self._refused = status(error.code)
                del self._routes[0]
                continue
            value = believe(self._take, answer)
            self.status = "error" if value is None else None
            return value
        self.status = self._refused
        return None


def believe(take: Callable[[Any], T | None], answer: Any) -> T | None:
    """What ``take`` makes of an answer; None where that fails, in whatever way garbage may."""
    try:
        return take(answer)
    except Exception:
        return None


# A word of ones is how a driver writes "no value", whatever it could mean as a number.
_ALL_ONES = frozenset((1 << bits) - 1 for bits in (31, 32, 63, 64))


def number(low: float, high: float, parts: float = 1.0) -> Callable[[Any], float | None]:
    """Take a number of ``parts`` to the unit, if in that unit it lies in [low, high]."""

    def take(answer: Any) -> float | None:
        if isinstance(answer, bool) or not isinstance(answer, (int, float)) or answer in _ALL_ONES:
            return None
        value = float(answer) / parts
        return value if low <= value <= high else None

    return take


def whole(low: int, high: int) -> Callable[[Any], int | None]:
    """Take an integer if it lies in [low, high]."""

    def take(answer: Any) -> int | None:
        if isinstance(answer, bool) or not isinstance(answer, int) or answer in _ALL_ONES:
            return None
        return answer if low <= answer <= high else None

    return take


def of_pair(index: int, take: Callable[[Any], T | None]) -> Callable[[Any], T | None]:
    """Take one of two numbers that a function answers together."""

    def take_one(answer: Any) -> T | None:
        pair = isinstance(answer, (list, tuple)) and len(answer) == 2
        return take(answer[index]) if pair else None

    return take_one


def text(answer: Any) -> str | None:
    """Take a name of printable characters; older packages answer bytes."""
    value = answer.decode() if isinstance(answer, bytes) else answer
    if not isinstance(value, str) or not value.isprintable() or len(value) > TEXT_MAX:
        return None
    return value.strip() or None


def uuid(answer: Any) -> str | None:
    """Take the UUID of a card or of a slice."""
    value = text(answer)
    return value if value and value.startswith(("GPU-", "MIG-")) else None


def count(processes: Any) -> int | None:
    """Take the number of processes in a list of them."""
    if not isinstance(processes, list) or not all(
        hasattr(one, "usedGpuMemory") for one in processes
    ):
        return None
    return whole(0, PROCESSES_MAX)(len(processes))


# What a card can be. Zero clock, power or temperature is a missing value, not a reading.
MHZ = number(1, 10_000)
WATTS = number(0.001, 10_000, parts=1000)  # from mW
CELSIUS = number(1, 150)
JOULES = number(0.001, 1e13, parts=1000)  # from mJ; ten years at 10 kW are 3e12 J
REASONS = whole(0, 0xFFFFFF)
CARD_COUNT = whole(0, 1024)
CARD_INDEX = whole(0, 1023)
CORES = whole(1, 1 << 20)
MODE = whole(0, 1)
BYTES_MAX = 1 << 44  # 16 TiB
PROCESSES_MAX = 10_000
TEXT_MAX = 96  # nvml.h's longest buffer for a name
