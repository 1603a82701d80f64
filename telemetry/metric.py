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
            value = _believe(self._take, answer)
            self.status = "error" if value is None else None
            return value
        self.status = self._refused
        return None


def _believe(take: Callable[[Any], T | None], answer: Any) -> T | None:
    try:
        return take(answer)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def number(low: float, high: float, parts: float = 1.0) -> Callable[[Any], float | None]:
    """Take a number of ``parts`` to the unit, if in that unit it lies in [low, high]."""

    def take(answer: Any) -> float | None:
        value = float(answer) / parts
        return value if low <= value <= high else None

    return take


def whole(low: int, high: int) -> Callable[[Any], int | None]:
    """Take an integer if it lies in [low, high]."""

    def take(answer: Any) -> int | None:
        value = int(answer)
        return value if low <= value <= high else None

    return take


def text(answer: Any) -> str | None:
    """Take a name; older packages answer bytes."""
    value = answer.decode() if isinstance(answer, bytes) else str(answer)
    return value.strip() or None


# What a card can be. Zero clock, power or temperature is a missing value, not a reading.
MHZ = number(1, 10_000)
WATTS = number(0.001, 10_000, parts=1000)  # from mW
CELSIUS = number(1, 150)
JOULES = number(0, 1e13, parts=1000)  # from mJ; ten years at 10 kW are 3e12 J
REASONS = whole(0, 0xFFFFFF)
BYTES_MAX = 1 << 44  # 16 TiB
