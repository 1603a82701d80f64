"""The whole notebook as one Markdown page: every code, what it is, its words on real numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roofwatch.notebook.catalog import FIELD, OPTIONAL, Case, Catalog, Page
from roofwatch.notebook.examples import Spoken
from roofwatch.notebook.finding import BYTES, CONDITIONS, FLOP, NAMES, PEAK, ROOTS

COLON = {"en": ": ", "zh-CN": "："}
TOGETHER = "experiment"  # a page that belongs to no root: several rows, not one


def markdown(catalog: Catalog, language: str, answers: Mapping[tuple[str, str], Spoken]) -> str:
    """The page in one language.

    ``answers`` are those to the examples (``examples.spoken``), by code and case. A case without
    one, which only a run of our own raises, shows its sentences with the names of their fields.
    """
    labels, colon = catalog.labels, COLON[language]
    lines = [f"# {labels['notebook_title']}", "", labels["notebook_intro"], ""]
    lines += contents(catalog, colon)
    for code in (*ROOTS, TOGETHER):
        page = catalog.pages[code]
        lines += ["", f"## {heading(code, page, colon)}", ""]
        if code in ROOTS:
            lines += [f"*{labels['root_' + ROOTS[code]]}*", ""]
        for name, text in (("what", page.what), ("fires", page.fires), ("avoid", page.avoid)):
            lines += [f"**{labels[name]}**{colon}{text}", ""]
        for name, case in page.cases.items():
            lines += said(case, answers.get((code, name)), labels, colon)
        lines.pop()
    return "\n".join(lines) + "\n"


def contents(catalog: Catalog, colon: str) -> list[str]:
    """Links to all sections, by root."""
    lines = []
    for root in (BYTES, FLOP, PEAK, CONDITIONS):
        codes = [code for code, of_code in ROOTS.items() if of_code == root]
        lines.append(f"- {catalog.labels['root_' + root]}")
        lines += [f"  - {_link(code, catalog.pages[code], colon)}" for code in codes]
    lines.append(f"- {_link(TOGETHER, catalog.pages[TOGETHER], colon)}")
    return lines


def heading(code: str, page: Page, colon: str) -> str:
    """``E2 l2-hit: The cache, not the memory``."""
    name = f"{code} {NAMES[code]}" if code in NAMES else code
    return f"{name}{colon}{page.title}"


def anchor(text: str) -> str:
    """What a heading is called in a link: lower case, no punctuation, hyphens for spaces."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _link(code: str, page: Page, colon: str) -> str:
    text = heading(code, page, colon)
    return f"[{text}](#{anchor(text)})"


def said(case: Case, answer: Spoken | None, labels: Mapping[str, str], colon: str) -> Iterator[str]:
    """One case: the example's command line and the words on it, or the words with their fields."""
    if answer is not None:
        yield from ("```sh", answer.command, "```", "")
    of = answer or case
    message, why, do = (text if answer else named(text) for text in (of.message, of.why, of.do))
    if answer is not None and answer.severity is not None:
        message = f"**{labels[answer.severity]}**{colon}{message}"
    for text in (message, f"**{labels['why']}**{colon}{why}"):
        yield from (f"> {text}", ">")
    yield from (f"> **{labels['do']}**{colon}{do}", "")


def named(template: str) -> str:
    """A template with the names of its fields in place of values, optional parts included."""
    whole = OPTIONAL.sub(lambda part: part[1], template)
    return FIELD.sub(lambda f: f"`{f[1]}` %" if f[2] == ":%" else f"`{f[1]}`", whole)
