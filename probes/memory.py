"""How much of a device's memory the probes take, and what they do when it was too much."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from roofwatch.roofline.per_cent import per_cent

if TYPE_CHECKING:
    from roofwatch.probes.device import Target

KEPT = 0.05  # of a card's memory, which is never taken: others live there
SHARES = (1.0, 0.5, 0.25, 0.125)  # of what is free, one after the other
WAIT_S = 0.5  # before it is tried again: another process may want the memory for a moment only
_SIGNS = (
    "out of memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "can't allocate memory",
    "too little memory is free",  # as the probes say it
)
_ASKED = re.compile(r"[Tt]ried to allocate ([\d.]+ \w+)")


def out_of_memory(error: BaseException) -> bool:
    """Whether more memory was asked for than there is, by torch's allocator or by a library."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return any(sign in str(error) for sign in _SIGNS)


def within_room(target: Target, measure: Callable[[], None], say: Callable[[str], None]) -> None:
    """Measure within what is free now; out of memory, again within half of it, and say so.

    Raises:
        Exception: whatever ``measure`` raises, out of memory only when the smallest room was.
    """
    for share in SHARES:
        target.keep_within(share)
        try:
            measure()
            return
        except Exception as error:
            if share == SHARES[-1] or not out_of_memory(error):
                raise
        gc.collect()  # behind the error, which held what had been taken
        target.clean_up()
        time.sleep(WAIT_S)
        say(f"out of memory: tried again with {per_cent(share / 2, 1)} of what is free")


def shortage(error: BaseException, target: Target) -> str:
    """What was asked for and what there is, in one line."""
    target.keep_within(1.0)
    asked = _ASKED.search(str(error))
    of = f" of {asked[1]}" if asked else ""
    return f"out of memory{of}, whatever the size: {target.free_bytes() / 2**30:.2f} GiB are free"
