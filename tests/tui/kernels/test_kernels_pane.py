"""The kernels' pane as rows of text, from a map made by hand."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.events import SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.fusion import Fusion
from roofwatch.session.kernel_map import KernelPoint, kernel_map
from roofwatch.session.roofs import roofs
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row, text_of, width
from roofwatch.tui.kernels import kernels_pane, launch_rows, short_kernels
from roofwatch.tui.kernels.kernel_page import KernelPage
from roofwatch.tui.kernels.kernels_pane import View
from roofwatch.tui.kernels.unmeasured_kernels import unmeasured

SIZES = [(78, 18), (80, 19), (118, 30), (198, 54), (60, 12), (48, 17), (30, 8), (20, 3), (8, 1)]


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.fixture
def pages(kernels: list[KernelPoint], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fusion and launches have something on them too."""
    chain = Fusion(
        op="cos_cos_cos",
        name="three cos",
        shape={"rows": 4096, "columns": 4096},
        dtype="fp16",
        eager_s=0.93e-3,
        graph_s=0.92e-3,
        fused_s=0.79e-3,
        once_s=0.31e-3,
        eager_bytes=6,
        fused_bytes=2,
        predicted_ratio=3.0,
        measured_ratio=1.18,
        delivered=0.23,
        reason="special functions bind it, not bytes",
    )
    monkeypatch.setattr(kernels_pane, "fusions", lambda session, own: [chain])
    told = [row(f" launches {i}") for i in range(40)]
    monkeypatch.setattr(launch_rows, "build", lambda session, own, cells, glyphs: told)
    monkeypatch.setattr(launch_rows, "measured", lambda session: True)


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_page_fills_its_size_exactly(
    pages: None, h200: Session, cells: int, height: int, glyphs: Glyphs
) -> None:
    for view in (View(0, 0), View(0, 99), View(1, 0), View(2, 7), View(-1, 99)):
        rows = kernels_pane.build(h200, cells, height, glyphs, view)
        assert [width(r) for r in rows] == [cells] * height
        if glyphs is ASCII:
            assert all(ord(c) < 128 for r in rows for c in text_of(r))
        small = short_kernels.build(h200, cells, height, UNICODE, view)
        assert [width(r) for r in small] == [cells] * height


def test_the_map_has_picture_table_and_what_is_known_of_one(
    kernels: list[KernelPoint], h200: Session
) -> None:
    rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, 2)))
    assert rows[0].startswith(" kernel map")
    assert rows[0].endswith("6 of 15 at 90 % of their roof or more")
    head = next(i for i, r in enumerate(rows) if r.startswith("   kernel"))
    assert rows[head].split() == (
        ["kernel", "FLOP/B", "GB/s", "TFLOP/s", "time", "of", "roof", "bound"]
    )
    assert rows[head + 3].startswith("▸C cos")
    assert rows[head + 3].split()[-1] == "compute"
    text = " ".join(" ".join(rows).split())
    assert "cos: 76 % of 4300 GB/s (copy-fp16); special functions: 20 instructions" in text
    assert "Do cheaper functions" in text
    picture = "\n".join(rows[1:head])
    assert all(mark in picture for mark in "ABCDEFGHJKLMNO")
    assert "bf16 burst 8" in picture
    assert re.match(r" FLOP/B +0\.1 +1 +10 +100 +1k +10k$", rows[head - 1])


def test_the_cursor_stays_in_view_and_ends_at_the_last(
    kernels: list[KernelPoint], h200: Session
) -> None:
    for at in range(len(kernels)):
        rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, at)))
        here = [r for r in rows if r.startswith("▸")]
        assert len(here) == 1
        assert kernels[at].label[:18] in here[0]
    beyond = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, 99)))
    assert any(r.startswith("▸O sampling") for r in beyond)
    assert kernels_pane.length(h200, 80, 19, UNICODE, View()) == len(kernels)


def test_what_is_out_of_sight_is_counted_with_its_key(
    kernels: list[KernelPoint], h200: Session
) -> None:
    for cells, height in ((80, 19), (60, 12), (48, 17), (120, 14)):
        for at in range(len(kernels)):
            rows = lines(kernels_pane.build(h200, cells, height, UNICODE, View(0, at)))
            in_sight = sum(bool(re.match(r"[ ▸][A-O] [a-z]", r)) for r in rows)
            told = next(r for r in rows if re.search(r" more rows?: ", r))
            hidden = [int(n) for n in re.findall(r"(\d+) more rows?: [↑↓]", told)]
            assert in_sight + sum(hidden) == len(kernels), (cells, height, at)
    assert not any(
        re.search(r" more rows?: ", r)
        for r in lines(kernels_pane.build(h200, 120, 31, UNICODE, View()))
    )


def test_a_long_reason_is_there_to_its_end(kernels: list[KernelPoint], h200: Session) -> None:
    reason = f"not known: the library's kernel {'_'.join(['cudnn_sdpa_sm90'] * 9)}_end"
    kernels[11] = msgspec.structs.replace(kernels[11], reason=reason)
    for cells, height in ((80, 19), (78, 18), (60, 12)):
        rows = lines(kernels_pane.build(h200, cells, height, UNICODE, View(0, 11)))
        assert reason.replace(" ", "") in "".join(rows).replace(" ", "")
        assert any(r.startswith(" Do  ") for r in rows)
        assert any(r.startswith("▸L") for r in rows)


def test_a_kernel_without_flop_says_why_it_has_no_point(
    kernels: list[KernelPoint], h200: Session
) -> None:
    rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, 8)))
    assert "no point on the picture: 0 FLOP" in " ".join(" ".join(rows).split())


def test_wide_it_stands_beside_its_picture_with_all_treatments(pages: None, h200: Session) -> None:
    rows = lines(kernels_pane.build(h200, 120, 31, UNICODE, View(0, 5)))
    assert any(r.startswith("▸F rmsnorm 1 row, eager") for r in rows)
    assert any("what treats them" in r for r in rows)
    assert any("(F O)" in r for r in rows)
    beside = " ".join(" ".join(r[75:] for r in rows).split())
    assert "at least: bytes 6.48 µs, launches 840 ns; took 7.2 µs" in beside
    large = lines(kernels_pane.build(h200, 198, 54, UNICODE, View(0, 0)))
    assert any(r.startswith("▸A add") and "████████████" in r for r in large)
    assert any("three cos" in r for r in large)


@pytest.mark.parametrize(
    ("name", "title", "figures"),
    [
        ("cards", "every card", r" card 0 +\d+ alone +\d+ at once, -?\d+ % lost"),
        ("links", "links", r" host > card +pinned|   host > "),
    ],
)
def test_a_small_terminal_has_every_page(name: str, title: str, figures: str) -> None:
    session = fold(events(FULL.parent / "two" / f"{name}.jsonl"))
    names = kernels_pane.page_names(session)
    assert title in names
    for page in range(len(names)):
        rows = lines(short_kernels.build(session, 60, 40, UNICODE, View(page)))
        assert len(names) == 1 or rows[0].startswith(f" {names[page]}")
        if names[page] == title:
            assert any(re.match(figures, r) for r in rows), rows


def test_pages_follow_each_other_and_scroll(pages: None, h200: Session) -> None:
    def shown(view: View) -> list[str]:
        return lines(kernels_pane.build(h200, 80, 19, UNICODE, view))

    assert shown(View(0, 0))[0].startswith(" kernel map · fusion · launches and shapes  ←→")
    fusion = shown(View(1, 0))
    assert any("three cos" in r for r in fusion)
    assert any("special functions bind it" in r for r in fusion)
    launches = shown(View(2, 0))
    assert launches[1] == " launches 0"
    assert launches[-1] == " 23 more rows: ↓"
    last = kernels_pane.length(h200, 80, 19, UNICODE, View(2, 0)) - 1
    end = shown(View(2, last))
    assert end[-1] == " launches 39"
    assert shown(View(2, last + 5)) == end
    assert shown(View(3, 0)) == shown(View(0, 0))


def test_without_a_map_it_names_the_command_and_says_what_paper_knows(h200: Session) -> None:
    h200.closed = True
    rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View()))
    assert rows[0] == " No kernel was measured in this session."
    assert "roofwatch run --suite kernels" in rows[1]
    assert any("On paper, bf16 on this card (measured ridge" in r for r in rows)
    assert any("y = x + 1" in r and r.endswith("memory") for r in rows)
    assert any(r.endswith("compute") for r in rows)
    assert "roofwatch --suite kernels" in text_of(
        short_kernels.build(h200, 50, 9, UNICODE, View())[0]
    )


def test_while_the_suite_runs_it_says_what_comes_first() -> None:
    session = Session()
    session.add(SessionInfo(t=0.0, suite="kernels"))
    rows = lines(kernels_pane.build(session, 80, 19, UNICODE, View()))
    assert rows[0] == " No kernel is measured yet; the roofs come first."
    assert not any(rows[1:])


COLUMN = [(60, 27), (56, 26), (64, 28)]
FULL = Path(__file__).parent.parent.parent / "sessions" / "h200-full-1.jsonl"


@pytest.mark.parametrize(("cells", "height"), COLUMN)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_beside_others_it_is_the_map_without_a_cursor(
    kernels: list[KernelPoint], h200: Session, cells: int, height: int, glyphs: Glyphs
) -> None:
    rows = kernels_pane.build(h200, cells, height, glyphs, None)
    assert [width(r) for r in rows] == [cells] * height
    told = lines(rows)
    assert told[0].startswith(" kernel map")
    assert told[0].endswith("of their roof or more")
    assert not any(glyphs.here in r[:1] or glyphs.left_right in r for r in told)
    head = next(i for i, r in enumerate(told) if r.startswith("   kernel"))
    assert told[head].split()[-3:] == ["of", "roof", "bound"]
    assert all(
        r.split()[-1] in ("memory", "compute", "overhead") for r in told[head + 1 : head + 16]
    )


def test_beside_others_those_furthest_from_their_roof_stay(
    kernels: list[KernelPoint], h200: Session
) -> None:
    rows = lines(kernels_pane.build(h200, 60, 18, UNICODE, None))
    seen = [r[1] for r in rows if re.match(r" [A-O] ", r)]
    assert seen == sorted(seen)
    hidden = int(next(m[1] for r in rows if (m := re.match(r" +(\d+) more: key 6", r))))
    assert len(seen) + hidden == len(kernels)
    shares = {chr(65 + i): p.of_roof or 0.0 for i, p in enumerate(kernels)}
    assert max(shares[m] for m in seen) <= min(v for m, v in shares.items() if m not in seen)
    assert rows[-1].endswith("key 6")


@pytest.mark.parametrize("cells", [40, 48, 56, 60, 64, 80, 100, 111])
def test_columns_give_way_before_words_are_cut(
    kernels: list[KernelPoint], h200: Session, cells: int
) -> None:
    rows = lines(kernels_pane.build(h200, cells, 40, UNICODE, View()))
    head = next(i for i, r in enumerate(rows) if r.startswith("   kernel"))
    assert rows[head].endswith("bound")
    told = rows[head + 1 : head + 16]
    assert len(told) == 15
    for text in told:
        assert re.search(r" %( [█░]+)?  (memory|compute|overhead)$", text)
    assert any("rmsnorm 1 row" in r or "rmsnorm …" in r for r in told)


def test_a_share_of_almost_nothing_is_not_nothing(
    kernels: list[KernelPoint], h200: Session
) -> None:
    rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, 14)))
    assert any("< 1 %  overhead" in r for r in rows)


@pytest.mark.parametrize(("cells", "height"), [*COLUMN, (64, 33), (80, 19), (120, 31)])
def test_without_kernels_the_size_sweeps_have_the_room(cells: int, height: int) -> None:
    full = fold(events(FULL))
    rows = kernels_pane.build(full, cells, height, UNICODE, None)
    assert [width(r) for r in rows] == [cells] * height
    told = lines(rows)
    assert told[0].startswith(" size sweeps")
    assert told[0].endswith("no kernel map: roofwatch --suite kernels")
    assert any("cache reported" in r for r in told)
    sizes = [int(m[1]) for r in told if (m := re.match(r" +(\d+) +[\d.]+ [█░]", r))]
    hidden = [
        int(m[1])
        for r in told
        if (m := re.match(r" (?:key 6 shows )?(\d+) (?:more: key 6|others)", r))
    ]
    named = [m[1] for r in told if (m := re.match(r" key 6(?: shows|:) ([\d, ]+)$", r))]
    hidden += [len(n.split(",")) for n in named]
    assert sizes[:1] == [256] or hidden
    if len(sizes) > 1:
        assert sizes[-1] == 16384
        assert len(sizes) + sum(hidden) == 13
    alone = lines(kernels_pane.build(full, cells, height, UNICODE, View()))
    assert alone[0] == told[0]


def test_beside_others_without_anything_it_says_how_in_a_line(h200: Session) -> None:
    h200.closed = True
    rows = lines(kernels_pane.build(h200, 60, 27, UNICODE, None))
    assert rows[0] == " No kernel measured: roofwatch --suite kernels"
    assert sum("roofwatch" in r for r in rows) == 1
    work = [r for r in rows if r.endswith(("memory", "compute"))]
    assert len(work) > 10  # what the ridge makes of common work, every word whole
    empty = lines(kernels_pane.build(Session(), 60, 27, UNICODE, None))
    assert not any(empty[1:])


def test_keys_are_those_that_do_something(pages: None, h200: Session) -> None:
    assert kernels_pane.keys(h200, View()) == [
        ("{ud}", "kernel"),
        ("Enter", "open"),
        ("{lr}", "page"),
    ]
    assert kernels_pane.keys(h200, View(1)) == [("{lr}", "page")]
    assert kernels_pane.keys(h200, View(2)) == [("{ud}", "scroll"), ("{lr}", "page")]
    assert kernels_pane.keys(h200, View(2), (80, 60)) == [("{lr}", "page")]


def test_an_empty_pane_offers_no_key(h200: Session) -> None:
    assert kernels_pane.keys(h200, View()) == []
    assert kernels_pane.keys(Session(), View()) == []
    assert kernels_pane.page_of(Session(), View(), UNICODE) is None
    assert kernels_pane.page_of(fold(events(FULL)), View(), UNICODE) is None
    assert kernels_pane.keys(fold(events(FULL)), View()) == [("{ud}", "scroll")]


def test_one_column_has_one_precision(kernels: list[KernelPoint], h200: Session) -> None:
    kernels[0] = msgspec.structs.replace(kernels[0], intensity=0.99979, tflops=0.000944)
    kernels[1] = msgspec.structs.replace(kernels[1], intensity=1.0, tflops=0.00148)
    rows = lines(kernels_pane.build(h200, 80, 19, UNICODE, View(0, 0)))
    first, second = (next(r for r in rows if re.match(rf"[ ▸]{m} ", r)) for m in "AB")
    assert re.search(r" 1\.00 .* 0\.000944 ", first)
    assert re.search(r" 1\.00 .* 0\.00148 ", second)


def test_microseconds_are_written_as_the_terminal_can(
    kernels: list[KernelPoint], h200: Session
) -> None:
    for glyphs, unit in ((UNICODE, "µs"), (ASCII, "us")):
        text = "".join(lines(kernels_pane.build(h200, 80, 19, glyphs, View(0, 5))))
        assert set(re.findall(r"\d ([uµ]s)\b", text)) == {unit}


def test_the_kernel_under_the_cursor_has_a_page(pages: None, h200: Session) -> None:
    assert kernels_pane.page_of(h200, View(0, 3), UNICODE) is not None
    assert kernels_pane.page_of(h200, View(0, 999), UNICODE) is not None
    assert kernels_pane.page_of(h200, View(1, 0), UNICODE) is None


def test_squares_of_a_slow_device_have_the_unit_of_its_roofline() -> None:
    cpu = fold(events(FULL.parent / "cpu" / "full-1.jsonl"))
    large = lines(kernels_pane.build(cpu, 80, 60, UNICODE, View()))
    assert any(r.split() == ["n", "GFLOP/s"] for r in large)
    assert any(re.match(r" +512 +5\.63 ", r) for r in large)
    small = lines(short_kernels.build(cpu, 60, 99, UNICODE, View()))
    assert any(re.search(r"n 512 +5\.63 GFLOP/s", r) for r in small)
    assert not any("TFLOP/s" in r for r in [*large, *small])


@pytest.mark.parametrize("size", [(80, 24), (118, 40), (198, 54)])
def test_kernels_of_a_slow_device_have_that_unit_everywhere(size: tuple[int, int]) -> None:
    cpu = fold(events(FULL.parent / "cpu" / "kernels-1.jsonl"))
    assert kernel_map(cpu, roofs(cpu))
    for view in (None, View(0, 0)):
        told = "\n".join(lines(kernels_pane.build(cpu, *size, UNICODE, view)))
        assert "GFLOP/s" in told
        assert "TFLOP/s" not in told
    opened = kernels_pane.page_of(cpu, View(0, 0), UNICODE)
    assert isinstance(opened, KernelPage)
    told = "\n".join(lines(opened.whole(90)))
    assert "GFLOP/s" in told
    assert "TFLOP/s" not in told


def test_work_on_paper_has_that_unit_too() -> None:
    cpu = fold(events(FULL.parent / "cpu" / "decode-1.jsonl"))
    assert not kernel_map(cpu, roofs(cpu))
    told = lines(unmeasured(cpu, roofs(cpu), False, 80, 30))
    assert any("at most GFLOP/s" in r for r in told)
    assert not any("TFLOP/s" in r for r in told)
