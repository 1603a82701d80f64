"""Numbers drawn inside the physically possible are never wrong; mistakes made to them are found."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_reading import key_of
from roofwatch.notebook.claim_work import work_of
from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_claim
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.nominal import Card
from roofwatch.roofline.peaks import TENSOR_KEYS
from roofwatch.roofline.published import link_gbs, published_bandwidth, published_compute
from roofwatch.roofline.workload import Work
from roofwatch.session.cards import packaged_cards

TABLE = packaged_cards()
STREAMS = ("copy", "add", "add_scalar", "triad", "relu", "read", "reduce", "fill")
ROWWISE = ("softmax", "layernorm", "rmsnorm", "embedding")
DTYPES = ("fp64", "fp32", "fp16", "bf16", "fp8", "int8")
SWEEP = 3000
with_fields = msgspec.structs.replace


def drawn(rng: random.Random, op: str) -> tuple[Card, Claim]:
    """A card, and a piece of work without a number."""
    card = rng.choice(TABLE)
    claim = Claim(op=op, gpu=card.names[0], dtype=rng.choice(DTYPES))

    def size(low: float, high: float) -> int:
        return int(2 ** rng.uniform(low, high))

    if op == "matmul":
        maths = (None, "ieee", "tf32") if claim.dtype == "fp32" else (None,)
        return card, with_fields(
            claim, m=size(5, 14), n=size(5, 14), k=size(5, 14), math=rng.choice(maths)
        )
    if op == "decode":
        return card, with_fields(
            claim,
            dtype="fp16",
            params=10 ** rng.uniform(8.5, 11),
            batch=rng.choice((1, 1, 4, 32, 128)),
            kv_bytes_per_token=rng.choice((None, 131072)),
            kv_len=rng.choice((None, 2048)),
        )
    if op in ROWWISE:
        return card, with_fields(claim, m=size(10, 17), n=size(9, 14))
    return card, with_fields(claim, elements=size(20, 32))


def ceiling_s(claim: Claim, work: Work, nominal: Nominal) -> float | None:
    """The shortest time that physics allows; None where the card has no such figure."""
    bandwidth = nominal.ceiling_bandwidth_gbs
    if not bandwidth:
        return None
    compute = nominal.ceilings_tflops.get(key_of(claim, nominal) or "")
    if claim.op == "decode":
        of_flop = work.flop / compute / 1e12 if compute else 0.0
        return max(work.bytes / bandwidth / 1e9, of_flop)
    if claim.op != "matmul":
        beyond_cache = work.bytes >= 2 * (nominal.llc_bytes or 0)
        return work.bytes / bandwidth / 1e9 if beyond_cache else None
    return max(work.flop / compute / 1e12, work.bytes / bandwidth / 1e9) if compute else None


def test_the_physically_possible_is_never_wrong(cards: Cards) -> None:
    rng = random.Random(11)
    judged = 0
    for _ in range(SWEEP):
        op = rng.choice((*STREAMS, *ROWWISE, "matmul", "matmul", "matmul", "decode"))
        card, claim = drawn(rng, op)
        work, nominal = work_of(claim), cards.nominal(card)
        shortest = ceiling_s(claim, work, nominal) if work else None
        if work is None or shortest is None:
            continue
        time = shortest / rng.uniform(0.05, 1.0) + rng.choice((2e-6, 2e-5))
        claim = with_fields(claim, time_s=time, timing=rng.choice((None, "host", "event")))
        if rng.random() < 0.7 and op != "decode":
            if op == "matmul":
                claim = with_fields(claim, claimed_tflops=work.flop / time / 1e12)
            else:
                claim = with_fields(claim, claimed_gbs=work.bytes / time / 1e9)
        verdict = check_claim(claim, cards)
        said = [(f.code, f.message) for f in verdict.findings]
        assert verdict.verdict != "wrong", (claim, said)
        judged += 1
    assert judged > SWEEP / 2


def believable(rng: random.Random, cards: Cards, op: str) -> tuple[Claim, Work, float, Nominal]:
    """Work far beyond cache and launch, its published rate (GB/s or TFLOP/s), and its card."""
    while True:
        card, claim = drawn(rng, op)
        nominal, work = cards.nominal(card), work_of(claim)
        if work is None or len(cards.known(claim.gpu).candidates) != 1:
            continue
        if op == "matmul":
            key = key_of(claim, nominal) or ""
            expected = published_compute(key, nominal)
            large = min(claim.m or 0, claim.n or 0, claim.k or 0) >= 4096
            if not large or key != claim.dtype or expected is None:
                continue
        else:
            expected = published_bandwidth(op, nominal)
            if op == "decode" and work.bytes > (nominal.memory_bytes or 0):
                continue
            if expected is None or work.bytes < max(16 * (nominal.llc_bytes or 0), 1 << 30):
                continue
        return claim, work, rng.uniform(expected.low, expected.high), nominal


Mistake = Callable[[random.Random, Claim, Work, float, Nominal], "Claim | None"]


def timed(claim: Claim, work: Work, rate: float) -> float:
    """Seconds of the work at its true rate."""
    return work.flop / rate / 1e12 if claim.op == "matmul" else work.bytes / rate / 1e9


def reads_only(rng: random.Random, claim: Claim, work: Work, rate: float, _: Nominal) -> Claim:
    share = rng.choice((1 / 3, 2 / 3)) if claim.op in ("add", "triad") else 1 / 2
    return with_fields(claim, time_s=timed(claim, work, rate), claimed_gbs=rate * share)


def in_cache(rng: random.Random, claim: Claim, work: Work, rate: float, n: Nominal) -> Claim | None:
    if not n.llc_bytes or n.llc_bytes < 1 << 20 or not claim.elements:
        return None
    small = int(claim.elements * n.llc_bytes * rng.uniform(0.1, 0.9) / work.bytes)
    return with_fields(claim, elements=small, claimed_gbs=rate * rng.uniform(0.8, 4))


def sparse_peak(
    _: random.Random, claim: Claim, work: Work, rate: float, n: Nominal
) -> Claim | None:
    if claim.dtype not in TENSOR_KEYS:
        return None
    nominal = 2 * n.peaks_tflops[claim.dtype or ""]
    return with_fields(claim, claimed_tflops=rate, nominal_tflops=nominal)


def other_peak(rng: random.Random, claim: Claim, _: Work, rate: float, n: Nominal) -> Claim | None:
    own = n.peaks_tflops[claim.dtype or ""]
    others = [p for p in n.peaks_tflops.values() if not 0.78 < p / own < 1.28]
    if not others:
        return None
    return with_fields(claim, claimed_tflops=rate, nominal_tflops=rng.choice(others))


def too_small(rng: random.Random, claim: Claim, _: Work, rate: float, n: Nominal) -> Claim | None:
    size = rng.choice((128, 256, 512))
    small = with_fields(claim, m=size, n=size, k=size, timing="host")
    work = work_of(small)
    assert work is not None
    time = work.flop / rate / 1e12 + rng.uniform(3e-6, 5e-5)
    expected = published_compute(claim.dtype or "", n)
    assert expected is not None
    if work.flop / time / 1e12 > 0.9 * expected.low:
        return None
    return with_fields(small, time_s=time)


def queued(rng: random.Random, claim: Claim, work: Work, rate: float, _: Nominal) -> Claim | None:
    time = rng.uniform(2e-5, 1.4e-4)
    slower = timed(claim, work, rate) > 4 * time
    return with_fields(claim, time_s=time, timing="host") if slower else None


def kv_forgotten(
    rng: random.Random, claim: Claim, work: Work, rate: float, _: Nominal
) -> Claim | None:
    long = with_fields(claim, kv_bytes_per_token=131072, kv_len=4096, batch=64)
    full = work_of(long)
    if full is None or full.bytes < 1.8 * work.bytes or work.bytes < 1e9:
        return None
    return with_fields(long, time_s=full.bytes / rate / 1e9, kv_bytes_per_token=None, kv_len=None)


def binary_units(_: random.Random, claim: Claim, work: Work, rate: float, __: Nominal) -> Claim:
    return with_fields(claim, time_s=timed(claim, work, rate), claimed_gbs=rate / 1.073741824)


def a_thousand(_: random.Random, claim: Claim, work: Work, rate: float, __: Nominal) -> Claim:
    return with_fields(claim, claimed_gbs=rate / 1000)


def half_the_flop(_: random.Random, claim: Claim, work: Work, rate: float, __: Nominal) -> Claim:
    return with_fields(claim, time_s=timed(claim, work, rate), claimed_tflops=rate / 2)


def loads_counted(_: random.Random, claim: Claim, work: Work, rate: float, __: Nominal) -> Claim:
    return with_fields(claim, time_s=timed(claim, work, rate), claimed_gbs=rate * 2.4)


def transfer(rng: random.Random, claim: Claim, work: Work, rate: float, n: Nominal) -> Claim | None:
    link = link_gbs(n)
    if link is None:
        return None
    over_link = work.bytes / (link * rng.uniform(0.3, 0.85)) / 1e9
    return with_fields(claim, time_s=timed(claim, work, rate) + over_link)


@pytest.mark.parametrize(
    ("mistake", "ops", "code"),
    [
        (reads_only, ("copy", "add", "add_scalar", "triad", "relu"), "E1"),
        (in_cache, STREAMS, "E2"),
        (sparse_peak, ("matmul",), "E3"),
        (other_peak, ("matmul",), "E3"),
        (too_small, ("matmul",), "E4"),
        (queued, (*STREAMS, "matmul"), "E5"),
        (kv_forgotten, ("decode",), "E7"),
        (binary_units, STREAMS, "units"),
        (a_thousand, STREAMS, "units"),
        (half_the_flop, ("matmul",), "flop-miscounted"),
        (loads_counted, STREAMS, "bytes-miscounted"),
        (transfer, ("copy", "add_scalar", "relu"), "transfer-included"),
    ],
)
def test_each_mistake_is_found_where_it_was_made(
    cards: Cards, mistake: Mistake, ops: tuple[str, ...], code: str
) -> None:
    rng = random.Random(7)
    made, missed = 0, []
    while made < 40:
        claim, work, rate, nominal = believable(rng, cards, rng.choice(ops))
        wrong = mistake(rng, claim, work, rate, nominal)
        if wrong is None:
            continue
        made += 1
        said: Verdict = check_claim(wrong, cards)
        if said.verdict == "believable" or not said.findings or said.findings[0].code != code:
            missed.append((wrong, said.verdict, [f.code for f in said.findings]))
    assert missed == []


@pytest.mark.parametrize("op", [*STREAMS, "decode", "matmul"])
def test_a_published_number_is_believed(cards: Cards, op: str) -> None:
    rng = random.Random(5)
    for _ in range(25):
        claim, work, rate, _nominal = believable(rng, cards, op)
        said = check_claim(with_fields(claim, time_s=timed(claim, work, rate)), cards)
        assert said.verdict == "believable", (claim, said)
        assert {f.severity for f in said.findings} <= {"note"}
