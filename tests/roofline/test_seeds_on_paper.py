"""Every worked number of the three seeds that needs no device; each test names its seed."""

from __future__ import annotations

import re

import msgspec
import pytest

from roofwatch.roofline.decode import decode_of, limited_by
from roofwatch.roofline.example import DAY_1, DAY_18, H100_NOTE, OWN, ROUNDED, WRONG, Example
from roofwatch.roofline.example_day_18_steps import OVERHEAD_S, off_linear
from roofwatch.roofline.nominal import factor_bandwidth_gbs, factor_peak_tflops
from roofwatch.roofline.worked_examples import TITLES, worked_examples
from roofwatch.roofline.workload import matmul
from roofwatch.session.cards import packaged_cards
from roofwatch.session.plan_sources import seeds

SEEDS = seeds()
EXAMPLES = worked_examples(SEEDS)
BY_KEY = {c.key: c for c in packaged_cards()}
NUMBERS = re.compile(r"(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?( KB)?")

OTHERWISE = {
    DAY_1: {
        "7B models in 80 GB": "5.9",
        "reading all 80 GiB": "42.1 ms",
        "7B at batch 1": "151 tokens/s",
        "FLOP possible over needed": "153x",
        "4096 matmul, bytes": "100.7 MB",
        "ReLU of 1 GB, computing": "0.0064 ms",
        "ReLU of 1 GB, ratio": "153x",
        "ReLU's part of the peak": "0.16 %",
        "T4, cos of 256 MiB": "1.68 ms",
        "T4, three times cos": "5.03 ms",
        "T4, three cos fused": "1.68 ms",
        "two cos over one": "2x",
        "launches of a step": "1.5 to 4.0 ms",
        "launches' part of a 7B step": "31 %",
        "batch 32 intensity, 256": "24.3 FLOP/byte",
        "batch 32 intensity, 2048": "9.0 FLOP/byte",
        "tokens, batch 32 over 1, 2048": "9.7x",
        "Mtok at batch 1, no KV": "1.84 to 3.67 $/Mtok",
        "Mtok, batch 32 over 1, 2048": "0.10x",
        "loading 7B at 64 GB/s": "0.21 s",
        "PCIe 4.0 x16": "31.5 GB/s",
        "loading 7B one way": "0.43 s",
        "memory over PCIe, one way": "65x",
    },
    DAY_18: {
        "H100 over A100, compute": "3.2x",
        "A100 bandwidth of its pins": "2042 GB/s",
        "T4, 75 to 90 % of nominal": "240 to 288 GB/s",
        "T4 ridge, of both ranges": "155 to 242 FLOP/byte",
        "A100 matmul, of nominal": "85 to 93 %",
        "A100 ridge, of both ranges": "143 to 193 FLOP/byte",
        "TinyLlama-1.1B KV of a token": "22,528 B",
        "8B over 7B, by GQA": "0.25x",
        "TinyLlama-1.1B AI_max 256": "381.5 FLOP/byte",
        "Llama-2-7B AI_max 256": "100.6 FLOP/byte",
        "Llama-2-7B AI_max 256, exact": "100.4 FLOP/byte",
        "Llama-2-7B AI_max 2048": "12.57 FLOP/byte",
        "Llama-2-7B AI_max 2048, exact": "12.55 FLOP/byte",
        "Llama-3-8B AI_max 2048": "59.8 FLOP/byte",
        "Llama-2-13B AI_max 4096": "7.75 FLOP/byte",
        "Llama-2-13B AI_max 4096, exact": "7.76 FLOP/byte",
        "Llama-3-8B over Llama-2-7B": "4.8x",
        "TinyLlama-1.1B b* at 185": "359.2",
        "TinyLlama-1.1B b* at 203": "434",
        "7B sequence of 2048": "1.07 GB",
        "7B sequences on an A100": "58 to 67 sequences",
        "7B with 3 % kept free": "59 to 65 sequences",
        "13B sequence of 4096": "3.36 GB",
        "13B sequences on an A100": "14 to 17 sequences",
        "13B in 50 GB": "14 sequences",
        "without overhead, 128 at 256": "24.9 %",
        "without overhead, 128 at 2048": "72.3 %",
        "first batch over 5 %": "41",
        "step growth to 128, 160": "10.6 %",
        "overhead of a batch 1 step": "49 %",
        "batch 1 step, of its roof": "51 %",
        "step of 10 to 20 ms, of roof": "41 to 81 %",
        "SiLU, RMSNorm, softmax": "1.0 FLOP/byte",
        "256 matmul, FLOP": "33.6 MFLOP",
        "attention of Llama-3-8B": "4 FLOP/byte",
        "attention of TinyLlama-1.1B": "8 FLOP/byte",
        "prefill layer, 2048 tokens": "1024 FLOP/byte",
        "prefill attention, 2048 tokens": "1024 FLOP/byte",
        "RMSNorm, launch in its 8 us": "99.5 %",
    },
    H100_NOTE: {
        "8B tokens of one request": "209 tokens/s",
        "rows to reach the ridge": "346",
        "bias, GELU, dropout fused": "3x",
        "NVLink over InfiniBand": "9x",
    },
}
"""What comes out where a seed slips, says it in words, or has no figure of its own."""


def agrees(e: Example) -> bool | None:
    """Whether a figure is the seed's in the seed's own digits; None where that is not plain."""
    said = NUMBERS.fullmatch(e.said or "")
    ends = [value for value in (e.value, e.upper) if value is not None]
    numbers = [number for number in said.groups()[:2] if number] if said else []
    if said is None or len(numbers) != len(ends):
        return None
    if said[3]:  # of 1024
        return ends == [float(number) * 1024 for number in numbers]
    rounded = [
        round(value, len(number.partition(".")[2]))
        for value, number in zip(ends, numbers, strict=True)
    ]
    return rounded == [float(number) for number in numbers]


@pytest.mark.parametrize("e", EXAMPLES, ids=lambda e: f"{e.seed}: {e.what}")
def test_a_figure_is_the_seeds_own_or_a_slip_that_is_worked_out(e: Example) -> None:
    otherwise = OTHERWISE[e.seed].get(e.what)
    if agrees(e):
        assert e.slip != WRONG
    else:
        assert e.slip or agrees(e) is None
        assert otherwise is not None
    if e.slip:
        assert e.said
        assert e.why
        assert otherwise is not None
    if otherwise is not None:
        assert e.figure == otherwise


def test_each_example_has_a_name_of_its_own_and_a_document() -> None:
    names = [(e.seed, e.what) for e in EXAMPLES]
    assert len(set(names)) == len(names) > 150
    assert {seed for seed, _ in names} == set(TITLES) == set(OTHERWISE)
    assert {(seed, what) for seed in OTHERWISE for what in OTHERWISE[seed]} <= set(names)
    assert all(e.how.isascii() and e.what.isascii() for e in EXAMPLES)
    assert {e.slip for e in EXAMPLES} == {"", ROUNDED, "thousand", WRONG}


def test_an_example_follows_its_cards_and_models() -> None:
    slow = msgspec.structs.replace(SEEDS.a100, bandwidth_gbs=1555.0)
    deep = msgspec.structs.replace(SEEDS.seven, layers=33)
    found = {
        (e.seed, e.what): e.value
        for e in worked_examples(msgspec.structs.replace(SEEDS, a100=slow, seven=deep))
    }
    assert found[DAY_1, "A100 80GB SXM ridge"] == pytest.approx(312e3 / 1555)
    assert found[DAY_18, "Llama-2-7B KV of a token"] == 524_288 * 33 // 32
    none = msgspec.structs.replace(SEEDS.t4, bandwidth_gbs=None)
    with pytest.raises(ValueError, match="Tesla T4 has no nominal bandwidth"):
        worked_examples(msgspec.structs.replace(SEEDS, t4=none))


def test_day_18_the_factors_behind_the_nominal_figures() -> None:
    t4, a100 = BY_KEY["t4"], BY_KEY["a100-sxm4-80"]
    assert factor_bandwidth_gbs(t4) == pytest.approx(320, rel=1e-3)
    assert factor_bandwidth_gbs(a100) == pytest.approx(2039, rel=1e-3)
    assert factor_peak_tflops(t4, "fp16") == pytest.approx(65, rel=3e-3)
    assert factor_peak_tflops(a100, "fp16") == pytest.approx(312, rel=1e-3)
    assert factor_peak_tflops(t4, "fp32") == pytest.approx(8.1, rel=6e-3)
    assert t4.peaks["fp16"] / t4.peaks["fp32"] == pytest.approx(8, rel=0.01)


def test_day_18_kv_heads_of_llama_3() -> None:
    assert SEEDS.eight.kv_size == 8 * 128 == 1024


def test_day_18_the_intensity_at_b_star_is_the_ridge() -> None:
    d = decode_of(SEEDS.tiny, 256)
    b = d.b_star(185) or 0.0
    assert d.params * 2 * b / (d.weights_bytes + b * d.sequence_bytes) == pytest.approx(185)
    assert decode_of(SEEDS.tiny, 2048).b_star(185) is None  # 48 lies under it


def test_day_18_who_caps_the_batch_of_each_card_and_model() -> None:
    for card, model, ends in (
        (SEEDS.t4, SEEDS.tiny, "ai_max"),
        (SEEDS.a100, SEEDS.seven, "memory"),
        (SEEDS.h100, SEEDS.eight, "ai_max"),
    ):
        d = decode_of(model, 2048)
        star = d.b_star(card.ridge["fp16"])
        assert star is None  # none of the three reaches its roof
        assert limited_by(star, d.memory_cap(card.memory_bytes or 0.0, 0.03), 128) == ends


def test_day_18_nearly_linear_up_to_batch_4_and_memory_bound_at_128() -> None:
    d = decode_of(SEEDS.tiny, 256)
    assert all(off_linear(d, b, OVERHEAD_S) < 0.005 for b in (1, 2, 4))
    assert d.bound(128, OWN, OVERHEAD_S) == "memory"  # error 7: not the compute


def test_day_18_where_squares_pass_the_ridge() -> None:
    for n, card in ((609, SEEDS.t4), (459, SEEDS.a100)):
        assert matmul(n, n, n, "fp16").intensity <= card.ridge["fp16"]
        assert matmul(n + 1, n + 1, n + 1, "fp16").intensity > card.ridge["fp16"]


def test_day_18_a_lower_clock_costs_12_to_25_per_cent() -> None:
    boost = SEEDS.t4.clocks_mhz["fp16"]
    assert boost == 1590
    assert 1 - 1400 / boost == pytest.approx(0.12, abs=0.001)
    assert 1 - 1200 / boost == pytest.approx(0.25, abs=0.006)


def test_day_1_the_mlp_is_nearly_three_times_as_wide() -> None:
    assert SEEDS.seven.intermediate / SEEDS.seven.hidden == pytest.approx(2.7, abs=0.02)


def test_the_h100_note_links() -> None:
    assert BY_KEY["h100-sxm5-80"].nvlink_gbs == 450  # nine times InfiniBand's 50
