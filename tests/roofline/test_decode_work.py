"""What the parts of a decode step must do, and that they add up to the step (seed, Day 16)."""

from __future__ import annotations

import pytest

from roofwatch.roofline.decode_work import LINEAR, attention, parts, step
from roofwatch.roofline.model import Model
from roofwatch.session.models import model_named, packaged_models

TINY = model_named("TinyLlama-1.1B", packaged_models())
LLAMA3 = model_named("Llama-3-8B", packaged_models())
MHA = model_named("Llama-2-7B", packaged_models())


def test_a_step_of_llama_3_8b_reads_15_01_of_16_06_gb_and_its_cache() -> None:
    work = step(LLAMA3, 32, 1, 2048, "bf16")
    weights, kv = work.tensors
    assert weights.read_bytes == pytest.approx(15.01e9, rel=1e-3)
    assert 2 * LLAMA3.params == pytest.approx(16.06e9, rel=1e-3)
    assert kv.read_bytes == 2048 * 131_072
    assert not any(t.write_bytes for t in work.tensors)


@pytest.mark.parametrize("model", [TINY, LLAMA3, MHA])
@pytest.mark.parametrize("batch", [1, 16, 128])
def test_the_flop_are_two_a_weight_and_those_of_the_attention(model: Model, batch: int) -> None:
    context = 2048
    work = step(model, model.layers, batch, context, "fp16")
    norms = (2 * model.layers + 1) * model.hidden
    of_weights = 2 * (model.read_params - norms) * batch
    of_attention = 4 * context * model.q_size * model.layers * batch
    assert work.flop == of_weights + of_attention


@pytest.mark.parametrize(("model", "group"), [(TINY, 8), (LLAMA3, 4), (MHA, 1)])
def test_the_attention_has_the_intensity_of_its_heads_over_its_kv_heads(
    model: Model, group: int
) -> None:
    """The seed's 1 is that of a model whose query heads share no keys."""
    assert attention(model, 8, 65536, "fp16").intensity == pytest.approx(group, rel=1e-3)
    assert model.group == group


def test_the_parts_read_what_the_step_reads() -> None:
    batch, context = 4, 1024
    each = {w.op: w for w in parts(LLAMA3, batch, context, "bf16")}
    assert list(each) == [
        "embedding",
        "rmsnorm",
        "qkv",
        "rotary",
        "attention",
        "out",
        "gate_up",
        "silu_mul",
        "down",
        "head",
    ]
    weights = sum(
        t.read_bytes * (1 if op == "head" else 32)
        for op in LINEAR
        for t in each[op].tensors
        if t.name == "b"
    )
    cached = 32 * sum(t.read_bytes for t in each["attention"].tensors if t.name != "q")
    read, kv = step(LLAMA3, 32, batch, context, "bf16").tensors
    assert weights == pytest.approx(read.read_bytes, rel=1e-4)  # norms and embedded rows besides
    assert cached == kv.read_bytes
    flop = sum(each[op].flop * (1 if op == "head" else 32) for op in (*LINEAR, "attention"))
    assert flop == step(LLAMA3, 32, batch, context, "bf16").flop


def test_fewer_layers_are_told_beside_those_of_the_model() -> None:
    work = step(LLAMA3, 4, 1, 256, "bf16")
    assert (work.shape["layers"], work.shape["layers_of"]) == (4, 32)
    whole = step(LLAMA3, 32, 1, 256, "bf16")
    a_layer = (whole.bytes - work.bytes) / 28
    assert a_layer == pytest.approx(2 * LLAMA3.layer_params + 256 * 131_072 / 32, rel=1e-6)
