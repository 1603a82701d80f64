"""The words of the notebook, apart from its logic: one catalog a language, filled with evidence.

A catalog is a TOML file in ``languages/``: for each code a page (title, what, avoid) and its cases,
each with a message, a why and a do. ``{name}`` is a field of the evidence, ``{name:.0f}`` one with
a format (that of ``format()``, or ``%`` for a share). What stands in ``[ ]`` is left out when a
field in it is not known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES = ("en", "zh-CN")
OPTIONAL = re.compile(r"\[([^\]]*)\]")
FIELD = re.compile(r"\{(\w+)(:[^}]*)?\}")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """Templates of one way in which a rule speaks."""

    message: str
    why: str
    do: str


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What a person reads about one code: what it is, and how not to make it."""

    title: str
    what: str
    avoid: str
    fires: str  # when the rule speaks
    cases: dict[str, Case]


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """All words of one language. ``labels`` are the few fixed words around them."""

    labels: dict[str, str]
    pages: dict[str, Page]


_language = LANGUAGES[0]


def choose(language: str) -> None:
    """Speak ``language`` from now on; one of ``LANGUAGES``. It is read when first needed."""
    global _language
    if language not in LANGUAGES:
        raise KeyError(language)
    _language = language


def chosen() -> Catalog:
    """The catalog of the language that was chosen, English without a choice."""
    return catalog(_language)


def language_of(environ: Mapping[str, str]) -> str:
    """The language that LC_ALL, LC_MESSAGES or LANG ask for, where we speak it; else English."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    asked = next((value for name in names if (value := environ.get(name))), "")
    return "zh-CN" if asked.lower().startswith("zh") else LANGUAGES[0]


@cache
def catalog(language: str) -> Catalog:
    """Read one catalog.

    Raises:
        KeyError: there is none for ``language``.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    text = (Path(__file__).parent / "languages" / f"{language}.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Catalog)


def label(name: str) -> str:
    """A fixed word in the chosen language."""
    return chosen().labels[name]


def percent(ratio: float) -> str:
    """A share as people say it, never rounded onto 100 % from the other side."""
    text = f"{ratio:.0%}" if abs(ratio) >= 0.01 or not ratio else f"{ratio * 100:.2g}%"
    if (text == "100%") and abs(ratio - 1) > 1e-9:
        text = f"{ratio:.1%}"
    return text.replace("%", " %")


class _Segment(msgspec.Struct, frozen=True):
    """A piece of a template for ``str.format_map``, and the fields that it needs."""

    text: str
    names: tuple[str, ...]
    shares: tuple[str, ...]  # fields written as a share
    optional: bool


@lru_cache(maxsize=4096)
def _segments(template: str) -> tuple[_Segment, ...]:
    out, at = [], 0
    for found in OPTIONAL.finditer(template):
        out.append(_segment(template[at : found.start()], False))
        out.append(_segment(found[1], True))
        at = found.end()
    out.append(_segment(template[at:], False))
    return tuple(s for s in out if s.text)


def _segment(text: str, optional: bool) -> _Segment:
    names = tuple(dict.fromkeys(found[1] for found in FIELD.finditer(text)))
    shares = tuple(dict.fromkeys(f[1] for f in FIELD.finditer(text) if f[2] == ":%"))
    # A share has a format of ours, so it enters the text as text.
    native = FIELD.sub(lambda f: f"{{{f[1]} share}}" if f[2] == ":%" else f[0], text)
    return _Segment(native, names, shares, optional)


def fields(template: str) -> set[str]:
    """Names that a template uses."""
    return {name for segment in _segments(template) for name in segment.names}


def fill(template: str, evidence: Mapping[str, Any]) -> str:
    """A template with its fields; an optional part is dropped when one of its fields is None."""
    out = []
    for segment in _segments(template):
        if segment.optional and any(evidence.get(name) is None for name in segment.names):
            continue
        if not segment.names:
            out.append(segment.text)
            continue
        values = evidence
        if segment.shares:
            values = dict(evidence)
            for name in segment.shares:
                values[f"{name} share"] = percent(evidence[name])
        out.append(segment.text.format_map(values))
    return "".join(out)
