"""Paths, addresses, people and UUIDs in a text of any origin, taken out word by word.

Linear in the text's length, whatever stands in it. What it cannot know are names: those of hosts a
session tells (session/anonymous.py), a relative path without a file's ending nobody does.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata

from roofwatch.session.login import is_login
from roofwatch.session.private_path import GONE, path_at, unquoted
from roofwatch.session.version_or_address import without_addresses

HEX4 = "[0-9a-f]{4}"
ANY_CASE = re.IGNORECASE | re.ASCII  # letters of other scripts may stand beside what is looked for
UUID = re.compile(
    rf"(?:MIG-)?(?:GPU-)?[0-9a-f]{{8}}(?:-{HEX4}){{3}}-[0-9a-f]{{12}}|\b(?:GPU|MIG)-[0-9a-f]{{32}}\b"
    r"|\b(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{0,12}){0,4}(?!\w)",
    ANY_CASE,
)
"""Whole, or as short as two cards of one name are told apart by."""
MAC = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{2}[:-]){5,19}[0-9a-f]{2}(?![\w:])", ANY_CASE)
BUS = re.compile(
    r"(?<!\w)(?:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?|"
    r"(?<!:)[0-9a-f]{2}:[01][0-9a-f]\.[0-7])(?!\w)",
    ANY_CASE,
)
"""Of PCI, as the driver or the kernel writes it; without a domain a device's number is below 20."""
WORDS = re.compile(
    r"""((?:\x1b\[[\d;]{0,20}[A-Za-z]|[\s"`,;()\[\]{}<>|\x00-\x1f\x7f]|(?<!\w)'|'(?!\w)"""
    r"""|(?![’‐-―])[^\w\x00-\x7f]|(?<!\w)[’‐-―]|[’‐-―](?!\w))+)"""
)
"""What parts words: spaces, a terminal's colours, and signs of any script; not what stands within
a word, an apostrophe or a dash."""
ENDING = re.compile(
    r"\.(?:py|pyc|ipynb|jsonl?|toml|ya?ml|txt|log|csv|md|html?|xml|ini|cfg|conf|env|sh|c|cc|cpp|cuh?|h"
    r"|rs|so|dll|whl|gz|zip|tar|safetensors|bin|pth?|ckpt|onnx|gguf|npz?|pkl|h5|parquet|db|sqlite"
    r"|nsys-rep|pid|sock|lock|out|err)(?::\d+)*[.:]?$",
    re.IGNORECASE,
)
FOREIGN = re.compile(r"([^\x00-\x7f]+)")
MOST_COLONS = 12  # of a word in which an address of version 6 is looked for


def clean(text: str) -> str:
    """The text without them."""
    words = _words(unquoted(text))
    of_path, before = False, ""
    for at in range(0, len(words), 2):  # what parts them stands between
        word, gap = words[at], words[at - 1] if at else ""
        if of_path and gap == " " and _goes_on(word):
            words[at - 1], words[at] = "", ""
            continue
        ahead = words[at - 2][-1:] + gap if at else ""
        if "@" in word and is_login(word, before):
            words[at], of_path = GONE, False
            before = word
            continue
        words[at] = _word(word, ahead)
        of_path = words[at] != word and path_at(word, ahead) is not None
        before = word
    text = "".join(words)
    for found in (UUID, MAC, BUS):
        text = found.sub(GONE, text)
    return without_addresses(text)


def _words(text: str) -> list[str]:
    """Words, and between each two what parts them. An accent written by itself parts none."""
    first, *rest = WORDS.split(text)
    words: list[list[str]] = [[first]]
    for gap, word in zip(rest[::2], rest[1::2], strict=True):
        if all(unicodedata.category(c)[0] == "M" for c in gap):
            words[-1] += [gap, word]
        else:
            words += [[gap], [word]]
    return ["".join(parts) for parts in words]


def _word(word: str, ahead: str) -> str:
    if "://" in word:
        head = word[: word.index("://")]
        kept = len(head)
        while kept and (head[kept - 1].isalnum() or head[kept - 1] in "+.-"):
            kept -= 1
        begun = path_at(word[:kept], ahead)
        return word[: kept if begun is None else begun] + GONE
    if "/" in word or "\\" in word:
        begun = path_at(word, ahead)
        if begun is not None:
            tail = re.search(r":\d+(?::\d+)?[.:]?$", word)  # a line's number says nothing
            return word[:begun] + GONE + (tail[0] if tail else "")
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
    parts = FOREIGN.split(word)  # what is not ASCII
    for at, part in enumerate(parts):
        starts = [0, *(i + 1 for i, c in enumerate(part) if c == ":")]
        for start in starts[:MOST_COLONS] if part.count(":") > 1 else ():
            told = part[start:].rstrip(".,;:").partition("%")[0]
            if "c10::" in told or not any(c.isdigit() for c in told):
                continue
            try:
                ipaddress.IPv6Address(told)
            except ValueError:
                continue
            return "".join([*parts[:at], part[:start], GONE, *parts[at + 1 :]])
    return word
