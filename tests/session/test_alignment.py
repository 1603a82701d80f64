"""Odd sides against aligned ones, folded from events as an H200 would give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from roofwatch.roofline.workload import matmul
from roofwatch.session.alignment import Alignment, alignment, power_of_two
from roofwatch.session.events import Device, Measurement
from roofwatch.session.fold import Session
from roofwatch.session.summary import record

Point, Folded = Callable[..., Measurement], Callable[..., Session]
N = 8192
H200: dict[str, tuple[int, int, int, float]] = {
    "aligned": (N, N, N, 816.0),
    "k-1": (N, N, N - 1, 141.0),
    "k-2": (N, N, N - 2, 258.0),
    "k-8": (N, N, N - 8, 806.0),
    "n-1": (N, N - 1, N, 300.0),
    "m-1": (N - 1, N, N, 809.0),
    "vocabulary padded": (2048, 50304, 4096, 700.0),
    "vocabulary": (2048, 50257, 4096, 350.0),
}


@pytest.fixture
def point(point: Point) -> Point:
    """One by its variant, its sides and its rate."""

    def made(
        variant: str, m: int, n: int, k: int, rate: float, spread: float = 0.001
    ) -> Measurement:
        work = matmul(m, n, k, "bf16")
        times_s = [work.flop / rate / 1e12 * (1 + off) for off in (-spread, 0, spread)]
        told = {"layout": "nn", "variant": variant, "status": {"kernel": "no_permission"}}
        return point(work, times_s, "alignment", clock_mhz=[], **told)

    return made


@pytest.fixture
def session(of_suite: Folded) -> Folded:
    def made(*points: Measurement, kind: str = "cuda") -> Session:
        return of_suite(
            Device(kind=kind, name="X", sm_count=132 if kind == "cuda" else None), *points
        )

    return made


@pytest.fixture
def folded(point: Point, session: Folded) -> Callable[..., Alignment]:
    def made(rates: dict[str, tuple[int, int, int, float]], **of: Any) -> Alignment:
        found = alignment(session(*(point(v, *p) for v, p in rates.items()), **of))
        assert found is not None
        return found

    return made


@pytest.mark.parametrize(("side", "power"), [(8192, 8192), (8191, 1), (8190, 2), (50304, 128)])
def test_the_largest_power_of_two(side: int, power: int) -> None:
    assert power_of_two(side) == power
    assert side % power == 0
    assert side % (2 * power) != 0


def test_each_point_stands_against_the_aligned_one(folded: Callable[..., Alignment]) -> None:
    found = folded(H200)
    seen = {p.variant: p for p in found.points}
    assert list(seen) == list(H200)
    assert seen["aligned"].of_aligned == 1.0
    assert seen["k-1"].of_aligned == pytest.approx(141 / 816)
    assert seen["k-1"].factor == pytest.approx(5.79, abs=0.01)
    assert seen["k-1"].divisors == {"m": N, "n": N, "k": 1}
    assert seen["k-2"].divisors["k"] == 2
    assert seen["k-1"].outside_noise is True
    assert found.worst_factor == seen["k-1"].factor


def test_a_vocabulary_stands_against_its_padding(folded: Callable[..., Alignment]) -> None:
    seen = {p.variant: p for p in folded(H200).points}
    assert seen["vocabulary"].factor == pytest.approx(2.0)
    assert seen["vocabulary padded"].of_aligned == 1.0


def test_the_sentence_says_what_was_seen_and_the_seeds_rule(
    folded: Callable[..., Alignment],
) -> None:
    said = folded(H200).sentence
    assert said.startswith("k=8191 runs at 141 TFLOP/s, a factor of 5.8 under the aligned shape.")
    assert "k=8184, a multiple of 8, keeps 99 %." in said
    assert "m=8191 keeps 99 %: no operand has rows of m." in said
    assert "A vocabulary of 50257 keeps 50 % of the rate of 50304: pad it." in said
    assert said.endswith("Take sides that are multiples of 8, better of 64.")


def test_where_nothing_is_lost_no_rule_is_preached(folded: Callable[..., Alignment]) -> None:
    flat = {v: (*p[:3], 800.0) for v, p in H200.items()}
    said = folded(flat).sentence
    assert said.startswith("Here no side that is off costs more than 5 %")
    assert "Take sides" not in said
    assert folded(flat, kind="cpu").sentence.startswith("On this CPU no side")


def test_what_scatters_as_much_as_it_costs_is_no_loss(point: Point, session: Folded) -> None:
    noisy = alignment(
        session(
            point("aligned", 512, 512, 512, 0.1, spread=0.4),
            point("k-1", 512, 512, 511, 0.08, spread=0.4),
            kind="cpu",
        )
    )
    assert noisy is not None
    assert noisy.points[1].outside_noise is False
    assert noisy.sentence.startswith("On this CPU no side that is off costs more")


def test_an_odd_side_that_seems_faster_tells_how_loud_the_noise_is(
    folded: Callable[..., Alignment],
) -> None:
    loud = {
        "aligned": (1024, 1024, 1024, 0.09),
        "k-1": (1024, 1024, 1023, 0.0945),
        "n-1": (1024, 1023, 1024, 0.075),  # a factor of 1.2, apart from the aligned one's middle
        "m-1": (1023, 1024, 1024, 0.1),
    }
    found = folded(loud, kind="cpu")
    assert {p.variant: p.outside_noise for p in found.points}["n-1"] is True
    assert found.sentence.startswith("On this CPU no side that is off costs more")
    assert "(m=1023 seems 11 % faster than the aligned)" in found.sentence
    assert "Take sides" not in found.sentence
    lost = folded(loud | {"n-1": (1024, 1023, 1024, 0.03)}, kind="cpu").sentence
    assert lost.startswith("n=1023 runs at 0.03 TFLOP/s")
    assert lost.endswith("better of 64.")


def test_without_the_aligned_shape_nothing_is_compared(point: Point, session: Folded) -> None:
    found = alignment(session(point("k-1", *H200["k-1"])))
    assert found is not None
    (p,) = found.points
    assert (p.of_aligned, p.factor, p.outside_noise) == (None, None, None)
    assert {"of_aligned", "factor", "outside_noise"} <= set(p.status)
    assert found.worst_factor is None
    assert found.status == {"worst_factor": "not_measured"}
    assert "nothing to compare" in found.sentence


def test_other_points_are_left_out(point: Point, session: Folded) -> None:
    assert alignment(session()) is None
    other = msgspec.structs.replace(
        point("k-1", *H200["k-1"]), op="other", shape={"elements": 1}, peak_key=None, flop=0
    )
    assert alignment(session(other)) is None


def test_the_record_has_the_experiment(point: Point, session: Folded) -> None:
    block = record(session(*(point(v, *p) for v, p in H200.items())), None)
    seen = msgspec.json.decode(msgspec.json.encode(block))["shapes"]
    assert set(seen) == {"alignment"}
    assert len(seen["alignment"]["points"]) == len(H200)
    for p in seen["alignment"]["points"]:
        assert {name for name, value in p.items() if value is None} <= set(p["status"])
