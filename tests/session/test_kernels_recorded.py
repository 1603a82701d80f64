"""The kernel map and fusion as recorded on an H200: every verdict, and what its reason rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.kernel_map import COMPUTE, MEMORY, OVERHEAD, KernelPoint, kernel_map
from roofwatch.session.roofs import roofs

FILE = Path(__file__).parent.parent / "sessions" / "h200-kernels-1.jsonl"


@pytest.fixture(scope="module")
def session() -> Session:
    return fold(events(FILE))


@pytest.fixture(scope="module")
def mapped(session: Session) -> dict[str, KernelPoint]:
    return {p.label: p for p in kernel_map(session, roofs(session))}


@pytest.fixture(scope="module")
def chains(session: Session) -> dict[str, Fusion]:
    return {f.name: f for f in fusions(session, roofs(session))}


def test_every_kernel_of_the_seeds_has_its_verdict(mapped: dict[str, KernelPoint]) -> None:
    assert {label: p.bound for label, p in mapped.items()} == {
        "rmsnorm 1 row, eager": OVERHEAD,
        "rmsnorm 1 row, graph": OVERHEAD,
        "sampling, eager": OVERHEAD,
        "sampling, graph": OVERHEAD,
        "add": MEMORY,
        "relu": MEMORY,
        "cos": MEMORY,
        "silu": MEMORY,
        "rmsnorm": MEMORY,
        "layernorm": COMPUTE,  # its intensity is 2: what it waits for are its instructions
        "softmax": COMPUTE,
        "embedding": MEMORY,
        "bias+gelu+dropout": COMPUTE,
        "decode linear": MEMORY,
        "decode attention 16 x 2048": MEMORY,
        "prefill linear 4096": COMPUTE,
        "prefill attention 8192": COMPUTE,
    }


def test_streams_and_large_products_are_at_their_roofs(mapped: dict[str, KernelPoint]) -> None:
    for label in ("add", "relu", "silu", "prefill linear 4096"):
        share = mapped[label].of_roof
        assert share is not None
        assert 0.9 <= share <= 1.05, label
        assert mapped[label].reason == ""


def test_cos_is_explained_by_its_instructions(mapped: dict[str, KernelPoint]) -> None:
    cos = mapped["cos"]
    assert 0.75 < cos.terms[COMPUTE] / cos.time_s < 1.0
    assert cos.reason.startswith("special functions (cos): 30 instructions an element")


def test_the_flash_kernel_is_explained_by_its_exponentials(
    mapped: dict[str, KernelPoint],
) -> None:
    attention = mapped["prefill attention 8192"]
    assert attention.of_roof is not None
    assert 0.6 < attention.of_roof < 0.9
    assert attention.reason.startswith("special functions: an exp a score")


def test_a_graph_takes_most_of_samplings_launches_away(mapped: dict[str, KernelPoint]) -> None:
    eager, graph = (mapped[f"sampling, {way}"] for way in ("eager", "graph"))
    assert eager.terms[OVERHEAD] == pytest.approx(eager.time_s, rel=0.2)
    assert graph.time_s < 0.4 * eager.time_s


def test_rows_are_explained_by_the_instructions_that_were_counted(
    mapped: dict[str, KernelPoint],
) -> None:
    for label, each in (("softmax", 80), ("layernorm", 39)):
        p = mapped[label]
        assert 0.75 < p.terms[COMPUTE] / p.time_s < 1.0
        assert f"{each} instructions an element" in p.reason
    assert mapped["bias+gelu+dropout"].reason.endswith("they overlap only in part")


def test_what_treats_them_follows_from_the_reason(mapped: dict[str, KernelPoint]) -> None:
    said = {label: p.treatment for label, p in mapped.items()}
    assert "both bind it; fusing alone brought 20 % of what bytes promise" in said["cos"]
    for label in ("layernorm", "softmax"):
        assert said[label].endswith("fusing alone brings little")
    assert "both overlapped; fusing alone brought 26 %" in said["bias+gelu+dropout"]
    assert "FlashAttention-3" in said["prefill attention 8192"]
    assert "sliding window" in said["prefill attention 8192"]
    assert said["prefill linear 4096"].startswith("stop here")
    assert said["add"] == said["relu"] == "fuse it with its neighbours: fewer bytes"
    assert said["silu"] == f"{said['add']} (105 % of what they promise came)"
    assert not any("multiples" in words or "tensor cores" in words for words in said.values())


def test_nothing_is_invented(mapped: dict[str, KernelPoint]) -> None:
    for label in ("rmsnorm", "embedding", "decode linear", "decode attention 16 x 2048"):
        assert mapped[label].reason.startswith("not known"), label


def test_three_fused_cos_keep_four_fifths_of_their_time(chains: dict[str, Fusion]) -> None:
    cos = chains["three cos"]
    assert cos.predicted_ratio == pytest.approx(3.0)
    assert cos.once_s is not None
    assert cos.eager_s == pytest.approx(3 * cos.once_s, rel=0.02)
    assert cos.delivered is not None
    assert 0.1 < cos.delivered < 0.4
    assert cos.reason.startswith("special functions (three cos): 87 instructions an element")


def test_silu_times_a_row_brings_all_that_bytes_promise(chains: dict[str, Fusion]) -> None:
    silu = chains["silu x mul"]
    assert silu.delivered is not None
    assert silu.delivered > 0.9
    assert silu.reason == ""
    for f in chains.values():  # a graph launches once, and moves what it moved
        assert f.graph_s == pytest.approx(f.eager_s, rel=0.02)
