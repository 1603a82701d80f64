"""The answer to a row: its fields, what is believed, and what a row leaves open."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from roofwatch.notebook.catalog import choose
from roofwatch.notebook.entry import Unreadable
from roofwatch.notebook.finding import NOTE
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.sheet import rows, shell_rows
from roofwatch.notebook.verdict import VERDICTS, Verdict, check_fields, check_rows

CONTRACT = {  # shared/contract.md
    *("id", "verdict", "gbs", "tflops", "intensity"),
    *("of_nominal", "expected", "findings", "error"),
}
FINDING = {"code", "name", "root", "severity", "subject", "message", "why", "do", "evidence"}
GIB = 1 << 30

STREAM: dict[str, Any] = {
    "gpu": "T4",
    "op": "add_scalar",
    "elements": GIB // 2,
    "dtype": "fp16",
    "time_ms": "7.900",
}
SQUARE: dict[str, Any] = {"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}
COPY: dict[str, Any] = {"op": "copy", "elements": GIB, "dtype": "fp32"}


def answer(cards: Cards, *, where: str = "", **fields: object) -> Verdict:
    found = check_fields(fields, cards, where)
    assert (found.error is None) == (found.verdict in VERDICTS)
    return found


def codes(found: Verdict) -> list[str]:
    return [f.code for f in found.findings]


def as_json(found: Verdict) -> dict[str, Any]:
    out = json.loads(msgspec.json.encode(found))
    assert isinstance(out, dict)
    return out


def test_an_answer_has_the_fields_of_the_contract(cards: Cards) -> None:
    out = as_json(answer(cards, **STREAM, id="a", claimed_gbs=136))
    assert set(out) >= CONTRACT
    assert (out["id"], out["verdict"], out["error"]) == ("a", "wrong", None)
    assert out["gbs"] == 136
    assert out["tflops"] == pytest.approx(GIB / 2 / 7.9e-3 / 1e12)
    assert out["intensity"] == 0.25
    assert out["of_nominal"] == pytest.approx(136 / 320)
    assert {n: out["expected"][n] for n in ("low", "high", "unit")} == {
        "low": 240,
        "high": 288,
        "unit": "GB/s",
    }
    (one,) = out["findings"]
    assert set(one) >= FINDING
    assert (one["code"], one["name"], one["severity"]) == ("E1", "read-only-bytes", "wrong")


@pytest.mark.parametrize(
    "text", ['{"op":"ad","id":7}', '{"op":"add","m":0}', "{", "[1]", '"x"', '{"gpu":"T4"}']
)
def test_an_answer_to_an_unreadable_row_has_them_too(cards: Cards, text: str) -> None:
    (found,) = check_rows(rows(text, "x.jsonl"), cards)
    out = as_json(found)
    assert set(out) >= CONTRACT
    assert out["findings"] == []
    assert out["verdict"] is None
    assert out["error"].startswith("row 1")
    for name in ("gbs", "tflops", "intensity", "of_nominal", "expected"):
        assert out[name] is None


@pytest.mark.parametrize("id", ["a", 7, 7.5, None, "", 2**70])
def test_an_id_comes_back_as_it_was_given(cards: Cards, id: object) -> None:
    for op in ("add", "ad"):
        out = as_json(answer(cards, op=op, id=id))
        assert out["id"] == (id if id != "" or op == "ad" else None)


def test_an_id_that_is_none_does_not_come_back(cards: Cards) -> None:
    assert answer(cards, op="add", id=True).id is None


def test_an_id_that_is_no_text_ends_nothing(cards: Cards) -> None:
    (found,) = check_rows(rows("id,op\n\udcff,add\n"), cards)
    assert found.error is not None
    assert "field id" in as_json(found)["error"]


def test_answers_come_in_the_order_of_the_rows(cards: Cards) -> None:
    text = '{"op":"copy","id":3}\n{\n{"op":"add","id":1}\n[]\n{"op":"ad","id":2}\n'
    found = check_rows(rows(text), cards)
    assert [v.id for v in found] == [3, None, 1, None, 2]
    assert [v.error is None for v in found] == [True, False, True, False, False]
    assert [(v.error or "").partition(":")[0] for v in found[1::3]] == ["row 2", "row 5, field op"]


def test_a_good_stream_is_believable(cards: Cards) -> None:
    found = answer(cards, **STREAM)
    assert (found.verdict, found.findings, found.missing) == ("believable", [], [])
    assert found.gbs == pytest.approx(2 * GIB / 7.9e-3 / 1e9)
    assert (found.judged, found.gpu, found.gpu_note) == ("gbs", "Tesla T4", None)


def test_nominal_beside_a_good_number_is_a_note(cards: Cards) -> None:
    found = answer(cards, **STREAM, nominal_gbs=320)
    assert (found.verdict, codes(found)) == ("believable", ["E6"])
    assert found.findings[0].severity == NOTE


def test_a_low_number_is_suspect(cards: Cards) -> None:
    found = answer(cards, gpu="A100 80GB SXM", op="h2d", claimed_gbs=12)
    assert found.verdict == "suspect"
    assert codes(found)[0] == "pageable"


# The digits that a person gives leave open what they round.


def test_0_11_s_may_be_longer_than_100_per_cent_of_nominal_needs(cards: Cards) -> None:
    # 35.2 GB in 0.11 s are 320.4 GB/s; 37.2 GB are 338, and in 0.115 s 323.
    coarse: dict[str, Any] = {**STREAM, "time_ms": None, "elements": 8_811_000_000}
    found = answer(cards, **{**coarse, "time_s": "0.11"})
    assert found.of_nominal == pytest.approx(1.001, abs=0.001)
    assert found.verdict == "believable"
    over = {**coarse, "elements": 9_300_000_000}
    assert answer(cards, **{**over, "time_s": "0.11"}).verdict == "believable"
    assert answer(cards, **{**over, "time_s": "0.1100"}).verdict == "wrong"


def test_json_numbers_round_like_text(cards: Cards) -> None:
    over = {**STREAM, "time_ms": None, "elements": 9_300_000_000}
    assert answer(cards, **{**over, "time_s": 0.11}).verdict == "believable"
    assert answer(cards, **{**over, "time_s": 0.11001}).verdict == "wrong"


def test_a_figure_of_another_clock_is_only_noted(cards: Cards) -> None:
    for nominal in (275, 290, 350):
        found = answer(
            cards, **SQUARE, gpu="A100-SXM4-80GB", claimed_tflops=255, nominal_tflops=nominal
        )
        assert found.verdict == "believable"
        assert "wrong-peak-value" in codes(found)
        assert {f.severity for f in found.findings} == {NOTE}


# Names that several cards share.


def test_candidates_that_agree_are_the_answer(cards: Cards) -> None:
    found = answer(cards, **SQUARE, gpu="A100", claimed_tflops=255)
    assert found.verdict == "believable"
    assert found.gpu_note is not None
    for name in ("NVIDIA A100-SXM4-40GB", "NVIDIA A100 80GB PCIe"):
        assert name in found.gpu_note
    wrong = answer(cards, **SQUARE, gpu="H100", claimed_tflops=5000)
    assert wrong.verdict == "wrong"
    assert codes(wrong) != []
    assert "NVIDIA H100 PCIe" in (wrong.gpu_note or "")


def test_candidates_that_disagree_are_asked_back(cards: Cards) -> None:
    found = answer(cards, **COPY, gpu="A100", claimed_gbs=1340)
    assert (found.verdict, found.missing) == ("cannot-say", ["gpu"])
    assert (found.gpu, found.expected, found.of_nominal) == (None, None, None)
    assert "NVIDIA A100-SXM4-80GB" in (found.gpu_note or "")
    assert {f.severity for f in found.findings} <= {NOTE}
    assert found.gbs == 1340


@pytest.mark.parametrize(
    ("gbs", "nominal", "gpu"),
    [(1750, 2039, "NVIDIA A100-SXM4-80GB"), (1650, 1935, "NVIDIA A100 80GB PCIe")],
)
def test_the_figure_compared_with_tells_them_apart(
    cards: Cards, gbs: float, nominal: float, gpu: str
) -> None:
    found = answer(cards, **COPY, gpu="A100", claimed_gbs=gbs, nominal_gbs=nominal)
    assert (found.verdict, found.gpu, found.gpu_note) == ("believable", gpu, None)


def test_a_peak_tells_them_apart_too(cards: Cards) -> None:
    for nominal, gpu in ((989, "NVIDIA H100 80GB HBM3"), (756, "NVIDIA H100 PCIe")):
        found = answer(
            cards, **SQUARE, gpu="H100", claimed_tflops=nominal * 0.7, nominal_tflops=nominal
        )
        assert found.gpu == gpu


def test_a_figure_of_two_of_them_leaves_two(cards: Cards) -> None:
    found = answer(cards, **COPY, gpu="A100", claimed_gbs=1340, nominal_gbs=1555)
    assert found.verdict == "believable"
    assert "NVIDIA A100-PCIE-40GB" in (found.gpu_note or "")


def test_and_only_those_two_are_named(cards: Cards) -> None:
    found = answer(cards, **COPY, gpu="A100", claimed_gbs=1340, nominal_gbs=1555)
    assert "80GB" not in (found.gpu_note or "80GB")


@pytest.mark.parametrize(
    ("gpu", "dtype", "claimed", "nominal"),
    [("A100", "bf16", 250, 624), ("A100", "fp32", 18, 312), ("A100", "fp32", 18, 156)],
)
def test_a_figure_that_is_wrong_for_all_of_them_is_found(
    cards: Cards, gpu: str, dtype: str, claimed: float, nominal: float
) -> None:
    fields = {**SQUARE, "dtype": dtype, "gpu": gpu}
    found = answer(cards, **fields, claimed_tflops=claimed, nominal_tflops=nominal)
    assert found.verdict == "wrong"
    assert "E3" in codes(found)


# Cards that nobody knows.


def test_an_unknown_card_is_judged_by_the_figure_that_is_given(cards: Cards) -> None:
    fields: dict[str, Any] = {**COPY, "gpu": "GTX 9999", "nominal_gbs": 2000}
    good, over, low = (answer(cards, **fields, claimed_gbs=g) for g in (1700, 2500, 500))
    assert (good.verdict, good.gpu, good.findings) == ("believable", None, [])
    assert good.of_nominal == 0.85
    assert (over.verdict, low.verdict) == ("wrong", "suspect")
    assert answer(cards, **COPY, nominal_gbs=2000, claimed_gbs=1700).verdict == "believable"


def test_without_a_figure_nothing_can_be_said_of_it(cards: Cards) -> None:
    found = answer(cards, **COPY, gpu="GTX 9999", claimed_gbs=1700)
    assert (found.verdict, found.missing) == ("cannot-say", ["nominal_gbs"])
    assert found.of_nominal is None
    assert {f.severity for f in found.findings} == {NOTE}  # what it might suffer from


@pytest.mark.parametrize("nominal", [1e23, 1e-12])
def test_a_figure_that_no_card_has_is_none(cards: Cards, nominal: float) -> None:
    found = answer(cards, **COPY, gpu="GTX 9999", claimed_gbs=1700, nominal_gbs=nominal)
    assert found.verdict == "cannot-say"


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"op": "copy"}, ["gpu", "dtype", "elements", "time_s"]),
        ({"op": "matmul", "dtype": "bf16"}, ["gpu", "m", "n", "k", "time_s"]),
        ({"op": "copy", "gpu": "T4", "dtype": "fp16"}, ["elements", "time_s"]),
        ({"op": "copy", "gpu": "T4", "dtype": "fp16", "elements": 5}, ["time_s"]),
        ({"op": "decode", "gpu": "H100 SXM"}, ["dtype", "params", "time_s"]),
        ({"op": "decode", "gpu": "T4", "dtype": "fp16", "params": 1e9}, ["time_s"]),
        ({"op": "matmul", "gpu": "T4", "dtype": "fp16", "time_s": 1}, ["m", "n", "k"]),
    ],
)
def test_what_would_let_more_be_said_is_named(
    cards: Cards, fields: dict[str, Any], missing: list[str]
) -> None:
    found = answer(cards, **fields)
    assert (found.verdict, found.missing) == ("cannot-say", missing)


def test_a_card_that_is_known_is_not_missing(cards: Cards) -> None:
    assert "gpu" not in answer(cards, op="matmul", gpu="T4").missing


def test_a_size_that_is_given_is_not_missing(cards: Cards) -> None:
    assert answer(cards, op="copy", gpu="T4", elements=5, time_s=1).missing == ["dtype"]


def test_causes_of_a_number_that_cannot_be_judged_are_notes(cards: Cards) -> None:
    found = answer(cards, **SQUARE, claimed_tflops=100)
    assert found.verdict == "cannot-say"
    assert {"E3", "throttled"} <= set(codes(found))
    assert {f.severity for f in found.findings} == {NOTE}
    assert answer(cards, op="matmul").findings == []


def test_a_slice_is_judged_by_its_own_figures(cards: Cards) -> None:
    found = answer(cards, op="copy", gpu="A100-SXM4-80GB MIG 1g.10gb", claimed_gbs=220)
    assert (found.verdict, codes(found)) == ("believable", ["mig-slice"])
    assert found.of_nominal == pytest.approx(220 / (2039 / 8))


def test_a_share_of_a_peak(cards: Cards) -> None:
    fields = {"op": "other", "gpu": "A100 80GB SXM", "dtype": "bf16"}
    good, over = (answer(cards, **fields, claimed=c) for c in ("45 MFU %", "104 MFU %"))
    assert (good.verdict, good.of_nominal) == ("believable", pytest.approx(0.45))
    assert good.tflops == pytest.approx(0.45 * 312)
    assert over.verdict == "wrong"


@pytest.mark.parametrize("claimed", ["46 MFU %", "85 MFU %", "97 MFU %", "104 MFU %"])
def test_a_matmul_is_held_to_a_matmuls_range_whether_or_not_its_sides_are_given(
    cards: Cards, claimed: str
) -> None:
    fields = {"op": "matmul", "gpu": "H200", "dtype": "bf16", "claimed": claimed}
    bare, sized = answer(cards, **fields), answer(cards, **fields, m=8192, n=8192, k=8192)
    assert bare.expected == sized.expected
    assert bare.verdict == sized.verdict
    assert bare.expected is not None
    assert bare.expected.low == pytest.approx(699.4, abs=0.1)


def test_one_explanation_alone_is_called_a_good_one(cards: Cards) -> None:
    over = answer(cards, op="matmul", gpu="H200", dtype="bf16", claimed="104 MFU %")
    assert codes(over) == ["zeros", "boost-clock"]
    assert not [f for f in over.findings if "good explanation" in f.why]
    fields = {"op": "matmul", "dtype": "fp16", "claimed_tflops": 224.4}
    inside = answer(cards, gpu="RTX 5090", **fields)
    assert (inside.verdict, codes(inside)) == ("believable", ["boost-clock"])
    assert "good explanation" in inside.findings[0].why


# Rows that are points of one experiment.


def test_rows_that_cannot_all_be_right_are_not_told_to_be(cards: Cards) -> None:
    fields = {"op": "add_scalar", "gpu": "H200", "dtype": "fp16", "elements": 1 << 29, "id": "x"}

    def told(*points: tuple[int, float]) -> list[str | None]:
        given = "\n".join(json.dumps({**fields, "batch": b, "time_ms": t}) for b, t in points)
        return [v.verdict for v in check_rows(rows(given), cards)]

    assert told((8, 0.5)) == ["believable"]
    assert told((8, 0.5), (64, 0.5)) == ["suspect", "suspect"]
    assert told((8, 0.5), (64, 4.0))[0] == "believable"  # the time goes with the batch
    assert told((8, 0.5), (64, 0.005)) == ["believable", "wrong"]  # a proof names the row


def test_the_joint_reading_stands_at_the_last_row_of_an_id(cards: Cards) -> None:
    text = "\n".join(
        json.dumps({"op": "decode", "id": i, "batch": b, "time_ms": t})
        for i, b, t in (("a", 8, 10), ("b", 8, 10), ("a", 64, 11), (None, 64, 11), ("c", 8, 10))
    )
    found = check_rows(rows(text), cards)
    assert [v.experiment is not None for v in found] == [False, False, True, False, False]
    joint = found[2].experiment
    assert joint is not None
    assert (joint.points, joint.varied, joint.bound) == (2, "batch", ["memory", "overhead"])
    assert as_json(found[2])["experiment"]["size_ratio"] == 8


def test_a_number_and_its_text_are_two_ids(cards: Cards) -> None:
    point = '{"op":"decode","id":%s,"batch":%d,"time_s":1}\n'
    text = point % (1, 8) + point % ('"1"', 64)
    assert [v.experiment for v in check_rows(rows(text), cards)] == [None, None]


def test_an_unreadable_point_does_not_take_the_others_with_it(cards: Cards) -> None:
    text = "\n".join(
        json.dumps({"op": "decode", "id": "a", "batch": b, "time_ms": 10}) for b in (8, 0, 64)
    )
    found = check_rows(rows(text), cards)
    assert [v.error is None for v in found] == [True, False, True]
    assert found[2].experiment is not None
    assert found[2].experiment.points == 2


def test_the_shells_points(cards: Cards) -> None:
    said = {"op": "decode", "gpu": "H100 SXM", "batch": "8,64", "time": "10ms,11ms"}
    first, last = check_rows(shell_rows(said), cards)
    assert first.experiment is None
    assert last.experiment is not None
    assert last.id == "experiment"


def test_a_subject_is_the_id_else_the_row_else_the_op(cards: Cards) -> None:
    low: dict[str, Any] = {"op": "h2d", "gpu": "A100 80GB SXM", "claimed_gbs": 12}
    for fields, where, subject in (
        ({**low, "id": 7}, "row 3", "7"),
        (low, "row 3", "row 3"),
        (low, "", "h2d"),
    ):
        assert answer(cards, where=where, **fields).findings[0].subject == subject


def test_rows_that_were_never_fields(cards: Cards) -> None:
    (found,) = check_rows([("row 1", Unreadable("row 1: bad"))], cards)
    assert (found.verdict, found.error, found.findings) == (None, "row 1: bad", [])


@pytest.mark.parametrize(
    "row",
    [
        # HPL and DGEMM run on fp64 tensor cores; GeForce cards sum in fp16 twice as fast.
        {"gpu": "H100 SXM", "op": "other", "dtype": "fp64", "claimed_tflops": 52.5,
         "nominal_tflops": 66.9},
        {"gpu": "AMD Instinct MI250X", "op": "matmul", "m": 8192, "n": 8192, "k": 8192,
         "dtype": "fp32", "claimed_tflops": 19, "nominal_tflops": 23.95},
        {"gpu": "P100-SXM2-16GB", "op": "matmul", "m": 8192, "n": 8192, "k": 8192,
         "dtype": "fp16", "claimed_tflops": 18.5},
        {"gpu": "AMD Instinct MI210", "op": "matmul", "m": 8192, "n": 8192, "k": 8192,
         "dtype": "fp32", "claimed_tflops": 33},
        {"gpu": "A100 80GB SXM", "op": "matmul", "m": 8192, "n": 8192, "k": 8192,
         "dtype": "bf16", "math": "sparse", "claimed_tflops": 500, "nominal_tflops": 624},
        {"gpu": "GTX 1080 Ti", "op": "matmul", "m": 8192, "n": 8192, "k": 8192,
         "dtype": "fp32", "claimed_tflops": 11.8},
        {"gpu": "H100 SXM", "op": "other", "dtype": "bf16", "claimed_tflops": 400},
        {"gpu": "A100 80GB SXM", "op": "other", "dtype": "bf16", "claimed": "46 MFU %"},
        {"gpu": "A100 80GB SXM", "op": "matmul", "dtype": "bf16", "claimed": "85 MFU %"},
    ],
)  # fmt: skip
def test_another_unit_of_the_same_type_is_believed_where_it_ran(
    cards: Cards, row: dict[str, object]
) -> None:
    found = answer(cards, **row)
    assert found.verdict == "believable", codes(found)


@pytest.mark.parametrize(
    ("row", "first"),
    [
        ({"op": "decode", "params": 13e9, "batch": 1, "time": "16ms",
          "claimed": "620 tokens/s"}, "units"),
        ({"op": "decode", "params": 13e9, "batch": 1, "time": "16ms",
          "claimed": "150 tokens/s"}, "speculative-decode"),
        ({"op": "decode", "params": 13e9, "batch": 1, "time": "16ms",
          "claimed": "31 tokens/s"}, "bytes-miscounted"),
        ({"op": "decode", "params": 70e9, "batch": 1, "time": "95ms"}, "bytes-miscounted"),
        ({"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "time": "4.20ms",
          "claimed": "42 MFU %"}, "flop-miscounted"),
        ({"op": "copy", "elements": 1 << 30, "claimed": "28633GB/s"}, "E5"),
        ({"op": "h2d", "claimed": "24GB/s", "nominal_gbs": 2039}, "wrong-peak-value"),
        ({"op": "relu", "claimed": "1500TB/s"}, "E5"),
    ],
)  # fmt: skip
def test_what_is_said_twice_is_held_together(
    cards: Cards, row: dict[str, object], first: str
) -> None:
    found = answer(cards, gpu="A100 80GB SXM", dtype="fp16", **row)
    assert found.verdict in ("suspect", "wrong")
    assert found.findings[0].code == first, codes(found)


def test_a_less_likely_number_never_gets_a_better_answer(cards: Cards) -> None:
    h100 = {"gpu": "H100 SXM", "op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}
    worse = {"believable": 0, "suspect": 1, "wrong": 2}
    said = [answer(cards, **h100, claimed_tflops=t).verdict for t in range(780, 1200, 20)]
    ranks = [worse[v or ""] for v in said]
    assert ranks == sorted(ranks)
    assert (said[0], said[-1]) == ("believable", "wrong")


def test_a_card_that_nobody_knows_is_said_with_the_nearest(cards: Cards) -> None:
    found = answer(cards, **COPY, gpu="RTX 4O90", claimed_gbs=900)
    assert found.gpu_note is not None
    assert "RTX 4O90" in found.gpu_note
    assert "4090" in found.gpu_note
    assert found.missing == ["nominal_gbs"]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize(
    ("fields", "verdict", "said"),
    [
        ({"claimed_tflops": 5000.0}, "wrong", ["impossible"]),
        ({"m": 8192, "n": 8192, "k": 8192, "time_s": 1e-4}, "wrong", ["impossible"]),
        ({"m": 8192, "n": 8192, "k": 8192, "time_s": 4e-4}, "suspect", ["E3"]),
        ({"claimed_tflops": 2749.0}, "suspect", ["E3"]),
    ],
)
def test_a_rate_over_every_dense_peak_needs_no_type_to_be_doubted(
    cards: Cards, language: str, fields: dict[str, object], verdict: str, said: list[str]
) -> None:
    choose(language)
    try:
        found = answer(cards, op="matmul", gpu="H200", **fields)
    finally:
        choose("en")
    assert found.verdict == verdict
    assert codes(found) == said  # and none that explains a low number
    assert "fp8" in found.findings[0].message


@pytest.mark.parametrize(
    "fields",
    [
        {"claimed_tflops": 1500.0},
        {"claimed_tflops": 2000.0},
        {"claimed_tflops": 2749.0, "math": "sparse"},
    ],
)
def test_a_rate_that_some_type_reaches_stays_open_without_one(
    cards: Cards, fields: dict[str, object]
) -> None:
    found = answer(cards, op="matmul", gpu="H200", **fields)
    assert (found.verdict, found.missing) == ("cannot-say", ["dtype"])
    assert "E3" in codes(found)


# ---- what a row says beside its rate ------------------------------------------------------------

BIG = {"gpu": "H200", "elements": 10**9, "dtype": "fp16"}


@pytest.mark.parametrize("op", ["h2d", "d2h", "copy", "fill", "embedding"])
@pytest.mark.parametrize(
    "claimed", [{"claimed_tflops": 3}, {"claimed": "5 MFU %"}, {"flop_counted": 1e12}]
)
def test_flop_of_what_computes_nothing(cards: Cards, op: str, claimed: dict[str, object]) -> None:
    slow = {"h2d": 40, "d2h": 40, "fill": 0.5}
    found = answer(cards, **BIG, op=op, time_ms=slow.get(op, 1), **claimed)
    assert (found.verdict, codes(found)) == ("wrong", ["flop-miscounted"])
    assert (found.judged, found.tflops) == ("gbs", None)
    assert found.expected is not None
    assert found.expected.unit == "GB/s"
    assert op in found.findings[0].message


def test_bytes_that_contradict_rate_and_time_are_said(cards: Cards) -> None:
    add = {**BIG, "op": "add", "time_ms": 1.4, "bytes_counted": "4GB"}
    found = answer(cards, **add, claimed="4286 GB/s")  # 6 GB, which is what an add moves
    assert (found.verdict, codes(found)) == ("believable", ["bytes-miscounted"])
    assert (found.findings[0].severity, found.gbs) == ("note", 4286)
    assert "6000 MB" in found.findings[0].message
    assert "4000 MB" in found.findings[0].message
    found = answer(cards, **add, claimed="2857 GB/s")  # here rate, time and count agree
    assert (found.verdict, codes(found)) == ("wrong", ["E1"])
    other = answer(
        cards, gpu="H200", op="other", time_ms=1, claimed="4000 GB/s", bytes_counted="2GB"
    )
    assert other.verdict == "suspect"


def test_flop_that_contradict_rate_and_time_are_said(cards: Cards) -> None:
    square = {"gpu": "H200", "op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "bf16"}
    found = answer(cards, **square, time_ms=1.4, claimed_tflops=785, flop_counted=2e12)
    assert (found.verdict, codes(found)) == ("believable", ["flop-miscounted"])
    assert found.findings[0].severity == "note"


@pytest.mark.parametrize(
    ("gpu", "fields", "share"),
    [
        ("H200", {"dtype": "bf16", "math": "sparse"}, 0.741),
        ("MI300X", {"dtype": "bf16", "math": "sparse"}, None),
        ("H200", {"dtype": "bf16", "time_ms": 1.5}, 0.741),
        ("T4", {"dtype": "fp16", "math": "sparse", "time_ms": 20}, 0.846),
    ],
)
def test_a_share_is_of_the_peak_that_applies(
    cards: Cards, gpu: str, fields: dict[str, object], share: float | None
) -> None:
    square = {"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "time_ms": 0.75}
    found = answer(cards, gpu=gpu, **{**square, **fields})
    has_one = fields.get("math") == "sparse" and gpu != "T4"  # Turing skips no zeros
    assert found.sparse is has_one
    if share is not None:
        assert found.of_nominal == pytest.approx(share, abs=0.002)


def test_a_rate_of_tokens_is_of_a_step_alone(cards: Cards) -> None:
    row = {**BIG, "op": "add", "time_ms": 1.4, "claimed": "50 tok/s"}
    assert check_rows([("row 1", row)], cards)[0].unused == ["claimed_tokens_per_s"]
