"""What torch's store says, as text: a value, and what it complains of: it says which keys it waited
for, which tells nobody what is wrong."""

from __future__ import annotations

import re

_WAITED = re.compile(r"\bwait timeout after (\d+) ?ms, keys?:.*", re.S | re.I)


def text_of(raw: bytes | str) -> str:
    """A value that a rank has set; what is no UTF-8 in it is replaced."""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def in_words(text: str) -> str:
    """The same text, with "not all ranks came in 60 s" in place of a list of keys."""
    return _WAITED.sub(lambda found: f"not all ranks came in {int(found[1]) / 1000:.0f} s", text)
