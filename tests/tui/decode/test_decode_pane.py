"""The decode pane as rows of text, from curves made by hand."""

from __future__ import annotations

import re

import msgspec
import pytest

from roofwatch.roofline import decode_work
from roofwatch.session.decode import DecodeCurve, DecodePoint
from roofwatch.session.events import Note, Price, SessionInfo
from roofwatch.session.fold import Session
from roofwatch.session.models import packaged_models
from roofwatch.tui.decode import decode_pane, short_decode
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.plan.plan_fields import PlanFields
from roofwatch.tui.plan.plan_tables import load_tables

SIZES = [(78, 18), (80, 19), (118, 30), (198, 54), (60, 12), (48, 17), (30, 8), (20, 3), (8, 1)]


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("whole", [False, True])
def test_it_fills_its_size_exactly(
    curves: list[DecodeCurve], h200: Session, cells: int, height: int, glyphs: Glyphs, whole: bool
) -> None:
    for price in (None, Price(per_hour=1.99)):
        h200.price = price
        rows = decode_pane.build(h200, cells, height, glyphs, 1, whole)
        assert [width(r) for r in rows] == [cells] * height
        if glyphs is ASCII:
            assert all(ord(c) < 128 for r in rows for c in text_of(r))
        small = short_decode.build(h200, cells, height, 1, None, UNICODE)
        assert [width(r) for r in small] == [cells] * height


def test_at_80_columns_the_batches_that_tell_stand_under_the_picture(
    curves: list[DecodeCurve], h200: Session
) -> None:
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE, 1))
    assert rows[0].startswith(" Llama-3-8B  2048 tokens of context  bf16")
    assert rows[0].endswith("←→ 2 of 2")
    head = next(i for i, r in enumerate(rows) if r.startswith(" batch"))
    told = "batch tokens/s graph ms eager ms predicted ms off linear GB/s bound"
    assert " ".join(rows[head].split()) == told
    batches = [int(r.split()[0]) for r in rows[head + 1 : head + 6]]
    assert batches[0] == 1
    assert batches[-1] == 128
    assert curves[1].first_bend in batches
    assert re.search(r"^ +1 +207 +4\.82 +13\.1 +4\.68 +0\.0 % +\d{4} +memory$", rows[head + 1])
    assert any(r.startswith(" over 5 % off linear from batch 8; a step of 128") for r in rows)
    assert any("From batch 1 to 128 the step grows" in r for r in rows)
    picture = "\n".join(rows[1:head])
    for name in ("graph 9.", "eager 8.", "predicted 9.", "paper 10", "linear 26"):
        assert name in picture


def test_down_gives_the_table_its_room(curves: list[DecodeCurve], h200: Session) -> None:
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE, 0, whole=True))
    head = next(i for i, r in enumerate(rows) if r.startswith(" batch"))
    assert [int(r.split()[0]) for r in rows[head + 1 : head + 9]] == [1 << i for i in range(8)]
    text = " ".join(" ".join(rows).split())
    assert "the ridge 186 is reached at batch 328" in text
    assert "overhead 1.13 ms a step" in text
    assert "compute is not what bends it." in text


def test_a_wide_pane_has_the_terms_and_a_large_one_their_bars(
    curves: list[DecodeCurve], h200: Session
) -> None:
    rows = lines(decode_pane.build(h200, 120, 31, UNICODE, 1))
    head = next(r for r in rows if r.startswith(" batch"))
    terms = ["weights", "ms", "kv", "ms", "kernels", "ms", "small", "ms", "launch", "ms"]
    assert head.split()[-10:] == terms
    last = next(r for r in rows if r.startswith("   128"))
    assert last.split()[-5:] == ["3.49", "7.99", "1.67", "0.25", "0.32"]
    large = lines(decode_pane.build(h200, 198, 54, UNICODE, 1))
    assert "█ weights  ▒ kv  ░ kernels  ▂ small  – launch" in "\n".join(large)
    bars = {int(m[1]): r for r in large if (m := re.match(r" +(\d+) .*█", r))}
    assert bars[128].count("▒") > 2 * bars[64].count("▒") * 0.8 > 0
    assert bars[1].count("█") == bars[128].count("█")


def test_a_price_has_its_column(curves: list[DecodeCurve], h200: Session) -> None:
    h200.price = Price(per_hour=1.99)
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE, 1))
    head = next(i for i, r in enumerate(rows) if r.startswith(" batch"))
    assert rows[head].endswith("$/Mtok")
    first, last = rows[head + 1], rows[head + 5]
    assert first.split()[-1] == "2.666"
    assert last.split()[-1] == "0.0610"


def test_keys_go_through_the_curves_round(curves: list[DecodeCurve], h200: Session) -> None:
    seen = [lines(decode_pane.build(h200, 80, 19, UNICODE, n))[0] for n in (-1, 0, 1, 2)]
    assert "2048 tokens" in seen[0]
    assert seen[0] == seen[2]
    assert seen[1] == seen[3]


def test_fewer_layers_are_said(
    curves: list[DecodeCurve], h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = msgspec.structs.replace(curves[1], layers=8)
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: [fewer])
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE))
    assert "▲ 8 of its 32 layers" in rows[0]
    assert "←→" not in rows[0]


def test_a_cpu_has_no_graph(h200: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: [_eager()])
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE))
    head = next(r for r in rows if r.startswith(" batch"))
    assert "graph" not in head
    assert "eager ms" in head
    assert not any("graph" in r for r in rows[1:9])
    assert any("predicted" in r for r in rows[1:9])


def _eager() -> DecodeCurve:
    model = next(m for m in packaged_models() if m.name == "TinyLlama-1.1B")
    points = []
    for batch in (1, 2, 4):
        work = decode_work.step(model, 2, batch, 256, "fp32")
        points.append(
            DecodePoint(
                batch=batch,
                flop=work.flop,
                weights_bytes=work.tensors[0].read_bytes,
                kv_bytes=work.tensors[1].read_bytes,
                graph_s=None,
                eager_s=0.05 * batch**0.2,
                paper_s=0.04,
                predicted_s=None,
                eager_predicted_s=0.048 * batch**0.2,
                terms={},
                bound="",
            )
        )
    return DecodeCurve(
        probe="decode-TinyLlama-1.1B",
        model="TinyLlama-1.1B",
        context=256,
        layers=2,
        layers_of=22,
        dtype="fp32",
        points=points,
        gaps=[0.0, 0.13, 0.24],
        first_bend=2,
        last_over_first=1.32,
        ai_max=3.0,
        b_star=None,
        ridge=None,
        overhead_s=None,
        growth=None,
        reason="",
    )


def test_without_a_step_it_names_the_command_and_draws_the_paper(h200: Session) -> None:
    h200.closed = True
    paper = PlanFields(load_tables(), h200).answer(h200).plan
    rows = lines(decode_pane.build(h200, 80, 19, UNICODE, paper=paper))
    assert rows[0] == " No decode step was measured in this session."
    assert "roofwatch run --suite decode" in rows[1]
    assert any("Llama-3-8B  2048 tokens on NVIDIA H200, on paper by measured" in r for r in rows)
    assert any("╌╌ paper 1" in r for r in rows)
    bare = lines(decode_pane.build(h200, 80, 19, UNICODE))
    assert not any("paper" in r for r in bare)
    assert "roofwatch --suite decode" in text_of(
        short_decode.build(h200, 50, 9, 0, None, UNICODE)[0]
    )


def test_the_papers_title_is_whole_however_long_the_card_is_called(h200: Session) -> None:
    paper = PlanFields(load_tables(), h200).answer(h200).plan
    assert paper is not None
    paper = msgspec.structs.replace(paper, gpu="NVIDIA RTX PRO 6000 Blackwell Workstation Edition")
    for cells in (60, 78, 80):
        rows = lines(decode_pane.build(h200, cells, 19, UNICODE, paper=paper))
        said = "Workstation Edition, on paper by measured roofs"
        assert said in " ".join(" ".join(rows).split()).replace(" 7 changes it", "")


def test_while_the_suite_runs_it_says_what_comes_first_and_why_not() -> None:
    session = Session()
    model = next(m for m in packaged_models() if m.name == "Llama-3-8B")
    info = SessionInfo(t=0.0, suite="decode", models=[msgspec.to_builtins(model)])
    session.add(info)
    rows = lines(decode_pane.build(session, 80, 19, UNICODE))
    assert rows[0] == " No decode step is measured yet; the card's roofs come first."
    session.add(Note(t=1.0, text="too little memory is free", probe="decode-Llama-3-8B"))
    rows = lines(decode_pane.build(session, 80, 19, UNICODE))
    assert rows[1].strip() == "· too little memory is free"


def test_hostile_names_stay_text(
    curves: list[DecodeCurve], h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = msgspec.structs.replace(curves[0], model="\x1b[2Jevil", reason="a\x1b[31mb")
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: [evil])
    for rows in (
        decode_pane.build(h200, 80, 19, UNICODE),
        short_decode.build(h200, 50, 14, 0, None, UNICODE),
    ):
        assert "\x1b" not in "".join(lines(rows))


def test_a_curve_without_a_reason_ends_with_its_facts(
    curves: list[DecodeCurve], h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = msgspec.structs.replace(
        curves[1], points=curves[1].points[:1], gaps=[0.0], first_bend=None, reason=""
    )
    monkeypatch.setattr(decode_pane, "curves", lambda _: [one])
    said = lines(decode_pane.build(h200, 80, 19, UNICODE))
    assert not any(text.strip() == "." for text in said)
    assert not any("a step of 1 takes" in text for text in said)


@pytest.mark.parametrize(
    "price", [Price(per_hour=300.0, currency="JPY"), Price(per_hour=52000.0, currency="VND")]
)
def test_money_keeps_its_distance(curves: list[DecodeCurve], h200: Session, price: Price) -> None:
    h200.price = price
    for text in lines(decode_pane.told(h200, 118, UNICODE)):
        assert not re.search(r"(memory|overhead|compute)\d", text)


COLUMN = [(60, 27), (56, 26), (64, 28)]


@pytest.mark.parametrize(("cells", "height"), COLUMN)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_beside_others_it_follows_the_largest_curve_without_keys(
    curves: list[DecodeCurve], h200: Session, cells: int, height: int, glyphs: Glyphs
) -> None:
    rows = decode_pane.build(h200, cells, height, glyphs, None)
    assert [width(r) for r in rows] == [cells] * height
    told = lines(rows)
    assert "2048 tokens" in told[0]
    assert not any(glyphs.left_right in r for r in told)
    assert sum(glyphs.tick in r or glyphs.vertical in r for r in told) >= 7
    head = next(i for i, r in enumerate(told) if r.startswith(" batch"))
    assert told[head].split()[0] == "batch"
    assert told[head].split()[-1] in ("bound", "GB/s")
    assert [int(r.split()[0]) for r in told[head + 1 : head + 9]] == [1 << i for i in range(8)]
    assert "off linear from batch" in " ".join(told)


@pytest.mark.parametrize(("cells", "height"), COLUMN)
def test_beside_others_without_a_curve_it_is_the_paper_and_one_line(
    h200: Session, cells: int, height: int
) -> None:
    h200.closed = True
    paper = PlanFields(load_tables(), h200).answer(h200).plan
    rows = lines(decode_pane.build(h200, cells, height, UNICODE, None, paper=paper))
    assert "on paper by measured roofs" in " ".join(" ".join(rows[:2]).split())
    assert any("╌╌ paper 1" in r for r in rows)
    assert [r for r in rows if "roofwatch" in r] == [" to measure it: roofwatch --suite decode"]
    assert sum("│" in r or "┤" in r for r in rows) == height - 5  # title 2, axis 2, how 1


def test_what_is_hidden_is_counted(curves: list[DecodeCurve], h200: Session) -> None:
    for price in (None, Price(per_hour=1.99)):
        h200.price = price
        for cells, height in ((80, 19), (80, 21), (60, 11), (70, 15), (118, 20)):
            for which, key in ((0, "↓"), (None, "key 5")):
                rows = lines(decode_pane.build(h200, cells, height, UNICODE, which))
                at = next((i for i, r in enumerate(rows) if r.startswith(" batch")), len(rows))
                seen = sum(bool(re.match(r" +\d+ +[\d.]+ ", r)) for r in rows[at:])
                told = re.search(rf"(\d+) (?:(?:more|batches): {key}|others)", rows[0])
                named = re.search(rf"{key}(?: shows|:) (\d+(?:, \d+)*)(?! others)", rows[0])
                hidden = len(named[1].split(",")) if named else int(told[1]) if told else 0
                assert seen + hidden == 8, (cells, height)


def test_sentences_are_whole_or_not_there(curves: list[DecodeCurve], h200: Session) -> None:
    for cells in range(50, 130, 7):
        for height in range(11, 40):
            rows = [r for r in lines(decode_pane.build(h200, cells, height, UNICODE)) if r]
            if re.match(r" [A-Za-z]", rows[-1]):
                assert rows[-1].endswith("."), (cells, height)


def test_the_first_batch_at_the_ridge_is_beyond_it(
    curves: list[DecodeCurve], h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = msgspec.structs.replace(curves[0], b_star=328.2)
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: [near])
    said = " ".join(lines(decode_pane.build(h200, 120, 31, UNICODE)))
    assert "is reached at batch 329" in said


def test_keys_are_those_that_do_something(
    curves: list[DecodeCurve], h200: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert decode_pane.keys(h200) == [("{lr}", "curve"), ("{ud}", "all batches")]
    whole = decode_pane.keys(h200, whole=True)
    assert whole == [("{lr}", "curve"), ("{ud}", "the picture")]
    assert decode_pane.keys(h200, 0, (120, 40)) == [("{lr}", "curve")]
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: curves[:1])
    assert decode_pane.keys(h200) == [("{ud}", "all batches")]
    monkeypatch.setattr(decode_pane, "decode_curves", lambda session, own: [])
    assert decode_pane.keys(h200) == []
    assert decode_pane.keys(Session()) == []


def test_a_small_terminal_has_the_paper_too(h200: Session) -> None:
    paper = PlanFields(load_tables(), h200).answer(h200).plan
    rows = lines(short_decode.build(h200, 40, 9, 0, paper, UNICODE))
    assert any("on paper" in r for r in rows)
    assert any(re.match(r" batch +1 +3\.\d+ ms", r) for r in rows)


def test_where_cells_are_short_the_terms_stay_before_their_sum(
    curves: list[DecodeCurve], h200: Session
) -> None:
    h200.price = Price(per_hour=1.99)
    for cells, summed in ((118, False), (160, True)):
        rows = lines(decode_pane.build(h200, cells, 31, UNICODE, 1))
        head = next(r for r in rows if r.startswith(" batch"))
        assert "launch ms" in head
        assert ("predicted ms" in head) == summed
