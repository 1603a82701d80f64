"""What the links were sold as: by the driver's word, by a rate that PCIe has not, or not known."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import (
    BETWEEN,
    WITHIN,
    WORLD,
    CollectiveLine,
    Header,
    LinkLine,
    RankLine,
)
from roofwatch.session.fleet.link_figures import collective, link_gbs
from roofwatch.session.fleet.link_nominals import (
    BY_CARD,
    BY_DRIVER,
    BY_RATE,
    link_nominals,
    of_collective,
)

TWO = Path(__file__).parents[2] / "sessions" / "two"
SIZE = 1 << 26
H200, T4 = "h200-sxm-141", "t4"


def fleet_of(keys: list[str], gbs: float, device: str = "cuda", link: str = "") -> Fleet:
    """Ranks of one node, a card each; all neighbours carry ``gbs``."""
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=len(keys), device=device))
    for rank, key in enumerate(keys):
        record = msgspec.Raw(msgspec.json.encode({"nominal": {"key": key}}))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=record))
    for rank in range(len(keys) - 1):
        time_s = SIZE / gbs / 1e9
        fleet.add(LinkLine(a=rank, b=rank + 1, size_bytes=SIZE, time_s=time_s, link=link))
    return fleet


@pytest.mark.parametrize("name", ["fleet-1", "fleet-2", "fleet-3"])
def test_two_h200s_are_held_against_nvlink(name: str) -> None:
    fleet = read_fleet(TWO / f"{name}.jsonl")
    found = link_nominals(fleet)
    for group in (WITHIN, WORLD):
        assert (found[group].link, found[group].gbs, found[group].how) == ("nvlink", 450, BY_RATE)
    shares = {c.op: of_collective(found, c) for c in fleet.collectives}
    assert shares["all_reduce"] == pytest.approx(0.727, abs=0.01)
    assert found[WITHIN].share(link_gbs(fleet)[0, 1]) == pytest.approx(0.64, abs=0.02)


def test_the_drivers_word_stands_before_a_rate() -> None:
    by_word = link_nominals(fleet_of([H200, H200], 50.0, link="pcie"))[WITHIN]
    assert (by_word.link, by_word.how) == ("pcie", BY_DRIVER)
    assert by_word.gbs == pytest.approx(63.0, abs=0.1)
    nvlink = link_nominals(fleet_of([H200, H200], 20.0, link="nvlink"))[WITHIN]
    assert nvlink.share(20.0) == pytest.approx(20 / 450)


def test_a_rate_that_pcie_has_too_tells_nothing() -> None:
    slow = link_nominals(fleet_of([H200, H200], 50.0))[WITHIN]
    assert (slow.gbs, slow.share(50.0)) == (None, None)
    assert slow.why == "by NVLink (450 GB/s) or PCIe (63): the file does not say which"


def test_a_card_without_nvlink_has_pcie() -> None:
    found = link_nominals(fleet_of([T4, T4], 6.0))[WITHIN]
    assert (found.link, found.how) == ("pcie", BY_CARD)
    assert found.gbs == pytest.approx(15.75, abs=0.1)


def test_nothing_is_sold_of_gloo_of_a_network_or_of_an_unknown_card() -> None:
    assert "gloo" in link_nominals(fleet_of([H200, H200], 3.0, device="cpu"))[WITHIN].why
    assert (
        link_nominals(fleet_of(["", ""], 300.0))[WITHIN].why == "the card's links are in no table"
    )
    two = fleet_of([H200, H200], 300.0)
    two.add(RankLine(rank=2, host="m", node="m"))
    found = link_nominals(two)
    assert found[WITHIN].gbs == 450
    assert found[WORLD].gbs is None
    assert "network between nodes" in found[BETWEEN].why


def test_a_collective_within_a_node_tells_where_no_pair_was_measured() -> None:
    fleet = fleet_of([H200, H200], 300.0)
    fleet.links.clear()
    line = CollectiveLine(
        op="broadcast", ranks=2, backend="nccl", sizes_bytes=[1 << 30], times_s=[(1 << 30) / 3e11]
    )
    fleet.add(line)
    assert collective(line).best_bus_gbs == pytest.approx(300)
    assert of_collective(link_nominals(fleet), line) == pytest.approx(300 / 450)


def test_a_kind_that_nobody_knows_is_none() -> None:
    found = link_nominals(fleet_of([H200, H200], 300.0, link="carrier pigeon"))[WITHIN]
    assert (found.link, found.how) == ("nvlink", BY_RATE)


def test_pairs_of_two_kinds_are_not_held_against_one() -> None:
    fleet = fleet_of([H200, H200, H200], 300.0, link="nvlink")
    fleet.links[1] = msgspec.structs.replace(fleet.links[1], link="pcie")
    assert link_nominals(fleet)[WITHIN].gbs is None


def collective_of(op: str, gbs: float, ranks: int) -> CollectiveLine:
    """Of 1 GiB, at an algorithm bandwidth."""
    size = 1 << 30
    times = [size / gbs / 1e9]
    return CollectiveLine(op=op, ranks=ranks, backend="nccl", sizes_bytes=[size], times_s=times)


def test_what_a_link_carried_at_least_is_the_best_of_all_that_was_timed_on_it() -> None:
    fleet = read_fleet(TWO / "fleet-1.jsonl")
    for group in (WITHIN, WORLD):
        found = link_nominals(fleet)[group]
        assert found.carried_by == "broadcast"
        assert found.carried_gbs == pytest.approx(367.6, abs=0.1)
        assert found.of_nominal == pytest.approx(0.817, abs=0.001)
    told = json.loads(b"".join(fleet_json(fleet, [])))["link_nominals"][0]
    assert told["carried_by"] == "broadcast"
    assert told["of_nominal"] == pytest.approx(0.817, abs=0.001)
    pairs = link_nominals(fleet_of([H200, H200], 300.0))[WITHIN]
    assert (pairs.carried_by, pairs.of_nominal) == ("pair", pytest.approx(300 / 450))


def test_bytes_that_a_switch_saves_are_not_carried() -> None:
    fleet = fleet_of([H200] * 8, 300.0)
    fleet.add(collective_of("all_reduce", 280.0, 8))  # 490 GB/s of bus bandwidth
    assert link_nominals(fleet)[WITHIN].carried_gbs == pytest.approx(300)
    fleet.add(collective_of("all_gather", 400.0, 8))
    found = link_nominals(fleet)[WITHIN]
    assert (found.carried_by, found.carried_gbs) == ("all_gather", pytest.approx(350))


def test_between_nodes_the_rate_is_told_without_a_share_and_nothing_where_nothing_ran() -> None:
    fleet = fleet_of([H200, H200], 300.0)
    fleet.add(RankLine(rank=2, host="m", node="m"))
    fleet.add(LinkLine(a=0, b=2, group=BETWEEN, size_bytes=SIZE, time_s=SIZE / 45e9))
    fleet.add(collective_of("broadcast", 400.0, 3))  # over both kinds of link: it tells of neither
    found = link_nominals(fleet)
    assert (found[BETWEEN].carried_gbs, found[BETWEEN].of_nominal) == (pytest.approx(45), None)
    assert found[WITHIN].carried_gbs == pytest.approx(300)
    assert found[WORLD].carried_gbs is None
    fleet.links.clear()
    assert link_nominals(fleet)[WITHIN].carried_gbs is None
