"""NVML field values: accumulated throttle time and instant power, all in one call a sample.

Ten readings a second miss a short event; these counters do not. They are refreshed every 100 ms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from roofwatch.session.events import Status
from roofwatch.telemetry.metric import believe, number, whole
from roofwatch.telemetry.nvml import FINAL, UNKNOWN, Nvml, NvmlError, check, status


class Field(NamedTuple):
    """A field id of nvml.h; the scope is used by the power fields only."""

    id: int
    scope: int = 0


COUNTERS: dict[str, Field] = {
    "power_cap": Field(74),  # CLOCKS_EVENT_REASON_SW_POWER_CAP, alias PERF_POLICY_POWER
    "policy_thermal": Field(75),  # PERF_POLICY_THERMAL
    "sync_boost": Field(76),  # CLOCKS_EVENT_REASON_SYNC_BOOST
    "below_app_clocks": Field(80),  # PERF_POLICY_TOTAL_APP_CLOCKS
    "below_base_clocks": Field(81),  # PERF_POLICY_TOTAL_BASE_CLOCKS
    "sw_thermal": Field(269),  # CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN
    "hw_thermal": Field(270),  # CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN
    "power_brake": Field(271),  # CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN
}
"""Names of a sample's counters, in nanoseconds. The header gives no unit for 75, 80 and 81;
they are of the same family as 74."""

NVLINK_COUNT = Field(91)
POWER_INSTANT = Field(186)  # mW, scope GPU
POWER_INSTANT_MODULE = Field(186, scope=1)  # GH200 and kin: the CPU beside the GPU included

COUNTER_MAX = 1 << 62  # 146 years in ns
_WHOLE = whole(0, COUNTER_MAX)
_NUMBER = number(0, COUNTER_MAX)

_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
"""Union members by valueType, from nvml.h."""


class Fields:
    """Field values of one card. Each is tried alone once; the supported ones share a call."""

    def __init__(self, nvml: Nvml, handle: Any, wanted: dict[str, Field]) -> None:
        self._nvml = nvml
        self._handle = handle
        self._live: dict[str, Field] = {}
        self._refused: dict[str, Status] = {}
        self.status: dict[str, Status] = {}
        self.code = 0  # of the last field that failed
        for name, field in wanted.items():
            self._live[name] = field
            # Alone, so that a driver which rejects a whole call for one id loses that one only.
            self._settle(name, self._ask([field])[0])

    def supports(self, name: str) -> bool:
        """Whether the driver gives this field."""
        return name in self._live

    def read(self) -> dict[str, int | float]:
        """The values that were given; ``status`` says why the others were not.

        Raises:
            Gone: the card was lost.
        """
        self.status = dict(self._refused)
        values: dict[str, int | float] = {}
        names = list(self._live)
        for name, answer in zip(names, self._ask(list(self._live.values())), strict=True):
            if isinstance(answer, NvmlError):
                self._settle(name, answer)
            else:
                values[name] = answer
        return values

    def _settle(self, name: str, answer: int | float | NvmlError) -> None:
        if isinstance(answer, NvmlError):
            self.status[name] = status(answer.code)
            self.code = answer.code
            if answer.code in FINAL:
                self._refused[name] = self.status[name]
                del self._live[name]

    def _ask(self, fields: list[Field]) -> list[int | float | NvmlError]:
        if not fields:
            return []
        wanted = [(field.id, field.scope) for field in fields]
        try:
            answers = believe(
                list, self._nvml.call("nvmlDeviceGetFieldValues", self._handle, wanted)
            )
        except NvmlError as error:
            return [error] * len(fields)
        if answers is None or len(answers) != len(fields):
            return [NvmlError(UNKNOWN)] * len(fields)
        return [_value(answer) for answer in answers]


def _value(answer: Any) -> int | float | NvmlError:
    code = believe(_code, answer)
    if code is None:
        return NvmlError(UNKNOWN)
    check(code)
    if code:
        return NvmlError(code)
    value = believe(_take, answer)
    return NvmlError(UNKNOWN) if value is None else value


def _code(answer: Any) -> int | None:
    code = answer.nvmlReturn
    return code if isinstance(code, int) else None


def _take(answer: Any) -> int | float | None:
    kind = whole(0, len(_MEMBERS) - 1)(answer.valueType)
    if kind is None:
        return None
    given = getattr(answer.value, _MEMBERS[kind])
    return _WHOLE(given) if isinstance(given, int) else _NUMBER(given)
