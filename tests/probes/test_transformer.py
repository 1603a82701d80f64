"""A decode step against a plain one written out in full, on the CPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from roofwatch.probes.transformer import EPSILON, FORMS, Cache, Step, Weights  # noqa: E402
from roofwatch.roofline import decode_work  # noqa: E402
from roofwatch.roofline.model import Model  # noqa: E402

pytestmark = pytest.mark.torch

GROUPED = Model(
    name="grouped",
    layers=3,
    hidden=64,
    intermediate=96,
    heads=8,
    kv_heads=2,
    head_dim=16,
    vocab=50,
    qkv_bias=True,
)
PLAIN = Model(
    name="plain",
    layers=2,
    hidden=48,
    intermediate=80,
    heads=4,
    kv_heads=4,
    head_dim=12,
    vocab=40,
    tied=True,
)
BATCH, CONTEXT = 3, 7


def build(model: Model, form: str) -> tuple[Weights, Cache, Step]:
    torch.manual_seed(5)
    weights = Weights(model, model.layers, torch.float64, torch.device("cpu"))
    cache = Cache(weights, BATCH * CONTEXT)
    return weights, cache, Step(weights, cache, BATCH, CONTEXT, form, "fp64")


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    """Rotary embedding as Llama's reference has it, pairs half a head apart."""
    half = x.shape[-1] // 2
    angle = position * 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half)
    turn = torch.polar(torch.ones_like(angle), angle)
    turned = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * turn
    return torch.cat([turned.real, turned.imag], dim=-1)


def by_hand(model: Model, weights: Weights, cache: Cache, ids: torch.Tensor) -> torch.Tensor:
    """One sequence after the other, one head after the other."""

    def norm(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x / torch.sqrt(x.pow(2).mean() + EPSILON) * scale

    logits = []
    for s in range(BATCH):
        hidden = weights.embedding[ids[s]].clone()
        for i, w in enumerate(weights.layers):
            qkv = w.qkv @ norm(hidden, w.norm) + (0 if w.bias is None else w.bias)
            q, k, v = qkv.split([model.q_size, model.kv_size, model.kv_size])
            keys, values = cache.layer(i, BATCH, CONTEXT)
            heads = []
            for h in range(model.heads):
                of = h // model.group
                rows = slice(of * model.head_dim, (of + 1) * model.head_dim)
                all_k = keys[s, of].clone()
                all_v = values[s, of].clone()
                all_k[-1] = rotated(k[rows], CONTEXT - 1)
                all_v[-1] = v[rows]
                own = rotated(q[h * model.head_dim : (h + 1) * model.head_dim], CONTEXT - 1)
                share = torch.softmax(all_k @ own / model.head_dim**0.5, dim=0)
                heads.append(share @ all_v)
            hidden = hidden + w.out @ torch.cat(heads)
            gate, up = (w.gate_up @ norm(hidden, w.mlp_norm)).chunk(2)
            hidden = hidden + w.down @ (torch.nn.functional.silu(gate) * up)
        logits.append(weights.head @ norm(hidden, weights.norm))
    return torch.stack(logits)


@pytest.mark.parametrize("model", [GROUPED, PLAIN])
@pytest.mark.parametrize("form", FORMS)
def test_a_step_computes_what_the_decoder_is(model: Model, form: str) -> None:
    weights, cache, step = build(model, form)
    with torch.inference_mode():
        expected = by_hand(model, weights, cache, step._ids)
        torch.testing.assert_close(step.run(), expected)


def test_what_is_written_stands_in_the_cache() -> None:
    _, cache, step = build(GROUPED, FORMS[0])
    before = cache.layer(0, BATCH, CONTEXT).clone()
    with torch.inference_mode():
        step.run()
    after = cache.layer(0, BATCH, CONTEXT)
    assert torch.equal(after[..., :-1, :], before[..., :-1, :])
    assert not torch.equal(after[..., -1, :], before[..., -1, :])


def test_the_parts_are_those_of_the_arithmetic_and_can_be_called_alone() -> None:
    _, _, step = build(GROUPED, FORMS[1])
    parts = step.parts()
    names = [w.op for w in decode_work.parts(GROUPED, BATCH, CONTEXT, "fp64")]
    assert [p.name for p in parts] == names
    calls = {p.name: p.calls for p in parts}
    assert calls["rmsnorm"] == 2 * GROUPED.layers + 1
    assert calls["head"] == calls["embedding"] == 1
    assert {calls[n] for n in ("qkv", "rotary", "attention", "out")} == {GROUPED.layers}
    with torch.inference_mode():
        for p in parts:
            before = step.run()
            p.rewrite()
            torch.testing.assert_close(step.run(), before)
            for i in range(p.calls):
                p.launch(i)


def test_torch_counts_the_same_flop_of_each_part_that_it_knows() -> None:
    """It knows matmuls that write something new; attention where it is made of them."""
    _, _, step = build(GROUPED, "grouped")
    parts = {p.name: p for p in step.parts()}
    for name in ("qkv", "gate_up", "head", "attention"):
        with (
            torch.inference_mode(),
            sdpa_kernel(SDPBackend.MATH),
            FlopCounterMode(display=False) as counter,
        ):
            parts[name].launch(0)
        assert counter.get_total_flops() == parts[name].work.flop, name


def test_weights_of_a_tied_head_are_the_embedding() -> None:
    weights, _, _ = build(PLAIN, FORMS[0])
    assert weights.head is weights.embedding
    assert weights.layers[0].bias is None
