"""What torch's store complains of, in words: it says which keys it waited for, which tells nobody
what is wrong."""

from __future__ import annotations

import re

_WAITED = re.compile(r"\bwait timeout after (\d+) ?ms, keys?:.*", re.S | re.I)


def in_words(text: str) -> str:
    """The same text, with "not all ranks came in 60 s" in place of a list of keys."""
    return _WAITED.sub(lambda found: f"not all ranks came in {int(found[1]) / 1000:.0f} s", text)
