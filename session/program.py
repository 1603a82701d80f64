"""What a person types to run this program again, for sentences that name a command."""

from __future__ import annotations

import os

BY_START = "ROOFWATCH_BY_START"  # set by ./start: then there may be no command of our name

STARTER = "./start"
PROGRAM = STARTER if os.environ.get(BY_START) else "roofwatch"
