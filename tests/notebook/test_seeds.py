"""The seven errors of the seeds, each with its own worked numbers."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG, Finding
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_fields, check_rows

GIB = 1 << 30
T4 = {"gpu": "T4"}
A100 = {"gpu": "A100 80GB SXM"}
TINY_LLAMA = {"op": "decode", "params": 1.1e9, "dtype": "fp16", "kv_bytes_per_token": 22.5 * 1024}


def answer(cards: Cards, **fields: Any) -> Verdict:
    found = check_fields(fields, cards)
    assert found.error is None
    return found


def first(verdict: Verdict) -> Finding:
    assert verdict.findings
    return verdict.findings[0]


def test_error_one_895_instead_of_1790(cards: Cards) -> None:
    add = {**A100, "op": "add_scalar", "elements": GIB // 2, "dtype": "fp16", "time": "1.2ms"}
    right = answer(cards, **add)
    assert right.verdict == "believable"
    assert right.gbs == pytest.approx(1790, rel=1e-3)
    assert right.of_nominal == pytest.approx(0.88, abs=0.005)
    half = answer(cards, **add, claimed="895GB/s")
    assert half.verdict == WRONG
    assert (first(half).code, first(half).name, first(half).root) == (
        "E1",
        "read-only-bytes",
        "bytes",
    )
    assert first(half).evidence["corrected_gbs"] == pytest.approx(1790, rel=1e-3)
    assert half.of_nominal == pytest.approx(0.44, abs=0.005)


def test_error_one_without_size_or_time_is_one_suspect_among_several(cards: Cards) -> None:
    said = answer(cards, **A100, op="add_scalar", dtype="fp16", claimed="895GB/s")
    assert said.verdict == SUSPECT
    assert first(said).code == "E1"
    assert first(said).fit is not None
    assert len(said.findings) > 1


def test_error_two_900_from_1_mib(cards: Cards) -> None:
    said = answer(cards, **T4, op="add_scalar", elements=524288, dtype="fp16", claimed="900GB/s")
    assert said.verdict == WRONG
    assert first(said).code == "E2"
    assert first(said).evidence["working_set_bytes"] == 2 << 20
    assert first(said).evidence["cache_bytes"] == 4 << 20
    assert said.of_nominal == pytest.approx(2.8, abs=0.02)
    assert said.expected is not None
    assert (said.expected.low, said.expected.high) == pytest.approx((240, 288))
    large = answer(
        cards, **T4, op="add_scalar", elements=256 << 20, dtype="fp16", claimed="272GB/s"
    )
    assert (large.verdict, large.findings) == ("believable", [])


def test_error_three_7_of_65(cards: Cards) -> None:
    square = {"op": "matmul", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp32"}
    said = answer(cards, **T4, **square, claimed="7 TFLOP/s", nominal_tflops=65)
    assert said.verdict == WRONG
    assert first(said).code == "E3"
    assert first(said).evidence["of_compared"] == pytest.approx(0.11, abs=0.005)
    assert first(said).evidence["of_nominal"] == pytest.approx(0.86, abs=0.005)
    own = answer(cards, **T4, **square, claimed="7 TFLOP/s", nominal_tflops=8.1)
    assert own.verdict == "believable"


@pytest.mark.parametrize(
    ("dtype", "math", "claimed", "nominal"),
    [
        ("fp16", None, "260 TFLOP/s", 624),  # 2:4 sparse; dense is 312
        ("bf16", None, "260 TFLOP/s", 624),
        ("fp32", "tf32", "120 TFLOP/s", 19.5),  # TF32 has 156
        ("fp32", "ieee", "18 TFLOP/s", 156),
    ],
)
def test_error_three_on_an_a100(
    cards: Cards, dtype: str, math: str | None, claimed: str, nominal: float
) -> None:
    square = {"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": dtype, "math": math}
    said = answer(cards, **A100, **square, claimed=claimed, nominal_tflops=nominal)
    assert (said.verdict, first(said).code) == (WRONG, "E3")


@pytest.mark.parametrize(("n", "claimed", "case"), [(512, 13.0, "171"), (256, 3.0, "85")])
def test_error_four_20_per_cent_at_512(cards: Cards, n: int, claimed: float, case: str) -> None:
    square = {"op": "matmul", "m": n, "n": n, "k": n, "dtype": "fp16", "nominal_tflops": 65}
    said = answer(cards, **T4, **square, claimed_tflops=claimed)
    assert said.verdict == SUSPECT
    assert first(said).code == "E4"
    assert f"{case} FLOP/byte" in first(said).message
    assert first(said).evidence["ridge"] == pytest.approx(203, abs=0.5)
    assert first(said).evidence["tiles"] < first(said).evidence["sm_count"] == 40


def test_error_four_a_decode_layer_is_a_small_matmul(cards: Cards) -> None:
    layer = {"op": "matmul", "m": 1, "n": 4096, "k": 4096, "dtype": "fp16"}
    said = answer(cards, **T4, **layer, time="125us")
    assert said.intensity == pytest.approx(1.0, abs=0.01)
    assert said.verdict == "believable"  # on the slope: 270 GB/s
    assert (first(said).code, first(said).severity) == ("E4", NOTE)


def test_error_five_tens_of_thousands(cards: Cards) -> None:
    add = {"op": "add_scalar", "elements": 256 << 20, "dtype": "fp16", "timing": "host"}
    said = answer(cards, **T4, **add, time="20us")
    assert said.gbs == pytest.approx(53687, rel=1e-3)
    assert (said.verdict, first(said).code, first(said).name) == (WRONG, "E5", "missing-sync")
    told = answer(cards, **T4, **add, time="4ms", synchronized=False)
    assert (told.verdict, first(told).code) == (WRONG, "E5")


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "add_scalar", "elements": 256 << 20, "claimed": "256GB/s", "nominal_gbs": 320},
        {
            "op": "matmul",
            "m": 8192,
            "n": 8192,
            "k": 8192,
            "claimed": "49TFLOPS",
            "nominal_tflops": 65,
        },
    ],
)
def test_error_six_80_and_75_per_cent_are_no_fault(cards: Cards, fields: dict[str, Any]) -> None:
    said = answer(cards, **T4, dtype="fp16", **fields)
    assert said.verdict == "believable"
    assert [(f.code, f.severity) for f in said.findings] == [("E6", NOTE)]


@pytest.mark.parametrize(("context", "intensity", "ai_max"), [(256, 96, 373), (2048, 34, 46.6)])
def test_error_seven_batch_128_is_not_an_intensity_of_128(
    cards: Cards, context: int, intensity: float, ai_max: float
) -> None:
    said = answer(cards, **T4, **TINY_LLAMA, batch=128, kv_len=context, time="19ms")
    bend = next(f for f in said.findings if f.code == "E7")
    assert said.intensity == pytest.approx(intensity, rel=0.02)
    assert bend.evidence["intensity"] == said.intensity
    assert bend.evidence["ai_max"] == pytest.approx(ai_max, rel=0.01)
    assert f"not {bend.evidence['batch']}" in bend.message


def test_error_seven_does_not_fire_where_kv_bytes_are_few(cards: Cards) -> None:
    # Seed: KV explains a bend only where b n kv is comparable to the weights.
    said = answer(
        cards,
        gpu="Tesla V100-SXM2-32GB",
        op="decode",
        batch=8,
        context=150,
        params=6.74e9,
        kv_bytes_per_token=524288,
        dtype="fp16",
        time="53.4ms",
    )
    codes = [f.code for f in said.findings]
    assert "E7" not in codes
    assert {"inefficient-kernel", "host-bound"} <= set(codes)


def test_an_rmsnorm_of_8_us_is_a_launch(cards: Cards) -> None:
    # Seed: its bytes need 0.04 us; it is overhead-bound, not a bandwidth.
    said = answer(cards, **T4, op="rmsnorm", m=1, n=3200, dtype="fp16", time="8us")
    assert said.verdict == SUSPECT
    assert first(said).code == "launch-bound"


def test_48_of_65_is_at_the_roof(cards: Cards) -> None:
    square = {"op": "matmul", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp16"}
    said = answer(cards, **T4, **square, claimed="48 TFLOP/s", nominal_tflops=65)
    assert said.verdict == "believable"
    assert said.of_nominal == pytest.approx(0.74, abs=0.005)


def test_batch_8_in_10_ms_and_batch_64_in_11_ms(cards: Cards) -> None:
    rows = [
        {"id": "e", "op": "other", "batch": b, "time_s": t} for b, t in ((8, 0.010), (64, 0.011))
    ]
    joint = check_rows([(f"row {i}", r) for i, r in enumerate(rows, 1)], cards)[-1].experiment
    assert joint is not None
    assert (joint.size_ratio, joint.time_ratio) == (8, pytest.approx(1.1))
    assert joint.bound == ["memory", "overhead"]
    assert "not compute-bound" in joint.message
    assert "cannot part them" in joint.why
