"""The kernel map and fusion as rows of text: what stands where, at which width."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.roofline import transformer_work as t
from roofwatch.roofline.workload import add, elementwise, embedding
from roofwatch.session.events import Measurement
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.models import model_named, packaged_models
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.kernels.kernel_rows import build
from roofwatch.tui.printed.report import report

ELEMENTS = 1 << 28
LLAMA = model_named("Llama-3-8B", packaged_models())
PLOT = re.compile(r"[│┤└├|+]")


@pytest.fixture
def session(point: Callable[..., Measurement], on_card: Callable[..., Session]) -> Session:
    """A map of seven kernels and two chains."""
    linear = t.layer(t.PREFILL_LINEAR, 4096, LLAMA, "bf16")
    decode = t.layer(t.DECODE_LINEAR, 1, LLAMA, "bf16")
    norm = t.scaled_rows("rmsnorm", 1, 4096, "bf16")
    rows = embedding(65536, 4096, "bf16")
    cos = [
        point(work, seconds, "fusion", variant=way, dtype="bf16")
        for way, work, seconds in (
            ("once", t.once(18725, 14336, "bf16"), 0.31e-3),
            ("eager", t.chain(t.THREE_COS, 18725, 14336, "bf16"), 0.93e-3),
            ("graph", t.chain(t.THREE_COS, 18725, 14336, "bf16"), 0.93e-3),
            ("compiled", t.fused(t.THREE_COS, 18725, 14336, "bf16"), 0.79e-3),
        )
    ]
    silu = t.chain(t.SILU_MUL, 18725, 14336, "bf16")
    return on_card(
        point(norm, 8e-6, timing="host", variant="eager"),
        point(add(ELEMENTS, "bf16"), 0.37e-3),
        point(elementwise("cos", ELEMENTS, "bf16"), 0.31e-3),
        point(rows, rows.bytes / 3e12),
        point(decode, decode.bytes / 4.1e12, timing="graph"),
        point(linear, linear.flop / 779e12),
        *cos,
        point(silu, 0.65e-3, "fusion", variant="eager", dtype="bf16"),
        notes=("not fused: the compiler took 60 s for the chains before",),
    )


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize("cells", [40, 60, 78, 100, 118, 160])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_rows_are_as_wide_as_the_room(session: Session, cells: int, glyphs: Glyphs) -> None:
    rows = build(session, cells, 200, glyphs)
    assert {width(r) for r in rows} == {cells}
    if glyphs is ASCII:
        assert all(ord(c) < 128 for line in lines(rows) for c in line)


@pytest.mark.parametrize("height", [0, 5, 30, 200])
def test_no_more_rows_than_there_is_room_for(session: Session, height: int) -> None:
    rows = lines(build(session, 78, height, UNICODE))
    assert len(rows) <= height
    pictured = any("┬" in line for line in rows)
    assert pictured is (height == 200)


def table(session: Session, cells: int) -> list[str]:
    rows = lines(build(session, cells, 200, UNICODE))
    return rows[next(i for i, r in enumerate(rows) if r.startswith(" Kernel map")) :]


def test_at_78_cells_a_reason_stands_below_its_kernel(session: Session) -> None:
    rows = table(session, 78)
    at = next(i for i, r in enumerate(rows) if r.startswith(" C cos"))
    assert rows[at].split() == [
        "C",
        "cos",
        "0.250",
        "3464",
        "0.866",
        "310",
        "us",
        "81",
        "%",
        "memory",
    ]
    assert rows[at + 1].startswith("     special functions (cos): 30 instructions an element (128")
    assert rows[at + 2].strip() == "at 1980 MHz) take 237 us of 310 us"
    assert rows[at + 3].startswith(" D embedding")


def test_at_118_cells_it_stands_beside(session: Session) -> None:
    rows = table(session, 118)
    at = next(i for i, r in enumerate(rows) if r.startswith(" C cos"))
    assert "memory   special functions (cos): 30" in rows[at]
    column = rows[at].index("special")
    assert rows[at + 1][:column].strip() == ""
    assert rows[at + 1][column] != " "


def test_kernels_at_their_roof_have_no_reason(session: Session) -> None:
    rows = table(session, 118)
    linear = next(r for r in rows if " prefill linear 4096" in r)
    assert linear.split()[-3:] == ["95", "%", "compute"]
    waiting = next(r for r in rows if " rmsnorm 1 row, eager" in r)
    assert "overhead launch: of 8 us" in waiting


def test_treatments_are_told_once_with_their_kernels(session: Session) -> None:
    rows = table(session, 78)
    at = rows.index(" what treats them")
    said = rows[at + 1 : rows.index("", at)]
    assert said == [
        "   a CUDA graph, or fusion: fewer launches (A)",
        "   fuse it with its neighbours: fewer bytes (B)",
        "   cheaper functions (an approximation, a table, fewer of them) and fewer",
        "   bytes: both bind it; fusing alone brought 23 % of what bytes promise (C)",
        "   a narrower type: fewer bytes (D)",
        "   a larger batch, or weights of fewer bits (E)",
        "   stop here: it is at its roof (F)",
    ]


def test_the_legend_names_the_roofs_and_who_has_no_point(session: Session) -> None:
    said = " ".join(" ".join(table(session, 78)).split())
    assert "of roof, the fastest of the same reads and writes: 4388 GB/s triad-fp16 (A B)" in said
    assert "4296 GB/s add_scalar-fp16 (C D)" in said
    assert "820 TFLOP/s matmul-bf16 (F)" in said
    assert " D: 0 FLOP, so the picture has no point for it" in said
    assert "what binds are the instructions" not in said  # nobody is bound so here


def test_a_share_of_the_memorys_roof_is_said_to_be_one(
    point: Callable[..., Measurement], on_card: Callable[..., Session]
) -> None:
    norm = t.scaled_rows("layernorm", 65536, 4096, "bf16")
    relu = elementwise("relu", ELEMENTS, "bf16")
    session = on_card(point(norm, norm.bytes / 2.7e12), point(relu, relu.bytes / 4.5e12))
    said = " ".join(" ".join(table(session, 78)).split())
    assert "4500 GB/s relu here (A B)" in said
    assert " A: % of the memory's roof; what binds are the instructions" in said


def test_the_picture_has_a_letter_for_each_kernel_with_flop(session: Session) -> None:
    rows = lines(build(session, 118, 200, UNICODE))
    picture = "\n".join(r[8:] for r in rows if PLOT.match(r[7:8]))
    letters = re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", picture)
    assert sorted(letters) == ["A", "B", "C", "E", "F"]  # an embedding computes nothing
    assert "bf16 burst 820 TFLOP/s" in picture


def test_fusion_says_promise_truth_and_reason(session: Session) -> None:
    rows = table(session, 78)
    at = next(i for i, r in enumerate(rows) if r.startswith(" Fusion"))
    assert "268 M elements of bf16" in rows[at]
    cos = next(i for i, r in enumerate(rows) if r.startswith("   three cos"))
    figures = "three cos 310 us 930 us 930 us 790 us 3.00x 1.18x 23 %"
    assert " ".join(rows[cos].split()) == figures
    assert rows[cos + 1].strip().startswith("special functions (three cos): 87 instructions")
    said = " ".join(" ".join(rows[at:]).split())
    assert "once: one cos of the three" in said
    assert "over 100 %: the kernels before took longer than their bytes" in said
    head = next(r for r in rows if r.startswith("   chain"))
    for name, figure in (("bytes cut", "3.00x"), ("faster", "1.18x"), ("kept", "23 %")):
        assert head.index(name) + len(name) == rows[cos].index(figure) + len(figure)
    silu = next(i for i, r in enumerate(rows) if r.startswith("   silu x mul"))
    assert rows[silu].split()[3:] == ["n/a", "650", "us", "n/a", "n/a", "1.67x", "n/a"]
    assert rows[silu + 1].strip() == "not fused: the compiler took 60 s for the chains before"


def test_other_sessions_have_no_rows(h200: Session) -> None:
    assert build(h200, 78, 200, UNICODE) == []
    assert not any("Kernel map" in line for line in lines(report(h200, None, 80, UNICODE)))


def test_the_report_has_both_once(session: Session) -> None:
    text = lines(report(session, None, 80, UNICODE))
    assert sum(line.startswith(" Kernel map") for line in text) == 1
    assert sum(line.startswith(" Fusion") for line in text) == 1


def test_less_than_half_a_per_cent_of_a_roof_is_not_nothing() -> None:
    path = Path(__file__).parents[2] / "sessions" / "h200-kernels-1.jsonl"
    session = fold(events(path))
    said = [text_of(r) for r in build(session, 100, 400, UNICODE)]
    assert any("rmsnorm 1 row" in t and " < 1 % " in t for t in said)
    assert not any(" 0 % " in t for t in said if "rmsnorm 1 row" in t)
