"""Damage to what a person or a file may hand in: bytes, JSON values, TOML lines, words."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

DEEP = 100_000
LONG = 20_000
CHARACTERS = (
    "\x00",
    "\x07",
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x7f",
    "\x9b31m",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\u2028",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ud800",
    "\udcff",
    "名",
    "é",
    "e\u0301",
    "👩\u200d👩\u200d👧",
    "\U0010ffff",
)
"""What a terminal acts on, what is no text, and what takes another width than one cell."""
MARKUP = ("[bold]", "[/]", "[red]x[/red]", "[@click=app.quit]q[/]", "\\[", "$x$", "{0}", "%s", "%n")
NUMBERS = (
    "0",
    "-0",
    "-1",
    "1",
    "0.1",
    "1e-320",
    "1e308",
    "1e999",
    "-1e999",
    "NaN",
    "nan",
    "Infinity",
    "inf",
    "9223372036854775808",
    "18446744073709551616",
    "1" + "0" * 30,
    "9" * 5000,
    "0x10",
    "1_000",
    "١٢",
    "½",
    "1,5",
)
WORDS = ("", " ", "null", "true", "True", "[]", "{}", '"', "'", "''", '""', "=", ",", ";", "#", "-")
TOKENS = (*CHARACTERS, *MARKUP, *NUMBERS, *WORDS)
RAW = (
    "NaN",
    "Infinity",
    "-0",
    "1e999",
    "9" * 5000,
    "[" * DEEP,
    '{"a":' * DEEP,
    "[" * 900 + "]" * 900,
    '"\\ud800"',
    '"\\u0000"',
    "",
    "1 1",
)
"""What no JSON encoder writes; a text ``@raw3@`` stands for it until then."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    -0.0,
    0.5,
    1e308,
    -1e308,
    1e-320,
    1 << 31,
    1 << 53,
    (1 << 63) - 1,
    1 << 64,
    10**30,
    "",
    " ",
    "x",
    "fp16",
    "cuda",
    "NaN",
    [],
    [0],
    [1.0, 2.0, 3.0],
    [None],
    [[]],
    {},
    {"a": 1},
    {"": None},
)


def value(rng: random.Random) -> Any:
    """Something that may stand where another value belongs."""
    kind = rng.randrange(20)
    if kind < 10:
        return rng.choice(VALUES)
    if kind < 13:
        return rng.choice(CHARACTERS) + rng.choice(MARKUP)
    if kind < 15:
        return rng.choice(CHARACTERS) * rng.choice((1, 3, 50))
    if kind == 15 and rng.random() < 0.2:
        return "x" * LONG
    if kind == 16:
        return f"@raw{rng.randrange(len(RAW))}@"
    if kind == 17:
        return rng.uniform(-1, 1) * 10 ** rng.randint(-30, 30)
    if kind == 18:
        return rng.randint(-3, 300)
    return rng.choice(NUMBERS)


def raw_text(text: str) -> str:
    """The text with what no encoder writes put in."""
    if "@raw" not in text:
        return text
    return re.sub(r'"@raw(\d{1,9})@"', lambda found: RAW[int(found[1]) % len(RAW)], text)


def as_json(rng: random.Random, document: Any) -> str:
    """A document as JSON, as one of several encoders would write it."""
    return raw_text(json.dumps(document, ensure_ascii=rng.random() < 0.5))


def changed(rng: random.Random, document: Any) -> Any:
    """A copy of a JSON document with one thing in it, at any depth, gone, doubled or another."""
    if not isinstance(document, (dict, list)) or not document:
        return value(rng)
    keys = list(document) if isinstance(document, dict) else list(range(len(document)))
    key = rng.choice(keys)
    inner = document[key]
    deeper = isinstance(inner, (dict, list)) and inner and rng.random() < 0.7
    if isinstance(document, list):
        items = list(document)
        if deeper:
            items[key] = changed(rng, inner)
        else:
            put: tuple[list[Any], ...] = ([], [inner, inner], [value(rng)], [value(rng), inner])
            items[key : key + 1] = rng.choice(put)
        return items
    fields = dict(document)
    act = rng.randrange(8)
    if deeper:
        fields[key] = changed(rng, inner)
    elif act == 0:
        del fields[key]
    elif act == 1:
        fields[rng.choice(keys)] = inner
    elif act == 2:
        fields[rng.choice((*TOKENS, f"{key}x", str(key).upper()))] = inner
    elif act in (3, 5, 6) and isinstance(inner, (int, float)) and not isinstance(inner, bool):
        fields[key] = inner * rng.choice((0, -1, 1e-9, 1e-3, 0.5, 2, 1e3, 1e9))
    elif act == 4 and isinstance(inner, str):
        fields[key] = text_changed(rng, inner)
    else:
        fields[key] = value(rng)
    return fields


def text_changed(rng: random.Random, text: str, tokens: Sequence[str] = TOKENS) -> str:
    """A text with a part of it cut, doubled, or another one put in."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice((0, 1, 1, 2, 8, 64)))
    act = rng.randrange(5)
    if act == 0:
        return text[:at] + text[end:]
    if act == 1:
        return text[:end] + text[at:end] * rng.choice((1, 2, 30)) + text[end:]
    if act == 2:
        return text[:at]
    return text[:at] + rng.choice(tokens) + text[end:]


def bytes_changed(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Bytes with a bit flipped, a part cut, doubled, moved, or one of another file put in."""
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((0, 1, 1, 4, 30, 300)))
    part = data[at:end]
    act = rng.randrange(9)
    if act == 0:
        return data[:at] + bytes(b ^ (1 << rng.randrange(8)) for b in part) + data[end:]
    if act == 1:
        return data[:at] + data[end:]
    if act == 2:
        return data[:at]
    if act == 3:
        return data[:end] + part * rng.choice((1, 2, 20)) + data[end:]
    if act == 4:
        to = rng.randrange(len(data) + 1)
        rest = data[:at] + data[end:]
        return rest[:to] + part + rest[to:]
    if act == 5:
        cut = rng.randrange(len(other) + 1)
        return data[:at] + other[cut : cut + rng.choice((1, 30, 300, 5000))] + data[end:]
    if act == 6:
        return data[:at] + rng.randbytes(rng.choice((1, 2, 40))) + data[end:]
    if act == 7 and rng.random() < 0.2:
        whole: Callable[[bytes], bytes] = rng.choice(
            (
                lambda b: b"\xef\xbb\xbf" + b,
                lambda b: b.replace(b"\n", b"\r\n"),
                lambda b: b.replace(b"\n", b"\r"),
                lambda b: b.decode("utf-8", "replace").encode("utf-16"),
                lambda b: b + b,
                lambda b: b"",
                lambda b: b"\n" * 1000 + b,
            )
        )
        return whole(data)
    token = rng.choice((*TOKENS, *RAW[-6:])) if rng.random() < 0.99 else rng.choice(RAW)
    return data[:at] + token.encode("utf-8", "surrogatepass") + data[end:]


def toml_changed(rng: random.Random, text: str) -> str:
    """A TOML text with one line gone, doubled, moved, renamed, or with another value."""
    lines = text.split("\n")
    at = rng.choice([i for i, line in enumerate(lines) if line.strip()] or [0])
    name, equals, _ = lines[at].partition("=")
    act = rng.randrange(8)
    if act == 0:
        del lines[at]
    elif act == 1:
        lines.insert(rng.randrange(len(lines)), lines[at])
    elif act == 2:
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif act == 3:
        lines[at] = text_changed(rng, lines[at])
    elif act == 4 and equals:
        lines[at] = f"{text_changed(rng, name)}={lines[at].partition('=')[2]}"
    elif equals:
        put = PLAUSIBLE if rng.random() < 0.5 else (toml_value(rng),)
        lines[at] = f"{name}= {rng.choice(put)}"
    else:
        lines[at] = rng.choice(
            ("[card]", "[[card]]", "[[model]]", "[a.b]", "[card.peaks]", "x = 1")
        )
    return "\n".join(lines)


HEADERS = ("[card]", "[[card]]", "[[model]]", "[a.b]", "[card.peaks]", "x = 1")
PLAUSIBLE = ("1", "3", "0.001", "4096", "1e11", "999999999", '"x"', '["x"]', "true")


def toml_value(rng: random.Random) -> str:
    """A value as TOML has it, or nearly."""
    if rng.random() < 0.02:
        return rng.choice(("[" * DEEP, "{a=" * DEEP, '"' + "x" * LONG + '"'))
    quoted = json.dumps(rng.choice((*CHARACTERS, *MARKUP, "", "x")))
    odd = ("1979-05-27", "07:32:00", "inf", "-nan", "[1, 'a']", "{a = 1}", "'''x", '"\\u0000"')
    return rng.choice((quoted, quoted, *odd, *NUMBERS, *WORDS))


def argument(rng: random.Random, word: str) -> str:
    """A word of a command line, or the value of a variable, changed."""
    return rng.choice((word, "", f"{word}=")) if rng.random() < 0.1 else text_changed(rng, word)


def as_argument(word: str) -> str:
    """A word as a shell hands it over: any bytes but null ones, which Python reads as it does."""
    data = word.encode("utf-8", "surrogatepass").replace(b"\0", b"")
    return data.decode("utf-8", "surrogateescape")
