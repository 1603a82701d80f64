"""Slow links by name: between nodes as a whole, a node by its best link, a single pair."""

from __future__ import annotations

import msgspec
import pytest
from made_fleet import made_fleet

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import (
    BETWEEN,
    WITHIN,
    CollectiveLine,
    LinkLine,
    OverlapLine,
    RankLine,
)
from roofwatch.session.fleet.link_figures import (
    collective,
    link_roofs,
    overlapped,
    slow_links,
)
from roofwatch.session.fleet.rank_figures import Said
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.fleet.link_rows import link_rows

SIZE = 1 << 20


def link(a: int, b: int, gbs: float, group: str = WITHIN) -> LinkLine:
    return LinkLine(a=a, b=b, group=group, size_bytes=SIZE, time_s=SIZE / gbs / 1e9)


def fleet_of(nodes: list[int], links: list[LinkLine]) -> Fleet:
    """``nodes`` has the node of each rank."""
    fleet = Fleet()
    for rank, node in enumerate(nodes):
        fleet.add(
            RankLine(rank=rank, host=f"n{node}", node=f"n{node}", card=nodes[:rank].count(node))
        )
    for each in links:
        fleet.add(each)
    return fleet


def test_good_links_are_not_named() -> None:
    assert slow_links(made_fleet(64)) == []  # 380 within, 45 between: under nine times


def test_a_link_between_two_hosts_is_held_against_those_within() -> None:
    links = [
        link(0, 1, 1.1),
        link(2, 3, 1.0),
        link(0, 2, 0.012, BETWEEN),
        link(1, 3, 0.012, BETWEEN),
    ]
    slow = slow_links(fleet_of([0, 0, 1, 1], links))
    assert [s.what for s in slow] == ["between nodes"]
    assert slow[0].times == pytest.approx(1.05 / 0.012)
    assert "about 9 times" in slow[0].text


def test_a_node_is_judged_by_its_best_link() -> None:
    ring = [(0, 1, 1.0), (1, 2, 0.02), (2, 3, 0.02), (0, 3, 0.98)]
    slow = slow_links(fleet_of([0, 1, 2, 3], [link(a, b, r, BETWEEN) for a, b, r in ring]))
    assert [s.what for s in slow] == ["n2"]
    assert slow[0].deviations is not None


@pytest.mark.parametrize(
    ("rates", "slow"),
    [
        ((1.75, 3.68, 3.27), []),  # two of three always share the best link
        ((3.0, 3.68, 3.3), []),
        ((3.0, 3.68, 3.01), ["n0"]),
        ((0.11, 3.68, 0.1), ["n0"]),
    ],
)
def test_of_three_nodes_the_one_without_the_best_link_is_not_slow_for_that(
    rates: tuple[float, ...], slow: list[str]
) -> None:
    ring = zip(((0, 1), (1, 2), (2, 0)), rates, strict=True)
    links = [link(a, b, gbs, BETWEEN) for (a, b), gbs in ring]
    assert [s.what for s in slow_links(fleet_of([0, 1, 2], links))][:1] == slow


def test_one_slow_pair_within_a_node_is_named() -> None:
    links = [link(i, i + 1, 380 + i) for i in range(7)]
    links[3] = link(3, 4, 200)
    slow = slow_links(fleet_of([0] * 8, links))
    assert [s.what for s in slow] == ["n0 card 3 to n0 card 4"]


def test_a_collective_by_the_convention() -> None:
    line = CollectiveLine(op="all_reduce", ranks=4, sizes_bytes=[8, 64, 1000], times_s=[1e-6] * 3)
    told = collective(line)
    assert told.sizes[2].algorithm_gbs == pytest.approx(1.0)
    assert told.best_bus_gbs == pytest.approx(1.5)
    assert told.fit is not None
    none = collective(CollectiveLine(op="all_to_all", status="not_supported"))
    assert (none.sizes, none.fit, none.best_bus_gbs) == ([], None, None)


def test_overlap_against_the_seeds_rule() -> None:
    fleet = Fleet()
    assert overlapped(fleet) is None
    fleet.add(OverlapLine(ranks=2, compute_s=3.0, link_s=2.0, together_s=3.5))
    o = overlapped(fleet)
    assert o is not None
    assert (o.hidden, o.longer_s, o.sum_s) == (0.75, 3.0, 5.0)


def test_the_third_roof_from_an_all_reduce_and_the_ranks_own_flats() -> None:
    roof = link_roofs(made_fleet(8))[0]
    assert roof.peak_key == "bf16"
    assert roof.ridge == pytest.approx(roof.peak_tflops * 1e3 / roof.bus_gbs)
    assert link_roofs(Fleet()) == []


def with_peaks(cards: list[tuple[str, dict[str, float]]], bus_gbs: float = 100.0) -> Fleet:
    """A rank a card that computes at these flats, and an all-reduce; no bandwidth was measured."""
    fleet = Fleet()
    for rank, (name, peaks) in enumerate(cards):
        probe = {"id": "a", "probe": "matmul", "gbs": 1.0, "tflops": 1.0, "protocol": "burst"}
        made = {
            "device": {"kind": "cuda", "name": name},
            "measurements": [probe | {"peak_key": "bf16"}],
            "roofs": {"compute": {key: {"burst_tflops": x} for key, x in peaks.items()}},
        }
        record = msgspec.Raw(msgspec.json.encode(made))
        fleet.add(RankLine(rank=rank, host="n0", node="n0", card=rank, record=record))
    size, world = 1 << 30, len(cards)
    time_s = size * 2 * (world - 1) / world / bus_gbs / 1e9
    fleet.add(
        CollectiveLine(op="all_reduce", ranks=world, sizes_bytes=[size] * 3, times_s=[time_s] * 3)
    )
    return fleet


def test_the_third_roof_needs_no_bandwidth_of_memory() -> None:
    (roof,) = link_roofs(with_peaks([("card", {"bf16": 800.0})] * 2))
    assert (roof.peak_tflops, roof.device) == (800.0, "card")
    assert roof.ridge == pytest.approx(8000)


@pytest.mark.parametrize(
    ("cards", "key", "peak"),
    [
        (["T4", "H200", "H200"], "bf16", 700.0),  # of which there are more
        (["T4", "H200"], "fp16", 60.0),  # as many of both: the first rank's
        (["T4", "T4", "H200", "H200", "H200"], "bf16", 700.0),
    ],
)
def test_of_two_kinds_of_card_the_third_roof_is_of_one(
    cards: list[str], key: str, peak: float
) -> None:
    peaks = {"T4": {"fp16": 60.0, "fp32": 8.0}, "H200": {"bf16": 700.0, "fp16": 690.0}}
    (roof,) = link_roofs(with_peaks([(name, peaks[name]) for name in cards]))
    assert (roof.peak_key, roof.peak_tflops) == (key, peak)
    assert peaks[roof.device][roof.peak_key] == peak
    assert roof.ridge == pytest.approx(peak * 10)


def test_the_report_says_whose_flat_it_is_where_cards_are_of_two_kinds() -> None:
    two = [("T4", {"fp16": 60.0}), ("H200", {"bf16": 700.0}), ("H200", {"bf16": 702.0})]
    said = "\n".join(text_of(r) for r in link_rows(with_peaks(two), 100, UNICODE))
    assert "H200's bf16 700 TFLOP/s need 7000 FLOP per byte sent" in said  # of two the slower
    alike = "\n".join(text_of(r) for r in link_rows(with_peaks(two[1:]), 100, UNICODE))
    assert "each way: bf16 700 TFLOP/s" in alike
    assert "believed" not in said + alike


def test_a_third_roof_of_a_rate_in_doubt_says_so() -> None:
    fleet = with_peaks([("card", {"bf16": 700.0}), ("card", {"bf16": 400.0})])
    (roof,) = link_roofs(fleet)
    assert not roof.doubted
    rank = fleet.ranks[1]
    figure = next(iter(rank.figures.values()))
    fleet.ranks[1] = msgspec.structs.replace(
        rank,
        figures={"matmul-bf16": figure},
        findings=(Said(code="unstable", severity="suspect", subject="matmul-bf16"),),
    )
    (roof,) = link_roofs(fleet)
    assert roof.doubted
    said = " ".join(" ".join(text_of(r) for r in link_rows(fleet, 100, UNICODE)).split())
    assert "4000 FLOP per byte sent (that rate is not to be believed: a rank's own record" in said
