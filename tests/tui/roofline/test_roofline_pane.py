"""The roofline pane as rows of text: roofs, expected ranges, points, the cursor and its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from roofwatch.roofline.per_cent import spaced
from roofwatch.roofline.workload import add_scalar, matmul
from roofwatch.session.events import AnyEvent, Device, Expect, Measurement, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.roofline import roofline_pane

SIZES = [(80, 18), (72, 29), (120, 41), (60, 12), (48, 17), (30, 9)]
OF_ADVICE = {"work", "on"}
MEASURED_FIRST = 2.5  # seconds into the recorded session: one stream is there


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


def drawn(
    session: Session,
    size: tuple[int, int] = (80, 18),
    key: str | None = "bf16",
    glyphs: Glyphs = UNICODE,
    cursor: int | None = None,
) -> list[str]:
    return lines(roofline_pane.build(session, *size, key, glyphs, cursor))


def until(file: Path, seconds: float) -> Session:
    return fold(e for e in events(file) if e.t <= seconds)


def picture(rows: list[str]) -> list[str]:
    """The rows between the axes."""
    return [r[8:].ljust(200) for r in rows if re.match(r".{7}[│┤|+]", r)]


def test_the_roofline_tells_its_three_roofs_apart(h200: Session) -> None:
    rows = drawn(h200)
    where = {w: next(i for i, r in enumerate(rows) if f" {w} " in r) for w in ("nominal", "burst")}
    assert rows[where["nominal"]].endswith("nominal 989")
    assert "╌╌╌" in rows[where["nominal"]]
    assert re.search(r"━━━B━━━.* burst 8\d\d$", rows[where["burst"]])
    sustained = next(r for r in rows if re.search(r"sustained \d+$", r) and "ridge" not in r)
    assert where["nominal"] < where["burst"] < rows.index(sustained)
    assert "⠄⠄⠄C⠄⠄⠄" in sustained
    assert any("ridge bf16 206 nominal" in r for r in rows)


def test_ascii_tells_the_roofs_apart_by_their_marks(h200: Session) -> None:
    rows = drawn(h200, glyphs=ASCII)
    assert all(r.isascii() for r in rows)
    nominal, burst, sustained = (
        next(r for r in rows if re.search(rf" {w} \d+$", r) and "ridge" not in r)
        for w in ("nominal", "burst", "sustained")
    )
    assert "---" in nominal
    assert "***B***" in burst
    assert "===C===" in sustained


def test_no_roof_hides_another_where_they_share_cells(h200: Session) -> None:
    canvas = picture(drawn(h200))
    slopes = [r for r in canvas if re.search("·[⠀-⣿]", r)]
    assert len(slopes) >= 8  # nominal stands left of the measured slope in every row
    assert any("slope 4800 nominal · 4" in r and "burst GB/s" in r for r in canvas)


def test_a_slope_that_was_held_has_its_figure(full: Session) -> None:
    assert any(
        re.search(r"slope 4800 nominal · 4\d{3} burst · 4\d{3} sustained GB/s", r)
        for r in drawn(full, (120, 41))
    )


def test_wide_names_have_their_share_of_nominal(full: Session) -> None:
    rows = drawn(full, (120, 41))
    assert any(re.search(r"burst 8\d\d · 8\d %$", r) for r in rows)
    assert any(re.search(r"sustained 6\d\d · 7\d %$", r) for r in rows)


def test_the_axes_are_decades_and_the_ridge_is_marked(h200: Session) -> None:
    rows = drawn(h200)
    axis = next(r for r in rows if r.strip().startswith("0.1"))
    assert axis.split() == ["0.1", "1", "10", "100", "191", "1k", "10k", "FLOP/byte"]
    assert [r.split()[0] for r in rows if "┤" in r] == ["1k", "100", "10", "1"]
    line = rows[rows.index(axis) - 1]
    assert line.count("┴") == 2  # burst and sustained
    assert abs(line.rindex("┴") - (axis.index("191") + 1 - 3)) <= 3
    canvas = picture(rows)
    assert canvas[3][line.rindex("┴") - 8] == "┆"  # up to the roof


def test_points_stand_in_the_table_with_their_share(h200: Session) -> None:
    rows = drawn(h200)
    first = next(r for r in rows if r.startswith(" A "))
    assert re.search(
        r"add_scalar fp16 +0\.250 +1\.0\d +own +0\.1 % +83 % +0\.1 % +defines it", first
    )
    assert any(
        re.search(r"^ C  bf16 sustained .* own +100 % +6\d % +6\d % +defines it$", r) for r in rows
    )


def test_another_precision_has_its_own_roof(h200: Session) -> None:
    rows = drawn(h200, key="fp32")
    assert any(r.endswith("nominal 66.9") for r in rows)
    assert not any(re.search(r"sustained \d", r) for r in rows)
    keys = roofline_pane.precisions(h200)
    assert keys == ["bf16", "fp16", "tf32", "fp32", "fp8_fast", "fp8", "int8"]


def test_the_table_under_the_roofline_tells_the_three_distances(full: Session) -> None:
    rows = drawn(full, (120, 40))
    head = next(r for r in rows if "work on" in r)
    assert re.split(r"  +| (?=TFLOP)", head.strip()) == [
        "point",
        "FLOP/B",
        "TFLOP/s",
        "of roof",
        "of ridge",
        "card",
        "MFU",
        "at most",
        "work on",
    ]
    small = next(r for r in rows if "bf16 square 512" in r)
    assert re.search(
        r" 171 +\d+(\.\d)? +1\d % +\d\d % +8\d % +8\.\d % +83 %  overhead and kernel", small
    )
    assert any("triad fp16" in r and r.endswith("defines the slope") for r in rows)
    assert any("bf16 square 8192" in r and r.endswith(" stop here") for r in rows)


def test_the_terms_from_nominal_down_stand_below(full: Session) -> None:
    rows = drawn(full, (80, 30))
    pattern = r" 989 nominal · [+-][\d.]+ clock 1\d{3} MHz · -[\d.]+ rest$"
    assert [r.split()[0] for r in rows if re.search(pattern, r)] == ["burst", "sustained"]
    assert any(
        re.search(r"4800 nominal · \+14 mem clock · -\d+ read/write turnaround", r) for r in rows
    )
    between = " memory-bound under one roof, compute-bound under another: matmul 512"
    assert any(r.startswith(between) for r in rows)


def test_a_narrow_table_keeps_the_advice(full: Session) -> None:
    rows = drawn(full, (71, 30))
    assert any(r.endswith("defines it") and "triad" in r for r in rows)
    assert all(len(r) <= 71 for r in rows)


@pytest.mark.parametrize("cells", range(24, 76, 3))
def test_columns_give_way_whole(full: Session, cells: int) -> None:
    rows = drawn(full, (cells, 30))
    head = next(i for i, r in enumerate(rows) if r.strip().startswith("point"))
    titles = rows[head].split()
    known = {"point", "FLOP/B", "TFLOP/s", "of", "roof", "ridge", "card", *OF_ADVICE}
    assert set(titles) <= known
    burst = next(r for r in rows if re.match(r" [BC]  bf16 [bs]\w+", r))
    figures = burst[4:].replace("defines it", "advice").replace(" %", "%").split()[2:]
    assert len(figures) == len(set(titles) - {"point", "of", "on"})
    assert all(re.fullmatch(r"[\d.]+%?|own|advice", f) for f in figures)


def test_the_sweep_stands_under_the_roof(full: Session) -> None:
    assert sum(r.count(UNICODE.sweep) for r in picture(drawn(full, (120, 40)))) >= 8


def test_before_anything_lands_its_range_is_shaded_and_named(h200_file: Path) -> None:
    rows = drawn(until(h200_file, 1.0), (80, 19), None)
    burst = next(r for r in rows if r.endswith(" burst expected 735–893"))
    sustained = next(r for r in rows if r.endswith(" sustained expected 544–866"))
    nominal = next(r for r in rows if r.endswith("nominal 989"))
    assert "░░░░" in burst
    assert "░░░░" in sustained
    assert rows.index(nominal) < rows.index(burst) < rows.index(sustained)
    assert sum("░░" in r for r in picture(rows)) >= 9  # the slope, down to the lower edge
    assert any("slope 4800 nominal · expected 3984–4512 GB/s" in r for r in rows)
    assert [r.split("  ")[1] for r in rows if r.startswith(" ░ ")][1:] == [
        "bf16 burst",
        "bf16 sustained",
    ]
    assert not any("nothing is measured" in r for r in rows)


def test_a_range_is_gone_when_its_number_is_measured(h200_file: Path, h200: Session) -> None:
    one = drawn(until(h200_file, MEASURED_FIRST))
    assert not any("expected 3984" in r for r in one)
    assert any("burst expected 735–893" in r for r in one)
    two = drawn(until(h200_file, 5.0))
    assert not any("burst expected" in r for r in two)
    assert any("sustained expected 544–866" in r for r in two)
    assert not any("expected" in r or "░" in r for r in drawn(h200))


def test_the_picture_stays_where_it_is_while_numbers_land(h200_file: Path) -> None:
    heights = {
        len(picture(drawn(until(h200_file, t)))) for t in (1.0, MEASURED_FIRST, 5.0, 9.0, 13.0)
    }
    assert heights == {10}


def test_ranges_in_ascii(h200_file: Path) -> None:
    rows = drawn(until(h200_file, 1.0), glyphs=ASCII)
    assert all(r.isascii() for r in rows)
    assert any("::::" in r and r.endswith("burst expected 735-893") for r in rows)


def test_the_cursor_marks_its_point_and_says_the_three_distances(full: Session) -> None:
    assert roofline_pane.stops(full, "bf16") == 6
    rows = drawn(full, (80, 24), cursor=0)
    assert any("▸A" in r for r in picture(rows))
    along = next(r for r in picture(rows) if "▸A" in r)
    assert re.search(r"▸A.*┈ 56[78]x ┈+┆", along)
    said = next(r for r in rows if r.startswith(" A  defines the slope"))
    assert re.search(r" · ridge 189 is 56[78]x further right · card 84 % of nominal$", said)
    assert next(r for r in rows if r.startswith("▸")).startswith("▸A  triad fp16")


def test_a_point_under_the_roof_has_a_line_up_to_it(full: Session) -> None:
    rows = drawn(full, (120, 41), cursor=3)
    canvas = picture(rows)
    at = next((x, y) for y, r in enumerate(canvas) for x, c in enumerate(r) if c == "◉")
    above = [canvas[y][at[0]] for y in range(at[1])]
    assert above[-3:] == ["┆"] * 3
    assert any("┆ 11 % " in r for r in canvas)
    assert any(re.match(r" ∘  11 % of what its intensity allows, 7\d\d TFLOP/s ·", r) for r in rows)
    assert "▸∘  bf16 square 512" in "\n".join(rows)


def test_the_gap_to_nominal_is_marked_above_the_flat(h200: Session) -> None:
    for cursor in (0, 1, 2):
        rows = picture(drawn(h200, cursor=cursor))
        assert rows[0].count("┆") == 1
        assert re.search("┆╌|╌┆", rows[0])


def test_a_wide_line_says_it_in_whole_words(full: Session) -> None:
    rows = drawn(full, (140, 41), cursor=0)
    assert any(
        re.match(
            r" A  defines the slope over it, 1.46 TFLOP/s · ridge 189 is 56[78]x "
            "further right · this card reaches 84 % of nominal there$",
            r,
        )
        for r in rows
    )
    held = drawn(full, (140, 41), cursor=2)
    assert any("14x right of the ridge 159 · this card reaches 70 %" in r for r in held)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES)
def test_the_row_of_the_cursor_is_always_there(
    full: Session, size: tuple[int, int], glyphs: Glyphs
) -> None:
    for cursor in (-4, 0, 1, 2, 3, 4, 5, 99):
        rows = roofline_pane.build(full, *size, "bf16", glyphs, cursor)
        assert [width(r) for r in rows] == [size[0]] * size[1]
        lit = [r for r in rows if any(style == "strong-here" for _, style in r)]
        assert len(lit) == 1
        assert text_of(lit[0]).startswith(glyphs.here)
        named = ("triad", "bf16 burst", "bf16 sust", "square 512", "square 2048", "square 8192")
        assert named[max(0, min(5, cursor))] in text_of(lit[0])


def test_without_a_cursor_nothing_is_pointed_at(full: Session) -> None:
    rows = roofline_pane.build(full, 80, 24, "bf16", UNICODE)
    assert not any("here" in style for r in rows for _, style in r)
    assert not any("▸" in text_of(r) or "┈" in text_of(r) for r in rows)


def test_what_the_cursor_stands_on_was_measured_so(full: Session) -> None:
    probes = [roofline_pane.measurement_at(full, "bf16", i) for i in range(6)]
    assert [m.probe if m else None for m in probes] == [
        "triad-fp16",
        "matmul-bf16",
        "matmul-bf16-sustained",
        *["matmul-bf16-sweep"] * 3,
    ]
    assert roofline_pane.measurement_at(Session(), None, 0) is None
    assert roofline_pane.stops(Session(), "bf16") == 0


@pytest.fixture
def on_cpu(point: Callable[..., Measurement]) -> Callable[..., Session]:
    """Folds what a CPU without a nominal roof has measured."""
    work, square = add_scalar(1 << 26, "fp32"), matmul(1024, 1024, 1024, "fp32")
    found = {
        "stream": point(
            work,
            work.bytes / 20e9,
            "add_scalar-fp32",
            dtype="fp32",
            peak_key=None,
            protocol="stream",
        ),
        "burst": point(
            square,
            square.flop / 150e9,
            "matmul-fp32",
            dtype="fp32",
            peak_key="fp32",
            protocol="burst",
        ),
        "sustained": point(
            square,
            square.flop / 120e9,
            "matmul-fp32-sustained",
            dtype="fp32",
            peak_key="fp32",
            protocol="sustained",
        ),
    }

    def folded(*names: str) -> Session:
        cpu = Device(kind="cpu", name="a CPU", core_count=2, l2_bytes=32 << 20)
        return fold(
            [
                SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
                SessionInfo(t=0.1, instrument="telemetry", device=cpu),
                *(found[name] for name in names),
            ]
        )

    return folded


def test_a_cpu_has_its_own_roof_without_a_nominal_one(on_cpu: Callable[..., Session]) -> None:
    rows = drawn(on_cpu("stream", "burst"), key=None, cursor=0)
    assert any(r.endswith("burst 150") for r in rows)
    assert any("ridge fp32 7.5 burst" in r for r in rows)
    assert any(
        r == " A  defines the slope over it, 2.5 GFLOP/s · ridge 7.5 is 60x further right"
        for r in rows
    )
    assert any(r.startswith("GFLOP/s") for r in rows)
    assert not any("nominal" in r for r in rows)


def test_half_a_roof_is_drawn_too(on_cpu: Callable[..., Session]) -> None:
    slope = drawn(on_cpu("stream"), key=None, cursor=0)
    assert sum(bool(re.search("[⠁-⣿]", r)) for r in picture(slope)) >= 8
    assert any("slope 20 burst GB/s" in r for r in slope)
    assert any(r.startswith(" A  no flat is measured") for r in slope)
    flat = drawn(on_cpu("burst"), key=None, cursor=0)
    assert any(re.search(r"│━{30,}▸A━+ burst 150", r) for r in flat)
    assert any(r.startswith(" A  no bandwidth is measured") for r in flat)
    held = drawn(on_cpu("stream", "sustained"), key=None)
    assert any(re.search(r"⠄{9,}B⠄+ sustained 120", r) for r in held)
    assert not any("━" in r for r in held)


def test_nothing_measured_and_nothing_expected_says_so() -> None:
    assert any("no roof is measured" in r for r in drawn(Session(), key=None))
    assert any("no roof is measured" in r for r in drawn(Session(), key="bf16", cursor=2))


def slow(file: Path, **changed: float) -> Session:
    """The recorded session with the times of some probes that many times as long."""
    told: list[AnyEvent] = []
    for e in events(file):
        by = changed.get(e.probe.replace("-", "_")) if isinstance(e, Measurement) else None
        if isinstance(e, Measurement) and by:
            e = structs.replace(e, times_s=[t * by for t in e.times_s])
        told.append(e)
    return fold(told)


def test_a_burst_that_is_slower_than_what_is_held_is_not_to_be_believed(h200_file: Path) -> None:
    rows = drawn(slow(h200_file, matmul_bf16=2.0), (150, 40))
    burst = next(r for r in rows if r.startswith(" B  bf16 burst") or " bf16 burst " in r)
    assert burst.endswith("▲ not to be believed: below its expected range")
    narrow = drawn(slow(h200_file, matmul_bf16=2.0), (80, 24), cursor=1)
    assert any("▲ in doubt" in r and " bf16 burst " in r for r in narrow)
    assert any("▲ not to be believed" in r and "ridge" in r for r in narrow)
    assert not any("stop here" in r for r in narrow)
    plain = drawn(slow(h200_file, matmul_bf16=2.0), (80, 24), glyphs=ASCII)
    assert any("! in doubt" in r for r in plain)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_burst_and_held_of_one_value_are_one_line_and_the_burst_stands_where_it_was(
    h200_file: Path, glyphs: Glyphs
) -> None:
    rows = drawn(slow(h200_file, matmul_bf16=2.0), (80, 24), glyphs=glyphs)
    inside = picture(rows)
    (line,) = (i for i, r in enumerate(inside) if re.search(r" burst(, held)? \d", r))
    assert not any(glyphs.sustained * 8 in r for r in inside)
    assert "C" in inside[line]
    assert "B" in inside[line + 1]
    assert any(re.search(r"ridge bf16 206 nominal \S \d+ burst, sustained$", r) for r in rows)


def test_what_is_held_within_three_per_cent_over_the_burst_is_no_line_over_it(
    h200_file: Path,
) -> None:
    rows = drawn(slow(h200_file, matmul_bf16=1.22), (80, 24))
    (line,) = (r for r in picture(rows) if "burst 6" in r)
    assert re.search(r"━+[BC]{2}━+ burst 6\d\d$", line.rstrip())
    below = picture(rows)[picture(rows).index(line) + 1]
    assert re.search(r"^[^⠄]* sustained 6\d\d$", below.rstrip())  # a name without a line
    wide = drawn(slow(h200_file, matmul_bf16=1.22), (150, 24))
    assert any(re.search(r"━ burst 6\d\d, sustained 6\d\d$", r.rstrip()) for r in wide)
    assert not any("⠄" * 8 in r for r in rows)


@pytest.mark.parametrize("cells", range(24, 130, 3))
def test_no_term_is_parted_from_its_word(h200: Session, cells: int) -> None:
    for r in drawn(h200, (cells, 40)):
        if re.match(r" (burst|sustained) +989", r):
            for term in r[11:].split(" · "):
                assert re.search(r" (nominal|rest|clock( 1\d{3} MHz)?( NVML)?|waves.*)$", term), (
                    term
                )


def test_a_reason_is_cut_between_words(h200_file: Path) -> None:
    for cells in range(60, 110):
        for r in drawn(until(h200_file, 1.0), (cells, 24), None):
            if "expected: " in r and r.endswith("…"):
                last = r.split("expected: ")[1][:-1]
                whole = [shown_why(e) for e in events(h200_file) if isinstance(e, Expect)]
                after = {w[len(last) : len(last) + 1] for w in whole if w.startswith(last)}
                assert after & {" ", ",", ";", ":"}


def shown_why(e: Expect) -> str:
    return spaced(e.why or "")
