"""Traces recorded on an H200 and on a CPU, against the profiler's own table beside each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import SESSIONS, TRACES, answer

ROUNDING_S = 1e-9
WHOLE_US_S = 1e-6  # torch 1.13 writes whole microseconds
GPU = sorted(p.name.partition(".")[0] for p in (TRACES / "h200").glob("*.json.gz"))
CPU = sorted(p.name.partition(".")[0] for p in (TRACES / "cpu").glob("*.json.gz"))
OTHERS = sorted(str(p.relative_to(TRACES))[: -len(".json.gz")] for p in TRACES.glob("torch-*/*.gz"))
FULL = SESSIONS / "h200-full-1.jsonl"


def table(path: Path) -> dict[str, tuple[int, float]]:
    rows = json.loads(path.read_text())["kernels"]
    return {row["name"]: (row["count"], row["time_s"]) for row in rows}


@pytest.mark.parametrize("name", [f"h200/{n}" for n in GPU] + [f"cpu/{n}" for n in CPU] + OTHERS)
def test_times_and_counts_are_the_profilers_own(name: str) -> None:
    found = answer(TRACES / f"{name}.json.gz")
    told = table(TRACES / f"{name}.table.json")
    assert {k.name: k.count for k in found.kernels} == {n: count for n, (count, _) in told.items()}
    for k in found.kernels:
        rounding_s = ROUNDING_S if "torch-1" not in name else k.count * WHOLE_US_S
        assert k.time_s == pytest.approx(told[k.name][1], abs=rounding_s), k.name
    assert found.busy_s + found.gap_s == pytest.approx(found.span_s, abs=ROUNDING_S)
    for stream in found.streams:
        assert stream.busy_s + stream.gap_s == pytest.approx(found.span_s, abs=ROUNDING_S)


@pytest.mark.parametrize("session", [None, FULL])
@pytest.mark.parametrize(
    ("name", "bound", "least"),
    [("compute", "compute", 0.98), ("memory", "memory", 0.98), ("overhead", "overhead", 0.95)],
)
def test_programs_whose_bound_is_known_get_it(
    name: str, bound: str, least: float, session: Path | None
) -> None:
    found = answer(TRACES / "h200" / f"{name}.json.gz", session)
    assert found.bound[bound] is not None
    assert found.bound[bound] >= least
    assert sum(share or 0.0 for share in found.bound.values()) == pytest.approx(1.0)
    assert found.kernels[0].bound == bound


def test_a_decoders_step_is_gaps_and_weights_that_are_read() -> None:
    found = answer(TRACES / "h200" / "layer.json.gz", FULL)
    assert found.bound["unknown"] == 0.0
    assert found.bound["overhead"] == pytest.approx(0.59, abs=0.02)
    of_name = {k.operators[0]: k for k in found.kernels}
    addmm = next(k for k in found.kernels if k.name.startswith("nvjet_sm90_tst_128x8_64x12_2x1"))
    assert addmm.bound == "memory"
    assert addmm.peak_key == "bf16"
    # 2 x 8 x 4096 x 16384 FLOP, ten times.
    assert addmm.flop == pytest.approx(2 * 8 * 4096 * 16384 * 10)
    attention = of_name["aten::_cudnn_attention_forward"]
    # K and V of 8 x 32 x 2048 x 128 two-byte elements each; q and o are small.
    assert attention.bytes == pytest.approx(10 * 2 * 2 * 8 * 32 * 2048 * 128, rel=0.001)
    assert attention.of_roof is not None
    assert 0.9 < attention.of_roof < 1.0


def test_an_operator_of_two_kernels_counts_its_work_once() -> None:
    found = answer(TRACES / "h200" / "layer.json.gz", FULL)
    both = [k for k in found.kernels if "splitK" in k.name]
    assert len(both) == 2
    assert all(k.shared for k in both)
    assert sum(k.flop or 0.0 for k in both) == pytest.approx(2 * 8 * 4096 * 16384 * 10)


def test_kernels_of_a_graph_are_unknown_and_it_says_why() -> None:
    found = answer(TRACES / "h200" / "layer-graph.json.gz", FULL)
    assert {k.bound for k in found.kernels} == {"unknown"}
    assert all(k.intensity is None and k.gbs is None for k in found.kernels)
    assert any("CUDA graph" in note and "not recorded" in note for note in found.notes)
    assert found.bound["unknown"] == pytest.approx(found.busy_s / found.span_s)
    assert found.candidates == []


def test_a_trace_without_a_gpu_claims_no_share_of_one() -> None:
    found = answer(TRACES / "cpu" / "layer.json.gz")
    assert set(found.bound.values()) == {None}
    assert found.overhead_s is None
    assert not found.device
    assert "no GPU" in found.notes[0]
    rows = {k.name: k for k in found.kernels}
    assert rows["aten::addmm"].flop == pytest.approx(2 * 20 * 2 * 8 * 256 * 1024 / 2)
    assert rows["aten::linear"].flop is None  # its work is that of addmm, inside it
    assert rows["aten::linear"].why == "its work is counted at the operator inside it"


def test_the_chain_of_a_memory_bound_program_is_a_candidate_for_fusion() -> None:
    found = answer(TRACES / "h200" / "memory.json.gz", FULL)
    fusion = next(c for c in found.candidates if c.kind == "fusion")
    assert fusion.count == 10
    assert len(fusion.kernels) == 3
    # Two intermediates of 2^28 two-byte elements, written and read, at the measured bandwidth.
    gbs = found.card.bandwidth_gbs
    assert gbs is not None
    assert fusion.saves_s == pytest.approx(10 * 2 * 2 * 2 * (1 << 28) / gbs / 1e9)


def test_launch_bound_gaps_are_a_candidate_for_a_graph() -> None:
    found = answer(TRACES / "h200" / "overhead.json.gz", FULL)
    graph = found.candidates[0]
    assert graph.kind == "cuda-graph"
    assert 0.8 * found.gap_s < graph.saves_s < found.gap_s


def test_roofs_are_measured_ones_or_said_to_be_nominal() -> None:
    path = TRACES / "h200" / "compute.json.gz"
    measured, nominal = answer(path, FULL), answer(path)
    assert measured.card.origin == "measured"
    assert measured.card.file == str(FULL)
    assert nominal.card.origin == "nominal"
    assert any("nominal" in note for note in nominal.notes)
    other = answer(path, gpu="A100 80GB SXM")
    assert other.card.name is not None
    assert "A100" in other.card.name
    assert any("recorded on NVIDIA H200" in note for note in other.notes)
    assert (other.kernels[0].of_roof or 0) > (nominal.kernels[0].of_roof or 0) > 0.5
