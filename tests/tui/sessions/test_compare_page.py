"""The page of two sessions: its rows, and the sheet that scrolls them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from textual.app import App

from roofwatch.session.compare import Comparison, compare
from roofwatch.session.comparison_words import verdict
from roofwatch.session.differences import Condition
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import STYLES
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.sessions.compare_page import HEAD_ROWS, ComparePage, build
from roofwatch.tui.sessions.comparison_rows import body, condition_said

SESSIONS = Path(__file__).parent.parents[1] / "sessions"
CELLS = [20, 30, 44, 46, 56, 62, 76, 90, 100, 114, 130]


def recorded(name: str) -> Session:
    return fold(events(SESSIONS / f"h200-{name}.jsonl"))


@pytest.fixture(scope="module")
def cards() -> Comparison:
    """Two suites on two cards of one kind."""
    return compare(recorded("full-1"), recorded("quick-1"))


@pytest.fixture(scope="module")
def runs() -> Comparison:
    """Two runs on one card."""
    return compare(recorded("quick-1"), recorded("quick-3"))


def words(line: str) -> str:
    """What stands in a line, its blanks apart."""
    return " ".join(line.split())


def lines(told: Comparison, cells: int = 76, height: int = 200) -> list[str]:
    return [text_of(r).rstrip() for r in build(told, cells, height, UNICODE)]


def test_the_head_says_which_two(cards: Comparison) -> None:
    page = lines(cards)
    assert words(page[0]) == "A 2026-11-29 20:16 NVIDIA H200 full complete"
    assert words(page[1]) == "B 2026-11-29 17:30 NVIDIA H200 quick complete"


def test_a_figure_has_both_values_a_ratio_a_direction_and_a_word_on_noise(
    cards: Comparison,
) -> None:
    page = lines(cards)
    burst = next(line for line in page if line.startswith("bf16 burst"))
    assert words(burst) == "bf16 burst 830.5 818.5 TFLOP/s 0.986 ↓ 1.4 % lower within"
    same = next(line for line in page if line.startswith("fp32 burst"))
    assert words(same) == "fp32 burst 53.09 53.11 TFLOP/s 1.000 = the same within"
    bandwidth = page.index(next(line for line in page if line.startswith("DRAM bandwidth")))
    assert page[bandwidth].endswith("unlike")
    assert page[bandwidth + 1] == "  kernel triad fp16 in A, add_scalar fp16 in B"


def test_the_whole_is_said_first(cards: Comparison, runs: Comparison) -> None:
    assert verdict(cards) == (
        "Of 13 figures none is better or worse in B; 12 within what two cards of one kind differ "
        "by (up to 0.3 % in streams, 4 % in all else), 1 not measured alike. "
        "3 more rows are neither better nor worse (ridge, power)."
    )
    assert verdict(runs) == (
        "Of 12 figures none is better or worse in B; 12 within noise. "
        "3 more rows are neither better nor worse (ridge, power)."
    )
    assert len(cards.pairs) == 13 + 3  # a roof by another kernel is a row beside the stream's
    assert len(runs.pairs) == 12 + 3
    assert verdict(compare(Session(), Session())) == "Nothing was measured in both."


def test_conditions_stand_above_the_figures(cards: Comparison, runs: Comparison) -> None:
    page = lines(cards)
    at = page.index(next(line for line in page if line.startswith("conditions that differ")))
    figures = page.index(next(line for line in page if line.startswith("roofs")))
    between = page[at + 1 : figures]
    assert at < figures
    apart = "two cards of one kind differ by up to 0.3 % in streams, 4 % in all else"
    assert [line.split() for line in between[:3]] == [
        ["UUID", "of", "the", "card", "GPU-06dc758…", "GPU-d4570cb…"],
        apart.split(),
        ["suite", "full", "quick"],
    ]
    assert "No condition that both know differs." in lines(runs)


def test_what_one_lacks_is_said_with_its_reason(cards: Comparison) -> None:
    text = words(" ".join(lines(cards)))
    assert "only in A fp64_tensor burst" in text
    assert "read fp16 sizes (37 points)" in text
    assert "B: not in suite quick." in text


def test_where_it_is_wide_the_interval_stands_there_as_figures_and_as_a_line(
    cards: Comparison,
) -> None:
    page = lines(cards, 114)
    head = next(line for line in page if line.startswith("roofs"))
    burst = next(line for line in page if line.startswith("bf16 burst"))
    assert "0.981 – 0.987" in burst
    assert head.rstrip().endswith("-5 %    1    +5 %")
    one = head.rindex("1")
    assert burst[one] == "│"
    assert burst.index("○") < one  # B is slower: its mark stands left of 1
    fp32 = next(line for line in page if line.startswith("fp32 burst"))
    assert fp32[one] == "○"


def test_where_it_is_narrow_the_ratio_stands_below(cards: Comparison) -> None:
    page = lines(cards, 56)
    at = page.index(next(line for line in page if line.startswith("bf16 burst")))
    assert page[at].split() == ["bf16", "burst", "830.5", "818.5", "TFLOP/s"]
    assert words(page[at + 1]) == "0.986 ↓ 1.4 % lower, within noise"


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("pair", [("full-1", "quick-1"), ("kernels-1", "decode-1")])
def test_every_row_is_as_wide_as_asked_and_nothing_is_cut(
    cells: int, glyphs: Glyphs, pair: tuple[str, str]
) -> None:
    told = compare(recorded(pair[0]), recorded(pair[1]))
    rows = build(told, cells, 400, glyphs)
    assert {width(r) for r in rows} == {cells}
    assert all(width(r) <= cells for r in body(told, cells, glyphs))
    assert {style for r in rows for _, style in r} <= STYLES["dark"].keys()
    if glyphs is ASCII:
        assert "".join(map(text_of, rows)).isascii()


@pytest.mark.parametrize("cells", CELLS)
def test_every_ratio_has_its_word_at_every_width(cards: Comparison, cells: int) -> None:
    text = words(" ".join(lines(cards, cells)))
    said = re.findall(
        r"(?:faster|slower|higher|lower|the same),? (outside|within|unlike|not)", text
    )
    assert len(said) == len(cards.pairs)


def test_decode_steps_and_launches_are_in_units_that_suit_them() -> None:
    page = lines(compare(recorded("kernels-1"), recorded("decode-1")))
    enqueue = next(line for line in page if line.startswith("enqueue"))
    assert words(enqueue) == "enqueue 7.658 6.591 µs 0.861 ↓ 13.9 % shorter host"
    page = lines(compare(recorded("decode-1"), recorded("decode-1")))
    assert "b=128 at 2048, graph   3.004  3.004 ms" in "\n".join(page)


def test_sessions_without_anything_in_common() -> None:
    watched = fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1"),
            SessionInfo(t=0.1, instrument="telemetry", device=Device(kind="cuda", name="L4")),
        ]
    )
    for cells in CELLS:
        page = lines(compare(watched, recorded("quick-1")), cells)
        text = words(" ".join(page))
        assert "Nothing was measured in both." in text
        assert "only in B DRAM bandwidth" in text
    assert lines(compare(Session(), Session()))


def test_what_files_say_stays_text_and_any_figure_fits(cards: Comparison) -> None:
    evil = "\x1b[2J[red]数据" * 12
    which = msgspec.structs.replace(cards.a, name=evil, suite=evil, started_at=evil)
    figures = [(1e42, 1e-30), (1e-30, 1e42), (123456.7, 0.00001), (5.0, 5.0)]
    pairs = [
        msgspec.structs.replace(
            cards.pairs[0],
            name=evil if i % 2 else "x",
            group=evil,
            a=a,
            b=b,
            ratio=b / a,
            interval=(b / a / 2, b / a * 2),
            notes=[evil],
            unit=unit,
        )
        for i, (a, b) in enumerate(figures)
        for unit in ("GB/s", "s")
    ]
    conditions = [msgspec.structs.replace(cards.conditions[0], what="driver", a=evil, b=1e300)]
    told = msgspec.structs.replace(
        cards, a=which, b=which, pairs=pairs, conditions=conditions, missing=cards.missing
    )
    for cells in CELLS:
        rows = body(told, cells, UNICODE)
        assert all(width(r) <= cells for r in rows)
        assert "\x1b" not in "".join(map(text_of, [*rows, *build(told, cells, 300, UNICODE)]))


# -- the sheet -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 16), (200, 60)])
async def test_it_scrolls_to_its_end_and_closes(size: tuple[int, int]) -> None:
    app: App[None] = App()
    async with app.run_test(size=size) as pilot:
        page = ComparePage(recorded("full-1"), recorded("quick-1"), UNICODE)
        app.push_screen(page)
        await pilot.pause()
        cells, height = page.room()
        rows = body(page.told, cells, UNICODE)
        assert len(page.build(cells, height)) <= height
        await pilot.press("end")
        shown = [text_of(r).rstrip() for r in page.build(cells, height)]
        assert shown[-1] == text_of(rows[-1]).rstrip()
        assert len(shown) == min(height, len(rows) + HEAD_ROWS)
        await pilot.press("pageup", "up", "down", "home")
        shown = [text_of(r).rstrip() for r in page.build(cells, height)]
        assert shown[HEAD_ROWS] == text_of(rows[0]).rstrip()
        await pilot.press("escape")
        assert app.screen is not page


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_a_ratio_beyond_the_scale_has_an_arrow_at_its_edge(h200_file: Path, glyphs: Glyphs) -> None:
    told = []
    for factor in (1.0, 0.2, 4.0, 1.3):
        session = fold(events(h200_file))
        session.measurements = [
            msgspec.structs.replace(m, times_s=[t * factor for t in m.times_s])
            if m.probe == "matmul-fp16"
            else m
            for m in session.measurements
        ]
        told.append(session)
    rows = {}
    for factor, session in zip((0.2, 4.0, 1.3), told[1:], strict=True):
        page = [text_of(r).rstrip() for r in body(compare(told[0], session), 130, glyphs)]
        rows[factor] = next(r for r in page if r.startswith("fp16 burst"))
    below, above = glyphs.off_edge
    assert rows[0.2].endswith(above)  # five times as fast
    assert rows[4.0].split(glyphs.vertical)[0].rstrip(glyphs.horizontal + " ").endswith(below)
    assert not set(rows[1.3][-30:]) & set(glyphs.off_edge)
    assert glyphs.full in rows[1.3]


@pytest.mark.parametrize(
    ("value", "unit", "said"), [(0.7, "cores", "0.7 cores"), (20.0, "s", "20 s"), (0.0, "", "0")]
)
def test_a_condition_has_no_digit_that_it_was_not_known_to(
    value: float, unit: str, said: str
) -> None:
    condition = Condition(what="other work", a=value, b=None, unit=unit)
    assert condition_said(condition, value, UNICODE) == said
