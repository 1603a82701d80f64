"""The grid and a rank's page as text."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from made_fleet import made_fleet
from rich.cells import cell_len
from simulated_ranks import planted

from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.lines import RankLine
from roofwatch.session.fleet.outliers import HALVED
from roofwatch.session.fleet.rank_figures import Said
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.numbers import distance
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.fleet.fleet_grid import At, Grid, against, grid_rows, moved, room_for, shown_slow
from roofwatch.tui.fleet.fleet_help import help_rows
from roofwatch.tui.fleet.rank_page import findings_said, rank_rows

TWO = Path(__file__).parents[2] / "sessions" / "two"


@pytest.fixture(scope="module")
def grid() -> Grid:
    return Grid(made_fleet(64, lost=(3,)))


def test_slow_ranks_and_lost_ones_have_a_mark_and_a_word(grid: Grid) -> None:
    rows = [text_of(r) for r in grid_rows(grid, At(), 80, 24, UNICODE)]
    assert all(len(r) == 80 for r in rows)
    assert "add_scalar" in rows[0]
    assert "4284 GB/s" in rows[2]
    lost = next(r for r in rows if "node000 3" in r)
    assert "✗" in lost
    assert "3 silent for 20 s; last word" in lost  # the word is not said twice
    slow = next(r for r in rows if "node001 1" in r)
    assert slow.count("▲") == 1 + 5  # the rank, and each figure on show
    assert "-9.1 %" in slow


def test_it_is_drawn_in_ascii_too(grid: Grid) -> None:
    for at in (At(), At(rank=9)):
        assert all(text_of(r).isascii() for r in grid_rows(grid, at, 80, 24, ASCII))
        assert all(
            text_of(r).isascii() or "°" in text_of(r)
            for r in rank_rows(grid, grid.ranks[at.rank], 76, ASCII)
        )


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 6), (120, 36)])
def test_the_cursor_stays_on_show_wherever_it_goes(grid: Grid, size: tuple[int, int]) -> None:
    at = At()
    for rows, columns in ((10**6, 0), (-3, 10**6), (-(10**6), 0), (30, -1), (0, -(10**6))):
        at = moved(grid, at, *size, rows, columns)
        drawn = grid_rows(grid, at, *size, UNICODE)
        assert sum("▸" in text_of(r) for r in drawn) == 1
        assert len(drawn) <= size[1]
        assert all(width(r) == size[0] for r in drawn)
    assert at == At(rank=30, top=at.top, column=0)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("cells", [20, 40, 60, 80, 100, 120, 121, 160])
def test_how_many_figures_are_beside_is_told_whole_or_not(
    grid: Grid, cells: int, glyphs: Glyphs
) -> None:
    heads = [text_of(r) for r in grid_rows(grid, At(), cells, 24, glyphs)[:4]]
    hidden = len(grid.names) - room_for(grid, cells, 24)[1]
    assert hidden > 0
    assert heads[3].endswith(f"{hidden} more {glyphs.left_right} ")
    assert not any(char.isdigit() for char in heads[0])


def test_the_figure_that_makes_a_rank_slow_comes_into_view() -> None:
    fleet = made_fleet(8, links=False)
    held = fleet.ranks[2].figures["matmul-bf16-sustained"]
    figures = fleet.ranks[2].figures | {
        "matmul-bf16-sustained": msgspec.structs.replace(held, value=held.value * 0.5)
    }
    fleet.ranks[2] = msgspec.structs.replace(fleet.ranks[2], figures=figures)
    grid = Grid(fleet)
    assert [grid.names[i] for i in grid.slow_columns(2)] == ["matmul-bf16-sustained"]
    at = shown_slow(grid, At(rank=2), 80, 24)
    drawn = [text_of(r) for r in grid_rows(grid, at, 80, 24, UNICODE)]
    assert "-46.1 % ▲" in next(r for r in drawn if "▸" in r)
    assert next(r for r in drawn if "▸" in r).count("▲") == 2
    assert shown_slow(grid, at, 80, 24) == at


def test_a_rank_that_never_came_is_told_by_its_number() -> None:
    fleet = made_fleet(8, links=False)
    fleet.add(RankLine(rank=8, state="absent", why="never came, in 120 s"))
    drawn = [text_of(r) for r in grid_rows(Grid(fleet), At(), 80, 24, UNICODE)]
    assert any(r.startswith(" ✗ rank 8 ") and "absent: never came" in r for r in drawn)


def test_findings_of_one_kind_are_one_line_with_the_figures_they_are_of() -> None:
    slow = read_fleet(TWO / "fleet-slow.jsonl")
    said = findings_said(slow.ranks[1])
    assert (
        "unstable, matmul-bf16 (alike: matmul-fp16, matmul-tf32, matmul-fp32): The middle half of "
        "its 14 repetitions spans 305 % of the median."
    ) in said
    assert len(said) < len(slow.ranks[1].findings)
    page = [text_of(r) for r in rank_rows(Grid(slow), slow.ranks[1], 76, UNICODE)]
    assert "SM clock" in page[3]
    assert "deviations" not in page[3]  # of two they say nothing
    assert any("matmul-bf16-sustained, TFLOP/s " in t for t in page)


def test_a_page_names_the_ranks_links() -> None:
    fleet = made_fleet(8)
    fleet.links[3] = msgspec.structs.replace(fleet.links[3], time_s=1e-3)
    grid = Grid(fleet)
    page = " ".join(text_of(r) for r in rank_rows(grid, grid.ranks[3], 110, UNICODE))
    assert "link: to node000 card 4 (rank 4) 67.1 GB/s, 15 % of nominal, 5.7 times slower" in page


def test_the_next_marked_rank_is_found_round_and_round(grid: Grid) -> None:
    marked = sorted({3, *planted(64)})
    at, seen = 0, []
    for _ in marked:
        at = grid.next_marked(at)
        seen.append(at)
    assert seen == marked
    assert grid.next_marked(at) == marked[0]


def test_a_ranks_page_has_its_figures_its_distance_and_the_cause(grid: Grid) -> None:
    text = [text_of(r) for r in rank_rows(grid, grid.ranks[9], 76, UNICODE)]
    assert text[0].startswith("node001 card 1   rank 9   NVIDIA H200")
    assert text[1] == "done, slow"
    assert any(t.startswith("add_scalar-fp16, GB/s") and "-9.1 %" in t for t in text)
    assert any("power-capped: its power limit is 500 W, the others' 700 W" in t for t in text)
    said = "finding: throttled, matmul-bf16-sustained: SM clock 1425"
    assert any(t.startswith(said) for t in text)
    assert all(len(t) <= 76 for t in text)
    lost = [text_of(r) for r in rank_rows(grid, grid.ranks[3], 76, UNICODE)]
    assert lost[1].startswith("silent for 20 s; last word")
    assert not [t for t in lost[2:] if t and not t.startswith("link: ")]


def test_of_two_ranks_grid_and_page_go_by_the_faster_one_as_the_report_does() -> None:
    grid = Grid(read_fleet(TWO / "fleet-slow.jsonl"))
    drawn = [text_of(r) for r in grid_rows(grid, At(), 200, 24, UNICODE)]
    assert drawn[2].startswith(" faster ")
    assert "697 TF" in drawn[2]
    assert "63.0 °C" in drawn[2]  # of heat the higher one: a mean is no card's
    slowed = next(r for r in drawn if "vm 1" in r)
    assert "-54.6 % ▲" in slowed
    assert "-37.6 %" not in slowed
    page = [text_of(r) for r in rank_rows(grid, grid.ranks[1], 100, UNICODE)]
    assert "faster" in page[3]
    assert "median" not in page[3]
    held = next(r for r in page if r.startswith("matmul-bf16-sustained, TFLOP/s"))
    assert held.split()[2:5] == ["316", "697", "-54.6"]
    keys = " ".join(" ".join(text_of(r) for r in help_rows(76, UNICODE)).split())
    assert "of two ranks from the faster" in keys


def test_of_more_than_two_the_median_stays_and_of_both_at_once_neither_is_named(
    grid: Grid,
) -> None:
    assert text_of(grid_rows(grid, At(), 80, 24, UNICODE)[2]).startswith(" median ")
    mixed = made_fleet(5, links=False)
    for rank in (0, 1):
        mixed.ranks[rank] = msgspec.structs.replace(mixed.ranks[rank], device="another")
    of = Grid(mixed)
    page = [text_of(r) for r in rank_rows(of, of.ranks[0], 100, UNICODE)]
    assert "faster" in page[3]
    assert "median" in text_of(rank_rows(of, of.ranks[4], 100, UNICODE)[3])
    assert against(of.metrics) == "against"


def test_a_doubted_figure_and_a_rank_that_is_not_slow_have_a_sign_of_their_own() -> None:
    slow = Grid(read_fleet(TWO / "fleet-slow.jsonl"))
    drawn = [text_of(r) for r in grid_rows(slow, At(), 200, 24, UNICODE)]
    slowed = next(r for r in drawn if "vm 1" in r)
    assert slowed.startswith(" ▲ vm 1")  # slow is the graver sign
    assert slowed.count("?") == 2  # both streams
    page = [text_of(r) for r in rank_rows(slow, slow.ranks[1], 100, UNICODE)]
    assert page[1] == "done, slow, doubted"
    assert "?" in next(r for r in page if r.startswith("add_scalar-fp16, GB/s"))
    fleet = made_fleet(8, links=False)
    found = (Said(code="l2-hit", subject="add_scalar-fp16", severity="wrong"),)
    fleet.ranks[2] = msgspec.structs.replace(fleet.ranks[2], findings=found)
    grid = Grid(fleet)
    for glyphs in (UNICODE, ASCII):
        rows = [text_of(r) for r in grid_rows(grid, At(), 80, 24, glyphs)]
        assert [r for r in rows if "?" in r] == [next(r for r in rows if "node000 2" in r)]
        assert next(r for r in rows if "node000 2" in r).startswith(" ? node000 2")
    first = rank_rows(grid, grid.ranks[2], 100, UNICODE)[1]
    assert (text_of(first), grid.marked(grid.ranks[2])) == ("done, doubted", "")
    assert any(text_of(r).startswith("? ") for r in help_rows(76, UNICODE))


def test_hosts_with_long_names_are_told_apart() -> None:
    fleet = made_fleet(16, links=False)
    for rank, r in fleet.ranks.items():
        node = f"ip-10-0-{rank // 8}-23.us-west-2.compute.internal"
        fleet.ranks[rank] = msgspec.structs.replace(r, node=node)
    rows = [text_of(r)[:24] for r in grid_rows(Grid(fleet), At(), 80, 24, UNICODE)[4:]]
    assert len({r[3:] for r in rows}) == 16
    assert "ip-10-0-0-23" in rows[0]
    assert "ip-10-0-1-23" in rows[8]


def test_the_head_is_of_the_card_under_the_cursor_and_a_row_says_which_it_has() -> None:
    fleet = made_fleet(4, links=False)
    for rank in (2, 3):
        r = fleet.ranks[rank]
        of = {k: msgspec.structs.replace(f, value=f.value / 2) for k, f in r.figures.items()}
        fleet.ranks[rank] = msgspec.structs.replace(r, device="NVIDIA A100-SXM4-80GB", figures=of)
    grid = Grid(fleet)
    first, last = (
        [text_of(r) for r in grid_rows(grid, At(rank=i), 80, 24, UNICODE)] for i in (0, 3)
    )
    assert first[2].startswith(" faster, H200")
    assert last[2].startswith(" faster, A100-SXM4")
    tops = [float(rows[2].split("GB/s")[0].split()[-1]) for rows in (first, last)]
    assert tops[0] == pytest.approx(2 * tops[1], rel=0.1)
    words = [next(r for r in last if f"node000 {i}" in r) for i in range(4)]
    assert ["A100-SXM4" in w for w in words] == [False, False, True, True]
    assert ["H200" in w for w in words] == [True, True, False, False]
    alone = grid_rows(Grid(made_fleet(4, links=False)), At(), 80, 24, UNICODE)
    assert not any("H200" in text_of(r) for r in alone)


def test_a_page_says_which_figure_a_cause_is_of_and_a_cpu_has_no_sm() -> None:
    fleet = made_fleet(8, links=False)
    r = fleet.ranks[2]
    half = msgspec.structs.replace(r.figures["matmul-bf16"], value=100.0)
    fleet.ranks[2] = msgspec.structs.replace(r, figures={**r.figures, "matmul-bf16": half})
    grid = Grid(fleet)
    page = [text_of(t) for t in rank_rows(grid, grid.ranks[2], 100, UNICODE)]
    assert any(t.startswith("▲ unknown: not its clock;") and "(matmul-bf16)" in t for t in page)
    assert grid.cause(2).startswith("matmul-bf16: not its clock")
    assert grid.cause(0) == ""
    for rank, r in fleet.ranks.items():
        fleet.ranks[rank] = msgspec.structs.replace(r, kind="cpu")
    of = Grid(fleet)
    page = [text_of(t) for t in rank_rows(of, of.ranks[0], 100, UNICODE)]
    assert "CPU clock" in page[3]
    assert any(t.startswith("CPU clock, held, MHz") for t in page)
    assert not any("SM clock" in t for t in page[:20] if not t.startswith("finding"))
    assert any("CPU clock" in text_of(t) for t in grid_rows(of, At(column=9), 200, 24, UNICODE))


def test_figures_too_far_apart_are_marked_in_the_head() -> None:
    fleet = made_fleet(3, links=False)
    for rank, share in ((0, 1.0), (1, 0.8), (2, 0.6)):
        r = fleet.ranks[rank]
        add = msgspec.structs.replace(r.figures["add_scalar-fp16"], value=4000 * share)
        fleet.ranks[rank] = msgspec.structs.replace(r, figures={"add_scalar-fp16": add})
    assert "3200 GB/s ▲" in text_of(grid_rows(Grid(fleet), At(), 80, 24, UNICODE)[2])


def test_units_stand_whole_where_all_figures_have_room() -> None:
    fleet = read_fleet(TWO / "fleet-1.jsonl")
    grid = Grid(fleet)
    needs = grid.rank_cells + 16 * len(grid.names)
    wide = [text_of(r) for r in grid_rows(grid, At(), needs, 24, UNICODE)]
    assert " TFLOP/s" in wide[2]
    assert all(len(r) == needs for r in wide)
    assert room_for(grid, needs, 24)[1] == len(grid.names)
    narrow = [text_of(r) for r in grid_rows(grid, At(), needs - 1, 24, UNICODE)]
    assert " TF" in narrow[2]
    assert "FLOP/s" not in narrow[2]


def test_one_at_half_of_the_best_says_so_on_its_page_and_has_no_deviations() -> None:
    fleet = made_fleet(3, links=False)
    for rank, share in ((0, 1.0), (1, 0.7), (2, 0.45)):
        r = fleet.ranks[rank]
        bf16 = msgspec.structs.replace(r.figures["matmul-bf16"], value=800 * share)
        fleet.ranks[rank] = msgspec.structs.replace(r, figures={"matmul-bf16": bf16})
    grid = Grid(fleet)
    page = [text_of(t).rstrip() for t in rank_rows(grid, grid.ranks[2], 100, UNICODE)]
    figure = next(t for t in page if t.startswith("matmul-bf16, "))
    assert figure.split()[2:7] == ["360", "560", "-35.7", "%", "▲"]  # no -0.7 of a spread
    said = " ".join(" ".join(page).split())
    assert f"▲ {HALVED}: matmul-bf16 55 % under the best 800 TFLOP/s" in said
    beside = [text_of(t).split() for t in rank_rows(grid, grid.ranks[1], 100, UNICODE)]
    assert next(t for t in beside if t[:1] == ["matmul-bf16,"])[4:7] == ["+0.0", "%", "+0.0"]


def test_nothing_is_less_than_nothing() -> None:
    assert [distance(x) for x in (-0.04, 0.0, -0.0, 0.04, -0.06, 1.25)] == [
        *["+0.0"] * 4,
        "-0.1",
        "+1.2",
    ]


def test_a_long_name_of_a_node_leaves_card_number_and_device_on_the_page() -> None:
    fleet = made_fleet(4, links=False)
    node = "ip-10-0-0-23.us-west-2.compute.internal.of.a.very.long.domain"
    for rank, r in fleet.ranks.items():
        fleet.ranks[rank] = msgspec.structs.replace(r, node=node)
    grid = Grid(fleet)
    for cells in (76, 60):
        first = text_of(rank_rows(grid, grid.ranks[3], cells, UNICODE)[0])
        assert cell_len(first) <= cells
        assert first.startswith("ip-10-0-")
        assert "… card 3   rank 3   NVIDIA H200" in first
    wide = text_of(rank_rows(grid, grid.ranks[3], 200, UNICODE)[0])
    assert wide.startswith(f"{node} card 3   rank 3   NVIDIA H200")
