"""Every worked number of the three seeds that needs no device; each test names its seed."""

from __future__ import annotations

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.decode import Decode, decode_of, gap_to_linear, limited_by
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import named
from roofwatch.roofline.nominal import factor_bandwidth_gbs, factor_peak_tflops
from roofwatch.roofline.published import link_gbs
from roofwatch.roofline.roof import Roof, mfu, mfu_ceiling
from roofwatch.roofline.workload import add, add_scalar, linear, matmul, relu, rowwise
from roofwatch.session.cards import packaged_cards
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import card_named

ALL = packaged_cards()
CARDS, MODELS = Cards(ALL), packaged_models()
MS, US = 1e-3, 1e-6
OWN = Roof(bandwidth_gbs=270, peak_tflops=50)  # the T4 as the seed takes it to be measured
OVERHEAD_S = 7.8e-3


def model(name: str) -> Model:
    return named(name, MODELS)


def card(name: str) -> Nominal:
    return card_named(name, CARDS)


def nominal_roof(name: str) -> Roof:
    c = card(name)
    assert c.bandwidth_gbs is not None
    return Roof(bandwidth_gbs=c.bandwidth_gbs, peak_tflops=c.peaks_tflops["fp16"])


TINY, SEVEN, THIRTEEN, EIGHT = (
    model(name) for name in ("TinyLlama-1.1B", "Llama-2-7B", "Llama-2-13B", "Llama-3-8B")
)
T4, A100, H100 = (nominal_roof(name) for name in ("T4", "A100 80GB SXM", "H100 SXM"))


def seconds(work_bytes: float, roof: Roof) -> float:
    return work_bytes / (roof.bandwidth_gbs * 1e9)


def gap(context: int, batch: int, overhead_s: float) -> float:
    d = decode_of(TINY, context)
    return gap_to_linear(d.step_s(1, OWN, overhead_s), d.step_s(batch, OWN, overhead_s))


@pytest.mark.parametrize(
    ("name", "ridge"), [("A100 80GB SXM", 153), ("T4", 203), ("H100 SXM", 295)]
)
def test_day_18_and_the_h100_note_nominal_ridges(name: str, ridge: int) -> None:
    assert round(nominal_roof(name).ridge) == ridge


def test_day_18_the_factors_behind_the_nominal_figures() -> None:
    by_key = {c.key: c for c in ALL}
    t4, a100 = by_key["t4"], by_key["a100-sxm4-80"]
    assert factor_bandwidth_gbs(t4) == pytest.approx(320, rel=1e-3)
    assert factor_bandwidth_gbs(a100) == pytest.approx(2039, rel=1e-3)
    assert factor_peak_tflops(t4, "fp16") == pytest.approx(65, rel=3e-3)
    assert factor_peak_tflops(a100, "fp16") == pytest.approx(312, rel=1e-3)
    assert factor_peak_tflops(t4, "fp32") == pytest.approx(8.1, rel=6e-3)
    assert t4.peaks["fp16"] / t4.peaks["fp32"] == pytest.approx(8, rel=0.01)
    sparse = Roof(bandwidth_gbs=A100.bandwidth_gbs, peak_tflops=2 * A100.peak_tflops)
    assert sparse.ridge == pytest.approx(306, abs=0.1)  # error 3: the wrong peak, the wrong ridge


@pytest.mark.parametrize(
    ("name", "params", "gb"),
    [("Llama-2-7B", 6.74e9, 13.5), ("TinyLlama-1.1B", 1.1e9, 2.2), ("Llama-3-8B", 8.03e9, 16.06)],
)
def test_day_1_and_18_weights(name: str, params: float, gb: float) -> None:
    assert model(name).params == pytest.approx(params, rel=1e-3)
    assert decode_of(model(name), 1).weights_bytes / 1e9 == pytest.approx(gb, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "kv"),
    [
        ("Llama-2-7B", 524_288),
        ("Llama-3-8B", 131_072),
        ("TinyLlama-1.1B", 22_528),
        ("Llama-2-13B", 819_200),
    ],
)
def test_day_18_kv_bytes_of_a_token(name: str, kv: int) -> None:
    assert model(name).kv_bytes_per_token() == kv


def test_day_18_a_quarter_of_the_kv_cache_by_gqa() -> None:
    assert EIGHT.kv_size == 8 * 128 == 1024
    assert 2 * 32 * 1024 * 2 == EIGHT.kv_bytes_per_token() == SEVEN.kv_bytes_per_token() // 4


@pytest.mark.parametrize(
    ("name", "context", "ai_max"),
    [
        ("TinyLlama-1.1B", 256, 381.5),
        ("TinyLlama-1.1B", 2048, 47.7),
        ("Llama-3-8B", 2048, 59.8),
        ("Llama-2-7B", 256, 100.41),
        ("Llama-2-7B", 2048, 12.55),
        ("Llama-2-13B", 4096, 7.76),
    ],
)
def test_day_18_ai_max_with_all_digits(name: str, context: int, ai_max: float) -> None:
    assert decode_of(model(name), context).ai_max == pytest.approx(ai_max, rel=1e-3)


@pytest.mark.parametrize(
    ("weights_gb", "name", "context", "ai_max"),
    [
        (13.5, "Llama-2-7B", 256, 100.6),
        (13.5, "Llama-2-7B", 2048, 12.57),
        (26, "Llama-2-13B", 4096, 7.75),
    ],
)
def test_day_18_ai_max_with_the_seeds_rounded_weights(
    weights_gb: float, name: str, context: int, ai_max: float
) -> None:
    kv = model(name).kv_bytes_per_token()
    weights = weights_gb * 1e9
    d = Decode(params=round(weights / 2), weights_bytes=weights, sequence_bytes=context * kv)
    assert d.ai_max == pytest.approx(ai_max, rel=5e-4)


def test_day_18_gqa_lifts_the_ceiling_nearly_five_times() -> None:
    assert decode_of(EIGHT, 2048).ai_max / decode_of(SEVEN, 2048).ai_max == pytest.approx(4.8, 0.01)


def test_day_18_b_star_of_tinyllama() -> None:
    d = decode_of(TINY, 256)
    assert d.b_star(185) == pytest.approx(359.2, abs=0.05)
    assert d.b_star(OWN.ridge) == pytest.approx(360, abs=0.5)
    assert d.b_star(203) == pytest.approx(434, abs=0.5)
    assert d.b_star(T4.ridge) == pytest.approx(434, abs=0.5)
    assert decode_of(TINY, 2048).b_star(185) is None  # 48 lies under it


def test_day_18_the_intensity_at_b_star_is_the_ridge() -> None:
    d = decode_of(TINY, 256)
    b = d.b_star(185) or 0.0
    assert d.params * 2 * b / (d.weights_bytes + b * d.sequence_bytes) == pytest.approx(185)


def test_day_18_the_card_by_model_table() -> None:
    rows = {
        ("T4", TINY): (203, 2.2, 22_528, 47.7, "ai_max"),
        ("A100 80GB SXM", SEVEN): (153, 13.5, 524_288, 12.55, "memory"),
        ("H100 SXM", EIGHT): (295, 16.06, 131_072, 59.8, "ai_max"),
    }
    for (name, of), (ridge, weights_gb, kv, ai_max, ends) in rows.items():
        c, d = card(name), decode_of(of, 2048)
        assert c.ridge["fp16"] == pytest.approx(ridge, abs=0.5)
        assert d.weights_bytes / 1e9 == pytest.approx(weights_gb, rel=2e-3)
        assert d.sequence_bytes == 2048 * kv
        assert d.ai_max == pytest.approx(ai_max, rel=2e-3)
        star = d.b_star(c.ridge["fp16"])
        assert star is None  # none of the three reaches its roof
        cap = d.memory_cap(c.memory_bytes or 0.0, 0.03)
        assert limited_by(star, cap, 128) == ends


def test_day_18_sequences_that_fit_on_an_a100() -> None:
    seven, thirteen = decode_of(SEVEN, 2048), decode_of(THIRTEEN, 4096)
    assert seven.sequence_bytes == 2**30  # 1 GB, says the seed
    assert thirteen.sequence_bytes / 1e9 == pytest.approx(3.36, abs=0.005)
    # 80 GB as 1000^3 with a twentieth kept free, and as GiB with nothing: the seed says about 60.
    assert (seven.memory_cap(80e9, 0.05), seven.memory_cap(80 * 2**30, 0)) == (58, 67)
    assert (thirteen.memory_cap(80e9, 0.08), thirteen.memory_cap(80 * 2**30, 0)) == (14, 17)
    cap = card("A100 80GB SXM").memory_bytes or 0.0
    assert 58 <= seven.memory_cap(cap, 0.03) <= 67
    assert 14 <= thirteen.memory_cap(cap, 0.03) <= 17
    assert thirteen.memory_cap(80e9, 0.03) == 15  # as the seed has it


def test_day_18_self_test_ridges() -> None:
    assert Roof(bandwidth_gbs=4000, peak_tflops=1000).ridge == 250
    own = Roof(bandwidth_gbs=0.8 * 4000, peak_tflops=0.85 * 1000).ridge
    assert own == pytest.approx(265.6, abs=0.05)
    assert own / 250 == pytest.approx(1.06, abs=0.005)


def test_day_1_18_and_the_h100_note_floors() -> None:
    assert decode_of(SEVEN, 2048).floor_s(2039) / MS == pytest.approx(6.6, abs=0.05)
    assert decode_of(TINY, 256).floor_s(320) / MS == pytest.approx(6.9, abs=0.05)
    eight_s = decode_of(EIGHT, 2048).floor_s(3350)
    assert eight_s / MS == pytest.approx(4.8, abs=0.05)
    assert 1 / eight_s == pytest.approx(200, rel=0.05)  # tokens a second of one request
    assert 1 / decode_of(SEVEN, 1).floor_s(2039) == pytest.approx(150, rel=0.01)  # Day 1, quiz 3


@pytest.mark.parametrize(
    ("context", "batch", "per_cent"), [(256, 16, 1.97), (256, 64, 7.77), (256, 128, 14.5)]
)
def test_day_18_bends_with_a_constant_overhead(context: int, batch: int, per_cent: float) -> None:
    assert 100 * gap(context, batch, OVERHEAD_S) == pytest.approx(per_cent, abs=0.03)


def test_day_18_bends_at_2048_tokens_and_without_the_overhead() -> None:
    assert 100 * gap(2048, 128, OVERHEAD_S) == pytest.approx(57.4, abs=0.03)
    assert 100 * gap(256, 128, 0) == pytest.approx(24.9, abs=0.05)
    assert 100 * gap(2048, 128, 0) == pytest.approx(72.3, abs=0.05)
    assert all(gap(256, b, OVERHEAD_S) < 0.005 for b in (1, 2, 4))  # nearly linear


def test_day_18_steps_of_tinyllama() -> None:
    d = decode_of(TINY, 256)
    one, many = d.step_s(1, OWN, OVERHEAD_S), d.step_s(128, OWN, OVERHEAD_S)
    assert one / MS == pytest.approx(15.97, abs=0.005)
    assert many / MS == pytest.approx(18.68, abs=0.005)
    assert 128 * one / many == pytest.approx(109.4, abs=0.05)
    assert many / one - 1 == pytest.approx(0.17, abs=0.001)  # the record table's 17 %
    assert d.compute_s(128, OWN) / MS == pytest.approx(5.6, abs=0.05)
    assert d.move_s(128, OWN) / MS == pytest.approx(10.9, abs=0.05)
    assert d.intensity(128) == pytest.approx(96, abs=0.2)
    assert d.bound(128, OWN, OVERHEAD_S) == "memory"  # error 7: not the compute


def test_day_18_the_first_batch_over_five_per_cent() -> None:
    assert next(b for b in (2, 4, 8, 16, 32, 64, 128) if gap(256, b, OVERHEAD_S) > 0.05) == 64


def test_day_17_mfu_of_decode_at_batch_1() -> None:
    assert 100 * mfu_ceiling(1, A100.ridge) == pytest.approx(0.65, abs=0.005)


def test_day_18_where_squares_pass_the_ridge() -> None:
    assert 3 * T4.ridge == pytest.approx(609, abs=0.5)
    assert 3 * A100.ridge == pytest.approx(459, abs=0.5)
    for n, roof in ((609, T4), (459, A100)):
        assert matmul(n, n, n, "fp16").intensity <= roof.ridge
        assert matmul(n + 1, n + 1, n + 1, "fp16").intensity > roof.ridge


def test_day_18_errors_three_and_four_and_the_self_test() -> None:
    fp32 = card("T4").peaks_tflops["fp32"]
    assert mfu(7, T4.peak_tflops) == pytest.approx(0.11, abs=0.005)
    assert mfu(7, fp32) == pytest.approx(0.86, abs=0.005)
    assert mfu(48, T4.peak_tflops) == pytest.approx(0.74, abs=0.004)
    assert mfu(48, 52) == pytest.approx(0.92, abs=0.004)
    small = matmul(256, 256, 256, "fp16")
    assert small.flop == pytest.approx(33e6, rel=0.02)
    assert small.flop / (T4.peak_tflops * 1e12) / US == pytest.approx(0.5, abs=0.02)
    vectors = 3 * 2 * TINY.hidden  # an RMSNorm's input, weights and output
    assert seconds(vectors, T4) / US == pytest.approx(0.04, abs=0.002)


def test_day_18_a_lower_clock_costs_12_to_25_per_cent() -> None:
    boost = card("T4").clocks_mhz["fp16"]
    assert boost == 1590
    assert 1 - 1400 / boost == pytest.approx(0.12, abs=0.001)
    assert 1 - 1200 / boost == pytest.approx(0.25, abs=0.006)


def test_day_18_from_an_a100_to_an_h100() -> None:
    assert H100.peak_tflops / A100.peak_tflops == pytest.approx(3.2, abs=0.05)
    assert H100.bandwidth_gbs / A100.bandwidth_gbs == pytest.approx(1.6, abs=0.05)
    assert H100.ridge / A100.ridge == pytest.approx(2, abs=0.1)


def test_day_18_silu_and_mul_fused_save_40_per_cent() -> None:
    silu, mul = relu(8, "fp16"), add(8, "fp16")  # two and three tensors
    assert 1 - mul.bytes / (silu.bytes + mul.bytes) == pytest.approx(0.40)


def test_day_1_what_an_a100_does_with_a_7b_model() -> None:
    assert seconds(80e9, A100) / MS == pytest.approx(39, abs=0.3)
    seven = decode_of(SEVEN, 1)
    assert 80e9 // seven.weights_bytes == 5
    meanwhile_flop = seven.floor_s(A100.bandwidth_gbs) * A100.peak_tflops * 1e12
    assert meanwhile_flop == pytest.approx(2e12, rel=0.05)
    assert seven.flop(1) == pytest.approx(13.5e9, rel=2e-3)
    assert meanwhile_flop / seven.flop(1) == pytest.approx(153, abs=0.5)


def test_day_1_matmul_4096_on_an_a100() -> None:
    work = matmul(4096, 4096, 4096, "fp16")
    assert work.flop == pytest.approx(1374e8, rel=1e-3)
    assert work.bytes == pytest.approx(100e6, rel=0.01)
    compute_s, move_s = work.flop / 312e12, seconds(work.bytes, A100)
    assert compute_s / MS == pytest.approx(0.44, abs=0.005)
    assert move_s / MS == pytest.approx(0.05, abs=0.001)
    assert compute_s / move_s == pytest.approx(9, abs=0.1)


def test_day_1_relu_over_1_gb() -> None:
    work = relu(500_000_000, "fp16")
    assert work.flop / 312e12 / MS == pytest.approx(0.0016, abs=1e-5)
    assert seconds(work.bytes, A100) / MS == pytest.approx(1, abs=0.02)
    assert work.intensity / A100.ridge == pytest.approx(1 / 600, rel=0.03)
    assert mfu_ceiling(work.intensity, A100.ridge) < 0.002


def test_day_1_intensities() -> None:
    small = matmul(256, 256, 256, "fp16")
    assert small.flop == pytest.approx(3.4e7, rel=0.02)
    assert small.bytes == pytest.approx(3.9e5, rel=0.01)
    assert small.intensity == pytest.approx(85, abs=0.5)
    assert matmul(4096, 4096, 4096, "fp16").intensity == pytest.approx(1365, abs=0.5)
    vector = linear(1, 4096, 4096, "fp16")
    assert (vector.flop, vector.bytes) == pytest.approx((3.4e7, 3.4e7), rel=0.02)
    assert vector.intensity == pytest.approx(1, abs=0.001)
    assert relu(8, "fp16").intensity == 0.25
    assert SEVEN.intermediate / SEVEN.hidden == pytest.approx(2.7, abs=0.02)  # nearly three times


def test_day_1_cos_three_times_on_a_t4() -> None:
    once = add_scalar(128 << 20, "fp16").bytes  # read and written as cos does
    assert once == 512 << 20
    assert seconds(once, T4) / MS == pytest.approx(1.68, abs=0.005)  # the seed: 1.6
    assert seconds(3 * once, T4) / MS == pytest.approx(5.03, abs=0.005)  # the seed: 4.8


def test_day_1_launches_of_a_step() -> None:
    assert [n * each / MS for n, each in ((400, 5 * US), (400, 10 * US))] == pytest.approx([2, 4])
    step_s = decode_of(SEVEN, 1).floor_s(2039)
    assert 3 * MS / (3 * MS + step_s) == pytest.approx(1 / 3, abs=0.03)


def test_day_1_loading_weights_over_the_link() -> None:
    weights = decode_of(SEVEN, 1).weights_bytes
    assert weights / 64e9 == pytest.approx(0.21, abs=0.005)  # not three seconds
    link = link_gbs(card("A100 80GB SXM")) or 0.0
    assert link == pytest.approx(31.5, abs=0.01)  # one direction of PCIe 4.0 x16
    assert A100.bandwidth_gbs / (2 * link) == pytest.approx(32, abs=0.5)  # by both directions


def test_the_h100_note() -> None:
    assert H100.ridge == pytest.approx(295, abs=0.5)
    square = matmul(4096, 4096, 4096, "bf16")
    assert square.flop == pytest.approx(1.37e11, rel=5e-3)
    assert square.bytes == pytest.approx(1.0e8, rel=0.01)
    assert square.flop / 989e12 / MS == pytest.approx(0.14, abs=0.002)
    assert add(6, "bf16").bytes == 36
    assert add(6, "bf16").intensity == pytest.approx(0.17, abs=0.005)
    eight = Decode(params=8_000_000_000, weights_bytes=16e9, sequence_bytes=1)
    assert eight.floor_s(3350) / MS == pytest.approx(4.8, abs=0.03)
    assert (eight.intensity(1), eight.intensity(16)) == pytest.approx((1, 16))  # without KV
    thin = matmul(4096, 16, 4096, "bf16")
    assert (thin.flop, thin.bytes) == pytest.approx((5.4e8, 3.4e7), rel=0.01)
    assert thin.intensity == pytest.approx(16, abs=0.15)
    assert thin.intensity < H100.ridge
    assert rowwise("layernorm", 4, 4096, "bf16").intensity == 2
    nvlink = next(c.nvlink_gbs for c in ALL if c.key == "h100-sxm5-80")
    assert nvlink == 450  # nine times InfiniBand's 50
