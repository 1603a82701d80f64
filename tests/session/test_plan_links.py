"""What sessions and fleets measured between cards, in a plan: whose figure, in which order."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.models import named
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_roofs import fleet_roofs
from roofwatch.session.fleet.lines import CollectiveLine, Header, LinkLine, RankLine
from roofwatch.session.fold import Session
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import PlanError, Question, plan
from roofwatch.session.plan_fleet import fleet_notes
from roofwatch.session.plan_links import with_links
from roofwatch.session.plan_sources import kept_plan
from roofwatch.session.replay import Replay
from roofwatch.tui.plan.plan_rows import latency_of, latency_said

TWO = Path(__file__).parent.parent / "sessions" / "two"
CARDS = Cards(packaged_cards())
EIGHT = named("Llama-3-8B", packaged_models())
ASKED = Question(card="", model="x", tp=2)


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return read_fleet(TWO / "fleet-1.jsonl")


@pytest.fixture(scope="module")
def copies() -> Session:
    return Replay(TWO / "links.jsonl").session


def reduce_line(
    group: str, node: str, alpha_s: float, gbs: float, ranks: int = 8
) -> CollectiveLine:
    sizes = [1 << shift for shift in (10, 20, 28, 30)]
    factor = 2 * (ranks - 1) / ranks
    times = [alpha_s + factor * size / gbs / 1e9 for size in sizes]
    return CollectiveLine(
        op="all_reduce",
        group=group,
        node=node,
        ranks=ranks,
        backend="nccl",
        sizes_bytes=sizes,
        times_s=times,
    )


def many(*lines: CollectiveLine | LinkLine, nodes: tuple[str, ...] = ("a", "b")) -> Fleet:
    found = Fleet()
    found.add(Header(schema="roofwatch.fleet/1", world=len(nodes)))
    for rank, node in enumerate(nodes):
        found.add(RankLine(rank=rank, host=node, node=node))
    for line in lines:
        found.add(line)
    return found


def test_a_fleets_all_reduce_is_the_link_and_its_ranks_the_roofs(fleet: Fleet) -> None:
    found = kept_plan([], [fleet], ASKED, CARDS, EIGHT)
    assert found.gpu == "NVIDIA H200"
    assert (found.bandwidth_from, found.peak_from, found.figures) == ("measured",) * 3
    assert (found.peer_from, found.latency_from) == ("measured", "fitted")
    assert found.peer_gbs == pytest.approx(332, abs=1)
    assert found.peer_latency_s == pytest.approx(51.3e-6, abs=1e-7)
    assert any("all-reduce of 2 ranks by nccl" in note for note in found.notes)
    assert any("the latency is that of 2 cards" in note for note in found.notes)  # of 4 and 8


def scattered() -> Fleet:
    """An all-reduce of two ranks over a slow, noisy socket: no line goes through its times."""
    sizes = [8 << (3 * i) for i in range(8)]
    times = [645e-6, 1100e-6, 300e-6 * 3, 660e-6, 1900e-6, 1200e-6, 11e-3, 60e-3]
    line = CollectiveLine(
        op="all_reduce",
        group="world",
        ranks=2,
        backend="gloo",
        sizes_bytes=sizes,
        times_s=times,
    )
    return many(line, nodes=("a", "a"))


def test_no_exchange_is_counted_with_less_than_any_was_measured_to_take() -> None:
    asked = with_links(ASKED, [], [scattered()])
    asked = msgspec.structs.replace(asked, card="H100 SXM", peer_latency_s=381e-6)
    found = plan(card_named("H100 SXM", CARDS), EIGHT, asked)
    assert (found.peer_latency_s, found.peer_least_s) == (381e-6, 645e-6)
    assert found.curve[0].comm_s == pytest.approx(64 * 645e-6)  # two a layer
    sent_s = 8192 * 128 / (found.peer_gbs or 1) / 1e9
    assert found.curve[-1].comm_s == pytest.approx(64 * (381e-6 + sent_s))
    assert found.latency_from == "fitted"
    given = with_links(msgspec.structs.replace(ASKED, peer_latency_s=1e-6), [], [scattered()])
    assert given.peer_least_s == 0.0  # who gives a latency has said what it is


def test_a_line_that_is_off_says_so_beside_what_it_gives(fleet: Fleet) -> None:
    asked = msgspec.structs.replace(with_links(ASKED, [], [scattered()]), card="H100 SXM")
    assert asked.peer_off > 0.10
    found = plan(card_named("H100 SXM", CARDS), EIGHT, asked)
    off = f"the fit off by {100 * asked.peer_off:.0f} %"
    assert latency_said(found).startswith(f"{latency_of(found)} (fitted, {off}; ")
    assert any("is off by" in note for note in found.notes)
    near = kept_plan([], [fleet], ASKED, CARDS, EIGHT)
    assert latency_said(near).startswith("51.3 us an all-reduce of 2 cards (fitted; over more")
    assert not any("is off by" in note for note in near.notes)
    assert near.peer_off == pytest.approx(0.0416, abs=1e-4)


def test_a_links_session_gives_links_and_the_rest_is_nominal_in_so_many_words(
    copies: Session,
) -> None:
    found = kept_plan([copies], [], ASKED, CARDS, EIGHT)
    assert found.figures == found.bandwidth_from == found.peak_from == "nominal"
    assert found.peer_gbs == pytest.approx(385, abs=1)
    assert found.peer_from == "measured"
    assert "bandwidth and peak for fp16 weights not measured: nominal figures" in found.notes


def test_a_collective_goes_before_copies_whichever_file_is_named_first(
    fleet: Fleet, copies: Session
) -> None:
    found = kept_plan([copies], [fleet], ASKED, CARDS, EIGHT)
    assert found.peer_latency_s == pytest.approx(51.3e-6, abs=1e-7)
    assert found.bandwidth_from == "measured"  # the ranks', where the session has none
    alone = with_links(ASKED, [copies])
    assert alone.peer_hop_s == pytest.approx(13.7e-6, abs=3e-7)


def test_copies_wait_longer_the_more_cards_stand_in_the_ring(copies: Session) -> None:
    rows = kept_plan([copies], [], ASKED, CARDS, EIGHT).scaling
    comm = {x.tp: x.comm_s for x in rows if x.batch == 1}
    assert comm[8] / comm[2] == pytest.approx(7, rel=0.01)


def test_of_several_nodes_the_slowest_all_reduce_within_one_counts() -> None:
    asked = with_links(
        ASKED,
        [],
        [
            many(
                reduce_line("world", "", 9e-4, 10.0, ranks=16),
                reduce_line("within", "a", 3e-5, 400.0),
                reduce_line("within", "b", 4e-5, 300.0),
                reduce_line("between", "", 8e-4, 11.0, ranks=2),
            )
        ],
    )
    assert asked.peer_gbs == pytest.approx(300, rel=0.01)
    assert asked.peer_latency_s == pytest.approx(4e-5, rel=0.01)
    assert asked.peer_ranks == 8


def nodes_of_two() -> Fleet:
    return many(
        reduce_line("world", "", 3e-3, 20.0, ranks=4),
        reduce_line("within", "a", 5e-5, 320.0, ranks=2),
        reduce_line("within", "b", 5e-5, 330.0, ranks=2),
        nodes=("a", "a", "b", "b"),
    )


def test_cards_that_leave_a_node_wait_for_the_all_reduce_between_nodes() -> None:
    h200 = card_named("H200", CARDS)
    asked = [msgspec.structs.replace(ASKED, tp=n) for n in (2, 4)]
    two, four = (plan(h200, EIGHT, with_links(q, [], [nodes_of_two()])) for q in asked)
    assert (two.peer_gbs, four.peer_gbs) == (pytest.approx(320), pytest.approx(20))
    assert (two.latency_cards, four.latency_cards) == (2, 4)
    assert (two.node_cards, four.node_cards) == (2, 2)
    exchanged = [{x.tp: x.comm_s for x in p.scaling if x.batch == 1} for p in (two, four)]
    assert exchanged[0] == exchanged[1]  # a row is the same whichever number was asked for
    assert exchanged[0][2] == pytest.approx(64 * 5e-5, rel=0.05)
    assert exchanged[0][4] == pytest.approx(64 * 3e-3, rel=0.05)
    assert four.curve[0].comm_s == exchanged[0][4]
    (left,) = (n for n in two.notes if "several nodes" in n)
    assert left == (
        "more than 2 cards are of several nodes: their rows go by an all-reduce of 4 ranks, "
        "20 GB/s and 3 ms"
    )
    assert any(n.startswith("up to 2 cards are of one node: ") for n in four.notes)
    assert "of one node" in latency_said(two)
    assert "of several nodes" in latency_said(four)
    assert {two.latency_most, four.latency_most} == {4}  # over 8 it is longer than counted
    assert any("no more were measured; over 4 an all-reduce waits longer" in n for n in two.notes)


def test_of_nodes_of_two_sizes_the_larger_is_a_node_too() -> None:
    fleet = many(
        reduce_line("world", "", 2e-4, 60.0, ranks=6),
        reduce_line("within", "a", 5e-5, 320.0, ranks=4),
        reduce_line("within", "b", 5e-5, 300.0, ranks=2),
        nodes=("a", "a", "a", "a", "b", "b"),
    )
    of = {n: with_links(msgspec.structs.replace(ASKED, tp=n), [], [fleet]) for n in (2, 4, 6)}
    assert {n: q.peer_ranks for n, q in of.items()} == {2: 2, 4: 4, 6: 6}
    rates = {n: q.peer_gbs for n, q in of.items()}
    assert rates == pytest.approx({2: 300, 4: 320, 6: 60}, rel=0.01)  # the slowest that has so many
    assert (of[2].peer_most, of[4].peer_most, of[6].peer_fewest) == (4, 4, 5)


def test_copies_within_a_node_and_between_nodes_make_one_table() -> None:
    pairs = [
        LinkLine(a=a, b=b, group=group, size_bytes=1 << 26, time_s=(1 << 26) / gbs, latency_s=late)
        for a, b, group, gbs, late in (
            (0, 1, "within", 300e9, 2e-5),
            (2, 3, "within", 300e9, 2e-5),
            (0, 2, "between", 30e9, 3e-4),
            (1, 3, "between", 30e9, 3e-4),
        )
    ]
    fleet = many(*pairs, nodes=("a", "a", "b", "b"))
    h200 = card_named("H200", CARDS)
    asked = [msgspec.structs.replace(ASKED, tp=n) for n in (2, 4)]
    two, four = (plan(h200, EIGHT, with_links(q, [], [fleet])) for q in asked)
    rows = [{x.tp: x.comm_s for x in p.scaling if x.batch == 1} for p in (two, four)]
    assert rows[0] == rows[1]
    assert rows[0][4] == pytest.approx(64 * 6 * 3e-4, rel=0.05)
    assert any(n.endswith("copies there, 30 GB/s and 600 us of 2 cards") for n in two.notes)
    assert any("up to 2 cards are of one node" in n for n in four.notes)


def test_one_card_a_node_waits_for_the_all_reduce_of_all() -> None:
    pair = LinkLine(a=0, b=1, group="between", size_bytes=1 << 26, time_s=1.0, latency_s=1e-4)
    fleet = many(reduce_line("world", "", 5e-4, 1.3, ranks=2), pair)
    asked = with_links(ASKED, [], [fleet])
    assert (asked.peer_gbs, asked.peer_ranks) == (pytest.approx(1.3, rel=0.01), 2)
    assert asked.peer_latency_s == pytest.approx(5e-4, rel=0.01)
    assert asked.peer_other is None


def test_a_given_latency_stands_within_a_node_and_between_nodes() -> None:
    given = msgspec.structs.replace(ASKED, peer_latency_s=1e-5)
    asked = with_links(given, [], [nodes_of_two()])
    assert asked.peer_other is not None
    assert (asked.peer_latency_s, asked.peer_other.latency_s) == (1e-5, 1e-5)
    assert (asked.peer_least_s, asked.peer_other.least_s) == (0.0, 0.0)
    found = plan(card_named("H200", CARDS), EIGHT, asked)
    assert (found.latency_cards, found.latency_most) == (2, 2)
    assert any(n.endswith("and the latency that was given") for n in found.notes)


def test_a_fleet_without_collectives_gives_its_pairs() -> None:
    pairs = (
        LinkLine(a=0, b=1, size_bytes=1 << 26, time_s=(1 << 26) / 300e9, latency_s=2e-5),
        LinkLine(a=0, b=2, group="between", size_bytes=1 << 26, time_s=1.0, latency_s=1e-3),
    )
    asked = with_links(ASKED, [], [many(*pairs, nodes=("a", "a", "b"))])
    assert asked.peer_gbs == pytest.approx(300)
    assert (asked.peer_hop_s, asked.peer_latency_s) == (pytest.approx(2e-5), None)
    three = msgspec.structs.replace(ASKED, tp=3)  # more than a node has
    asked = with_links(three, [], [many(*pairs, nodes=("a", "a", "b"))])
    assert (asked.peer_gbs, asked.peer_hop_s) == (pytest.approx(0.0671, rel=0.01), 1e-3)


def test_what_is_given_stands(fleet: Fleet) -> None:
    given = msgspec.structs.replace(ASKED, peer_gbs=100.0)
    assert with_links(given, [], [fleet]) is given
    late = with_links(msgspec.structs.replace(ASKED, peer_latency_s=0.0), [], [fleet])
    assert (late.peer_latency_s, late.peer_source) == (0.0, "measured")
    found = kept_plan([], [fleet], late, CARDS, EIGHT)
    assert (found.peer_latency_s, found.latency_from) == (0.0, "given")


def test_files_of_two_cards_make_no_plan(fleet: Fleet, full: Session) -> None:
    other = (
        msgspec.structs.replace(full.nominal, key="x", name="NVIDIA X") if full.nominal else None
    )
    full.nominal = other
    with pytest.raises(PlanError, match="measured on NVIDIA X, not on NVIDIA H200"):
        kept_plan([full], [fleet], ASKED, CARDS, EIGHT)
    with pytest.raises(PlanError, match="not on Tesla T4"):
        kept_plan([], [fleet], msgspec.structs.replace(ASKED, card="T4"), CARDS, EIGHT)
    with pytest.raises(PlanError, match="no rank of the fleet has measured a card"):
        kept_plan([], [many()], ASKED, CARDS, EIGHT)


def test_break_even_is_where_both_take_as_long(fleet: Fleet) -> None:
    found = kept_plan([], [fleet], ASKED, CARDS, EIGHT)
    two = next(x for x in found.scaling if (x.tp, x.batch) == (2, 1))
    assert two.break_even_s is not None
    assert two.break_even_s < found.peer_latency_s  # so one card is the faster
    at = msgspec.structs.replace(ASKED, peer_latency_s=two.break_even_s)
    even = kept_plan([], [fleet], at, CARDS, EIGHT).scaling
    assert next(x for x in even if (x.tp, x.batch) == (2, 1)).speedup == pytest.approx(1.0)
    assert [x.break_even_s for x in found.scaling if x.tp == 1] == [None, None]


def test_a_fleet_is_planned_by_its_slowest_rank_and_listed_by_the_slower_of_two(
    fleet: Fleet,
) -> None:
    found = kept_plan([], [fleet], ASKED, CARDS, EIGHT)
    peaks = [r.peaks_tflops["fp16"] for r in fleet.in_order]
    rates = [r.bandwidth_gbs for r in fleet.in_order if r.bandwidth_gbs]
    assert (found.peak_tflops, found.peak_slowest_of) == (min(peaks), 2)
    assert (found.bandwidth_gbs, found.bandwidth_slowest_of) == (min(rates), 2)
    listed = fleet_roofs(fleet, found.gpu)
    assert listed.compute["fp16"].burst_tflops == min(peaks)
    typed = msgspec.structs.replace(ASKED, peak_tflops=500.0)
    given = kept_plan([], [fleet], typed, CARDS, EIGHT)
    assert (given.peak_slowest_of, given.bandwidth_slowest_of) == (0, 2)


def test_a_latency_holds_for_the_cards_that_it_was_measured_on(
    fleet: Fleet, copies: Session
) -> None:
    assert kept_plan([], [fleet], ASKED, CARDS, EIGHT).latency_cards == 2
    four = msgspec.structs.replace(ASKED, tp=4)
    assert kept_plan([], [fleet], four, CARDS, EIGHT).latency_cards == 2
    assert kept_plan([copies], [], four, CARDS, EIGHT).latency_cards == 0  # it grows
    given = msgspec.structs.replace(four, peer_latency_s=1e-5)
    assert kept_plan([], [fleet], given, CARDS, EIGHT).latency_cards == 4


def test_a_slow_rank_of_another_card_is_not_told_of_this_one() -> None:
    found = read_fleet(TWO / "fleet-slow.jsonl")
    own = kept_plan([], [found], ASKED, CARDS, EIGHT)
    assert any("slow in this fleet: vm card 1 (rank 1)" in note for note in own.notes)
    assert fleet_notes(found, "Tesla T4", with_slowest(2)) != []  # one kind: all ranks count
    other = msgspec.structs.replace(found.ranks[0], rank=2, device="Tesla T4")
    found.ranks[2] = other
    said = fleet_notes(found, "Tesla T4", with_slowest(2))
    assert not [note for note in said if note.startswith("slow")]
    said = fleet_notes(found, "NVIDIA H200", with_slowest(0))  # its roofs are not in use
    assert not [note for note in said if note.startswith("slow")]


def with_slowest(ranks: int) -> Question:
    return msgspec.structs.replace(ASKED, peak_key="fp16", peak_slowest_of=ranks)


def test_the_memory_is_what_the_ranks_drivers_report_and_the_least_of_them(fleet: Fleet) -> None:
    seen = kept_plan([], [fleet], ASKED, CARDS, EIGHT).memory_bytes
    assert seen == 150754820096
    other = read_fleet(TWO / "fleet-1.jsonl")
    other.ranks[1] = msgspec.structs.replace(other.ranks[1], memory_bytes=140e9)
    assert kept_plan([], [other], ASKED, CARDS, EIGHT).memory_bytes == 140e9
    unread = read_fleet(TWO / "fleet-1.jsonl")
    for rank, told in unread.ranks.items():
        unread.ranks[rank] = msgspec.structs.replace(told, memory_bytes=None)
    assert (
        kept_plan([], [unread], ASKED, CARDS, EIGHT).memory_bytes == 141 << 30
    )  # as the table has it


def test_a_slow_rank_is_held_against_what_its_report_says() -> None:
    found = read_fleet(TWO / "fleet-1.jsonl")
    first = found.ranks[0]
    for rank, share in ((0, 1.0), (1, 0.7), (2, 0.45)):
        fp16 = msgspec.structs.replace(first.figures["matmul-fp16"], value=800 * share)
        found.ranks[rank] = msgspec.structs.replace(
            first, rank=rank, figures={"matmul-fp16": fp16}, peaks_tflops={"fp16": 800 * share}
        )
    (said,) = [
        n for n in fleet_notes(found, "NVIDIA H200", with_slowest(3)) if n.startswith("slow")
    ]
    assert "matmul-fp16 360 TFLOP/s, 55 % under the best 800; half of the best" in said
