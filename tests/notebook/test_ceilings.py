"""A time is held against both ceilings, whatever the number is judged by."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from roofwatch.notebook.catalog import choose
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_reading import is_emulated, key_of
from roofwatch.notebook.claim_work import work_of
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_claim, check_fields
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.workload import ELEMENT_BITS
from roofwatch.session.cards import packaged_cards

TABLE = packaged_cards()
DRAWN = 1500
OPS = (
    *("matmul",) * 4,
    *("decode",) * 3,
    *("attention", "other", "copy", "add", "triad", "relu", "read", "fill"),
    *("softmax", "rmsnorm", "embedding", "h2d", "d2h"),
)


def answer(cards: Cards, **fields: object) -> Verdict:
    found = check_fields({"gpu": "H200", **fields}, cards)
    assert found.error is None
    return found


def codes(found: Verdict) -> list[str]:
    return [f.code for f in found.findings]


GEMV = {"op": "matmul", "m": 1, "n": 16384, "k": 16384, "dtype": "bf16"}


@pytest.mark.parametrize(
    "fields",
    [
        GEMV,
        {**GEMV, "n": 32768, "k": 32768},
        {**GEMV, "m": 16},
        {**GEMV, "dtype": "fp32", "time_s": 24e-6},  # TF32 would explain the FLOP, not the bytes
        {**GEMV, "dtype": "fp64"},
        {**GEMV, "gpu": "T4", "dtype": "fp16"},
        {**GEMV, "gpu": "RTX 4090", "m": 4, "dtype": "fp16"},
        {**GEMV, "m": 16384, "k": 1},
        {**GEMV, "n": 4096, "k": 4096, "batch": 32, "time_s": 5e-6},
    ],
)
def test_a_matmul_of_few_rows_is_held_against_the_memory(
    cards: Cards, fields: dict[str, object]
) -> None:
    found = answer(cards, **{"time_s": 12e-6, **fields})
    assert (found.verdict, found.findings[0].code) == ("wrong", "E5")
    assert found.findings[0].evidence["unit"] == "GB/s"
    assert not {"zeros", "E3", "boost-clock"} & set(codes(found))


@pytest.mark.parametrize("timer", [{"timing": "event"}, {"synchronized": True}])
def test_a_clock_that_waited_leaves_the_impossible(cards: Cards, timer: dict[str, object]) -> None:
    found = answer(cards, **GEMV, time_s=12e-6, **timer)
    assert (found.verdict, found.findings[0].code) == ("wrong", "impossible")
    assert found.findings[0].evidence["rate"] == pytest.approx(44745, rel=1e-3)
    assert found.findings[0].evidence["least_us"] == pytest.approx(111.5, rel=1e-3)


def test_a_rate_without_its_time_is_held_against_the_memory_too(cards: Cards) -> None:
    found = answer(cards, **GEMV, claimed="44 TFLOP/s")
    assert (found.verdict, found.findings[0].code) == ("wrong", "impossible")
    assert "us" not in found.findings[0].message.split()


@pytest.mark.parametrize("time_s", [113e-6, 120e-6, 140e-6])
def test_a_matmul_at_the_speed_of_the_memory_is_believed(cards: Cards, time_s: float) -> None:
    found = answer(cards, **GEMV, time_s=time_s)
    assert found.verdict == "believable"
    assert codes(found) == ["E4"]  # a note: it is left of the ridge


def test_a_matmul_without_a_type_is_taken_as_the_narrowest(cards: Cards) -> None:
    row = {name: value for name, value in GEMV.items() if name != "dtype"}
    assert codes(answer(cards, **row, time_s=12e-6)) == ["E5"]  # 134 MB of four bits
    assert answer(cards, **row, time_s=30e-6).verdict == "cannot-say"
    small = answer(cards, **{**row, "n": 4096, "k": 4096}, time_s=1.6e-6)
    assert small.verdict == "cannot-say"  # in the cache


def test_matmuls_of_a_batch_may_share_an_operand(cards: Cards) -> None:
    batch = {**GEMV, "n": 4096, "k": 4096, "batch": 32}
    found = answer(cards, **batch, time_s=9e-6)
    assert (found.verdict, found.findings[0].code) == ("suspect", "E5")
    assert "unless all 32 share an operand" in found.findings[0].message
    assert answer(cards, **batch, time_s=5e-6).verdict == "wrong"  # not even one, in that time


def test_a_step_is_held_against_the_units(cards: Cards) -> None:
    step = {"op": "decode", "params": "8B", "dtype": "fp16", "time_ms": 4}
    found = answer(cards, **step, batch=1000)
    assert (found.verdict, found.findings[0].code) == ("wrong", "E5")
    assert found.findings[0].evidence["rate"] == pytest.approx(4000)
    assert answer(cards, **step, batch=200).verdict == "believable"
    served = answer(
        cards, op="decode", params="8B", dtype="fp16", batch=1000, claimed="250000tok/s"
    )
    assert codes(served) == ["impossible"]  # nobody read a clock around a step


def test_a_card_of_several_holds_a_part_of_the_parameters(cards: Cards) -> None:
    step = {"op": "decode", "params": "70B", "weight_bytes": "17.5GB", "dtype": "fp16"}
    split = answer(cards, **step, batch=64, time_ms=5)  # 1792 TFLOP/s, were all of them here
    assert split.verdict == "suspect"
    assert answer(cards, **step, batch=512, time_ms=5).verdict == "wrong"


def test_a_mixture_of_experts_says_what_a_token_uses(cards: Cards) -> None:
    mixture = {"op": "decode", "dtype": "fp16", "batch": 768, "time_ms": 30}
    assert answer(cards, **mixture, params="47B").findings[0].code == "E5"
    told = answer(cards, **mixture, params="13B", weight_bytes="94GB")
    assert told.verdict == "believable"


@pytest.mark.parametrize("op", ["attention", "other"])
def test_stated_bytes_are_held_against_the_memory(cards: Cards, op: str) -> None:
    counted = {"read_bytes": "100GB", "write_bytes": "100MB", "flop_counted": 1e12}
    found = answer(cards, op=op, dtype="bf16", time_us=1500, **counted)
    assert (found.verdict, found.findings[0].code) == ("wrong", "E5")


def test_both_claims_are_held_each_against_its_own(cards: Cards) -> None:
    claimed = {"op": "other", "dtype": "bf16", "claimed_gbs": 4000}
    assert answer(cards, **claimed, claimed_tflops=500).verdict == "believable"
    found = answer(cards, **claimed, claimed_tflops=4000)
    assert (found.verdict, codes(found)) == ("wrong", ["impossible"])


def test_a_claim_under_the_ceiling_does_not_hide_a_time_over_it(cards: Cards) -> None:
    found = answer(
        cards, op="add", elements=10**9, dtype="fp16", time_ms=0.7, claimed="2857 GB/s"
    )  # a third of the bytes are counted, but all of them would be 8571 GB/s
    assert (found.verdict, found.findings[0].code) == ("wrong", "E5")


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"op": "add", "elements": 10**9, "dtype": "fp16", "claimed": "857 GB/s"}, "E5"),
        ({"op": "h2d", "elements": 10**8, "dtype": "fp16", "claimed": "28.6 GB/s"}, "E5"),
        ({**GEMV, "m": 8192, "time_ms": 0.7, "claimed": "628 TFLOP/s"}, "E5"),
        ({**GEMV, "m": 8192, "time_ms": 0.7, "claimed": "3140 TFLOP/s"}, "flop-miscounted"),
    ],
)
def test_a_correction_that_no_card_reaches_is_none(
    cards: Cards, fields: dict[str, object], first: str
) -> None:
    found = answer(cards, **{"time_ms": 0.7, **fields})
    assert (found.verdict, found.findings[0].code) == ("wrong", first)


def test_a_type_without_a_unit_is_held_against_the_highest_dense_peak(cards: Cards) -> None:
    step = {"op": "decode", "params": "8B", "dtype": "int4", "time_ms": 4}
    assert answer(cards, **step, batch=1000).findings[0].code == "E5"  # 4000 of 2141 TFLOP/s
    assert "E5" not in codes(answer(cards, **step, batch=500))


def test_a_sequence_s_own_time_is_tried_before_the_batch_s(cards: Cards) -> None:
    step = {"op": "decode", "params": "8B", "dtype": "fp16"}
    slow = answer(cards, **step, batch=1000, time_ms=4, claimed="250 tok/s")
    assert slow.verdict != "wrong"  # 250 of the whole batch: a sequence's would be 4000 TFLOP/s
    assert answer(cards, **step, batch=64, time_ms=5, claimed="200 tok/s").gbs == 3200


# ---- what a cache explains --------------------------------------------------------------------

SMALL = {"op": "matmul", "m": 1, "n": 4096, "k": 4096, "dtype": "bf16"}


def test_a_matrix_in_the_cache_is_no_missing_synchronise(cards: Cards) -> None:
    found = answer(cards, **SMALL, time_us=5)
    assert (found.verdict, found.findings[0].code) == ("wrong", "E2")
    assert found.findings[0].evidence["gbs"] == pytest.approx(6714, rel=1e-3)
    assert set(codes(found)) == {"E2", "E4"}
    assert found.expected is not None
    assert found.expected.high < 5  # TFLOP/s: its bytes set the range


def test_a_small_matrix_from_the_memory_is_believed(cards: Cards) -> None:
    assert answer(cards, **SMALL, time_us=8).verdict == "believable"


def test_a_slow_small_matrix_is_not_told_of_units(cards: Cards) -> None:
    found = answer(cards, **SMALL, time_us=20)
    assert found.verdict == "suspect"
    assert "no-tensor-core" not in codes(found)
    launch = next(f for f in found.findings if f.code == "launch-bound")
    assert 7.0 < launch.evidence["shortest_us"] < 8.0


def test_weights_in_the_cache_are_the_cache_s(cards: Cards) -> None:
    found = answer(cards, op="decode", params="10M", dtype="fp16", time_us=3)
    assert codes(found) == ["E2"]


# ---- drawn at random --------------------------------------------------------------------------


def drawn(rng: random.Random) -> tuple[Claim, Nominal, float, float]:
    """A claim without a number, its card, the bytes and the FLOP that nothing gets around."""
    cards = Cards(TABLE)
    while True:
        card = rng.choice(TABLE)
        nominal, op = cards.nominal(card), rng.choice(OPS)
        claim = Claim(op=op, gpu=card.names[0], dtype=rng.choice(("fp32", "fp16", "bf16", "int8")))

        def size(low: float, high: float) -> int:
            return int(2 ** rng.uniform(low, high))

        if op == "matmul":
            claim = replace(claim, m=size(0, 14), n=size(8, 15), k=size(0, 15))
        elif op == "decode":
            claim = replace(claim, params=10 ** rng.uniform(8.7, 10.7), batch=size(0, 12))
        elif op in ("attention", "other"):
            read, write = 10 ** rng.uniform(8, 11), 10 ** rng.uniform(7, 10)
            claim = replace(
                claim, read_bytes=read, write_bytes=write, flop_counted=10 ** rng.uniform(9, 14)
            )
        elif op in ("softmax", "rmsnorm", "embedding"):
            claim = replace(claim, m=size(12, 17), n=size(10, 14))
        else:
            claim = replace(claim, elements=size(24, 32))
        work = work_of(claim)
        if work is None or len(cards.known(claim.gpu).candidates) != 1:
            continue
        moved, flop = float(work.bytes), 0.0
        if op == "matmul":  # the result may be written as narrow as the operands
            moved = (ELEMENT_BITS[claim.dtype or ""] / 8) * (
                claim.m * claim.k + claim.k * claim.n + claim.m * claim.n  # type: ignore[operator]
            )
        if op in ("matmul", "decode"):
            flop = work.flop
        elif op in ("attention", "other"):
            flop = claim.flop_counted or 0.0
        if op not in ("h2d", "d2h") and moved < 4 * (nominal.llc_bytes or 0):
            continue
        return claim, nominal, moved, flop


def least_s(claim: Claim, nominal: Nominal, moved: float, flop: float) -> float | None:
    """The shortest time of both, at the memory's rate and the highest of any unit."""
    if claim.op in ("h2d", "d2h"):
        link = link_gbs(nominal)
        return moved / link / 1e9 if link else None
    bandwidth = max(nominal.ceiling_bandwidth_gbs or 0.0, nominal.bandwidth_gbs or 0.0)
    key = key_of(claim, nominal)
    tops = [max(nominal.ceilings_tflops.get(k, p), p) for k, p in nominal.peaks_tflops.items()]
    known = key in nominal.peaks_tflops and claim.op == "matmul"
    known = known and not is_emulated(claim, nominal)
    units = nominal.ceilings_tflops.get(key or "", 0.0) if known else 4 * max(tops)
    if known and key in ("fp16", "fp8"):
        units = max(units, nominal.ceilings_tflops.get("fp16_acc16", 0.0))
    return max(moved / bandwidth / 1e9, flop / units / 1e12 if units else 0.0)


def test_less_than_the_least_time_is_never_believed() -> None:
    rng, cards, judged = random.Random(23), Cards(TABLE), 0
    for _ in range(DRAWN):
        claim, nominal, moved, flop = drawn(rng)
        shortest = least_s(claim, nominal, moved, flop)
        if shortest is None:
            continue
        time = shortest * rng.uniform(0.02, 0.95)
        timer = rng.choice((None, None, "host", "event"))
        row = replace(claim, time_s=time, timing=timer)
        if claim.op == "matmul" and rng.random() < 0.3:
            work = work_of(claim)
            assert work is not None
            row = replace(claim, claimed_tflops=work.flop / time / 1e12)
        said = check_claim(row, cards)
        assert said.verdict == "wrong", (row, said)
        judged += 1
    assert judged > DRAWN * 0.8


def test_an_honest_time_is_never_a_missing_synchronise() -> None:
    rng, cards, judged = random.Random(29), Cards(TABLE), 0
    for _ in range(DRAWN):
        claim, nominal, moved, flop = drawn(rng)
        shortest = least_s(claim, nominal, moved, flop)
        known = key_of(claim, nominal) in nominal.peaks_tflops
        if shortest is None or (not known and claim.op != "matmul"):
            continue
        most = {**nominal.peaks_tflops, "lanes": 4 * nominal.peaks_tflops.get("fp32", 0.0)}
        peak = most.get(key_of(claim, nominal) or "", max(most.values()))
        honest = max(shortest, flop / peak / 1e12)
        row = replace(claim, time_s=honest * rng.uniform(1.0, 20) + 2e-6)
        said = check_claim(row, cards)
        assert not {"E5", "impossible"} & set(codes(said)), (row, said)
        assert said.verdict != "wrong", (row, said)
        judged += 1
    assert judged > DRAWN / 2


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_words_name_work_time_and_ceiling(cards: Cards, language: str) -> None:
    choose(language)
    try:
        message = answer(cards, **GEMV, time_us=12).findings[0].message
    finally:
        choose("en")
    assert all(part in message for part in ("536.9 MB", "44745 GB/s", "4814", "112"))
