"""The list of saved sessions as rows of text."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from roofwatch.session.entry import Entry
from roofwatch.session.listing import Listing
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import STYLES
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.sessions.entry_details import brief
from roofwatch.tui.sessions.entry_words import flops, giga, rate
from roofwatch.tui.sessions.sessions_pane import build, small

SESSIONS = Path(__file__).parent.parents[1] / "sessions"
SIZES = [(80, 19), (72, 29), (120, 40), (200, 60), (60, 16), (56, 12), (44, 9), (20, 5)]


def listed(folder: Path, now: Path | None = None) -> Listing:
    found = Listing(now, [folder])
    while found.advance(1.0):
        pass
    return found


@pytest.fixture(scope="module")
def recorded() -> Listing:
    """The recorded sessions; the newest is the decode suite, the oldest the first quick one."""
    return listed(SESSIONS)


def words(line: str) -> str:
    """What stands in a line, its blanks apart."""
    return " ".join(line.split())


def lines(
    listing: Listing, cells: int = 80, height: int = 19, cursor: int = 0, marked: Path | None = None
) -> list[str]:
    return [text_of(r).rstrip() for r in build(listing, cells, height, UNICODE, cursor, marked)]


def test_a_row_says_when_what_on_which_card_and_how_fast(recorded: Listing) -> None:
    table = lines(recorded, cursor=3)
    assert words(table[0]) == "UTC card suite state DRAM GB/s burst held TFLOP/s"
    assert words(table[1]) == "11-30 02:37 H200 decode complete 4383 823 – bf16"
    assert words(table[4]) == "▸ 11-29 20:16 H200 full complete 4389 831 696 bf16"
    assert len([row for row in table if "complete" in row]) == 7


def test_figures_stand_under_their_heads(recorded: Listing) -> None:
    table = lines(recorded)
    for name, figure in (("GB/s", "4389"), ("burst", "831"), ("held", "696")):
        assert table[0].index(name) + len(name) == table[4].index(figure) + len(figure)


def test_where_there_is_room_the_year_and_the_makers_name_stand_too(recorded: Listing) -> None:
    table = lines(recorded, 120, 36)
    assert "2026-11-29 20:16  NVIDIA H200" in table[4]


def test_below_the_table_the_entry_under_the_cursor_is_told(recorded: Listing) -> None:
    table = lines(recorded, cursor=3)
    assert table[13].startswith("───")
    below = words(" ".join(table[14:]))
    for told in (
        str(recorded.entries[3].path),
        "2026-11-29T20:16:45.217Z",
        "host vm",
        "driver 580.159.04",
        "torch 2.11.0+cu130",
        "no faults",
        "592 KiB",
        "Enter opens it, v marks it as A to compare another with",
    ):
        assert told in below


def test_the_marked_one_is_a_and_the_keys_follow(recorded: Listing) -> None:
    marked = recorded.entries[1].path
    table = lines(recorded, cursor=0, marked=marked)
    assert table[2].startswith("  A 11-30 01:24")
    assert "v compares it, as B, with A" in table[-1]
    assert table[-1].endswith("A 2026-11-30 01:24")
    table = lines(recorded, cursor=1, marked=marked)
    assert table[2].startswith(" ▸A 11-30 01:24")
    assert "v takes the mark A away" in table[-1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_row_is_as_wide_as_asked(
    recorded: Listing, size: tuple[int, int], glyphs: Glyphs
) -> None:
    for draw in (build, small):
        rows = draw(recorded, *size, glyphs, 6, recorded.entries[0].path)
        assert [width(r) for r in rows] == [size[0]] * size[1]
        assert {style for r in rows for _, style in r} <= STYLES["dark"].keys()
        if glyphs is ASCII:
            assert "".join(map(text_of, rows)).isascii()


@pytest.mark.parametrize("height", range(3, 16))
def test_without_room_for_details_every_session_is_there_or_counted(
    recorded: Listing, height: int
) -> None:
    count = len(recorded.entries)
    seen: set[str] = set()
    for cursor in range(count):
        rows = [text_of(r).rstrip() for r in small(recorded, 50, height, UNICODE, cursor)]
        assert sum(r.startswith(" ▸") for r in rows) == 1
        listed = [r for r in rows[1:] if r and "more: " not in r]
        told = sum(int(n) for n in re.findall(r"(\d+) more: [↑↓]", rows[-1]))
        assert len(listed) + told == count
        seen |= {r.replace("▸", " ") for r in listed}
    assert len(seen) == count


@pytest.mark.parametrize("cells", range(42, 121))
def test_a_figure_is_whole_or_not_there(recorded: Listing, cells: int) -> None:
    wide, narrow = (build(recorded, size, 9, UNICODE)[1:8] for size in (120, cells))
    for whole, row in zip(wide, narrow, strict=True):
        figures, shown = (text_of(r).split("complete")[1].split() for r in (whole, row))
        assert set(shown) <= set(figures)


def test_the_cursor_is_always_on_show(recorded: Listing) -> None:
    for height in (3, 5, 8, 13, 15):
        for cursor in (-2, 0, 3, 6, 50):
            rows = lines(recorded, 80, height, cursor)
            assert sum("▸" in row for row in rows) == 1


def test_moving_within_a_page_changes_two_rows_of_the_table(recorded: Listing) -> None:
    one, other = lines(recorded, cursor=2)[:13], lines(recorded, cursor=3)[:13]
    assert sum(a != b for a, b in zip(one, other, strict=True)) == 2


def test_a_long_list_says_which_part_is_shown(recorded: Listing) -> None:
    head = lines(recorded, 120, 4, 4)[0]
    assert head.endswith("4 – 6 of 7")


def test_an_unreadable_file_has_its_name_and_its_line(tmp_path: Path) -> None:
    shutil.copy(SESSIONS / "h200-quick-1.jsonl", tmp_path)
    (tmp_path / "spoiled.jsonl").write_text("oops\n")
    table = lines(listed(tmp_path), cursor=0)
    assert table[1].split(maxsplit=3)[:3] == ["▸", "spoiled.jsonl", "unreadable"]
    assert "row 1: not a roofwatch session" in " ".join(table[14:])


def test_a_session_that_was_cut_short_says_so(tmp_path: Path) -> None:
    whole = (SESSIONS / "h200-quick-1.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(whole[: len(whole) // 2])
    assert "cut short" in lines(listed(tmp_path))[1]


def test_the_session_being_written_is_now(tmp_path: Path) -> None:
    path = tmp_path / "live.jsonl"
    path.write_bytes(b"")
    found = listed(tmp_path, path)
    table = lines(found)
    assert table[1].split() == ["▸", "live.jsonl", "now"]
    assert "being written" in " ".join(table)
    shutil.copy(SESSIONS / "h200-quick-1.jsonl", path)
    os.utime(path)
    table = lines(listed(tmp_path, path))
    assert " now " in table[1]
    assert "on show" in " ".join(table)


def test_a_session_of_another_year_has_its_date(tmp_path: Path) -> None:
    shutil.copy(SESSIONS / "h200-quick-1.jsonl", tmp_path)
    text = (SESSIONS / "h200-quick-2.jsonl").read_text().replace("2026-11-29T", "2025-03-01T")
    (tmp_path / "old.jsonl").write_text(text)
    assert lines(listed(tmp_path))[2].split()[:2] == ["2025-03-01", "H200"]


def test_before_a_file_is_read_its_name_stands_there(tmp_path: Path) -> None:
    shutil.copy(SESSIONS / "h200-quick-1.jsonl", tmp_path)
    found = Listing(None, [tmp_path])
    found.refresh()
    assert lines(found)[1].split() == ["▸", "h200-quick-1.jsonl", "reading"]


def test_without_a_session_it_says_where_they_are_kept_and_how_one_is_made() -> None:
    found = Listing()
    found.refresh()
    for draw in (build, small):
        for cells in (100, 80, 40):
            text = " ".join(text_of(r).strip() for r in draw(found, cells, 14, UNICODE))
            assert "No saved sessions yet." in text
            assert str(found.folders[0])[:30] in text
            assert "roofwatch run" in text


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    text = words(" ".join(lines(listed(tmp_path / "file"))))
    assert "Not a directory" in text


def test_what_a_file_says_stays_text_and_no_figure_is_too_wide(tmp_path: Path) -> None:
    found = Listing(None, [tmp_path])
    evil = "\x1b[2J[red]数据" * 20
    found.entries = tuple(
        Entry(
            path=tmp_path / f"{i}\udcff.jsonl",
            size_bytes=1 << 60,
            mtime_s=0.0,
            started_at=evil,
            card=evil,
            host=evil,
            driver=evil,
            torch=evil,
            suite=evil,
            peak_key=evil,
            complete=True,
            duration_s=huge,
            bandwidth_gbs=huge,
            burst_tflops=huge,
            sustained_tflops=1 / huge,
            faults=10**9,
            runs=10**6,
            problem=evil if i % 2 else None,
        )
        for i, huge in enumerate((1e9, 1e42, 1e-6, 123456.0))
    )
    for cells, height in SIZES:
        for cursor in range(4):
            rows = build(found, cells, height, UNICODE, cursor, found.entries[0].path)
            assert [width(r) for r in rows] == [cells] * height
            assert "\x1b" not in "".join(map(text_of, rows))


def test_where_it_is_tall_the_details_follow_the_table_with_the_roofs(recorded: Listing) -> None:
    table = lines(recorded, 200, 54, cursor=3)
    assert words(table[0]) == ("UTC card suite state min DRAM GB/s burst TFLOP/s held TFLOP/s of")
    rule = next(i for i, row in enumerate(table) if row.startswith("───"))
    assert rule == 1 + len(recorded.entries) + 1
    below = [words(row) for row in table[rule + 1 :]]
    assert below[0].startswith("Enter opens it")
    assert "suite full, 20 probes measured, complete, no faults" in below
    assert "DRAM 4389 GB/s" in below
    assert "roofs bf16 831 burst 696 held TFLOP/s" in below
    assert "int8 983 burst – held TOPS" in below


def test_no_rate_is_in_exponent_form() -> None:
    said = [rate(v, UNICODE) for v in (0.0622, 0.00004, 3e7, 11.234, 842.8, None)]
    assert said == ["0.0622", "<0.001", ">99999", "11.2", "843", "–"]


def of_fleet(**fields: int) -> list[str]:
    """Its state, and the line of its details."""
    one = Entry(
        path=Path("a.jsonl"),
        size_bytes=9,
        mtime_s=0.0,
        complete=True,
        card="H200",
        suite="short",
        **fields,
    )
    told = brief(Listing(None, []), one, 100, UNICODE, None)
    return [one.state, " ".join(" ".join(map(text_of, told)).split())]


def test_a_fleet_says_what_its_report_says() -> None:
    state, told = of_fleet(ranks=2, doubted=2, judged=2)
    assert state == "doubted"
    assert "2 ranks of short · nothing compared · 2 doubted" in told
    assert "none slow" not in told
    state, told = of_fleet(ranks=4, compared=3, judged=5, doubted=1)
    assert "none slow in 3 of 5 figures · 1 doubted" in told
    state, told = of_fleet(ranks=4, compared=5, judged=5)
    assert state == "complete"
    assert "none slow · torch" in told
    _, told = of_fleet(ranks=3, judged=2, too_far=2)
    assert "of short · 2 figures too far apart · torch" in told
    state, told = of_fleet(ranks=3, slow=1, doubted=1, judged=2, compared=2)
    assert state == "1 slow"
    assert "1 slow · 1 doubted" in told
    assert "slow" not in of_fleet(ranks=1, judged=2)[1]


def test_rates_of_slow_devices_are_in_gflops(recorded: Listing) -> None:
    slow = listed(SESSIONS / "cpu")
    told = [words(x) for x in lines(slow, cells=120, height=40)]
    assert "burst GFLOP/s held GFLOP/s of" in told[0]
    assert not any("TFLOP/s" in x for x in told)
    assert any(re.search(r"roofs fp32 [\d.]+ burst .* held GFLOP/s", x) for x in told)
    (one, *_) = slow.entries
    assert one.burst_tflops
    assert flops(one, 0.0594, UNICODE, True) == "59.4"
    assert flops(one, 0.0594, UNICODE, False) == "59.4G"  # beside others in TFLOP/s
    assert len(flops(one, 0.5945678, UNICODE, False)) < 7
    assert flops(recorded.entries[0], 823.4, UNICODE, False) == "823"
    assert not giga(recorded.entries[0])
