"""No row loses a word or a figure at its right end unless a sign says so."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.geometry import Size

from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.listing import Listing
from roofwatch.tui.drawing import rows_of_text
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes import measurement_rows
from roofwatch.tui.screen import layout
from roofwatch.tui.screen.painting import PAINTED, Scene, _small
from roofwatch.tui.screen.standing import Standing

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
RECORDED = {
    name: SESSIONS / path
    for name, path in {
        "quick": "h200-quick-1.jsonl",
        "full": "h200-full-1.jsonl",
        "decode": "h200-decode-1.jsonl",
        "kernels": "h200-kernels-1.jsonl",
        "mistakes": "h200-mistakes-1.jsonl",
        "cards": "two/cards.jsonl",
        "links": "two/links.jsonl",
        "cpu": "cpu/full-1.jsonl",
        "cpu-kernels": "cpu/kernels-1.jsonl",
        "cpu-decode": "cpu/decode-1.jsonl",
    }.items()
}
SIZES = [(60, 16), (66, 20), (80, 24), (100, 30), (112, 34), (120, 36), (140, 50), (200, 60)]
PAGES = 5  # of a pane that has several


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What ``fit`` cut away with letters or digits in it: what stays and what goes."""
    seen: list[str] = []
    cut = rows_of_text.set_cell_size

    def watched(text: str, total: int) -> str:
        kept = cut(text, total)
        gone = text[len(kept) :]
        by = sys._getframe(1).f_code.co_name  # head_of and its like leave a sign
        if by == "fit" and any(c.isalnum() for c in gone):
            seen.append(f"{kept[-40:]!r} | {gone[:40]!r}")
        return kept

    monkeypatch.setattr(rows_of_text, "set_cell_size", watched)
    return seen


@pytest.fixture(scope="module")
def listing() -> Listing:
    """The recorded sessions as saved ones."""
    found = Listing(None, [SESSIONS])
    found.refresh()
    found.advance(60.0)
    return found


def drawn(session: Session, area: Size, ascii_only: bool, listing: Listing) -> Iterator[str]:
    """Draws every pane alone, and where several stand together each as it stands there."""
    found = findings(session)
    together = layout.together(area)
    for name in PAINTED:
        for page in range(PAGES if name in ("kernels", "decode") else 1):
            for standing in {(name,), together if name in together else (name,)}:
                for focus in dict.fromkeys((name, standing[0])):
                    at = Standing()
                    at.kernel_page = at.curve = page
                    small = layout.small(area)
                    glyphs = ASCII if ascii_only else UNICODE
                    scene = Scene(
                        session, at, found, glyphs, standing, focus, small, True, lambda: listing
                    )
                    own = not small or PAINTED[name].compact
                    drawing = PAINTED[name].draw(scene) if own else _small(scene, name)
                    room = layout.rooms(area, standing)[name]
                    drawing.rows(room.width - scene.wide, room.height - scene.wide)
                    yield f"{name} {room.width}x{room.height} page {page}"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("name", RECORDED)
def test_no_word_of_a_sheet_or_a_report_is_cut_without_a_sign(
    name: str, glyphs: Glyphs, lost: list[str]
) -> None:
    session = fold(events(RECORDED[name]))
    faults: list[str] = []
    for cells in (56, 66, 76, 90, 120, 160):  # in a frame: of 60 columns and more
        for spec in session.specs:
            measurement_rows.rows(session, spec.key, cells, glyphs)
            faults += [f"{spec.key} {cells}: {each}" for each in lost]
            lost.clear()
        report(session, None, cells, glyphs)
        faults += [f"report {cells}: {each}" for each in lost]
        lost.clear()
    assert not faults, "\n".join(dict.fromkeys(faults))


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("name", ["none", *RECORDED])
def test_no_word_is_cut_without_a_sign(
    name: str, ascii_only: bool, lost: list[str], listing: Listing
) -> None:
    session = fold(events(RECORDED[name])) if name in RECORDED else Session()
    faults: list[str] = []
    for cells, height in SIZES:
        for where in drawn(session, Size(cells, height), ascii_only, listing):
            faults += [f"{cells}x{height} {where}: {each}" for each in lost]
            lost.clear()
    assert not faults, "\n".join(dict.fromkeys(faults))
