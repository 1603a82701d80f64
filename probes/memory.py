"""How much of a device's memory the probes take, and what they do when it was too much."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from roofwatch.probes.device import Target

KEPT = 0.05  # of a card's memory, which is never taken: others live there
SHARES = (1.0, 0.5, 0.25, 0.125)  # of what is free, one after the other
_SIGNS = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "can't allocate memory")


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
        target.keep_within(share / 2)
        room = f"{target.free_bytes() / 2**30:.3g} GiB, half of before"
        say(f"out of memory: measured again within {room}")
