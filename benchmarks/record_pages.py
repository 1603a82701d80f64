"""Writes docs/record-h200.md and docs/record-cpu.md from kept sessions; a test holds them to these.

python benchmarks/record_pages.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kept import paragraph

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.markdown import record_markdown

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT / "tests" / "sessions"
SUITES = ("full", "decode", "kernels")


class Page(NamedTuple):
    """One page: where it stands, what it is called, its sessions, and what must be said of them."""

    output: Path
    title: str
    names: Sequence[str]
    said: str
    options: str


PAGES = (
    Page(
        ROOT / "docs" / "record-h200.md",
        "The record of an H200",
        [f"record/h200-{suite}" for suite in SUITES],
        "The three suites one after the other on one card. Of the telemetry every tenth sample is "
        "kept (`benchmarks/thinned.py`).",
        "",
    ),
    Page(
        ROOT / "docs" / "record-cpu.md",
        "The record of a CPU",
        [f"cpu/{suite}-1" for suite in SUITES],
        "A virtual machine with two cores, on which other work ran meanwhile: what falls short of "
        "its range, and a check that failed, cannot be told from that work. A CPU has no nominal "
        "figures here, no CUDA graphs, no profiler of kernels; rows and checks that want one say "
        "so. The decode step is of SmolLM2-135M's shapes. Of the telemetry every tenth sample is "
        "kept (`benchmarks/thinned.py`).",
        "",
    ),
)


def sessions_of(page: Page) -> list[Session]:
    """The folds of its sessions, as a saved file is folded."""
    found = []
    for name in page.names:
        session = fold(events(SESSIONS / f"{name}.jsonl"))
        session.closed = True
        found.append(session)
    return found


def document(page: Page) -> str:
    """The page as Markdown."""
    files = " ".join(f"tests/sessions/{name}.jsonl" for name in page.names)
    lines = [f"# {page.title}", ""]
    lines += paragraph(
        "Generated from kept sessions by `python benchmarks/record_pages.py`; nothing is typed in. "
        "The table is the one that Day 18 of the seed leaves empty, with the two checks that close "
        "it; below it the seed's five questions, each with the checks that its answer rests on."
    )
    lines += paragraph(page.said)
    lines += [f"    roofwatch show {files} --table md{page.options}", ""]
    return "\n".join(lines) + "\n" + record_markdown(sessions_of(page))


if __name__ == "__main__":
    for each in PAGES:
        each.output.write_text(document(each), encoding="utf-8")
