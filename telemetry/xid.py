"""The driver's own errors (Xid) while we look, by NVML's events: no right to the log is needed."""

from __future__ import annotations

from typing import Any

from roofwatch.session.events import Status
from roofwatch.telemetry.metric import believe, whole
from roofwatch.telemetry.nvml import TIMEOUT, Nvml, NvmlError, status

XID_CRITICAL = 8  # nvmlEventTypeXidCriticalError
WAIT_MS = 1
MOST = 32  # events of one look: a broken card may send more than anybody reads
_NUMBER = whole(0, 1 << 16)


class Xids:
    """Numbers of the errors since the first look; ``status`` says why there are none to be had."""

    def __init__(self, nvml: Nvml, handle: Any) -> None:
        self._nvml = nvml
        self._handle = handle
        self._events: Any = None
        self._seen: list[int] = []
        self.status: Status | None = None

    def read(self) -> list[int] | None:
        """All so far.

        Raises:
            Gone: the card was lost.
        """
        try:
            if self._events is None:
                events = self._nvml.handle("nvmlEventSetCreate")
                self._nvml.call("nvmlDeviceRegisterEvents", self._handle, XID_CRITICAL, events)
                self._events = events
            for _ in range(MOST):
                event = self._nvml.call("nvmlEventSetWait", self._events, WAIT_MS)
                number = believe(lambda told: _NUMBER(told.eventData), event)
                if number is None:
                    self.status = "error"
                    return None
                self._seen.append(number)
        except NvmlError as error:
            if error.code != TIMEOUT or error.function != "nvmlEventSetWait":
                self.status = status(error.code)
                return None
        self.status = None
        return list(self._seen)
