"""The report of a fleet: it names what is slow, and fits whatever the number of ranks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from made_fleet import fleet_lines, made_fleet
from rich.cells import cell_len

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import (
    CollectiveLine,
    EndLine,
    Header,
    LinkLine,
    NoteLine,
    RankLine,
)
from roofwatch.session.fleet.outliers import outliers
from roofwatch.session.fleet.shared_cards import shared_cards
from roofwatch.session.fleet.spreads import metrics
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.fleet_rows import fleet_rows


def printed(fleet: Fleet, cells: int = 80, glyphs: Glyphs = UNICODE) -> list[str]:
    return [text_of(r) for r in fleet_rows(fleet, cells, glyphs)]


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    return made_fleet(64, lost=(3,))


def test_it_names_the_slow_with_their_numbers_and_reasons(fleet: Fleet) -> None:
    text = "\n".join(printed(fleet, 120))
    assert "64 ranks on 8 nodes, NVIDIA H200; quick suite by torchrun" in text
    assert "✓ 63 measured   ✗ 1 not whole   ▲ 5 slow ranks" in text
    assert "node004 card 7 (rank 39)" in text
    assert "robust deviations" in text
    assert "low-clock: its clock was 1742 MHz, the others' 1980 MHz" in text
    assert "unknown: not its clock; its record has no other reason" in text
    assert "slow by node: node001 1 of 8" in text


def test_links_are_told_in_the_convention_of_nccl_tests(fleet: Fleet) -> None:
    text = "\n".join(printed(fleet))
    assert " collective, 64 ranks     latency  at size bus GB/s share" in text
    assert (
        " all_reduce                  20 µs   1 GiB      490   n/a   20 µs    250     0 %" in text
    )
    assert "83 % of the shorter one is" in " ".join(text.split())
    assert "7 between nodes, 45.0 GB/s at 64 MiB, latency 8 µs" in text
    assert "56 within nodes, 380 GB/s at 64 MiB, 84 % of nominal, latency 8 µs" in text


@pytest.mark.parametrize("cells", [80, 120])
@pytest.mark.parametrize("ranks", [8, 64, 256])
def test_it_fits_a_screen_however_many_there_are(cells: int, ranks: int) -> None:
    rows = printed(made_fleet(ranks, lost=tuple(range(0, ranks, 7))), cells)
    assert len(rows) <= 66
    assert all(len(r) <= cells for r in rows)


def test_ascii_and_what_a_host_is_called_cannot_act(fleet: Fleet) -> None:
    assert all(r.isascii() or "°" in r for r in printed(fleet, glyphs=ASCII))
    evil = Fleet()
    evil.add(Header(schema="roofwatch.fleet/1", world=2, suite="\x1b[2J", launcher="\x07"))
    evil.add(RankLine(rank=0, host="\x1b]0;x", node="\x1b[31m", state="failed", why="\x1b[H"))
    evil.add(CollectiveLine(op="\x1b[1m", status="\x1b[5m"))
    evil.add(LinkLine(a=0, b=1, size_bytes=8, time_s=1e-6))
    assert not any("\x1b" in r or "\x07" in r for r in printed(evil))


def test_a_file_that_was_cut_short_says_so() -> None:
    cut = made_fleet(8, links=False)
    cut.end = None
    assert "cut short" in " ".join(" ".join(printed(cut)).split())
    cut.add(EndLine(complete=True))
    assert "cut short" not in " ".join(printed(cut))


def test_two_ranks_are_compared_and_one_is_not() -> None:
    alone, two = Fleet(), Fleet()
    for fleet, rates in ((alone, [100.0]), (two, [100.0, 80.0])):
        fleet.add(Header(schema="roofwatch.fleet/1", world=len(rates), device="cuda"))
        for rank, gbs in enumerate(rates):
            m = {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0, "protocol": "stream"}
            made = {"device": {"kind": "cuda", "name": "card"}, "measurements": [m]}
            record = msgspec.Raw(msgspec.json.encode(made))
            fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=record))
    assert "slow" not in " ".join(printed(alone))
    text = " ".join(" ".join(printed(two)).split())
    assert "n card 1 (rank 1): add 80.0 GB/s, 20 % under the faster 100" in text
    assert "of two, spread cannot tell which is wrong" in text


TWO = Path(__file__).parents[2] / "sessions" / "two"


def test_the_report_of_two_h200s_says_when_with_what_and_what_share_of_the_links() -> None:
    text = " ".join(" ".join(printed(read_fleet(TWO / "fleet-1.jsonl"))).split())
    assert "recorded 2026-11-30 12:54 UTC on vm; roofwatch 0.1.0, torch 2.11.0+cu130, NCCL;" in text
    assert "driver 580.159.04; power limit 700 W" in text
    assert (
        "nominal: NVLink by its rate, 450 GB/s each way, all links of a card; carried at least "
        "368, 82 % (broadcast)"
    ) in text
    assert "beta: GB/s of the collective's own bytes (algorithm bandwidth), which may" in text
    assert "1 GiB 328 73 %" in text
    assert "pairs: 1 within nodes, 295 GB/s at 64 MiB, 66 % of nominal, latency 32.6 µs" in text
    assert "add_scalar-fp16, GB/s 4274 4272 4274 0.3 % ✓" in text
    assert "matmul-bf16-sustained, TFLOP/s 694 688 694 4 % ✓" in text


def test_of_two_cards_the_slowed_one_alone_is_slow() -> None:
    text = " ".join(" ".join(printed(read_fleet(TWO / "fleet-slow.jsonl"))).split())
    assert "▲ 1 slow rank · no links" in text
    assert "SM clock, held, MHz 1536 1462 1536 4 % ✓" in text
    assert "card 0 (rank 0)" not in text
    assert "links: not measured, and the file does not say why" in text


def test_a_slow_link_is_in_the_headline_and_told_by_times() -> None:
    fleet = made_fleet(8)
    fleet.links[3] = msgspec.structs.replace(fleet.links[3], time_s=(64 << 20) / 38e9)
    rows = printed(fleet, 120)
    assert "▲ 1 slow link" in rows[1]
    said = "node000 card 3 to node000 card 4 carries 38 GB/s: 10 times slower than the median"
    assert said in " ".join(rows)
    assert "robust deviations)" in rows[-1]


def test_ranks_that_a_torn_file_lacks_are_named() -> None:
    fleet = Fleet()
    for line in fleet_lines(8, links=False):
        if not (isinstance(line, RankLine) and line.rank in (2, 5)):
            fleet.add(line)
    text = "\n".join(printed(fleet))
    assert "✗ 2 not whole" in text
    assert "✗ ranks 2, 5 nothing of it is in the file" in text


@pytest.mark.parametrize(
    ("device", "launcher", "said"),
    [
        ("cpu", "alone", "1 rank on 1 node, CPUs; short suite, one process alone"),
        ("cuda", "Slurm", "1 rank on 1 node, GPUs; short suite by Slurm"),
    ],
)
def test_a_fleet_that_measured_nothing(device: str, launcher: str, said: str) -> None:
    fleet = Fleet()
    header = Header(schema="roofwatch.fleet/1", suite="short", device=device, launcher=launcher)
    fleet.add(header)
    fleet.add(RankLine(rank=0, host="n", node="n", state="failed", why="not done after 3 s"))
    fleet.add(EndLine(complete=False))
    rows = printed(fleet)
    assert rows[0] == f" {said}"
    assert rows[1] == " ✗ none measured   ✗ 1 not whole"


def test_nodes_that_call_themselves_alike_and_threads_are_told() -> None:
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=2, device="cpu", torch="2.13"))
    record = {
        "device": {"kind": "cpu", "name": "c"},
        "software": {"settings": {"OMP_NUM_THREADS": "4"}},
    }
    raw = msgspec.Raw(msgspec.json.encode(record))
    for rank, node in enumerate(("vm", "vm#2")):
        fleet.add(RankLine(rank=rank, host="vm", node=node, record=raw))
    text = " ".join(" ".join(printed(fleet)).split())
    assert "on vm, vm#2 (nodes of one name, vm, are numbered); torch 2.13" in text
    assert "each rank with OMP_NUM_THREADS=4" in text


@pytest.mark.parametrize("cells", [80, 100, 120])
def test_no_figure_loses_its_unit(cells: int) -> None:
    rows = printed(read_fleet(TWO / "fleet-1.jsonl"), cells)
    assert any(r.startswith(" matmul-bf16-sustained, TFLOP/s ") for r in rows)


@pytest.mark.parametrize("cells", [60, 70, 80, 120])
@pytest.mark.parametrize("name", ["fleet-1", "fleet-slow"])
def test_a_recorded_fleet_fits(name: str, cells: int) -> None:
    kept = read_fleet(Path(__file__).parents[2] / "sessions" / "two" / f"{name}.jsonl")
    lines = [line.rstrip() for line in printed(kept, cells)]
    assert max(map(cell_len, lines)) <= cells
    text = "\n".join(lines)
    if name == "fleet-1":
        assert ("fit off: how far" in text) == ("fit off" in text) == (cells >= 76)
        assert "bus GB/s" in text


def test_cards_with_endless_names_fit() -> None:
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=4, device="cuda"))
    for rank in range(4):
        m = {"id": "a", "probe": "add", "gbs": 100.0, "tflops": 0, "protocol": "stream"}
        made = {"device": {"kind": "cuda", "name": "xy"[rank % 2] * 5000}, "measurements": [m]}
        record = msgspec.Raw(msgspec.json.encode(made))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=record))
    lines = [line.rstrip() for line in printed(fleet, 80)]
    assert max(map(cell_len, lines)) <= 80
    assert sum("…" in line for line in lines) >= 2


def test_ranks_that_had_one_card_together_are_told() -> None:
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=4, device="cuda"))
    for rank, card in enumerate("abba"):
        gbs = 50.0 if rank == 3 else 100.0
        m = {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0, "protocol": "stream"}
        device = {"kind": "cuda", "name": "card", "uuid": f"GPU-{card}"}
        record = msgspec.Raw(msgspec.json.encode({"device": device, "measurements": [m]}))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=record))
    assert shared_cards(fleet) == [(0, 3), (1, 2)]
    lines = printed(fleet)
    assert sum("had one card together" in line for line in lines) == 2
    assert " ▲ ranks 0, 3 had one card together: each shows a part of it" in lines
    told = json.loads(b"".join(fleet_json(fleet, [])))
    assert told["shared_cards"] == [[0, 3], [1, 2]]
    (slow,) = outliers(fleet, metrics(fleet))
    assert (slow.rank, slow.reason.code) == (3, "other-process")
    assert slow.reason.text == "it had its card together with rank 0"
    assert shared_cards(made_fleet(64)) == []
    assert shared_cards(read_fleet(TWO / "fleet-1.jsonl")) == []


def test_a_stream_that_is_slow_by_little_has_digits() -> None:
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=2, device="cuda"))
    for rank, gbs in enumerate((4284.0, 4264.0)):
        m = {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0, "protocol": "stream"}
        record = msgspec.Raw(msgspec.json.encode({"device": {"kind": "cuda"}, "measurements": [m]}))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=record))
    text = " ".join(" ".join(printed(fleet)).split())
    assert "▲ 0.47 %" in text
    assert "0.47 % under the faster" in text


DOUBTS = "not to be believed"


def doubting(rates: list[float], findings: dict[int, list[tuple[str, str, str]]]) -> Fleet:
    """Ranks of one node that measured ``add``, ``b``, ``c``, ... alike but for ``add``."""
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=len(rates), device="cuda"))
    for rank, gbs in enumerate(rates):
        found = findings.get(rank, [])
        names = ["add", *dict.fromkeys(of for _, _, of in found if of != "add")]
        record = {
            "device": {"kind": "cuda", "name": "card"},
            "measurements": [
                {"id": n, "probe": n, "gbs": gbs if n == "add" else 50.0, "tflops": 0}
                | {"protocol": "stream"}
                for n in names
            ],
            "findings": [
                {"code": c, "severity": s, "subject": of, "message": "as it says"}
                for c, s, of in found
            ],
        }
        raw = msgspec.Raw(msgspec.json.encode(record))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=raw))
    return fleet


def test_a_figure_that_its_own_record_doubts_is_not_passed() -> None:
    rows = printed(read_fleet(TWO / "fleet-slow.jsonl"))
    assert rows[1].rstrip() == " ✓ 2 measured   ▲ 1 slow rank   · no links   ? 1 doubted"
    marks = {r.split(",")[0].strip(): r.split()[-1] for r in rows if " GB/s " in r}
    assert marks == {"add_scalar-fp16": "?", "add_scalar-fp32": "?"}
    text = " ".join(" ".join(rows).split())
    assert (
        "▲ vm card 1 (rank 1): not to be believed: unstable (add_scalar-fp16, matmul-bf16, "
        "matmul-fp16, matmul-tf32 and 2 more)"
    ) in text
    assert "; ? a rank's own record doubts it" in text
    assert "matmul-bf16, TFLOP/s 821 662 821 4 % ▲ 19 %" in text  # slow is the graver mark
    first = printed(read_fleet(TWO / "fleet-1.jsonl"))
    assert not any("?" in r or "doubt" in r or DOUBTS in r for r in first)


def test_ranks_codes_and_names_that_are_doubted_are_bounded() -> None:
    of = [(f"code{i}", "suspect", f"figure{i}") for i in range(5)]
    of += [("code0", "wrong", f"name{i}") for i in range(9)]
    rows = printed(doubting([100.0] * 6, dict.fromkeys(range(6), of)), 200)
    told = [r for r in rows if DOUBTS in r]
    assert [r.split(": ")[0] for r in told] == [f" ▲ n card {i} (rank {i})" for i in range(3)]
    assert told[0].endswith(
        ": code0 (figure0, name0, name1, name2 and 6 more), code1 (figure1), code2 (figure2) "
        "and 2 more"
    )
    assert "   and 3 more (--json names all)" in rows
    assert rows[rows.index(told[0]) - 1] == ""
    assert "? 6 doubted" in rows[1]


def test_what_the_row_of_a_slow_one_gives_as_its_reason_is_not_said_twice() -> None:
    hot = [("throttled", "suspect", "add")]
    said = [r for r in printed(doubting([100.0, 80.0], {1: hot})) if "throttled" in r]
    assert said == ["     throttled: as it says"]
    more = [*hot, ("throttled", "suspect", "b"), ("l2-hit", "suspect", "add")]
    said = [r for r in printed(doubting([100.0, 80.0], {1: more})) if DOUBTS in r]
    assert said == [" ▲ n card 1 (rank 1): not to be believed: throttled (b), l2-hit (add)"]


def test_the_head_counts_the_doubted_only_where_there_is_room() -> None:
    fleet = read_fleet(TWO / "fleet-slow.jsonl")
    assert "doubted" in printed(fleet, 60)[1]
    narrow = printed(fleet, 45)
    fared = next(r for r in narrow if "2 measured" in r)
    assert fared == " ✓ 2 measured   ▲ 1 slow rank   · no links"
    assert any(DOUBTS in r for r in narrow)


def test_one_rank_alone_may_be_doubted_too() -> None:
    rows = printed(doubting([100.0], {0: [("l2-hit", "wrong", "add")]}))
    assert " ▲ n card 0 (rank 0): not to be believed: l2-hit (add)" in rows
    assert not any(r.endswith("?") for r in rows)  # there is no column of marks


def rated(rates: list[float], kind: str = "cuda", tflops: float = 0.0) -> Fleet:
    """Ranks that measured a stream, and all but the first a matmul where one is given."""
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=len(rates), device=kind))
    for rank, gbs in enumerate(rates):
        stream = {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0, "protocol": "stream"}
        matmul = {"id": "m", "probe": "mm", "gbs": 1.0, "tflops": tflops, "peak_key": "fp32"}
        made = [stream, matmul | {"protocol": "burst"}][: 2 if tflops and rank else 1]
        record = {"device": {"kind": kind, "name": "card"}, "measurements": made}
        raw = msgspec.Raw(msgspec.json.encode(record))
        fleet.add(RankLine(rank=rank, host="n", node="n", card=rank, record=raw))
    return fleet


def test_ranks_too_far_apart_are_no_tick_and_no_limit() -> None:
    rows = printed(rated([100.0, 80.0, 60.0]))
    assert rows[1].rstrip() == " ✓ 3 measured   ▲ 1 figure too far apart   · no links"
    figure = next(r for r in rows if r.startswith(" add, GB/s"))
    assert figure.split()[2:] == ["80.0", "60.0", "100", "▲", "40", "%", "apart"]
    text = " ".join(" ".join(rows).split())
    assert "too far apart to name a slow one: add 40 % (like ones up to 0.3 %)" in text
    half = printed(rated([100.0, 72.7, 50.0]))
    assert half[1].startswith(" ✓ 3 measured   ▲ 1 slow rank")
    text = " ".join(" ".join(half).split())
    assert "(rank 2): add 50.0 GB/s, 50 % under the best 100; half of the best or less" in text
    legend = "; one at half of the best or less too, ▲ by how much under the best"
    assert legend in text
    assert legend not in " ".join(" ".join(rows).split())
    wide = printed(rated([100.0, 60.0, 30.0, 80.0]))
    assert not any("e+0" in r for r in wide)


def test_what_one_rank_has_or_nobody_measured_is_not_passed() -> None:
    rows = printed(rated([100.0, 100.0], tflops=50.0))
    assert rows[1].startswith(" ✓ 2 measured   ✓ no slow rank in 1 of 2 figures")
    figure = next(r for r in rows if r.startswith(" mm, TFLOP/s"))
    assert figure.split()[2:] == ["50.0", "1", "rank"]
    assert " · not every rank has: mm (1 of 2)" in rows
    nothing = printed(rated([0.0, 0.0, 0.0]))
    assert nothing[1].startswith(" ✓ 3 measured   · nothing compared")
    figure = next(r for r in nothing if r.startswith(" add, GB/s"))
    assert figure.split()[2:] == ["0", "0", "0", "n/a"]
    every = {i: [("unstable", "suspect", "add")] for i in range(2)}
    doubted = printed(doubting([100.0, 60.0], every))
    assert doubted[1].startswith(" ✓ 2 measured   · nothing compared   · no links   ? 2 doubted")


def test_a_slow_cpus_rates_have_digits_and_the_json_keeps_its_unit() -> None:
    fleet = rated([10.0, 10.0, 10.0], "cpu", 0.0767)
    figure = next(r for r in printed(fleet) if r.startswith(" mm, GFLOP/s"))
    assert figure.split()[2] == "76.7"
    spread = json.loads(b"".join(fleet_json(fleet, [])))["spread"]["mm"]
    assert (spread["unit"], spread["median"]) == ("TFLOP/s", 0.0767)
    slow = rated([10.0, 10.0, 10.0, 10.0], "cpu", 0.0767)
    figures = slow.ranks[3].figures
    held = msgspec.structs.replace(figures["mm"], value=0.03)
    slow.ranks[3] = msgspec.structs.replace(slow.ranks[3], figures={**figures, "mm": held})
    text = " ".join(" ".join(printed(slow)).split())
    assert "mm 30.0 GFLOP/s, 61 % under the median 76.7" in text


def test_why_the_links_are_missing_is_said_once() -> None:
    fleet = rated([100.0, 100.0])
    why = "rank 1 (n card 1): no sign of life"
    fleet.add(NoteLine(text=f"the links were not measured to their end: {why}"))
    fleet.add(EndLine(complete=False, why=why))
    assert sum("no sign of life" in r for r in printed(fleet)) == 1
    fleet.add(LinkLine(a=0, b=1, size_bytes=8, time_s=1e-6))
    assert sum("no sign of life" in r for r in printed(fleet)) == 1  # of some: the note tells


def test_collectives_of_nodes_with_long_names_are_told_apart() -> None:
    fleet = made_fleet(16)
    for i in range(2):
        node = f"ip-10-0-{i}-23.us-west-2.compute.internal"
        fleet.add(CollectiveLine(op="all_reduce", group="within", node=node, status="timed out"))
    rows = [r for r in printed(fleet, 80) if r.startswith(" all_reduce, ip")]
    assert len({r.split("timed")[0] for r in rows}) == len(rows) == 2


def test_a_size_that_takes_its_whole_column_leaves_a_blank_before_it() -> None:
    fleet = read_fleet(TWO / "fleet-1.jsonl")
    for i, line in enumerate(fleet.collectives):
        sizes = [1000 << 10, *line.sizes_bytes[1:]]
        times = [40e-6, *[1.0] * len(sizes[1:])]
        fleet.collectives[i] = msgspec.structs.replace(line, sizes_bytes=sizes, times_s=times)
    for rows in (printed(fleet), printed(fleet, 60)):
        each = [r for r in rows if r.startswith(" all_reduce ")]
        assert each
        assert not any("us" in r for r in each)
        assert all(re.search(r"\d µs +1000 KiB ", r) for r in each if "KiB" in r)
