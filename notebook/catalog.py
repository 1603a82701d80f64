"""The words of the notebook, apart from its logic: one catalog a language, filled with evidence.

A catalog is a TOML file in ``languages/``: for each code a page (title, what, avoid) and its cases,
each with a message, a why and a do. ``{name}`` is a field of the evidence, ``{name:.0f}`` one with
a format: that of ``format()``, but ``%`` is a share, ``.4g`` digits without an exponent, and
``row|rows`` the word for one or the word for any other number. What stands in ``[ ]`` is left out
when a field in it is not known.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.roofline.digits_said import digits_said

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LANGUAGES = ("en", "zh-CN")
OPTIONAL = re.compile(r"\[([^\]]*)\]")
OURS = re.compile(r":(%|\.\d+g|[^:|{}.]+\|[^:|{}.]+)")
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


def language() -> str:
    """The language that was chosen, English without a choice."""
    return _language


def chosen() -> Catalog:
    """The catalog of the language that was chosen, English without a choice."""
    return catalog(_language)


def is_english() -> bool:
    """Whether sentences that only exist in English may be shown."""
    return _language == LANGUAGES[0]


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
    text = f"{ratio:.0%}" if abs(ratio) >= 0.01 or not ratio else f"{digits_said(ratio * 100, 2)}%"
    if (text == "100%") and abs(ratio - 1) > 1e-9:
        text = f"{ratio:.1%}"
    return text.replace("%", " %")


def _formed(value: float, form: str) -> str:
    """A value in one of our own formats."""
    one, either, more = form.partition("|")
    if either:
        return one if value == 1 else more
    return percent(value) if form == "%" else digits_said(value, int(form.strip(".g")))


class _Segment(msgspec.Struct, frozen=True):
    """A piece of a template for ``str.format_map``, and the fields that it needs."""

    text: str
    names: tuple[str, ...]
    ours: tuple[tuple[str, str, str], ...]  # field, its name in the text, format
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
    # A format of ours enters the text as text, by a name without dots: those are attributes.
    mine = {
        found[0]: (found[1], f"{found[1]} {form[1].strip('.')}", form[1])
        for found in FIELD.finditer(text)
        if (form := OURS.fullmatch(found[2] or ""))
    }
    native = FIELD.sub(lambda f: f"{{{mine[f[0]][1]}}}" if f[0] in mine else f[0], text)
    return _Segment(native, names, tuple(mine.values()), optional)


def fields(template: str) -> set[str]:
    """Names that a template uses."""
    return {name for segment in _segments(template) for name in segment.names}


def fill(template: str, evidence: Mapping[str, Any]) -> str:
    """A template with its fields; an optional part is dropped when one of its fields is None."""
    segments = _segments(template)
    if len(segments) == 1 and not segments[0].names:
        return segments[0].text
    out = []
    for segment in segments:
        if segment.optional and any(evidence.get(name) is None for name in segment.names):
            continue
        if not segment.names:
            out.append(segment.text)
            continue
        values = evidence
        if segment.ours:
            values = dict(evidence)
            for name, key, form in segment.ours:
                values[key] = _formed(evidence[name], form)
        out.append(segment.text.format_map(values))
    return "".join(out)
