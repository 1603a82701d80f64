"""The page of an error: its rows, and the cursor that opens it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.notebook.catalog import chosen
from roofwatch.notebook.finding import NAMES, Finding
from roofwatch.session.events import Flag
from roofwatch.session.fold import Session
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.notebook import notebook_pane
from roofwatch.tui.notebook.error_page import ErrorPage, build
from roofwatch.tui.notebook.evidence_rows import evidence_rows
from roofwatch.tui.notebook.notebook_cursor import Place, followed, moved, paged
from roofwatch.tui.screen.app import RoofwatchApp

Compare = Callable[[RoofwatchApp, str], None]


def a_finding(code: str = "E2", **changed: object) -> Finding:
    fields: dict[str, object] = {
        "code": code,
        "name": NAMES.get(code, code),
        "root": "bytes",
        "severity": "wrong",
        "subject": "add_scalar-fp16",
        "message": "900 GB/s is the cache's.",
        "why": "It fits.",
        "do": "1. measure with at least 80 MiB (20 x the cache); 2. sweep; 3. only then doubt it.",
        "evidence": {"gbs": 900.0, "working_set_bytes": 2 << 20, "of_nominal": 2.8125},
    }
    return Finding(**{**fields, **changed})  # type: ignore[arg-type]


def lines(f: Finding, cells: int = 76, height: int = 60) -> list[str]:
    return [text_of(r).rstrip() for r in build(f, "add_scalar fp16", cells, height, UNICODE)]


def test_a_page_tells_what_it_is_its_numbers_when_and_how_to_avoid_it() -> None:
    page = lines(a_finding())
    assert page[0].startswith("✗ E2 l2-hit · wrong")
    assert page[0].endswith("add_scalar fp16")
    assert page[2] == "The cache, not the memory"
    starts = [line.split("  ")[0] for line in page if line[:1].isalpha()][1:]
    assert starts == [
        "What it is",
        "This number",
        "Why",
        "Do",
        "When it speaks",
        "How to avoid it",
    ]
    steps = [line.strip() for line in page if line.strip()[:2] in ("2.", "3.")]
    assert steps == ["2. sweep", "3. only then doubt it"]


def test_evidence_is_aligned_in_units_that_people_read() -> None:
    evidence = {
        "gbs": 900.0,
        "working_set_bytes": 2 << 20,
        "of_nominal": 2.8125,
        "low": 240.0,
        "high": 288.0,
        "time_us": 4700.0,
        "onset_s": 0.0619,
        "reasons": ["power limit", "heat"],
        "sm_count": 132,
        "seen": True,
        "gone": "a sentence that the message says",
    }
    rows = evidence_rows(evidence, "a sentence that the message says.", 70, UNICODE)
    said = [" ".join(text_of(r).split()) for r in rows]
    assert said == [
        "rate 900 GB/s",
        "expected range 240 – 288 GB/s",
        "all tensors 2 MiB",
        "of nominal 281 %",
        "time 4.7 ms",
        "held before it fell 61.9 ms",
        "reasons power limit, heat",
        "SMs 132",
        "seen yes",
    ]
    ends = {text_of(r).index(unit) for r, unit in zip(rows, ("GB", "GB", "MiB", "%"), strict=False)}
    assert len(ends) == 1


@pytest.mark.parametrize("code", sorted({*chosen().pages} & {*NAMES, "throttled", "units"}))
@pytest.mark.parametrize("cells", [76, 100, 40])
def test_every_page_is_as_wide_as_asked(code: str, cells: int) -> None:
    for glyphs in (UNICODE, ASCII):
        rows = build(a_finding(code), "x" * 90, cells, 20, glyphs, 3)
        assert [width(r) for r in rows] == [cells] * len(rows)


@pytest.mark.parametrize("cells", [16, 20, 28, 36, 40])
def test_where_it_is_narrow_the_figures_stand_under_their_names(cells: int) -> None:
    evidence = {"gbs": 5451.0, "nominal": 4800.0, "ai_max": 0.25, "sm_mhz": 1425.0, "x": "a word"}
    rows = evidence_rows(evidence, "", cells, UNICODE)
    assert all(width(r) <= cells for r in rows)
    said = " ".join(" ".join(map(text_of, rows)).split())
    assert "rate 5451 GB/s" in said
    assert "SM clock 1425 MHz" in said
    assert "x a word" in said
    f = a_finding("E2")
    page = " ".join(text_of(r) for r in build(f, "matmul bf16, the longest", cells, 90, UNICODE))
    assert "matmul bf16," in " ".join(page.split())


def test_what_a_file_says_stays_text() -> None:
    evil = "\x1b[2J[red]x"
    f = a_finding(
        evil, name=evil, message=evil, why=evil, do=evil, evidence={evil: evil, "a": [evil]}
    )
    rows = build(f, evil, 76, 60, UNICODE)
    text = "\n".join(map(text_of, rows))
    assert "\x1b" not in text
    assert text.count("[red]x") >= 7
    assert all(width(r) == 76 for r in rows)


def test_numbers_of_any_size_have_a_row() -> None:
    huge = {"a_bytes": 1e300, "b": float("nan"), "c_s": float("inf"), "d": 10**40, "e_s": 0.0}
    assert all(width(r) < 60 for r in evidence_rows(huge, "", 60, UNICODE))


# -- the cursor ------------------------------------------------------------------------------

SPANS = [(2, 8), (9, 15), (16, 22)]


def test_the_cursor_goes_from_finding_to_finding_and_the_view_follows() -> None:
    place = Place()
    seen = []
    for _ in range(5):
        seen.append(place)
        place = moved(place, 1, SPANS, 30, 12)
    assert seen == [(0, 0), (1, 4), (2, 11), (2, 12), (2, 13)]
    for _ in range(9):
        place = moved(place, -1, SPANS, 30, 12)
    assert place == (0, 0)


def test_rows_before_the_first_finding_are_walked_through() -> None:
    spans = [(15, 21), (22, 28)]
    place = Place()
    seen = []
    for _ in range(7):
        place = moved(place, 1, spans, 30, 12)
        seen.append(place)
    assert seen == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 17), (1, 18)]
    for _ in range(30):
        place = moved(place, -1, spans, 30, 12)
    assert place == (0, 0)


def test_a_page_on_takes_the_cursor_along() -> None:
    assert paged(Place(), 10, SPANS, 40, 12) == (2, 10)
    assert paged(Place(2, 10), -10, SPANS, 40, 12) == (0, 0)
    assert paged(Place(), 10, [], 0, 12) == (0, 0)
    assert moved(Place(), 1, [], 0, 12) == (0, 0)


def test_the_cursor_follows_its_finding() -> None:
    one, two = a_finding(subject="a"), a_finding(subject="b")
    twin = a_finding(subject="b", message="another")
    assert followed(Place(1, 7), [one, two], [twin, one, two]) == (2, 7)
    assert followed(Place(1), [one, two], [one]) == (0, 0)
    assert followed(Place(), [], [one]) == (0, 0)
    assert followed(Place(3), [one], []) == (0, 0)


def test_the_finding_under_the_cursor_is_marked(full: Session) -> None:
    rows = notebook_pane.build(full, 80, 40, UNICODE, at=1)
    marked = [r for r in rows if text_of(r).startswith("▸")]
    assert [text_of(r)[:11] for r in marked] == ["▸· E2 l2-hi"]
    assert {style for _, style in marked[0]} == {"strong-here", "note-here", "dim-here", "-here"}


async def test_enter_opens_the_page_and_escape_closes_it(full_file: Path) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.4)
        assert app.dashboard.pane("notebook").lines[0].startswith("▸")
        for key, code in (("down", "E2"), ("j", "throttled"), ("k", "E2"), ("up", "strided")):
            await pilot.press(key)
            await pilot.pause(0.1)
            at = next(r for r in app.dashboard.pane("notebook").lines if r.startswith("▸"))
            assert at.split()[1] == code
        await pilot.press("down")
        for key in ("escape", "q", "enter"):
            await pilot.press("enter")
            await pilot.pause(0.1)
            assert isinstance(app.screen, ErrorPage)
            assert "E2 l2-hit" in app.screen.pane.lines[0]
            assert "add_scalar fp16 sizes" in app.screen.pane.lines[0]
            await pilot.press(key, key)
            await pilot.pause(0.1)
            if isinstance(app.screen, ErrorPage):  # the second Enter opened it again
                await pilot.press("escape")
                await pilot.pause(0.1)
            assert len(app.screen_stack) == 1
            if key == "q":
                break
    assert app.return_code == 0


async def test_a_long_page_scrolls(full_file: Path, same_picture: Compare) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.4)
        await pilot.press("down", "enter")
        await pilot.pause(0.4)
        page = app.screen
        assert isinstance(page, ErrorPage)
        same_picture(app, "page-80x24")
        top = page.pane.lines
        assert "more rows" in str(page.pane.border_subtitle)
        await pilot.press("pagedown")
        await pilot.pause(0.1)
        assert page.pane.lines[0] == top[0]
        assert any(line.startswith("How to avoid it") for line in page.pane.lines)
        assert "more rows" not in str(page.pane.border_subtitle)
        await pilot.press("down", "pageup", "up")
        await pilot.pause(0.1)
        assert page.pane.lines == top
        await pilot.resize_terminal(120, 40)
        await pilot.pause(0.4)
        assert len(page.pane.lines[0]) == 100
        assert page.pane.size.width == 100


async def test_enter_opens_a_finding_where_the_keys_act_on_the_notebook(full_file: Path) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.4)
        assert not any(r.startswith("▸") for r in app.dashboard.pane("notebook").lines)
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 1
        assert "the arrows choose a point" in app.dashboard.pane("footer").lines[0]
        await pilot.press("4")
        await pilot.pause(0.4)
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert isinstance(app.screen, ErrorPage)


async def test_the_cursor_stays_on_its_finding_when_others_come_above(full_file: Path) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.4)
        await pilot.press("down")
        flag = Flag(
            t=60.0,
            run=app.dashboard.session.reported_run,
            code="other-process",
            name="other-process",
            root="conditions",
            severity="wrong",
            subject="the card",
            message="[red]x",
            why="",
            do="",
            evidence={},
        )
        app.dashboard.session.add(flag)
        await pilot.pause(0.4)
        assert app.dashboard.at.place.finding == 2
        await pilot.press("up", "up", "enter")
        await pilot.pause(0.2)
        assert any("[red]x" in line for line in app.screen.query_one("#sheet").lines)  # type: ignore[attr-defined]
