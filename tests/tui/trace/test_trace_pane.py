"""The tab Trace at every size: what stands, what gives way, and that no row is too long."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.cards import load_cards
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.trace.analysis import Examined, examined, report
from roofwatch.trace.card_roofs import Card, roofs_for
from roofwatch.trace.read_trace import read_trace
from roofwatch.trace.report import TraceReport
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.trace import short_trace, trace_pane
from roofwatch.tui.trace.kernel_label import short_name
from roofwatch.tui.trace.opened_trace import OpenedTrace
from roofwatch.tui.trace.trace_kernel_page import whole as kernel_page
from roofwatch.tui.trace.trace_page import whole

TESTS = Path(__file__).parents[2]
SIZES = [(80, 19), (120, 31), (200, 55), (61, 13), (100, 60), (120, 12)]
NAMES = ["h200/layer", "h200/layer-graph", "h200/compute", "cpu/overhead"]


def seen(name: str) -> tuple[Examined, Card]:
    recording = read_trace(TESTS / "traces" / f"{name}.json.gz")
    identity = next(iter(recording.cards.values()), None) if recording.has_device else None
    return examined(recording, f"{name}.json.gz"), roofs_for(
        identity, load_cards(environ={}), look=False
    )


@pytest.fixture
def layer() -> TraceReport:
    """A decoder's step, recorded on an H200."""
    return report(*seen("h200/layer"))


def texts(rows: list[Row]) -> list[str]:
    return [text_of(row) for row in rows]


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("name", NAMES)
def test_every_size_is_filled_and_never_left(name: str, glyphs: Glyphs) -> None:
    found = report(*seen(name))
    for cells, height in SIZES:
        for at in (0, len(found.kernels) - 1):
            rows = trace_pane.build(found, cells, height, glyphs, at)
            assert len(rows) == height
            assert {width(row) for row in rows} == {cells}
            assert any(glyphs.here in text for text in texts(rows))
            if glyphs is ASCII:
                assert all(map(str.isascii, texts(rows)))
    for cells, height in ((60, 12), (40, 8), (20, 5)):
        rows = short_trace.build(found, cells, height, glyphs, 1)
        assert len(rows) == height
        assert {width(row) for row in rows} == {cells}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_fits_its_columns(name: str) -> None:
    found = report(*seen(name))
    for cells in (60, 80, 120):
        assert max(width(row) for row in whole(found, cells, UNICODE, 20)) <= cells


def test_the_verdict_and_the_bound_of_each_kernel_stand(layer: TraceReport) -> None:
    text = "\n".join(texts(trace_pane.build(layer, 80, 19, UNICODE, 0)))
    assert "bound by overhead" in text
    assert "busy 1.57 ms, gaps 1.71 ms (52 %)" in text
    assert "nominal: 4800 GB/s" in text
    assert "cuda-graph at most" in text
    assert text.count(" memory") >= 3
    assert "stream 7" in text


def test_a_wide_pane_has_the_roof_with_the_letters_of_the_table(layer: TraceReport) -> None:
    rows = texts(trace_pane.build(layer, 120, 31, UNICODE, 2))
    assert any("TFLOP/s│" in row for row in rows)
    assert any("bf16" in row for row in rows)
    here = next(row for row in rows if row.startswith(f"{UNICODE.here}C"))
    assert "addmm" in here


def test_compact_text_keeps_the_verdict_and_moves_with_the_cursor(layer: TraceReport) -> None:
    last = len(layer.kernels) - 1
    rows = texts(short_trace.build(layer, 40, 5, UNICODE, last))
    assert "overhead" in rows[0]
    assert any(row.startswith(UNICODE.here) for row in rows)


def test_the_page_of_a_kernel_says_all_that_is_known(layer: TraceReport) -> None:
    split = next(k for k in layer.kernels if k.name.startswith("nvjet") and "splitK" in k.name)
    text = "\n".join(texts(kernel_page(split, layer, 90, UNICODE)))
    assert split.name in text
    for words in (
        "aten::addmm",
        "[8, 16384]",
        "shared out by time",
        "FLOP/byte",
        "4800 GB/s nominal",
    ):
        assert words in text
    assert "its bytes take longer" in text
    graph = report(*seen("h200/layer-graph"))
    text = "\n".join(texts(kernel_page(graph.kernels[0], graph, 90, UNICODE)))
    assert "its work is not known" in text
    assert "CUDA graph" in text


def test_without_a_trace_it_says_how_to_give_one() -> None:
    for rows in (trace_pane.no_trace(80, 19), short_trace.no_trace(40, 8)):
        assert "roofwatch --trace FILE" in " ".join(" ".join(texts(rows)).split())


@pytest.fixture
def session() -> Session:
    """A whole session of an H200."""
    return fold(events(TESTS / "sessions" / "h200-full-1.jsonl"))


def test_a_session_of_the_same_card_lends_its_roofs(session: Session) -> None:
    opened = OpenedTrace(*seen("h200/compute"))
    assert opened.answer(Session()).card.origin == "nominal"
    before = opened.revision
    found = opened.answer(session)
    assert found.card.origin == "measured"
    assert opened.revision == before + 1
    assert opened.answer(session) is found
    assert found.kernels[0].of_roof != report(*seen("h200/compute")).kernels[0].of_roof


def test_a_session_of_another_card_lends_none(session: Session) -> None:
    looked, card = seen("h200/compute")
    other = roofs_for(None, load_cards(environ={}), gpu="A100 80GB SXM")
    assert OpenedTrace(looked, other).answer(session).card.origin == "nominal"
    assert OpenedTrace(looked, card).answer(session).card.origin == "measured"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (
            "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_NNT",
            "nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_NNT",
        ),
        ("void cublasLt::splitKreduce_kernel<32, 16, int>(int)", "splitKreduce_kernel"),
        (
            "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)",
            "vectorized_layer_norm_kernel",
        ),
        (
            "void at::native::vectorized_elementwise_kernel<8, at::CUDAFunctor_add<float> >(int)",
            "vectorized_elementwise CUDAFunctor_add",
        ),
        ("Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"),
        ("", ""),
    ],
)
def test_a_name_in_few_cells(name: str, short: str) -> None:
    assert short_name(name) == short
