"""A trace from a file, whichever profiler wrote it."""

from __future__ import annotations

import gc
from pathlib import Path

from roofwatch.trace.recording import Recording
from roofwatch.trace.refusal import UnreadableTrace
from roofwatch.trace.trace_bytes import is_sqlite


def read_trace(path: Path) -> Recording:
    """A PyTorch profiler's Chrome trace (plain or gzipped) or an Nsight Systems export.

    Raises:
        UnreadableTrace: naming the file and the place in it; one line.
    """
    was = gc.isenabled()
    gc.disable()  # nothing here is a cycle, and a million events are looked at for one
    try:
        if is_sqlite(path):
            from roofwatch.trace.nsight import read_nsight

            found = read_nsight(path)
        else:
            from roofwatch.trace.chrome import read_chrome

            found = read_chrome(path)
    finally:
        if was:
            gc.enable()
    if not found.activities and not len(found.operators):
        raise UnreadableTrace(f"{path}: no kernel, copy or operator in it")
    return found
