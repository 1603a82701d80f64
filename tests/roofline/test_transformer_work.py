"""FLOP and bytes of a transformer's kernels by hand, and chains before and after fusion."""

from __future__ import annotations

import pytest

from roofwatch.roofline.model import Model
from roofwatch.roofline.transformer_work import (
    BIAS_GELU_DROPOUT,
    CHAINS,
    DECODE_LINEAR,
    PREFILL_LINEAR,
    SILU_MUL,
    THREE_COS,
    chain,
    decode_attention,
    fused,
    layer,
    once,
    prefill_attention,
    sampling,
    scaled_rows,
)
from roofwatch.roofline.workload import ELEMENT_FLOP, Work, elementwise
from roofwatch.session.models import model_named, packaged_models

TINY = Model(
    name="tiny", layers=1, hidden=8, intermediate=12, heads=4, kv_heads=2, head_dim=2, vocab=20
)
LLAMA = model_named("Llama-3-8B", packaged_models())


def traffic(work: Work) -> dict[str, tuple[int, int]]:
    return {t.name: (t.read_bytes, t.write_bytes) for t in work.tensors}


@pytest.mark.parametrize(
    ("op", "flop"), [("add", 1), ("relu", 1), ("cos", 1), ("silu", 4), ("softmax", 4)]
)
def test_the_seeds_operations_an_element(op: str, flop: int) -> None:
    assert ELEMENT_FLOP[op] == flop
    assert (ELEMENT_FLOP["rmsnorm"], ELEMENT_FLOP["layernorm"]) == (4, 8)


@pytest.mark.parametrize("op", ["cos", "silu", "gelu"])
def test_a_function_of_one_argument_reads_and_writes_once(op: str) -> None:
    work = elementwise(op, 1000, "bf16")
    assert traffic(work) == {"x": (2000, 0), "y": (0, 2000)}
    assert work.flop == ELEMENT_FLOP[op] * 1000


def test_three_cos_go_to_memory_and_back_three_times() -> None:
    work = chain(THREE_COS, 10, 100, "fp16")
    assert traffic(work) == {"x": (2000, 0), "a": (2000, 2000), "b": (2000, 2000), "y": (0, 2000)}
    one = fused(THREE_COS, 10, 100, "fp16")
    assert traffic(one) == {"x": (2000, 0), "y": (0, 2000)}
    assert work.bytes == 3 * one.bytes  # seed, Day 1: three round trips, fused one
    assert work.flop == one.flop == 3000
    assert once(10, 100, "fp16").bytes == one.bytes
    assert once(10, 100, "fp16").flop == 1000


def test_silu_times_a_row_moves_five_tensors_and_fused_three() -> None:
    before, after = (f(SILU_MUL, 10, 100, "fp16") for f in (chain, fused))
    assert (before.bytes, after.bytes) == (5 * 2000, 3 * 2000)
    assert 1 - after.bytes / before.bytes == pytest.approx(0.4)  # seed, Day 18: 40 % less time
    assert before.flop == after.flop == 5 * 1000


def test_bias_gelu_dropout_is_three_kernels_and_fused_one() -> None:
    before, after = (f(BIAS_GELU_DROPOUT, 10, 100, "fp16") for f in (chain, fused))
    whole, bias, mask = 2000, 200, 1000
    assert traffic(before) == {
        "x": (whole, 0),
        "bias": (bias, 0),
        "a": (whole, whole),
        "b": (whole, whole),
        "y": (0, whole),
        "mask": (0, mask),  # torch's dropout writes which elements it kept
    }
    assert traffic(after) == {"x": (whole, 0), "bias": (bias, 0), "y": (0, whole)}
    assert before.flop == after.flop == (1 + 5 + 2) * 1000
    # The H100 note's factor of three, and the mask.
    long = [f(BIAS_GELU_DROPOUT, 4096, 14336, "fp16").bytes for f in (chain, fused)]
    assert long[0] / long[1] == pytest.approx(13 / 4, rel=0.001)


@pytest.mark.parametrize("op", CHAINS)
@pytest.mark.parametrize("dtype", ["bf16", "fp32"])
def test_fusion_never_moves_more_and_computes_the_same(op: str, dtype: str) -> None:
    before, after = (f(op, 7, 64, dtype) for f in (chain, fused))
    assert after.bytes < before.bytes
    assert after.flop == before.flop
    assert before.shape == after.shape == {"rows": 7, "columns": 64}


def test_a_norm_reads_its_weights_once() -> None:
    work = scaled_rows("rmsnorm", 5, 100, "bf16")
    assert traffic(work) == {"x": (1000, 0), "y": (0, 1000), "scale": (200, 0)}
    assert work.flop == 4 * 500
    assert "bias" in traffic(scaled_rows("layernorm", 5, 100, "bf16"))


def test_one_row_of_rmsnorm_is_the_seeds_four_hundredths_of_a_microsecond() -> None:
    work = scaled_rows("rmsnorm", 1, 2048, "fp16")
    # Seed, Day 18: 0.04 us by bytes on a T4 of 320 GB/s, 8 us in the profiler.
    assert work.bytes / 320e9 == pytest.approx(0.04e-6, rel=0.1)


def test_a_decode_layer_has_intensity_one_and_a_prompt_its_length() -> None:
    one = layer(DECODE_LINEAR, 1, LLAMA, "bf16")
    assert one.op == DECODE_LINEAR
    assert one.flop == 2 * 4096 * 14336
    assert one.intensity == pytest.approx(1.0, rel=0.001)
    many = layer(PREFILL_LINEAR, 4096, LLAMA, "bf16")
    assert many.flop == 4096 * one.flop
    assert many.intensity == pytest.approx(4096 * 14336 / (4096 + 2 * 14336))


def test_decode_attention_by_hand() -> None:
    work = decode_attention(TINY, 3, 5, "bf16")
    assert work.flop == 3 * 4 * (4 * 5 * 2)  # batch x heads x two products of 2 L d
    cached = 2 * 3 * 2 * 5 * 2  # e x batch x KV heads x context x head size
    row = 2 * 3 * 4 * 2
    assert traffic(work) == {
        "q": (row, 0),
        "keys": (cached, 0),
        "values": (cached, 0),
        "o": (0, row),
    }


def test_intensity_of_decode_attention_is_heads_over_kv_heads() -> None:
    assert decode_attention(LLAMA, 16, 2048, "bf16").intensity == pytest.approx(4, rel=0.01)
    assert decode_attention(LLAMA, 1, 8192, "fp32").intensity == pytest.approx(2, rel=0.01)


def test_prefill_attention_counts_half_of_the_square() -> None:
    work = prefill_attention(TINY, 6, "bf16")
    assert work.flop == 4 * (4 * 6 * 6 * 2) / 2  # heads x two products of 2 n^2 d, causal
    assert traffic(work) == {"q": (96, 0), "keys": (48, 0), "values": (48, 0), "o": (0, 96)}
    assert prefill_attention(LLAMA, 8192, "bf16").intensity > 3000  # seed, Day 17: thousands


def test_sampling_reads_the_logits_and_writes_a_token() -> None:
    work = sampling(2, 1000, 50, "bf16")
    assert traffic(work) == {"logits": (4000, 0), "token": (0, 16)}
    assert work.flop == 2 * (2 * 1000 + 6 * 50)
    assert work.intensity == pytest.approx(4600 / 4016)
