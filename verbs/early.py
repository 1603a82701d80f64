"""Ctrl-C before anything of ours is there to hear it. Imports nothing: it is the first to run."""

from __future__ import annotations

import signal


def ctrl_c_ends() -> bool:
    """Ctrl-C ends the process as it ends any other, until a verb has its own way.

    False where it has come already.
    """
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:
        return False
    return True
