"""The map's kernels on the real CPU: what they compute, move and count; how large they are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from roofwatch.probes import map_kernels as mk  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.op_count import count  # noqa: E402
from roofwatch.roofline.model import Model  # noqa: E402
from roofwatch.roofline.transformer_work import (  # noqa: E402
    DECODE_ATTENTION,
    DECODE_LINEAR,
    PREFILL_ATTENTION,
    PREFILL_LINEAR,
)

MIB = 1 << 20
GIB = 1 << 30
TINY = Model(
    name="tiny", layers=1, hidden=64, intermediate=96, heads=4, kv_heads=2, head_dim=16, vocab=300
)
OPS = [
    "rmsnorm",
    "sampling",
    "add",
    "relu",
    "cos",
    "silu",
    "rmsnorm",
    "layernorm",
    "softmax",
    "embedding",
    "bias_gelu_dropout",
    DECODE_LINEAR,
    DECODE_ATTENTION,
    PREFILL_LINEAR,
    PREFILL_ATTENTION,
]


def sizes(model: Model = TINY) -> mk.Sizes:
    return mk.Sizes(model=model, tensor_bytes=16 << 10, batch=2, context=24, prompt=8, attended=16)


@pytest.fixture
def kernels() -> dict[str, mk.MapKernel]:
    """By op; of the norms of two sizes the last, which is the large one."""
    return {k.work.op: k for k in mk.kernels_of(CpuTarget(), "fp32", sizes())}


def test_the_map_is_the_seeds_list_short_kernels_first() -> None:
    found = list(mk.kernels_of(CpuTarget(), "fp32", sizes()))
    assert [k.work.op for k in found] == OPS
    assert [k.timing for k in found][:2] == [mk.SHORT] * 2
    assert {k.work.op for k in found if k.named} == set(OPS[-4:])
    assert found[0].work.shape == {"rows": 1, "columns": 64}


def arguments(kernel: mk.MapKernel) -> tuple[Any, ...]:
    """What a launch that is a partial was given."""
    return kernel.launch.args  # type: ignore[attr-defined, no-any-return]


def test_functions_of_one_argument(kernels: dict[str, mk.MapKernel]) -> None:
    right = {
        "relu": torch.relu,
        "cos": torch.cos,
        "silu": torch.nn.functional.silu,
        "softmax": lambda x: torch.softmax(x, -1),
    }
    for op, function in right.items():
        x = arguments(kernels[op])[0]
        torch.testing.assert_close(kernels[op].launch(), function(x))


def test_norms(kernels: dict[str, mk.MapKernel]) -> None:
    x, _, scale, epsilon = arguments(kernels["rmsnorm"])
    norm = x / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt() * scale
    torch.testing.assert_close(kernels["rmsnorm"].launch(), norm)
    x, _, scale, bias, _ = arguments(kernels["layernorm"])
    out: Any = kernels["layernorm"].launch()
    torch.testing.assert_close(
        ((out - bias) / scale).mean(-1), torch.zeros(len(x)), atol=1e-4, rtol=0
    )


def test_rows_are_gathered_once_each(kernels: dict[str, mk.MapKernel]) -> None:
    table, _, ids = arguments(kernels["embedding"])
    assert len(set(ids.tolist())) == len(ids) == kernels["embedding"].work.shape["rows"]
    torch.testing.assert_close(kernels["embedding"].launch(), table[ids])


def test_dropout_keeps_nine_of_ten_and_a_mask(kernels: dict[str, mk.MapKernel]) -> None:
    y, mask = kernels["bias_gelu_dropout"].launch()  # type: ignore[misc]
    assert mask.dtype == torch.bool
    assert mask.float().mean() == pytest.approx(0.9, abs=0.05)
    assert (y[~mask] == 0).all()


def test_a_token_of_the_best_is_drawn(kernels: dict[str, mk.MapKernel]) -> None:
    tokens = [int(kernels["sampling"].launch()) for _ in range(20)]  # type: ignore[call-overload]
    assert all(0 <= token < TINY.vocab for token in tokens)
    assert len(set(tokens)) > 1


def test_a_group_of_query_heads_reads_its_own_keys() -> None:
    made = mk._Made(CpuTarget(), "fp32", sizes())
    kernel = made.decode_attention()
    assert kernel.copies == 2
    assert kernel.work.flop == 4 * 2 * 24 * 64
    out: Any = kernel.launch()
    assert out.shape == (2, TINY.kv_heads, TINY.group, TINY.head_dim)


def test_a_group_attends_as_single_heads_do() -> None:
    attend = torch.nn.functional.scaled_dot_product_attention
    query = torch.randn(2, TINY.kv_heads, TINY.group, TINY.head_dim)
    keys, values = torch.randn(2, 2, TINY.kv_heads, 24, TINY.head_dim).unbind(0)
    grouped = attend(query, keys, values).reshape(2, TINY.heads, 1, TINY.head_dim)
    single = attend(
        query.reshape(2, TINY.heads, 1, TINY.head_dim),
        keys.repeat_interleave(TINY.group, 1),
        values.repeat_interleave(TINY.group, 1),
    )
    torch.testing.assert_close(grouped, single)


@pytest.mark.parametrize("op", [DECODE_LINEAR, DECODE_ATTENTION, PREFILL_LINEAR])
def test_flop_agree_with_torchs_counter(kernels: dict[str, mk.MapKernel], op: str) -> None:
    found = count(kernels[op].launch, "cpu")
    assert sum(c.flop * c.calls for c in found.counted) == kernels[op].work.flop


def test_a_causal_attention_is_half_of_what_torch_counts() -> None:
    alike = Model(
        name="alike",
        layers=1,
        hidden=64,
        intermediate=96,
        heads=4,
        kv_heads=4,
        head_dim=16,
        vocab=300,
    )
    kernel = mk._Made(CpuTarget(), "fp32", sizes(alike)).prefill_attention()
    found = count(kernel.launch, "cpu")
    assert sum(c.flop * c.calls for c in found.counted) == 2 * kernel.work.flop


def test_torchs_own_counter_knows_the_products(kernels: dict[str, mk.MapKernel]) -> None:
    for op in (DECODE_LINEAR, PREFILL_LINEAR):
        with FlopCounterMode(display=False) as counter:
            kernels[op].launch()
        assert counter.get_total_flops() == kernels[op].work.flop


@pytest.mark.parametrize("op", ["add", "relu", "cos", "silu", "softmax", "bias_gelu_dropout"])
def test_bytes_agree_with_the_tensors_that_torch_touches(
    kernels: dict[str, mk.MapKernel], op: str
) -> None:
    found = count(kernels[op].launch, "cpu")
    assert sum(c.bytes * c.calls for c in found.counted) == kernels[op].work.bytes


def test_launches_take_their_turns() -> None:
    seen: list[int] = []
    launch = mk.taking_turns([lambda i=i: seen.append(i) for i in range(3)])  # type: ignore[misc]
    for _ in range(7):
        launch()
    assert seen == [0, 1, 2, 0, 1, 2, 0]


def card(cache: int, free: int, kind: str = "cuda") -> Any:
    return SimpleNamespace(
        kind=kind, cache_bytes=cache, free_bytes=lambda: free, torch_device=torch.device("cpu")
    )


@pytest.mark.parametrize(
    ("cache", "free", "size"),
    [
        (60 * MIB, 139 * GIB, 1200 * MIB),  # H200: twenty times its cache
        (4 * MIB, 14 * GIB, 256 * MIB),  # T4
        (50 * MIB, 3 * GIB, 512 * MIB),  # short of memory
    ],
)
def test_sizes_of_a_card(cache: int, free: int, size: int) -> None:
    found = mk.sizes_for(card(cache, free))
    assert found.tensor_bytes == size
    assert (found.model.hidden, found.model.group) == (4096, 4)


def test_a_cpu_is_measured_small_and_a_full_memory_says_so() -> None:
    found = mk.sizes_for(card(300 * MIB, 8 * GIB, "cpu"))
    assert (found.tensor_bytes, found.model.name) == (32 * MIB, "TinyLlama-1.1B")
    with pytest.raises(RuntimeError, match="too little memory is free"):
        mk.sizes_for(card(4 * MIB, 100))


@pytest.mark.parametrize(
    ("cache", "free", "kind", "copies"),
    [
        (60 * MIB, 100 * GIB, "cuda", 11),  # 120 MB each: 1.26 GB of them
        (4 * MIB, 14 * GIB, "cuda", 2),
        (256 * MIB, 180 * GIB, "cuda", 16),
        (60 * MIB, 300 * MIB, "cuda", 1),
        (300 * MIB, 8 * GIB, "cpu", 2),
    ],
)
def test_copies_leave_the_cache_behind(cache: int, free: int, kind: str, copies: int) -> None:
    made = mk._Made(card(cache, free, kind), "bf16", sizes())
    assert made._copies(4096 * 14336 * 2) == copies
