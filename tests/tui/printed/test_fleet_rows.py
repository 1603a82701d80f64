"""The report of a fleet: it names what is slow, and fits whatever the number of ranks."""

from __future__ import annotations

import msgspec
import pytest
from made_fleet import made_fleet

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import CollectiveLine, EndLine, Header, LinkLine, RankLine
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
    assert "✓ 63 measured   ✗ 1 not whole   ▲ 5 slow" in text
    assert "node004 card 7 (rank 39)" in text
    assert "robust deviations" in text
    assert "low-clock: its clock was 1742 MHz, the others' 1980 MHz" in text
    assert "unknown: not its clock; its record has no other reason" in text
    assert "slow by node: node001 1 of 8" in text


def test_links_are_told_in_the_convention_of_nccl_tests(fleet: Fleet) -> None:
    text = "\n".join(printed(fleet))
    assert " all_reduce, 64 ranks            20 us    1 GiB       490     20 us      0 %" in text
    assert "83 % of the shorter one is" in " ".join(text.split())
    assert "7 between nodes, 45 – 45 GB/s" in text


@pytest.mark.parametrize("cells", [80, 120])
@pytest.mark.parametrize("ranks", [8, 64, 256])
def test_it_fits_a_screen_however_many_there_are(cells: int, ranks: int) -> None:
    rows = printed(made_fleet(ranks, lost=tuple(range(0, ranks, 7))), cells)
    assert len(rows) <= 60
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
    assert "cut short" in " ".join(printed(cut))
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
    assert "n card 1 (rank 1): add 80 GB/s, 20 % under the faster 100" in text
    assert "of two, spread cannot tell which is wrong" in text
