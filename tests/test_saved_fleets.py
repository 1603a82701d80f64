"""Fleets that were kept: in the log, as ``last``, on the Sessions page; and handed on to others."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from roofwatch.roofline.collectives import OPS
from roofwatch.session.events import Price
from roofwatch.session.file import sessions_folder
from roofwatch.session.fleet.anonymous_fleet import anonymous_lines
from roofwatch.session.fleet.fleet_file import fleet_lines
from roofwatch.session.fleet.lines import CollectiveLine, GoneLine, NoteLine, RankLine, encode
from roofwatch.session.listing import Listing
from roofwatch.session.log_entry import session_log
from roofwatch.session.replay import Replay
from roofwatch.session.saved_session import saved_session
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.fleet_plain import MARKDOWN_CELLS
from roofwatch.tui.printed.fleet_rows import fleet_rows
from roofwatch.tui.printed.log_plain import log_rows
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.fleet_app import FleetScreen
from roofwatch.tui.screen.painting import PANES
from roofwatch.tui.sessions.sessions_pane import build

Said = Callable[..., tuple[int, str, str]]
SESSIONS = Path(__file__).parent / "sessions"
TWO = SESSIONS / "two"


@pytest.fixture
def fleets() -> Path:
    """The folder of fleets, with one slow and one sound; a session of before lies in its own."""
    folder = sessions_folder().parent / "fleets"
    folder.mkdir(parents=True)
    sessions_folder().mkdir()
    for name in ("fleet-1", "fleet-slow"):
        shutil.copy(TWO / f"{name}.jsonl", folder)
    shutil.copy(SESSIONS / "h200-full-1.jsonl", sessions_folder())
    return folder


# -- found -----------------------------------------------------------------------------------


def test_the_log_has_them_with_cards_ranks_and_slow_ones(fleets: Path, said: Said) -> None:
    lines = said("show", "--log")[1].splitlines()
    assert [" ".join(line.split()[:5]) for line in lines[1:]] == [
        "11-30 12:55 2 x H200",
        "11-30 12:54 2 x H200",
        "11-29 20:16 H200 full 4389",
    ]
    assert lines[1].endswith("1 slow")
    assert "slow" not in lines[2]
    told = [json.loads(x) for x in said("show", "--log", "--json")[1].splitlines()]
    assert [t["doubted"] for t in told] == [1, 0, None]
    assert [(t["ranks"], t["slow"], t["state"]) for t in told] == [
        (2, 1, "complete"),
        (2, 0, "complete"),
        (None, None, "complete"),
    ]
    assert told[1]["bandwidth_gbs"] == pytest.approx(4273, abs=1)
    assert told[1]["sustained_tflops"] == pytest.approx(688, abs=1)  # of two the slower
    assert told[0]["file"] == str(fleets / "fleet-slow.jsonl")
    bare = said("show", "--log", "--json", "--anonymous")[1]
    assert "/" not in bare.replace("GB/s", "")


def test_a_fleet_costs_what_all_of_its_cards_do(fleets: Path) -> None:
    found = next(e for e in session_log(price=Price(per_hour=2.0, currency="$")) if e.ranks)
    assert found.hours is not None
    assert found.cost == pytest.approx(2 * 2.0 * found.hours)


def test_last_is_the_fleet_where_that_is_the_newest(fleets: Path, said: Said) -> None:
    code, out, _ = said("show", "last")
    assert code == 0
    assert "2 ranks on 1 node, NVIDIA H200" in out
    assert "1 slow" in out
    assert "recorded 2026-11-29" in said("show", "last~2")[1]


def test_they_stand_for_no_session_where_roofs_are_asked_for(fleets: Path, said: Said) -> None:
    code, out, _ = said("plan", "--session", "last", "--model", "Llama-3-8B")
    assert code == 0
    assert "4389 GB/s" in out
    shutil.copy(fleets / "fleet-1.jsonl", sessions_folder())
    found = saved_session("NVIDIA H200")
    assert found is not None
    assert found.path.name == "h200-full-1.jsonl"
    assert all(e.ranks is None for e in listed(Listing()).entries)


def listed(listing: Listing) -> Listing:
    while listing.advance(1.0):
        pass
    return listing


@pytest.mark.parametrize("size", [(80, 19), (120, 50), (60, 12)])
def test_the_page_lists_them_and_says_what_enter_does(fleets: Path, size: tuple[int, int]) -> None:
    listing = listed(Listing(fleets=True))
    rows = [text_of(r).rstrip() for r in build(listing, *size, UNICODE)]
    assert "2 x " in rows[1]
    assert "1 slow" in rows[1]
    assert "fleet" in rows[1] or size[0] < 77
    assert "complete" in rows[2]
    if size[1] > 12:
        assert any("Enter opens its grid" in r for r in rows)
        assert any("2 ranks of quick" in r for r in rows)


def test_those_beside_the_session_on_show_are_listed_too() -> None:
    listing = listed(Listing(TWO / "links.jsonl", fleets=True))
    assert [e.path.name for e in listing.entries if e.ranks] == [
        "fleet-slow.jsonl",
        "fleet-3.jsonl",
        "fleet-2.jsonl",
        "fleet-1.jsonl",
    ]


def test_a_damaged_one_says_why(fleets: Path) -> None:
    broken = fleets / "fleet-1.jsonl"
    broken.write_bytes(broken.read_bytes().partition(b"\n")[0] + b'\n{"kind":"rank","rank":-1}\n')
    entry = next(e for e in listed(Listing(fleets=True)).entries if e.path == broken)
    assert entry.problem is not None
    assert entry.problem.startswith("row 2: ")
    assert entry.state == "unreadable"


def test_a_first_line_with_a_wrong_type_is_an_unreadable_fleet(fleets: Path) -> None:
    broken = fleets / "fleet-1.jsonl"
    first, _, rest = broken.read_bytes().partition(b"\n")
    wrong = re.sub(rb'"started_at":"[^"]*"', b'"started_at":17', first)
    broken.write_bytes(wrong + b"\n" + rest)
    (told,) = (e for e in session_log([fleets]) if e.file == str(broken))
    assert told.state == "unreadable"
    assert told.problem == "row 1: Expected `str`, got `int` - at `$.started_at`"


async def test_enter_opens_the_grid_and_escape_leads_back(fleets: Path) -> None:
    app = RoofwatchApp(Replay(SESSIONS / "h200-quick-1.jsonl"), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        for _ in range(50):
            await pilot.pause(0.1)
            first = app.dashboard.sources.listing.entries[:1]
            if first and first[0].ranks:
                break
        await pilot.press("home", "v")
        await pilot.pause()
        assert "a fleet is not compared" in app.dashboard.pane("footer").lines[0]
        await pilot.press("enter")
        await pilot.pause()
        grid = app.screen
        assert isinstance(grid, FleetScreen)
        assert "2 ranks on 1 node" in grid.pane.lines[0]
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.screen is not grid  # the page of a rank
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("t")  # the theme, over the grid too
        await pilot.pause()
        assert app.screen is grid
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.dashboard
        assert app.dashboard.open_pane == PANES.index("sessions")
    assert app.return_code in (None, 0)


# -- handed on -------------------------------------------------------------------------------


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """Two nodes with names that tell, in lines of every kind."""
    path = tmp_path / "fleet.jsonl"
    out = []
    for _, line in fleet_lines(TWO / "fleet-1.jsonl"):
        if isinstance(line, RankLine):
            host = f"secret{line.rank}.corp.example"
            why = f"lost {host} at /home/ann/run and secret0"
            line = msgspec.structs.replace(line, host=host, node=host, why=why)
        elif isinstance(line, CollectiveLine):
            line = msgspec.structs.replace(line, node="secret1.corp.example", status="")
        out.append(line)
    out.insert(
        -1, GoneLine(rank=1, why="killed on secret1, says secret0.corp.example at /home/ann")
    )
    out.insert(1, NoteLine(text="secret1 GPU-e5acaf86-8011-18c5-2099-7bec2cd9933c ```"))
    path.write_bytes(b"".join(encode(line) for line in out))
    return path


@pytest.mark.parametrize("how", [("--anonymous",), ("--anonymous", "--json"), ("--md",)])
def test_nothing_tells_whose_it_is(named: Path, how: tuple[str, ...], said: Said) -> None:
    code, out, _ = said("show", str(named), *how)
    assert code == 0
    for word in ("secret", "corp", "/home", "GPU-", str(named)):
        assert word not in out, word
    assert "node 2" in out  # of the note
    if "--json" in how:
        told = json.loads(out)
        assert [r["host"] for r in told["ranks"]] == ["node 1", "node 2"]
        assert told["ranks"][0]["record"]["device"]["uuid"] is None
        assert told["ranks"][0]["record"]["device"]["status"]["uuid"] == "removed"
        assert told["spread"]["matmul-bf16"]["count"] == 2
        assert told["ranks"][1]["state"] == "silent"
        assert told["ranks"][1]["why"] == "killed on node 2, says node 1 at (removed)"


def test_who_was_refused_is_not_told_either(named: Path, said: Said) -> None:
    rows = named.read_bytes().splitlines(True)
    for said_of in (
        "rank 1 of 2 on betahost.example was refused: fleet 0e75ca of node-a meets here: its job 7",
        "rank 1 of fleet 0e75ca is taken, by gpu99 (process 12)",
        "rank 0 of fleet 0e75ca of gamma.example is here already",
    ):
        rows.insert(-1, encode(NoteLine(text=said_of)))
    named.write_bytes(b"".join(rows))
    for how in (("--anonymous",), ("--anonymous", "--json"), ("--md",)):
        _, out, _ = said("show", str(named), *how)
        for word in ("betahost", "gpu99", "gamma", "example"):
            assert word not in out, (how, word)
        assert "was refused" in " ".join(out.split())


def test_the_figures_stay_as_they_are(named: Path) -> None:
    plain, clean = list(fleet_lines(named)), list(anonymous_lines(named))
    assert [row for row, _ in plain] == [row for row, _ in clean]
    for (_, a), (_, b) in zip(plain, clean, strict=True):
        if isinstance(a, CollectiveLine) and isinstance(b, CollectiveLine):
            assert (a.times_s, a.sizes_bytes) == (b.times_s, b.sizes_bytes)
            assert b.node == "node 2"


def test_a_host_called_as_our_own_words_leaves_no_text_but_the_words(named: Path) -> None:
    rows = []
    for _, line in fleet_lines(named):
        if isinstance(line, RankLine):
            line = msgspec.structs.replace(line, host="broadcast", node="broadcast", why="")
        elif isinstance(line, CollectiveLine):
            line = msgspec.structs.replace(line, node="", status="not_supported: broadcast")
        rows.append(encode(line))
    named.write_bytes(b"".join(rows))
    clean = [line for _, line in anonymous_lines(named)]
    told = [line for line in clean if isinstance(line, CollectiveLine)]
    assert [line.op for line in told] == list(OPS)
    assert {line.status for line in told} == {"not_supported: node 1"}
    assert {line.node for line in clean if isinstance(line, RankLine)} == {"node 1"}


def test_markdown_has_the_rows_of_the_text_and_fits_a_comment(
    said: Said,
) -> None:
    from roofwatch.session.fleet.fleet_file import read_fleet

    path = TWO / "fleet-1.jsonl"
    _, out, _ = said("show", str(path), "--md")
    rows = fleet_rows(read_fleet(path), MARKDOWN_CELLS, UNICODE)
    wanted = [t for r in rows if (t := text_of(r).rstrip()) and "vm" not in t]
    lines = out.splitlines()
    assert lines[0].startswith("**roofwatch fleet**, 2026-11-30 12:54 UTC")
    assert [line for line in lines if line in wanted] == wanted
    assert out.count("```") == 2
    assert len(out) < 65_536


@pytest.mark.parametrize(
    "options",
    [("--table",), ("--plot", "x.svg"), ("--price", "2/h"), ("--replay", "--speed", "10")],
)
def test_what_is_of_a_session_alone_is_refused_in_a_line(
    options: tuple[str, ...], said: Said
) -> None:
    code, _, err = said("show", str(TWO / "fleet-1.jsonl"), *options)
    assert code == 2
    assert f"{options[-2 if options[0] == '--replay' else 0]} is of a session" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "asked",
    [["--table", "json"], ["--probe", "matmul-bf16"], ["--price", "2/h"], ["--plot", "roof.txt"]],
)
def test_last_is_the_last_session_where_a_fleet_has_no_answer(
    asked: list[str], fleets: Path, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = sessions_folder() / "h200-full-1.jsonl"
    code, out, err = said("show", "last", *asked)
    assert code == 0
    assert out == said("show", str(session), *asked)[1]
    assert f"roofwatch show: last of the sessions alone: {session}\n" in err
    code, _, err = said("show", "last~1", *asked)
    assert (code, "one session saved in" in err) == (2, True)
    code, _, err = said("show", str(fleets / "fleet-1.jsonl"), *asked)
    assert (code, "is a fleet's file" in err) == (2, True)


def test_where_the_last_is_a_session_nothing_is_said_of_it(fleets: Path, said: Said) -> None:
    for fleet in fleets.iterdir():
        fleet.unlink()
    code, _, err = said("show", "last", "--table", "json")
    assert (code, err) == (0, "")


def test_the_log_counts_what_the_ranks_notebooks_found(fleets: Path, said: Said) -> None:
    told = [json.loads(x) for x in said("show", "--log", "--json")[1].splitlines()]
    for line in told[:2]:
        ranks = [each for _, each in fleet_lines(Path(line["file"])) if isinstance(each, RankLine)]
        found = [f["severity"] for r in ranks for f in json.loads(bytes(r.record))["findings"]]
        assert line["findings"] == {k: found.count(k) for k in ("wrong", "suspect", "note")}


def test_a_priced_log_says_the_precision_that_its_rates_are_of(fleets: Path, said: Said) -> None:
    assert " of " in said("show", "--log")[1].splitlines()[0]
    head, *lines = said("show", "--log", "--price", "1.99/h")[1].splitlines()
    assert " of " not in head
    assert lines[-1] == " burst and held: of bf16"
    assert max(map(len, lines)) <= 80
    (one,) = session_log([sessions_folder()])
    other = msgspec.structs.replace(one, peak_key="fp32", started_at="2026-01-02T03:04:05Z")
    priced = [msgspec.structs.replace(e, cost=1.0, currency="$") for e in (one, other, one)]
    last = text_of(log_rows(priced, 80, UNICODE)[-1])
    assert last == " burst and held: of bf16; 01-02 03:04: of fp32"


def test_rates_of_a_log_have_three_digits(fleets: Path) -> None:
    (one,) = session_log([sessions_folder()])
    for tflops, said_ in ((41.0, "41.0"), (7.0, "7.00"), (9.999, "10.0"), (818.4, "818")):
        changed = msgspec.structs.replace(one, burst_tflops=tflops, sustained_tflops=500.0)
        line = text_of(log_rows([changed], 80, UNICODE)[1])
        assert f" {said_} " in line
    slow = msgspec.structs.replace(one, burst_tflops=0.041, sustained_tflops=0.0432)
    line = text_of(log_rows([slow], 80, UNICODE)[1])
    assert " 41.0G 43.2G " in line


def test_with_a_price_the_cards_of_a_fleet_are_named_in_80_columns(fleets: Path) -> None:
    found = list(session_log([sessions_folder(), fleets], price=Price(per_hour=1.99)))
    rows = [text_of(r) for r in log_rows(found, 80, UNICODE)]
    assert sum("2 x H200 " in r for r in rows) == 2
    slow = [msgspec.structs.replace(e, burst_tflops=0.041, sustained_tflops=None) for e in found]
    legend = [text_of(r) for r in log_rows(slow, 80, UNICODE)[-2:]]
    assert legend[0].startswith(" burst and held: of ")
    assert legend[1] == " G: GFLOP/s (GOPS), without it TFLOP/s (TOPS)"
