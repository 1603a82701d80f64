"""Paths, addresses, people and UUIDs in a text of any origin, taken out word by word.

Linear in the text's length, whatever stands in it. What it cannot know are names: those of hosts a
session tells (session/anonymous.py), a relative path without a file's ending nobody does.
"""

from __future__ import annotations

import ipaddress
import re

GONE = "(removed)"
HEX4 = "[0-9a-f]{4}"
UUID = re.compile(
    rf"(?:MIG-)?(?:GPU-)?[0-9a-f]{{8}}(?:-{HEX4}){{3}}-[0-9a-f]{{12}}|\b(?:GPU|MIG)-[0-9a-f]{{32}}\b",
    re.IGNORECASE,
)
MAC = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{2}[:-]){5,19}[0-9a-f]{2}(?![\w:])", re.IGNORECASE)
BUS = re.compile(
    r"(?<!\w)(?:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?|"
    r"(?<!:)[0-9a-f]{2}:[01][0-9a-f]\.[0-7])(?!\w)",
    re.IGNORECASE,
)
"""Of PCI, as the driver or the kernel writes it; without a domain a device's number is below 20."""
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b(?!\.\d)")
BEGIN = r"(?:~\w{0,32}|\.{1,2}|\$\w{1,64}|\$(?=/\w+/)|[A-Za-z]:|[A-Za-z][\w+.-]{0,15}:/{1,2})?[/\\]"
OPENED = re.compile(rf"""(["'])(?:-[A-Za-z])?{BEGIN}[\w.@+~%-]""")
CLOSED = {quote: re.compile(rf"{quote}(?!\w)") for quote in "\"'"}
LINE = re.compile(r'["\n]')
"""A path in quotes, with blanks: it ends at such a quote behind which no word goes on, ahead of the
next double quote and the line's end."""
WORDS = re.compile(r"""((?:[\s"`,;()\[\]{}<>|]|(?<!\w)'|'(?!\w))+)""")
PATH = re.compile(rf"(?:^|(?<=[=:>])|(?<=^-[A-Za-z])){BEGIN}(?=[\w.@+~%-][\w.@+~%/\\-])(?![\d.]+$)")
"""A path begins with a slash that follows no word: GB/s, read/write, $/h and ``/2`` are none."""
NO_PATH = frozenset({"/Mtok", "/token", "/day", "/min"})
ENDING = re.compile(
    r"\.(?:py|pyc|ipynb|jsonl?|toml|ya?ml|txt|log|csv|md|html?|xml|ini|cfg|conf|env|sh|c|cc|cpp|cuh?|h"
    r"|rs|so|dll|whl|gz|zip|tar|safetensors|bin|pth?|ckpt|onnx|gguf|npz?|pkl|h5|parquet|db|sqlite"
    r"|nsys-rep|pid|sock|lock|out|err)(?::\d+)*[.:]?$",
    re.IGNORECASE,
)
MOST_COLONS = 12  # of a word in which an address of version 6 is looked for


def clean(text: str) -> str:
    """The text without them."""
    words = WORDS.split(_unquoted(text))
    of_path = False
    for at in range(0, len(words), 2):  # what parts them stands between
        word, gap = words[at], words[at - 1] if at else ""
        if of_path and gap == " " and _goes_on(word):
            words[at - 1], words[at] = "", ""
            continue
        words[at] = _word(word)
        of_path = words[at] != word and PATH.search(word) is not None
    text = "".join(words)
    for found in (UUID, MAC, BUS, ADDRESS):
        text = found.sub(GONE, text)
    return text


def _unquoted(text: str) -> str:
    """Without paths in quotes. An end lies ahead of many beginnings, and is looked for once."""
    ends = {of: _Ahead(text, of) for of in (*CLOSED.values(), LINE)}
    out, kept, at = [], 0, 0
    while (opened := OPENED.search(text, at)) is not None:
        quote, at = opened[1], opened.end()
        closed = ends[CLOSED[quote]].behind(at)
        if closed <= ends[LINE].behind(at) and closed < len(text):
            out.append(f"{text[kept : opened.start()]}{quote}{GONE}{quote}")
            kept = at = closed + 1
    return "".join(out) + text[kept:]


class _Ahead:
    """Where a sign next stands in a text, asked for from places that only go on."""

    def __init__(self, text: str, sign: re.Pattern[str]) -> None:
        self._text, self._sign = text, sign
        self._next = -1

    def behind(self, at: int) -> int:
        """Its first place from ``at`` on; the text's length where there is none."""
        if self._next < at:
            found = self._sign.search(self._text, at)
            self._next = found.start() if found else len(self._text)
        return self._next


def _word(word: str) -> str:
    if "://" in word:
        head = word[: word.index("://")]
        kept = len(head)
        while kept and (head[kept - 1].isalnum() or head[kept - 1] in "+.-"):
            kept -= 1
        return word[:kept] + GONE
    if "@" in word:
        before, _, after = word.partition("@")
        if any(c.isalpha() for c in before) and (not after or after[0].isalnum()):
            return GONE
    if ("/" in word or "\\" in word) and word not in NO_PATH:
        begun = PATH.search(word)
        if begun is not None:
            tail = re.search(r":\d+(?::\d+)?[.:]?$", word)  # a line's number says nothing
            return word[: begun.start()] + GONE + (tail[0] if tail else "")
        if ENDING.search(word[-24:]):
            return GONE
    if word.count(":") > 1:
        return _without_address(word)
    return word


def _goes_on(word: str) -> bool:
    """Whether a word behind a path and a space is still of it: a folder's name with a space."""
    inner = re.search(r"^[\w.@+~%'-]+[/\\]", word)
    return inner is not None and not word.endswith(("/s", "/h"))


def _without_address(word: str) -> str:
    """A word of which no part behind a colon is an address of version 6: a time of day is none."""
    starts = [0, *(i + 1 for i, c in enumerate(word) if c == ":")]
    for start in starts[:MOST_COLONS]:
        told = word[start:].rstrip(".,;:").partition("%")[0]
        if "c10::" in told or not any(c.isdigit() for c in told):
            continue
        try:
            ipaddress.IPv6Address(told)
        except ValueError:
            continue
        return word[:start] + GONE
    return word
