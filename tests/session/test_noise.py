"""What chance makes of runs that are alike: drawn anew from kept ones, none is told apart."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
import statistics
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.compare import compare
from roofwatch.session.figures import figures
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.noise import (
    BETWEEN_RUNS,
    CHANCE,
    HELD_LONG,
    ON_HOST,
    OTHER_TURNS,
    RUN_TO_RUN,
    further,
    leaves_out_1,
    of_host,
)

ROOT = Path(__file__).parents[2]
KEPT = json.loads((ROOT / "benchmarks" / "results" / "h200" / "repeatability.json").read_text())


def quick(i: int) -> Session:
    return fold(events(ROOT / "tests" / "sessions" / f"h200-quick-{i}.jsonl"))


def deviation(values: list[float]) -> float:
    return statistics.stdev(map(math.log, values))


def test_the_deviations_are_those_of_the_kept_runs() -> None:
    bursts = [
        deviation([run["burst_tflops"][key] for run in KEPT["runs"]])
        for key in KEPT["runs"][0]["burst_tflops"]
    ]
    runs = [{f.what: f.estimate.value for f in figures(quick(i))} for i in (1, 2, 3)]
    seen = {what: deviation([run[what] for run in runs]) for what in runs[0]}
    short = [
        value for what, value in seen.items() if what.endswith(" burst") and "ridge" not in what
    ]
    freedom = 4 * len(bursts) + 2 * len(short)
    pooled = math.sqrt((4 * sum(x * x for x in bursts) + 2 * sum(x * x for x in short)) / freedom)
    assert pooled == pytest.approx(BETWEEN_RUNS["burst"], rel=0.05)
    streams = [deviation([run["bandwidth_gbs"] for run in KEPT["runs"]])]
    streams += [seen["add_scalar fp16"], seen["add_scalar fp32"]]
    assert max(streams) == pytest.approx(BETWEEN_RUNS["stream"], rel=0.06)
    assert seen["bf16 sustained"] == pytest.approx(BETWEEN_RUNS["sustained"], rel=0.02)
    assert seen["bf16: SM clock"] == pytest.approx(BETWEEN_RUNS["sm_mhz"], rel=0.02)
    assert seen["bf16: power"] == pytest.approx(BETWEEN_RUNS["power_w"], rel=0.02)
    assert seen["bf16: per watt"] == pytest.approx(BETWEEN_RUNS["efficiency"], rel=0.02)


def test_what_is_held_for_long_too() -> None:
    held = {
        probe: [run["held"][probe] for run in KEPT["runs"]] for probe in KEPT["runs"][0]["held"]
    }
    matmul, triad = held["matmul-bf16-sustained"], held["triad-fp16-sustained"]
    assert deviation([h["tflops"] for h in matmul]) <= HELD_LONG["sustained"]
    assert deviation([h["tflops_per_w"] for h in matmul]) <= HELD_LONG["efficiency"]
    assert deviation([h["gbs"] for h in triad]) <= HELD_LONG["stream"]
    for of in (matmul, triad):
        assert deviation([h["sm_mhz"] for h in of]) <= HELD_LONG["sm_mhz"]
        assert deviation([h["power_w"] for h in of]) <= HELD_LONG["power_w"]


def test_one_of_two_thousand() -> None:
    assert 2 * (1 - statistics.NormalDist().cdf(CHANCE)) == pytest.approx(1 / 2000, rel=0.01)


def test_an_interval_is_widened_before_it_leaves_out_1() -> None:
    assert not leaves_out_1(1.01, (1.002, 1.018))
    assert leaves_out_1(1.02, (1.012, 1.028))
    assert leaves_out_1(0.98, (0.975, 0.985))


def test_a_ratio_is_as_far_whichever_comes_first() -> None:
    assert further(1.11, 0.1)
    assert further(1 / 1.11, 0.1)
    assert not further(1.09, 0.1)
    assert not further(1 / 1.09, 0.1)


def test_what_a_cpu_decides_moves_as_far_as_its_repetitions_scatter() -> None:
    """Runs of a host whose other work moves all of one run's repetitions together."""
    assert of_host([1.0] * 20) == ON_HOST
    chance = random.Random(4)
    runs = [[chance.gauss(1.0, 0.08) for _ in range(40)] for _ in range(200)]
    middles = [statistics.median(r) * chance.gauss(1.0, 0.08) for r in runs]
    shares = [of_host(r) for r in runs]
    assert statistics.median(shares) == pytest.approx(CHANCE * math.sqrt(2) * 0.08, rel=0.1)
    pairs = zip(middles, middles[1:], shares, shares[1:], strict=False)
    assert sum(further(b / a, max(s, t)) for a, b, s, t in pairs) <= 1


def test_a_longer_window_tells_smaller_differences() -> None:
    full = fold(events(ROOT / "tests" / "sessions" / "h200-full-1.jsonl"))
    of = {f.what: f for f in figures(full)}
    assert of["bf16 sustained"].run_to_run < 0.2 * RUN_TO_RUN["sustained"]
    assert of["bf16 burst"].run_to_run == RUN_TO_RUN["burst"]


def again(session: Session, chance: random.Random) -> Session:
    """The same run with its repetitions drawn anew, in stretches: neighbours go together."""

    def drawn(values: list[float]) -> list[float]:
        length = min(4, max(1, len(values) // 4))
        out: list[float] = []
        while len(out) < len(values):
            at = chance.randrange(len(values) - length + 1)
            out += values[at : at + length]
        return out[: len(values)]

    found = copy.copy(session)
    found.measurements = [
        msgspec.structs.replace(m, times_s=drawn(m.times_s), clock_mhz=drawn(m.clock_mhz or [1.0]))
        if m.clock_mhz
        else msgspec.structs.replace(m, times_s=drawn(m.times_s))
        for m in session.measurements
    ]
    return found


@pytest.mark.parametrize("i", [1, 2, 3])
def test_five_drawn_runs_differ_in_none_of_their_ten_pairs(i: int) -> None:
    chance, session = random.Random(i), quick(i)
    for _ in range(3):
        five = [again(session, chance) for _ in range(5)]
        flagged = [
            (p.what, p.ratio)
            for a, b in itertools.combinations(five, 2)
            for p in compare(a, b).pairs
            if p.outside_noise
        ]
        assert flagged == []


RUNS = ROOT / "tests" / "sessions" / "runs"


def run(name: str) -> Session:
    return fold(events(RUNS / f"{name}.jsonl"))


def test_five_fresh_runs_of_one_card_differ_in_none_of_their_ten_pairs() -> None:
    runs = [run(f"run-{i}") for i in range(1, 6)]
    pairs = [p for a, b in itertools.combinations(runs, 2) for p in compare(a, b).pairs]
    assert len(pairs) == 150
    assert [p.what for p in pairs if p.outside_noise] == []


def test_half_the_size_and_tf32_are_flagged() -> None:
    half, tf32 = compare(run("run-1"), run("half")), compare(run("run-1"), run("tf32"))
    assert "tensor size" in [c.what for c in half.conditions]
    assert [p.what for p in half.pairs if p.outside_noise] == ["add_scalar fp32"]
    assert "settings" in [c.what for c in tf32.conditions]
    (fp32,) = [p for p in tf32.pairs if p.outside_noise]
    assert (fp32.what, fp32.alike) == ("fp32 burst", False)
    assert fp32.ratio > 5


def test_a_burst_in_which_another_shape_took_turns_is_told() -> None:
    pairs = {p.what: p for p in compare(run("run-1"), run("run-2")).pairs}
    told = pairs["fp8_fast burst"]
    assert told.notes == ["36 launches in A, 18 in B: other shapes took turns"]
    assert 1.005 < told.ratio < 1 + told.run_to_run
    fp8_fast = [
        next(f.estimate.value for f in figures(run(f"run-{i}")) if f.what == "fp8_fast burst")
        for i in range(1, 6)
    ]
    assert deviation(fp8_fast) == pytest.approx(OTHER_TURNS, rel=0.05)
