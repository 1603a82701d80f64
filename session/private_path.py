"""Where a path begins in a word, and paths in quotes: whichever script the text around it is in.

A path begins at a slash that stands behind no word and no number: GB/s, fp16/bf16 and 11/30 are
none. Behind what may also close a term ($, %, a bracket), or a letter of a script that parts no
words, it needs a second folder. Linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata

GONE = "(removed)"
FIRST = r"[\w.@+~%-]"
BEGIN = (
    r"(?:~\w{0,32}|\.{1,2}|\$\w{1,64}|\$(?=/\w+/)|[A-Za-z]:|[A-Za-z][\w+.-]{0,15}:/{1,2})?"
    r"[/\\]{1,4}"
)
"""Several slashes: a share of a host, or a backslash as Python's repr writes it."""
RATE = r"(?:[kKMGTP]i?B|[KMGTP]?(?:FLOPs?|OPS)|tok|tokens?|it|iter|req|steps?)/"
BEGINS = re.compile(
    rf"~(?!{RATE})[^\W\d][\w.-]{{0,62}}[/\\]{{1,4}}(?={FIRST})|{BEGIN}(?={FIRST}[\w.@+~%/\\-])"
)
"""A home folder by its tilde is one whatever follows; of ``~GB/s`` a unit does."""
SECOND = re.compile(rf"{FIRST}+[/\\]+{FIRST}")
SECOND_ASCII = re.compile(r"[A-Za-z0-9_.~-][\w.@+~%-]*[/\\]+[\w.@+~%-]")
SHARE = re.compile(r"(?://|\\\\)[/\\]*\Z")
NUMBER = re.compile(r"[\d./]{1,40}\Z")
UNIT = re.compile(r"(?:Mtok|tok|tokens?|day|hour|min|sec|ms|us|step|week)\b(?![/\\.-])")
"""What is said for each, behind a slash that follows a space or a sign."""
CLOSING = frozenset("%‰°′″±×÷∓+-.…~^@)]}")  # a term may end with it, and its unit follow
ACCENTS = frozenset(map(chr, range(0x300, 0x370)))
APOSTROPHES = frozenset("'’")

ALIKE = "\"'”’＂＇"  # they open and close
PAIRED = (
    "`'`",
    "“”“",
    "‘’‘",
    "„“”",
    "‚‘’",
    "«»",
    "»«",
    "‹›",
    "›‹",
    "「」",
    "『』",
    "《》",
    "〈〉",
    "〝〞〟",
)
QUOTES = {quote: quote for quote in ALIKE} | {pair[0]: pair[1:] for pair in PAIRED}
"""By what each ends, in any language that quotes with it."""
OPENED = re.compile(
    rf"(?:([{''.join(q for q in QUOTES if q != '’')}])|(?<!\w)(’))(?:-[A-Za-z])?{BEGIN}{FIRST}"
)
BEFORE_NO_WORD = "\"'`’‘"  # such a one ends a quote where no word goes on: it may be an apostrophe
ENDS = {
    ends: re.compile("|".join(rf"{e}(?!\w)" if e in BEFORE_NO_WORD else e for e in ends))
    for ends in QUOTES.values()
}
LINES = {True: re.compile(r'["\n]'), False: re.compile(r"\n")}
"""What ends the search for it: of an ASCII quote the next double one too."""


def path_at(word: str, ahead: str = "") -> int | None:
    """Where in a word a path begins that goes on to its end; None: nowhere.

    ``ahead`` is what stands before the word, with the last letter of the one before.
    """
    at = 0
    while (found := BEGINS.search(word, at)) is not None:
        if _is_path(word, found, ahead):
            return found.start()
        at = found.start() + 1  # what looked like a drive may be a word with its colon
    return None


def _is_path(word: str, found: re.Match[str], ahead: str) -> bool:
    begin, behind = found.span()
    if NUMBER.match(word, behind) or UNIT.match(word, behind):
        return False
    if SHARE.search(found[0][-4:]) and not found[0][0].isalpha():
        return SECOND.match(word, behind) is not None
    two = (ahead[-2:] + word[max(begin - 2, 0) : begin])[-2:]
    before = two[-1:]
    if begin == 2 and word[0] == "-" and before.isalpha():  # an option's letter: -I/usr/include
        return True
    if not before or before.isspace() or (not begin and before.isalnum()):  # of a colour's code
        return True
    kind, named = unicodedata.category(before), found[0][0] not in "/\\."  # ~user/, C:/, $HOME/
    if kind in ("Lo", "Lm") or (kind[0] == "M" and before not in ACCENTS):
        return named or SECOND_ASCII.match(word, behind) is not None
    if kind[0] in "LNM" or before == "_":
        return False
    closing = before in CLOSING or kind in ("Sc", "Pe")
    if closing or (before in APOSTROPHES and two[0].isalnum()):  # hosts'/cards' is no quote
        return named or SECOND.match(word, behind) is not None
    return True


def unquoted(text: str) -> str:
    """Without paths in quotes. An end lies ahead of many beginnings, and is looked for once."""
    ends = {sign: _Ahead(text, sign) for sign in (*ENDS.values(), *LINES.values())}
    out, kept, at = [], 0, 0
    while (opened := OPENED.search(text, at)) is not None:
        quote, at = opened[1] or opened[2], opened.end()
        closed = ends[ENDS[QUOTES[quote]]].behind(at)
        if closed <= ends[LINES[quote in "\"'"]].behind(at) and closed < len(text):
            out.append(f"{text[kept : opened.start()]}{quote}{GONE}{text[closed]}")
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
