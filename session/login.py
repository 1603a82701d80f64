"""A word with an ``@``: somebody's login or address, or a size and its precision.

Whoever is left in is worse than what goes, so only what no host is called is none: numbers and
sizes with a unit, versions of two or three numbers, and precisions (``8192x8192@fp8``, ``mm@4096``,
``bf16@1830MHz``, ``torch@2.11.0``); and those too go behind a word that a login follows.
"""

from __future__ import annotations

import re

NO_HOST = re.compile(
    r"(?:\d+(?:[.x*×]\d+){0,2}"
    r"(?:(?:[kKMGT]i?)?(?:B|Hz|W|C|s)?|[mun]s|%|bits?|[KMG]iB|[GMT]B/s|T?FLOP/s|TFLOPS)"
    r"|(?:bf|fp|tf|int|uint|float|e\dm|nvfp|mxfp)\d{1,2}(?:_?e\dm\d(?:fn)?(?:uz)?|_\w{1,8})?)[.,:;!?]*"
)
LOGIN_WORDS = frozenset(
    {"ssh", "scp", "sftp", "rsync", "user", "username", "login", "logname", "account", "email"}
)
"""What a login follows, whatever it looks like."""
LOGIN = re.compile(r"(?:[^\W\d_]|_)[\w.+-]{0,63}\Z")


def is_login(word: str, before: str = "") -> bool:
    """Whether it names a person at a host; ``before`` is the word that stands before it."""
    name, _, host = word.partition("@")
    if "://" in word or not (not host or host[0].isalnum()):
        return False
    lead = name.rpartition("=")[0] or before
    if lead.strip(":=-").lower() in LOGIN_WORDS:
        return bool(name)
    if not any(c.isalpha() for c in name):
        return re.match(r"[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2}", host) is not None and bool(name)
    return NO_HOST.fullmatch(host) is None


def name_of(word: str) -> str:
    """The person's name in a login, without what is written before it; empty where it has none."""
    found = LOGIN.search(word.partition("@")[0])
    return found[0] if found else ""
