"""``roofwatch.mark("epoch 3")``: names what follows, for whoever watches this process."""

from __future__ import annotations

import os
import time

VARIABLE = "ROOFWATCH_MARK"  # of session/watch/marks.py, which a training script need not load


def mark(name: str) -> bool:
    """Name the part of the work that begins now; whether somebody watches.

    Without ``roofwatch watch`` around the process it does nothing, so that it may stay in a script.
    It never raises and never waits.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        return False
    said = " ".join(str(name).split())
    if not said:
        return False
    line = f"@{time.monotonic_ns()} {said}\n".encode("utf-8", "replace")
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # whoever watched is gone
        return False
    try:
        return os.write(file, line) == len(line)
    except OSError:
        return False
    finally:
        os.close(file)
