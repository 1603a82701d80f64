"""Three routes to one of three bounds: votes, parts of the time, certainty, words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.roofline.triage import (
    CANNOT_SAY,
    CERTAIN,
    CONTRADICTS,
    EXPERIMENTS,
    INTENSITY,
    LIKELY,
    MIXED,
    SAYS,
    SILENT,
    TIMELINE,
    UNSURE,
    Decision,
    Evidence,
    decide,
    only_starts,
)
from roofwatch.roofline.triage_words import because, treatment, would_help
from roofwatch.roofline.trial import BOUNDS, COMPUTE, MEMORY, OVERHEAD, Trial

MATMUL = Evidence(  # seed 001, Day 1: 4096 x 4096 in fp16 on an A100
    kind="cuda",
    time_s=0.5e-3,
    flop=137.4e9,
    bytes=100.7e6,
    intensity=1365.0,
    compute_s=0.44e-3,
    memory_s=0.0,
    peak_key="fp16",
    ridge=153.0,
    bandwidth_gbs=2039.0,
    bandwidth_origin="measured",
    peak_tflops=312.0,
    peak_origin="measured",
    kernels=1.0,
    kernel_s=0.49e-3,
    busy_share=0.99,
    gap_share=0.01,
    waits=0.0,
    cpu_share=1.0,
)
CHAIN = msgspec.structs.replace(  # seed 001, Day 1: ReLU of a gigabyte
    MATMUL,
    time_s=1.1e-3,
    flop=5e8,
    bytes=2e9,
    intensity=0.25,
    compute_s=0.0,
    memory_s=0.98e-3,
    kernel_s=1.09e-3,
)
TINY = msgspec.structs.replace(  # hundreds of kernels of a microsecond, 7 us to launch each
    MATMUL,
    time_s=3.6e-3,
    flop=512 * 64.0,
    bytes=512 * 512.0,
    intensity=0.125,
    compute_s=0.0,
    memory_s=0.13e-6,
    kernels=512.0,
    kernel_s=1.2e-6,
    busy_share=0.17,
    gap_share=0.83,
    host_s=3.5e-3,
)
FLAT = Trial(
    what="batch 8 to 64",
    time_ratio=1.1,
    compute_ratio=8.0,
    memory_ratio=1.05,
    overhead_ratio=1.0,
)

STEEP = msgspec.structs.replace(FLAT, time_ratio=7.8)


def like(evidence: Evidence, **changed: Any) -> Evidence:
    return msgspec.structs.replace(evidence, **changed)


def both(evidence: Evidence) -> tuple[str, str]:
    found = decide(evidence)
    return found.bound, found.certainty


@pytest.mark.parametrize(
    ("evidence", "bound"), [(MATMUL, COMPUTE), (CHAIN, MEMORY), (TINY, OVERHEAD)]
)
def test_the_three_are_certain(evidence: Evidence, bound: str) -> None:
    found = decide(evidence)
    assert (found.bound, found.certainty) == (bound, CERTAIN)
    assert sum(found.shares.values()) == pytest.approx(1.0)
    assert found.shares[bound] > 0.8
    assert CONTRADICTS not in found.statuses.values()
    assert would_help(evidence, found) == ""


def test_each_route_votes_for_itself() -> None:
    found = decide(like(MATMUL, trials=(FLAT,)))
    assert found.votes[INTENSITY].says == COMPUTE
    assert found.votes[TIMELINE].says is None
    assert found.votes[TIMELINE].excludes == (OVERHEAD,)
    assert found.votes[EXPERIMENTS].excludes == (COMPUTE,)
    assert found.statuses == {INTENSITY: SAYS, TIMELINE: SAYS, EXPERIMENTS: CONTRADICTS}
    assert (found.bound, found.certainty) == (COMPUTE, UNSURE)


def test_paper_does_not_see_overhead() -> None:
    """Seed 001: intensity supposes that the device always has work."""
    found = decide(TINY)
    assert found.votes[INTENSITY].says is None
    assert found.statuses[INTENSITY] == SILENT
    assert "so paper alone cannot say" in because(TINY, found)[INTENSITY]


def test_an_experiment_that_agrees_is_named_so() -> None:
    found = decide(like(CHAIN, trials=(FLAT,)))
    assert found.statuses[EXPERIMENTS] == SAYS
    assert found.certainty == CERTAIN


def test_experiments_that_disagree_say_nothing() -> None:
    other = Trial(
        what="fp32 to fp16", time_ratio=0.1, compute_ratio=0.1, memory_ratio=0.5, overhead_ratio=1.0
    )
    found = decide(like(CHAIN, trials=(FLAT, other)))
    assert found.statuses[EXPERIMENTS] == SILENT


def test_a_busy_device_that_only_starts_kernels_is_bound_by_overhead() -> None:
    """Seed 000, Day 18: an RMSNorm of 8 us whose bytes take 0.04 us is launch, not bandwidth."""
    replayed = like(
        TINY, time_s=0.7e-3, kernel_s=1.2e-6, busy_share=0.95, gap_share=0.05, compute_s=0.0
    )
    assert only_starts(replayed)
    assert decide(replayed).bound == OVERHEAD
    assert "too short to do more than start" in because(replayed, decide(replayed))[TIMELINE]
    assert not only_starts(like(CHAIN, kernel_s=4e-6))  # short and at the roof: they work


def test_a_third_of_the_time_in_launching_is_said_but_does_not_decide() -> None:
    """Seed 001, Day 1: 3 ms of launches beside 6.6 ms of weights."""
    step = like(CHAIN, time_s=9.6e-3, memory_s=6.6e-3, busy_share=0.69, gap_share=0.31)
    assert both(step) == (MEMORY, LIKELY)
    assert decide(step).votes[TIMELINE].says is None


def test_no_part_takes_half_of_the_time() -> None:
    evidence = like(
        MATMUL, time_s=1e-3, compute_s=0.3e-3, memory_s=0.3e-3, busy_share=0.6, gap_share=0.4
    )
    found = decide(evidence)
    assert (found.bound, found.certainty) == (MIXED, UNSURE)
    assert treatment(evidence, found).startswith(OVERHEAD)
    assert "its parts one by one" in would_help(evidence, found)


@pytest.mark.parametrize(
    ("compute_s", "certainty"), [(0.44e-3, CERTAIN), (0.25e-3, LIKELY), (0.08e-3, UNSURE)]
)
def test_how_far_the_roof_explains_the_time_decides_how_certain(
    compute_s: float, certainty: str
) -> None:
    """A misaligned matmul reaches a sixth of the roof: compute, and its kernel comes first."""
    evidence = like(MATMUL, compute_s=compute_s)
    assert both(evidence) == (COMPUTE, certainty)
    first = treatment(evidence, decide(evidence)).startswith("another kernel first")
    assert first == (certainty == UNSURE)


def test_a_processor_that_others_want_gives_nothing_certain() -> None:
    status = {"load": "other work loads the processor: 9.0 processes on 2 cores"}
    for evidence in (MATMUL, CHAIN, TINY):
        loaded = like(evidence, kind="cpu", operator_s=3e-6, status=status)
        found = decide(loaded)
        assert (found.bound, found.certainty) == (decide(evidence).bound, LIKELY)
        assert "a quiet machine (other work" in would_help(loaded, found)
        assert decide(like(evidence, status=status)).certainty == CERTAIN  # of a card's timeline


def test_nothing_seen_cannot_be_said() -> None:
    empty = Evidence(kind="cpu", time_s=5e-8, kernels=0.0, busy_share=0.0, gap_share=1.0)
    found = decide(empty)
    assert (found.bound, found.certainty, found.shares) == (CANNOT_SAY, UNSURE, {})
    assert "work that torch does" in would_help(empty, found)
    assert set(found.statuses.values()) == {SILENT}


def opaque(**changed: Any) -> Evidence:
    """Kernels whose operators nobody saw."""
    unseen = dict.fromkeys(("flop", "bytes", "intensity", "compute_s", "memory_s"))
    return like(MATMUL, **(unseen | changed))


def test_opaque_kernels_are_told_by_what_the_other_routes_leave() -> None:
    assert both(opaque()) == (CANNOT_SAY, UNSURE)
    flat = Trial(what="batch 8 to 64", time_ratio=1.1, compute_ratio=8.0, overhead_ratio=1.0)
    assert both(opaque(trials=(flat,))) == (MEMORY, UNSURE)
    found = decide(opaque(busy_share=0.2, gap_share=0.8))
    assert (found.bound, found.certainty) == (OVERHEAD, CERTAIN)
    assert "flop=, bytes=" in would_help(opaque(), decide(opaque()))


def test_without_a_timeline_the_experiment_may_still_tell() -> None:
    blind = like(CHAIN, busy_share=None, gap_share=None, status={"timeline": "not allowed"})
    assert both(blind) == (MEMORY, UNSURE)
    assert "not allowed" in because(blind, decide(blind))[TIMELINE]
    assert "a timeline (not allowed)" in would_help(blind, decide(blind))


def test_operators_without_a_formula_are_no_memory_bound() -> None:
    """Of a Fourier transform only the elements are counted: what it computes nobody knows."""
    fft = like(CHAIN, memory_s=0.1e-3, uncounted=("_fft_r2c",))
    assert both(fft) == (CANNOT_SAY, UNSURE)
    assert "_fft_r2c" in would_help(fft, decide(fft))
    assert both(like(CHAIN, uncounted=("sort",)))[0] == MEMORY  # the roof explains it all the same


def test_copies_over_the_link_are_bound_by_it() -> None:
    """Seed 001: loading is bound by bandwidth, and that of PCIe."""
    load = like(
        CHAIN, flop=0.0, bytes=0.0, memory_s=0.0, intensity=None, kernels=1.0, transfer_share=1.0
    )
    found = decide(load)
    assert (found.bound, found.certainty) == (MEMORY, CERTAIN)
    assert "host link" in treatment(load, found)
    waiting = like(load, busy_share=0.7, gap_share=0.3)
    assert decide(waiting).certainty == LIKELY
    assert "flop=" not in would_help(waiting, decide(waiting))
    assert "copies over the host link" in because(load, found)[TIMELINE]


def test_the_seeds_treatments() -> None:
    """Seed 001: batch, quantise, fuse; low precision, algorithm, card; compile, graph, fewer."""
    for evidence, words in (
        (CHAIN, ("larger batch", "quantise", "fuse")),
        (MATMUL, ("tensor cores", "algorithm", "faster card")),
        (TINY, ("CUDA graph", "torch.compile", "fewer")),
    ):
        text = treatment(evidence, decide(evidence))
        assert [word for word in words if word not in text] == []
    cpu = like(TINY, kind="cpu", operator_s=3e-6)
    assert "CUDA" not in treatment(cpu, decide(cpu))
    on_cpu = like(MATMUL, kind="cpu")
    assert "tensor cores" not in treatment(on_cpu, decide(on_cpu))
    assert "lower precision" in treatment(on_cpu, decide(on_cpu))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"waits": 64.0}, "64 times a call"),
        ({"cpu_share": 0.05}, "the host sleeps"),
        ({"graph_s": 0.6e-3}, "takes 600 us instead of 3.6 ms"),
    ],
)
def test_what_this_call_showed_comes_first(changed: dict[str, Any], says: str) -> None:
    evidence = like(TINY, **changed)
    assert says in treatment(evidence, decide(evidence)).partition(";")[0] + ";"


def test_a_graph_is_not_praised_for_a_sleep_that_it_leaves_out() -> None:
    evidence = like(TINY, cpu_share=0.03, graph_s=1e-3)
    assert "replayed" not in treatment(evidence, decide(evidence))


def test_what_would_help_where_all_routes_agree_and_the_kernel_is_slow() -> None:
    evidence = like(MATMUL, compute_s=0.22e-3, trials=(STEEP,))
    found = decide(evidence)
    assert found.certainty == LIKELY
    assert would_help(evidence, found).startswith("a kernel nearer the roof")
    against = like(evidence, trials=(FLAT,))
    assert "the one that contradicts" in would_help(against, decide(against))


def test_at_the_roof_it_says_stop() -> None:
    """Seed: at 90 % of the measured roof, stop."""
    assert "at the measured roof" in treatment(like(MATMUL, time_s=0.45e-3), decide(MATMUL))
    assert "at the measured roof" not in treatment(like(MATMUL, time_s=0.6e-3), decide(MATMUL))


def test_fresh_pages_are_told_on_a_cpu() -> None:
    evidence = like(CHAIN, kind="cpu", operator_s=3e-6, system_share=0.6)
    assert "out=" in treatment(evidence, decide(evidence))


def test_words_for_every_route_and_bound() -> None:
    for evidence in (MATMUL, CHAIN, TINY, opaque(), like(TINY, kind="cpu", operator_s=3e-6)):
        found = decide(evidence)
        assert isinstance(found, Decision)
        said = because(evidence, found)
        assert set(said) == {INTENSITY, TIMELINE, EXPERIMENTS}
        assert all(said.values())
        assert found.bound in (*BOUNDS, MIXED, CANNOT_SAY)
