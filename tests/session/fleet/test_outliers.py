"""The slow ranks of simulated fleets: named with their numbers, and with what their records say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_fleet import made_fleet
from simulated_ranks import planted

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.lines import FAILED, Header, RankLine
from roofwatch.session.fleet.outliers import GROUPS, HALVED, PAIR, Outlier, outliers
from roofwatch.session.fleet.slow_ranks import slow_ranks
from roofwatch.session.fleet.spreads import metrics

CODES = {
    "power": "power-capped",
    "clock": "low-clock",
    "none": "unknown",
    "process": "other-process",
    "heat": "throttled",
}


def fleet_of(rates: list[float], cards: int = 8, kind: str = "cuda", **more: Any) -> Fleet:
    """Ranks that measured one stream each, ``cards`` a node."""
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=len(rates), device=kind))
    for rank, gbs in enumerate(rates):
        made = {
            "device": {"kind": kind, "name": "card"},
            "measurements": [
                {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0.1, "protocol": "stream"}
            ],
        }
        node = f"node{rank // cards}"
        fleet.add(
            RankLine(
                rank=rank,
                host=node,
                node=node,
                card=rank % cards,
                record=msgspec.Raw(msgspec.json.encode(made | more.get(str(rank), {}))),
            )
        )
    return fleet


def found(fleet: Fleet) -> list[Outlier]:
    return outliers(fleet, metrics(fleet))


def test_each_planted_card_is_named_and_nobody_else_with_its_reason() -> None:
    slow = planted(64)
    named = found(made_fleet(64, links=False))
    assert {o.rank for o in named} == set(slow)
    for rank, (under, how) in slow.items():
        mine = [o for o in named if o.rank == rank]
        assert {o.reason.code for o in mine} == {CODES[how]}
        stream = next(o for o in mine if o.metric == "add_scalar-fp16")
        assert stream.under == pytest.approx(under, abs=0.01)
        assert stream.deviations is not None
        assert stream.deviations > stream.limit
    assert named[0].rank == max(slow, key=lambda rank: slow[rank])


def test_an_outlier_says_where_it_is_and_by_how_much() -> None:
    one = found(fleet_of([4280, 4290, 4275, 4283, 4270, 4288, 4279, 3890]))
    assert len(one) == 1
    assert (one[0].place, one[0].value, one[0].median) == ("node0 card 7", 3890, 4279.5)
    assert one[0].under == pytest.approx(0.091, abs=0.001)


def test_of_two_ranks_the_slower_one_is_told_and_that_spread_cannot_tell() -> None:
    two = found(fleet_of([4280, 3890]))
    assert [(o.rank, o.deviations, o.doubt) for o in two] == [(1, None, PAIR)]
    assert found(fleet_of([4280, 4275])) == []  # no more than two cards lie apart


def test_on_cpus_a_tenth_is_no_difference() -> None:
    assert found(fleet_of([10.0, 9.2], kind="cpu")) == []
    assert [o.rank for o in found(fleet_of([10.0, 8.0], kind="cpu"))] == [1]


def test_a_slow_node_of_two_is_one_line() -> None:
    fleet = fleet_of([100, 100.1, 99.9, 100, 80, 80.1, 79.9, 80], cards=4)
    named = found(fleet)
    assert {(o.node, o.doubt) for o in named} == {("node1", GROUPS)}
    slow = slow_ranks(fleet, named)
    assert [(s.who, s.ranks) for s in slow] == [("node1, all 4 of it", (4, 5, 6, 7))]


def test_a_slow_node_of_many_is_one_line_too() -> None:
    rates = [100 + 0.01 * i for i in range(32)]
    rates[8:16] = [80.0] * 8
    fleet = fleet_of(rates)
    slow = slow_ranks(fleet, found(fleet))
    assert [s.who for s in slow] == ["node1, all 8 of it"]
    assert slow[0].worst.deviations is not None


def test_cards_of_two_kinds_are_not_held_against_each_other() -> None:
    other = {"device": {"kind": "cuda", "name": "smaller"}}
    fleet = fleet_of([100, 100, 100, 50, 50, 50], **{str(i): other for i in (3, 4, 5)})
    assert [m.device for m in metrics(fleet)] == ["card", "smaller"]
    assert found(fleet) == []


def test_what_all_have_is_no_reason() -> None:
    throttled = {"findings": [{"code": "throttled", "subject": "add"}]}
    rates = [100.0] * 7 + [90.0]
    everybody = fleet_of(rates, **{str(i): throttled for i in range(8)})
    alone = fleet_of(rates, **{"7": throttled})
    assert found(everybody)[0].reason.code == "unknown"
    assert found(alone)[0].reason.code == "throttled"


def test_a_rank_without_a_record_has_no_figure_and_is_troubled() -> None:
    fleet = fleet_of([100, 100, 100])
    fleet.add(RankLine(rank=3, host="node0", node="node0", card=3, state=FAILED, why="no card"))
    assert [m.spread.count for m in metrics(fleet)] == [3]
    assert [(r.rank, r.why) for r in fleet.troubled] == [(3, "no card")]


def test_figures_of_a_real_record_are_read() -> None:
    first = made_fleet(8, links=False).ranks[0]
    assert first.figures["add_scalar-fp16"].value == pytest.approx(4285, rel=0.01)
    assert first.figures["matmul-int8"].unit == "TOPS"
    assert first.figures["matmul-bf16-sustained"].reasons == ("power limit",)
    assert first.figures["SM clock, held"].value == 1425
    assert first.figures["temperature, held"].value == 58
    assert first.peaks_tflops["bf16"] == pytest.approx(818, rel=0.01)


TWO = Path(__file__).parents[2] / "sessions" / "two"


def test_of_two_cards_the_one_that_computes_faster_is_not_slow_for_its_clock() -> None:
    fleet = read_fleet(TWO / "fleet-slow.jsonl")
    named = found(fleet)
    assert {o.rank for o in named} == {1}  # card 0 clocks 5 % lower: it works harder
    assert "SM clock, held" not in {o.metric for o in named}
    clock = next(m for m in metrics(fleet) if m.name == "SM clock, held")
    assert clock.slow_group == ()


def held(tflops: float, mhz: float) -> dict[str, Any]:
    """What a rank held for seconds."""
    name = "matmul-bf16-sustained"
    measured = {"id": name, "probe": name, "gbs": 1.0, "tflops": tflops, "peak_key": "bf16"}
    return {
        "measurements": [measured | {"protocol": "sustained"}],
        "sustained": [{"measurement": name, "sm_mhz": mhz, "power_w": 690.0}],
    }


@pytest.mark.parametrize(
    ("tflops", "mhz", "slow"),
    [
        (690.0, 1290.0, set()),  # as fast as the others, at a lower clock
        (600.0, 1290.0, {"matmul-bf16-sustained", "SM clock, held"}),
        (600.0, 1450.0, {"matmul-bf16-sustained"}),
    ],
)
def test_a_clock_counts_with_the_rate_it_belongs_to(
    tflops: float, mhz: float, slow: set[str]
) -> None:
    made = {str(i): held(690.0 + i, 1450.0 + i) for i in range(7)}
    fleet = fleet_of([100.0] * 8, **made, **{"7": held(tflops, mhz)})
    named = found(fleet)
    assert {o.metric for o in named} == slow
    assert {o.rank for o in named} <= {7}


@pytest.mark.parametrize(
    ("rates", "clocks", "told"),
    [
        ((690.0, 552.0, 414.0), (1466.0, 1173.0, 880.0), (True, None, [])),
        # a clock under its limit, of whom the rates cannot say that it is slow
        ((690.0, 552.0, 414.0), (1466.0, 1464.0, 1200.0), (True, None, [])),
        ((690.0, 552.0, 414.0), (1466.0, 1464.0, 1460.0), (False, 0.04, [])),  # all at one clock
        ((690.0, 691.0, 692.0), (1466.0, 1173.0, 880.0), (False, None, [])),  # the rates are alike
        ((690.0, 691.0, 414.0), (1466.0, 1173.0, 880.0), (True, None, [])),  # rank 2's may be slow
        ((690.0, 691.0, 414.0), (1466.0, 1464.0, 1200.0), (False, 0.04, [2])),
    ],
)
def test_a_clock_is_passed_only_where_its_rate_can_be_judged(
    rates: tuple[float, ...],
    clocks: tuple[float, ...],
    told: tuple[bool, float | None, list[int]],
) -> None:
    pairs = zip(rates, clocks, strict=True)
    fleet = fleet_of([100.0] * 3, **{str(i): held(*each) for i, each in enumerate(pairs)})
    clock = next(m for m in metrics(fleet) if m.name == "SM clock, held")
    under = clock.slow_under
    named = [o.rank for o in found(fleet) if o.metric == clock.name]
    assert (clock.too_far, under and pytest.approx(under, abs=0.005), named) == told


def test_a_rank_that_never_came_is_on_no_node() -> None:
    fleet = fleet_of([100, 100, 100])
    fleet.add(RankLine(rank=3, node="rank 3", state="absent", why="never came, in 120 s"))
    assert list(fleet.nodes) == ["node0"]
    assert (fleet.ranks[3].who, fleet.ranks[3].fared) == ("rank 3", "absent: never came, in 120 s")


def test_ranks_too_far_apart_to_name_one_are_said_to_be() -> None:
    fleet = fleet_of([100.0, 80.0, 60.0])
    (metric,) = metrics(fleet)
    assert found(fleet) == []
    assert metric.too_far
    assert metric.slow_under is None  # 117 %: a limit that nothing can pass
    assert metric.apart == pytest.approx(0.4)
    (alike,) = metrics(fleet_of([100.0, 99.9, 99.8]))
    assert not alike.too_far
    assert alike.slow_under is not None
    (alone,) = metrics(fleet_of([100.0]))
    assert not alone.too_far
    assert not alone.comparable


def test_one_at_half_of_the_best_is_named_however_far_the_others_lie_apart() -> None:
    for rates, slow in (
        ([100.0, 72.7, 50.0], [2]),
        ([100.0, 79.0, 50.0, 36.0], [3, 2]),
        ([100.0, *[50.0] * 7], [1, 2, 3, 4, 5, 6, 7]),
    ):
        named = found(fleet_of(rates))
        assert [o.rank for o in named] == slow
        assert {(o.doubt, o.against, o.median) for o in named} == {(HALVED, "the best", 100.0)}
        assert {o.deviations for o in named} == {None}
        assert not any(m.too_far for m in metrics(fleet_of(rates)))


def test_a_spread_that_names_one_does_so_with_its_limit() -> None:
    fleet = fleet_of([100.0, 99.0, 98.0, 97.0, 96.0, 40.0])
    (o,) = found(fleet)
    assert (o.rank, o.doubt) == (5, "")
    assert metrics(fleet)[0].slow_under is not None


def unstable(severity: str = "suspect", code: str = "unstable") -> dict[str, Any]:
    said = {"code": code, "subject": "add", "severity": severity, "message": "as it says"}
    return {"findings": [said]}


def test_what_nobody_believes_is_not_compared() -> None:
    every = {str(i): unstable() for i in range(3)}
    for rates in ([100.0, 60.0], [100.0, 99.9, 40.0], [100.0, 80.0, 60.0]):
        fleet = fleet_of(rates, **every)
        assert found(fleet) == []
        assert not metrics(fleet)[0].comparable
        assert not metrics(fleet)[0].too_far


def test_who_is_held_against_a_figure_in_doubt_is_not_slow_and_one_in_doubt_itself_is() -> None:
    assert found(fleet_of([140.0, 100.0], **{"0": unstable("wrong", "l2-hit")})) == []
    assert found(fleet_of([100.0, 40.0, 41.0, 40.5], **{"0": unstable("wrong", "l2-hit")})) == []
    (slow,) = found(fleet_of([100.0, 60.0], **{"1": unstable()}))
    assert (slow.rank, slow.reason.code, slow.reason.text) == (1, "unstable", "as it says")
    (slow,) = found(fleet_of([100.0, 60.0], **{"1": unstable("note")}))
    assert slow.reason.code == "unknown"
    named = found(fleet_of([100.0, 100.1, 99.9, 60.0], **{"3": unstable(), "1": unstable()}))
    assert [(o.rank, o.reason.code) for o in named] == [(3, "unstable")]


def test_rates_of_nothing_are_not_compared() -> None:
    fleet = fleet_of([0.0, 0.0, 0.0])
    assert found(fleet) == []
    assert not metrics(fleet)[0].comparable
