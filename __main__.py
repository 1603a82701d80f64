"""``python -m roofwatch`` and the command ``roofwatch``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run a verb. Ctrl-C ends the process as it ends any other, until a verb has its own way."""
    from roofwatch.verbs.early import ctrl_c_ends

    if not ctrl_c_ends():
        return 130
    from roofwatch.cli import main as run
    from roofwatch.verbs.streams import flushed

    return flushed(run())


if __name__ == "__main__":
    sys.exit(main())
