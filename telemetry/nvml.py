"""The one door to NVML: loading, calling, and what its errors mean.

pynvml (the package nvidia-ml-py) is imported here alone and only when asked for. It binds the
newest C symbol of each function, so an older driver answers Function Not Found; an older package
lacks the Python function. Both mean: not supported here.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from roofwatch.session.events import Status

# Return codes, from nvml.h.
INVALID_ARGUMENT = 2
NOT_SUPPORTED = 3
NO_PERMISSION = 4
NOT_FOUND = 6
DRIVER_NOT_LOADED = 9
TIMEOUT = 10
LIBRARY_NOT_FOUND = 12
FUNCTION_NOT_FOUND = 13
GPU_IS_LOST = 15
RESET_REQUIRED = 16
LIB_RM_VERSION_MISMATCH = 18
VGPU_ECC_NOT_SUPPORTED = 22
ARGUMENT_VERSION_MISMATCH = 25
DEPRECATED = 26
GPU_NOT_FOUND = 28
UNKNOWN = 999
NO_PACKAGE = -1  # our own: nvidia-ml-py is not installed, or another package has its name
BINDING = -2  # our own: pynvml itself stumbled

HANGS_S = 1.0  # an answer takes milliseconds; a first one, with persistence mode off, seconds

MEMORY_V2 = 0x02000028  # nvmlMemory_v2: the version word of the struct without reserved bytes
CLOCK_SM, CLOCK_MEM = 1, 2
TEMPERATURE_GPU = 0
THRESHOLD_SLOWDOWN = 1

_UNSUPPORTED = frozenset(
    {
        NOT_SUPPORTED,
        FUNCTION_NOT_FOUND,
        VGPU_ECC_NOT_SUPPORTED,
        ARGUMENT_VERSION_MISMATCH,  # the struct is newer than the driver
        DEPRECATED,
    }
)
FINAL = _UNSUPPORTED | {NO_PERMISSION, INVALID_ARGUMENT}
"""Codes that asking again will not change; the others may pass."""

_GONE = {
    GPU_IS_LOST: "GPU is lost: it no longer answers on the bus; the host must reset or reboot it",
    RESET_REQUIRED: "GPU needs a reset before it works again; only the host can do that",
}
_ABSENT = {
    NO_PACKAGE: "nvidia-ml-py is not installed",
    LIBRARY_NOT_FOUND: "no NVIDIA driver library (libnvidia-ml.so.1) on this machine",
    DRIVER_NOT_LOADED: "the NVIDIA driver is not loaded",
    LIB_RM_VERSION_MISMATCH: "the NVIDIA driver was upgraded, host must reboot (or reload it)",
    NO_PERMISSION: "no permission to talk to the NVIDIA driver",
    UNKNOWN: "NVML answers Unknown Error: this container lost its GPU; restart the container",
    GPU_NOT_FOUND: "NVML found no such GPU",
    NOT_FOUND: "NVML found no such GPU",
}


class NvmlError(Exception):
    """One call failed; the others may still work."""

    def __init__(self, code: int, function: str = "a call") -> None:
        super().__init__(f"{function}: NVML error {code}")
        self.code = code
        self.function = function


class Gone(Exception):
    """The card was there and is no more; there is nothing left to read."""


class Absent(Exception):
    """There is no NVML, or not the device that was asked for."""


def status(code: int) -> Status:
    """The contract's word for a return code."""
    if code in _UNSUPPORTED:
        return "not_supported"
    return "no_permission" if code == NO_PERMISSION else "error"


def absent(error: NvmlError) -> Absent:
    """Why there is no NVML to read, in one line."""
    if error.code == TIMEOUT:
        return Absent(
            f"NVML does not answer: {error.function} timed out; only the host can mend it"
        )
    return Absent(_ABSENT.get(error.code, f"NVML does not start (error {error.code})"))


class Nvml:
    """Calls NVML by pynvml's function names. Tests hand in a module of their own.

    Functions in ``without`` are never called: each counts as one that timed out.
    """

    def __init__(self, module: Any, without: Collection[str] = ()) -> None:
        self._module = module
        self._without = frozenset(without)
        # A module that has no such class cannot raise it.
        self._error: type[Exception] = getattr(module, "NVMLError", NvmlError)
        # pynvml's own word for a versioned symbol that the driver lacks; no NVMLError.
        self._mismatch = getattr(module, "NVMLLibraryMismatchError", TypeError)
        # One object, replaced as a whole: the thread that beats never sees half of it.
        self._under_way: tuple[str, float] | None = None

    def waits_for(self) -> str | None:
        """The function that has not returned for a second; any thread may ask."""
        under_way = self._under_way
        if under_way is None or time.monotonic() - under_way[1] < HANGS_S:
            return None
        return under_way[0]

    def start(self) -> None:
        """Initialise the library (0.2 ms, or seconds with persistence mode off).

        Raises:
            Absent: there is no NVML here; the text says why.
            Gone: the card is lost.
        """
        try:
            self.call("nvmlInit")
        except NvmlError as error:
            raise absent(error) from None

    def call(self, function: str, *arguments: Any) -> Any:
        """Call one pynvml function.

        Raises:
            NvmlError: it failed, or driver or package do not have it.
            Gone: the card was lost.
        """
        # NVML follows a null pointer into a crash: no call ever carries one.
        if any(argument is None for argument in arguments):
            raise NvmlError(INVALID_ARGUMENT, function)
        if function in self._without:
            raise NvmlError(TIMEOUT, function)
        implementation = getattr(self._module, function, None)
        if implementation is None:
            raise NvmlError(FUNCTION_NOT_FOUND, function)
        self._under_way = (function, time.monotonic())
        try:
            return implementation(*arguments)
        except self._error as error:
            value = getattr(error, "value", None)
            code = value if isinstance(value, int) else UNKNOWN
        except (TypeError, self._mismatch):
            # An older package without this parameter, or an older driver without this version.
            code = FUNCTION_NOT_FOUND
        except Exception:  # garbage where text should be, say: no reading is worth the others
            code = BINDING
        finally:
            self._under_way = None
        check(code)
        raise NvmlError(code, function)

    def handle(self, function: str, *arguments: Any) -> Any:
        """Call a function that answers a device handle; a null one is an error.

        Raises:
            NvmlError: as ``call``.
            Gone: as ``call``.
        """
        handle = self.call(function, *arguments)
        if not handle:
            raise NvmlError(GPU_NOT_FOUND, function)
        return handle


def check(code: int) -> None:
    """Raise Gone if a return code says that the card is lost."""
    if code in _GONE:
        raise Gone(_GONE[code])


def load(without: Collection[str] = ()) -> Nvml:
    """The package, which has not touched the library yet: ``start`` does.

    Raises:
        Absent: nvidia-ml-py is not installed, or does not load.
    """
    try:
        import pynvml
    except Exception:  # another package of this name can fail in any way
        raise absent(NvmlError(NO_PACKAGE)) from None
    if not hasattr(pynvml, "nvmlInit"):
        raise absent(NvmlError(NO_PACKAGE))
    return Nvml(pynvml, without)
