"""An op takes the longer of what its bytes and its FLOP take, and is judged by that."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from roofwatch.notebook.catalog import choose
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_reading import key_of
from roofwatch.notebook.claim_work import work_of
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_claim, check_fields
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.published import published_bandwidth, published_work
from roofwatch.session.cards import packaged_cards

TABLE = packaged_cards()
DRAWN = 1200
LOW = {
    "inefficient-kernel", "host-bound", "throttled", "low-clock", "other-process", "mig-slice",
    "cold-start", "low-without-cause",
}  # fmt: skip
STEP = {"op": "decode", "params": "8B", "dtype": "bf16"}


def answer(cards: Cards, **fields: object) -> Verdict:
    found = check_fields({"gpu": "H200", **fields}, cards)
    assert found.error is None
    return found


def codes(found: Verdict) -> list[str]:
    return [f.code for f in found.findings]


def unit(found: Verdict) -> str | None:
    return found.expected.unit if found.expected else None


# ---- a decode step ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        {**STEP, "batch": 1024, "kv_len": 64, "kv_bytes_per_token": "128KiB", "time_ms": 22},
        {**STEP, "batch": 4096, "claimed": "50000 tok/s"},
        {**STEP, "params": "37B", "dtype": "fp8", "batch": 2048, "time_ms": 120},
    ],
)
def test_a_step_right_of_the_ridge_is_judged_by_its_flop(
    cards: Cards, fields: dict[str, object]
) -> None:
    found = answer(cards, **fields)
    assert (found.verdict, unit(found)) == ("believable", "TFLOP/s")
    assert not LOW & set(codes(found))
    assert not [f for f in found.findings if f.severity != "note"]


def test_left_of_it_by_its_bytes(cards: Cards) -> None:
    found = answer(cards, **STEP, batch=128, time_ms=4.5)
    assert (found.verdict, unit(found)) == ("believable", "GB/s")


def test_missing_keys_are_told_in_the_memory_s_own_rate(cards: Cards) -> None:
    found = answer(cards, **STEP, batch=1024, time_ms=60)
    missing = next(f for f in found.findings if f.code == "E7")
    assert missing.evidence["usual_gbs"] == pytest.approx(4800 * (0.60 * 0.84) ** 0.5)
    host = next(f for f in found.findings if f.code == "host-bound")
    assert "TFLOP/s" in host.message
    assert "GB/s" not in host.message


def test_a_slow_step_is_not_explained_by_what_its_flop_take(cards: Cards) -> None:
    keys = {"kv_len": 64, "kv_bytes_per_token": "128KiB"}
    found = answer(cards, **STEP, **keys, batch=1024, time_ms=100)
    host = next(f for f in found.findings if f.code == "host-bound")
    assert host.evidence["expected_ms"] == pytest.approx(16.384e3 / (0.95 * 989.4), rel=1e-3)
    graph = answer(cards, **STEP, **keys, batch=1024, time_ms=100, timing="graph")
    assert "host-bound" not in codes(graph)


@pytest.mark.parametrize("batch", [200, 512])
def test_each_token_that_a_pass_yields_costs_its_flop(cards: Cards, batch: int) -> None:
    fields = {**STEP, "batch": batch, "tokens_per_step": 5, "claimed": "212000 tok/s"}
    found = answer(cards, **fields)
    assert (found.verdict, found.findings[0].code) == ("wrong", "impossible")
    assert found.tflops == pytest.approx(16e9 * 212000 / 1e12)
    assert answer(cards, **{**fields, "claimed": "40000 tok/s"}).verdict == "believable"


def test_weights_of_one_card_or_packed_ones_leave_the_flop_open(cards: Cards) -> None:
    eighth = {"op": "decode", "params": "70B", "weight_bytes": "17.5GB", "dtype": "bf16"}
    assert answer(cards, **eighth, batch=64, time_ms=5).verdict == "suspect"
    packed = {**STEP, "weight_bytes": "4.5GB", "batch": 512}
    assert answer(cards, **packed, time_ms=11).verdict == "believable"
    for dtype in ("int4", "int8"):  # their units, or 16 bits
        step = {**STEP, "dtype": dtype, "batch": 1024}
        assert answer(cards, **step, time_ms=30).verdict == "believable"


def test_the_figures_compared_with_have_a_ridge_of_their_own(cards: Cards) -> None:
    figures = {"gpu": None, "nominal_gbs": 1000, "nominal_tflops": 100, "dtype": "fp16"}
    found = answer(cards, **{**STEP, **figures}, batch=512, time_ms=120)
    assert (found.verdict, unit(found)) == ("believable", "TFLOP/s")
    assert answer(cards, **{**STEP, **figures}, batch=8, time_ms=20).verdict == "believable"


def test_packed_weights_without_a_unit_are_multiplied_in_sixteen_bits(cards: Cards) -> None:
    step = {**STEP, "gpu": "A100 80GB SXM", "dtype": "fp8", "batch": 512}
    assert answer(cards, **step, time_ms=40).verdict == "believable"
    assert answer(cards, **step, time_ms=120).verdict == "suspect"
    lanes = {**STEP, "gpu": "T4", "params": "1.1B", "batch": 64}  # bf16 there runs on lanes
    assert answer(cards, **lanes, time_ms=60).verdict == "believable"


# ---- the time of a step -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields", [{"time_us": 100}, {"time_ms": 2, "timing": "graph"}, {"time_ms": 2}]
)
def test_a_step_reads_the_weights_whatever_it_yields(
    cards: Cards, fields: dict[str, object]
) -> None:
    for tokens in ({}, {"tokens_per_step": 4}):
        found = answer(cards, **STEP, batch=1, **fields, **tokens)
        assert found.verdict == "wrong"
        assert found.findings[0].code in ("E5", "impossible")
        assert "speculative-decode" not in [f.code for f in found.findings if f.severity != "note"]


def test_a_rate_of_tokens_is_what_speculation_may_explain(cards: Cards) -> None:
    for said in ({}, {"time_s": 1 / 700}):
        found = answer(cards, **STEP, batch=1, claimed="700 tok/s", **said)
        assert (found.verdict, codes(found)) == ("suspect", ["speculative-decode"])


def test_experts_that_no_token_uses_need_not_be_read(cards: Cards) -> None:
    experts = {"op": "decode", "params": "3.6B", "weight_bytes": "14GB", "dtype": "int4"}
    assert answer(cards, **experts, time_ms=1.2).verdict == "suspect"
    assert answer(cards, **experts, time_ms=0.2).verdict == "wrong"


# ---- bytes as stated --------------------------------------------------------------------------

GEMV = {"gpu": "RTX 4090", "op": "matmul", "m": 1, "n": 28672, "k": 8192, "dtype": "fp16"}
FEW = {"op": "matmul", "m": 64, "n": 28672, "k": 8192, "dtype": "bf16", "read_bytes": 1e6}


def test_packed_weights_are_counted_as_stated(cards: Cards) -> None:
    found = answer(cards, **GEMV, read_bytes="117.5MB", time_us=128)
    assert found.verdict == "believable"
    assert found.gbs == pytest.approx(918, rel=2e-3)
    assert found.intensity == pytest.approx(4, rel=2e-3)
    assert found.expected is not None
    assert found.tflops is not None
    assert found.expected.low <= found.tflops <= found.expected.high


def test_no_statement_goes_below_four_bits_a_weight(cards: Cards) -> None:
    found = answer(cards, **GEMV, read_bytes=1e6, write_bytes=57344, time_us=3, timing="event")
    assert (found.verdict, found.findings[0].code) == ("wrong", "impossible")
    few = answer(cards, **FEW, write_bytes=3.6e6, time_us=45)
    assert (few.verdict, codes(few)) == ("suspect", ["bytes-miscounted"])
    assert few.gbs == pytest.approx(2713, rel=1e-3)
    assert answer(cards, **FEW, write_bytes=3.6e6, time_us=12).verdict == "wrong"
    untyped = {name: value for name, value in FEW.items() if name != "dtype"}
    assert answer(cards, **untyped, time_us=12).verdict == "wrong"


def test_more_bytes_than_the_memory_carries_were_counted_in_caches(cards: Cards) -> None:
    square = {"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "bf16", "time_ms": 1.5}
    found = answer(cards, **square, read_bytes="100GB")
    assert (found.verdict, found.findings[0].code) == ("wrong", "bytes-miscounted")
    assert found.findings[0].evidence["moved_mb"] == pytest.approx(402.65, rel=1e-4)
    assert answer(cards, **square, read_bytes="1.5GB").verdict == "believable"  # read again


def test_operands_that_a_batch_shares_may_be_read_once(cards: Cards) -> None:
    batch = {"op": "matmul", "m": 1, "n": 8192, "k": 8192, "batch": 32, "dtype": "bf16"}
    found = answer(cards, **batch, read_bytes="134.8MB", write_bytes="0.53MB", time_us=33)
    assert found.verdict == "believable"
    assert found.gbs == pytest.approx(4100, rel=1e-2)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_count_of_packed_weights_says_where_to_put_it(cards: Cards, language: str) -> None:
    choose(language)
    try:
        for timing in ({}, {"timing": "event"}):
            found = answer(cards, **GEMV, bytes_counted="117.5MB", time_us=128, **timing)
            assert "117.5 MB" in found.findings[0].do
            assert "read_bytes" in found.findings[0].do
        few = answer(cards, **FEW, time_us=45)
        assert "122.2 MB" in few.findings[0].message
    finally:
        choose("en")


def test_a_narrow_result_is_one_set_for_ceiling_and_cache(cards: Cards) -> None:
    found = answer(
        cards, op="matmul", m=8192, n=8192, k=16, dtype="fp8", time_us=10.02, timing="event"
    )  # 67 MB with an 8-bit result, 1.07 times the cache
    assert (found.verdict, found.findings[0].code) == ("wrong", "E2")
    assert found.findings[0].evidence["working_set_bytes"] == pytest.approx(67.37e6, rel=1e-3)


# ---- attention, other, and the slope -----------------------------------------------------------


@pytest.mark.parametrize("op", ["attention", "other"])
def test_kernels_with_both_counts_are_judged_by_their_side(cards: Cards, op: str) -> None:
    moved = {"op": op, "read_bytes": "1.07GB", "write_bytes": "1MB", "dtype": "bf16"}
    left = answer(cards, **moved, flop_counted=4.3e9, time_us=270, timing="event")
    assert (left.verdict, unit(left), codes(left)) == ("believable", "GB/s", [])
    assert left.intensity == pytest.approx(4.01, rel=1e-2)
    right = answer(cards, **moved, flop_counted=4.3e12, time_ms=7, timing="event")
    assert (right.verdict, unit(right), codes(right)) == ("believable", "TFLOP/s", [])
    claimed = answer(cards, **moved, claimed="15.9 TFLOP/s", time_us=270, timing="event")
    assert (claimed.verdict, unit(claimed)) == ("believable", "TFLOP/s")


def test_without_a_ridge_no_side_is_taken(cards: Cards) -> None:
    fields = {"op": "other", "read_bytes": "2GB", "flop_counted": 4e12, "time_ms": 7}
    for kind in ({"dtype": "int4"}, {}):
        assert answer(cards, **fields, **kind).verdict == "cannot-say"


def test_on_the_slope_neither_unit_nor_clock_is_the_cause(cards: Cards) -> None:
    small = {"op": "matmul", "m": 1, "n": 4096, "k": 4096, "dtype": "fp32", "time_us": 12}
    assert "E3" not in codes(answer(cards, **small, timing="event"))
    gemv = {"op": "matmul", "m": 1, "n": 28672, "k": 8192, "dtype": "bf16", "timing": "event"}
    assert "throttled" not in codes(answer(cards, **gemv, time_us=140))
    slow = answer(cards, **gemv, time_us=400)
    clock = next(f for f in slow.findings if f.code == "low-clock")
    assert "memory" in clock.message


def test_fp32_with_zeros_skipped_is_tf32(cards: Cards) -> None:
    square = {"op": "matmul", "m": 8192, "n": 8192, "k": 8192, "dtype": "fp32", "math": "sparse"}
    found = answer(cards, **square, claimed="600 TFLOP/s")
    assert found.verdict == "believable"
    assert found.of_nominal == pytest.approx(600 / 989.4, rel=1e-3)
    assert answer(cards, **square, claimed="1200 TFLOP/s").verdict == "wrong"
    assert answer(cards, **square, gpu="T4", claimed="12 TFLOP/s").verdict == "wrong"


# ---- drawn at random --------------------------------------------------------------------------


def drawn(rng: random.Random, cards: Cards) -> tuple[Claim, Nominal, float, float]:
    """Large work of an op with both counts on a card with units for its type; bytes and FLOP."""
    while True:
        card = rng.choice(TABLE)
        nominal = cards.nominal(card)
        op = rng.choice(("decode", "attention", "other"))
        dtype = rng.choice(("fp16", "bf16", "fp8", "int8"))
        claim = Claim(op=op, gpu=card.names[0], dtype=dtype)
        if key_of(claim, nominal) != dtype or dtype not in nominal.peaks_tflops:
            continue
        if len(cards.known(claim.gpu).candidates) != 1 or not nominal.bandwidth_gbs:
            continue
        if op == "decode":
            claim = replace(
                claim,
                params=10 ** rng.uniform(9.0, 10.5),
                batch=int(2 ** rng.uniform(0, 13)),
                tokens_per_step=rng.choice((None, None, 2.5, 5.0)),
                kv_bytes_per_token=65536.0,
                kv_len=rng.choice((16, 512)),
            )
        else:
            read, write = 10 ** rng.uniform(9.3, 11), 10 ** rng.uniform(7, 9)
            intensity = nominal.ridge[dtype] * 10 ** rng.uniform(-2, 2)
            claim = replace(
                claim, read_bytes=read, write_bytes=write, flop_counted=(read + write) * intensity
            )
        work = work_of(claim)
        if work is None or work.bytes < 4 * (nominal.llc_bytes or 0):
            continue
        if op == "decode" and work.bytes > (nominal.memory_bytes or 0):
            continue
        return claim, nominal, float(work.bytes), work.flop


def test_the_longer_of_both_honest_times_is_believed(cards: Cards) -> None:
    rng, sides = random.Random(41), {"GB/s": 0, "TFLOP/s": 0, "TOPS": 0}
    for _ in range(DRAWN):
        claim, nominal, moved, flop = drawn(rng, cards)
        memory = published_bandwidth(claim.op, nominal)
        units = published_work(claim.op, claim.dtype or "", nominal)
        assert memory
        assert units
        gbs, tflops = rng.uniform(memory.low, memory.high), rng.uniform(units.low, units.high)
        time = max(moved / gbs / 1e9, flop / tflops / 1e12)
        row = replace(claim, time_s=time, timing=rng.choice((None, "host", "event", "graph")))
        if claim.op == "decode" and rng.random() < 0.4:
            tokens = (claim.batch or 1) * (claim.tokens_per_step or 1.0)
            row = replace(claim, claimed_tokens_per_s=tokens / time)
        said = check_claim(row, cards)
        assert said.verdict == "believable", (row, said)
        assert {f.severity for f in said.findings} <= {"note"}, (row, said)
        sides[said.expected.unit if said.expected else ""] += 1
    assert min(sides["GB/s"], sides["TFLOP/s"]) > DRAWN / 5


def test_less_than_the_longer_time_is_never_believed(cards: Cards) -> None:
    rng = random.Random(43)
    for _ in range(DRAWN):
        claim, nominal, moved, flop = drawn(rng, cards)
        tops = [max(nominal.ceilings_tflops.get(k, p), p) for k, p in nominal.peaks_tflops.items()]
        bandwidth = max(nominal.ceiling_bandwidth_gbs or 0.0, nominal.bandwidth_gbs or 0.0)
        least = max(moved / bandwidth / 1e9, flop / max(tops) / 1e12)
        time = least * rng.uniform(0.02, 0.95)
        timed = replace(claim, time_s=time, timing=rng.choice((None, "host", "event", "graph")))
        assert check_claim(timed, cards).verdict == "wrong", timed
        if claim.op == "decode":
            tokens = (claim.batch or 1) * (claim.tokens_per_step or 1.0)
            rated = replace(claim, claimed_tokens_per_s=tokens / time)
            assert check_claim(rated, cards).verdict in ("wrong", "suspect"), rated
            if 0.95 * flop / max(tops) / 1e12 > time:
                assert check_claim(rated, cards).verdict == "wrong", rated


def test_a_stated_count_never_makes_the_impossible_believable(cards: Cards) -> None:
    rng = random.Random(47)
    for _ in range(DRAWN):
        card = rng.choice(TABLE)
        nominal = cards.nominal(card)
        m, n, k = (int(2 ** rng.uniform(low, 15)) for low in (0, 12, 12))
        row = Claim(
            op="matmul", gpu=card.names[0], dtype=rng.choice(("fp16", "bf16")), m=m, n=n, k=k
        )
        moved = max(m * k, k * n) / 2
        if moved < 4 * (nominal.llc_bytes or 0) or len(cards.known(row.gpu).candidates) != 1:
            continue
        bandwidth = max(nominal.ceiling_bandwidth_gbs or 0.0, nominal.bandwidth_gbs or 0.0)
        row = replace(
            row,
            time_s=moved / bandwidth / 1e9 * rng.uniform(0.05, 0.95),
            read_bytes=rng.choice((None, 10 ** rng.uniform(0, 12))),
            write_bytes=rng.choice((None, 10 ** rng.uniform(0, 12))),
            timing=rng.choice((None, "host", "event", "graph")),
        )
        assert check_claim(row, cards).verdict == "wrong", row


def test_any_fields_together_have_an_answer(cards: Cards) -> None:
    rng = random.Random(53)
    of_bytes = ("params", "weight_bytes", "read_bytes", "write_bytes", "kv_bytes_per_token")
    for _ in range(DRAWN):
        op = rng.choice(("matmul", "decode", "attention", "other"))
        fields: dict[str, object] = {"op": op, "dtype": rng.choice(("bf16", "int4", "fp8", None))}
        sizes = {name: int(2 ** rng.uniform(0, 16)) for name in ("m", "n", "k", "batch", "kv_len")}
        counts = {name: 10 ** rng.uniform(-1, 14) for name in (*of_bytes, "flop_counted")}
        times = {"time_s": 10 ** rng.uniform(-8, 1), "tokens_per_step": 10 ** rng.uniform(-1, 2)}
        for name, value in {**sizes, **counts, **times}.items():
            if rng.random() < 0.5:
                fields[name] = value
        found = answer(cards, **{"gpu": rng.choice(TABLE).names[0], **fields})
        assert found.verdict
        assert found.expected is None or found.expected.low <= found.expected.high
