"""``python -m roofwatch`` and the command ``roofwatch``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run a verb. Ctrl-C ends the process as it ends any other, until a verb has its own way."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:
        return 130
    from roofwatch.cli import main as run

    code = run()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (
        OSError,
        ValueError,
    ):  # nobody is there any more; the interpreter's own end would say so
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
