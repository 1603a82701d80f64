"""A fleet's file: written, read, torn, damaged, of a newer version, shown again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from made_fleet import fleet_lines

from roofwatch.cli import main
from roofwatch.session.file import UnreadableSession
from roofwatch.session.fleet import lines
from roofwatch.session.fleet.anonymous_fleet import anonymous_lines
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import fleet_lines as lines_of
from roofwatch.session.fleet.fleet_file import is_fleet, read_fleet
from roofwatch.session.fleet.lines import NoteLine, encode
from roofwatch.session.fleet.link_figures import collective


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "fleet.jsonl"
    path.write_bytes(b"".join(encode(line) for line in fleet_lines(16, lost=(3,))))
    return path


def test_what_is_read_is_what_was_written(kept: Path) -> None:
    live = Fleet()
    for line in fleet_lines(16, lost=(3,)):
        live.add(line)
    read = read_fleet(kept)
    assert read.header == live.header
    assert read.ranks == live.ranks
    assert read.links == live.links
    assert read.end == live.end


def test_a_session_is_no_fleet(kept: Path, h200_file: Path, tmp_path: Path) -> None:
    assert is_fleet(kept)
    assert not is_fleet(h200_file)
    assert not is_fleet(tmp_path / "missing")
    with pytest.raises(UnreadableSession, match="row 1: "):
        read_fleet(h200_file)


def test_a_torn_line_and_lines_of_a_newer_version_are_left_out(kept: Path) -> None:
    whole = read_fleet(kept)
    rows = kept.read_bytes().splitlines(True)
    rows.insert(2, b'{"kind":"weather","t":1}\n')
    kept.write_bytes(b"".join(rows) + b'{"kind":"fleet_end"')
    assert read_fleet(kept).ranks == whole.ranks


@pytest.mark.parametrize(
    ("row", "line", "said"),
    [
        (2, b'{"kind":"rank","rank":"x"}', "Expected `int`"),
        (3, b"{", "not a line of a fleet"),
        (2, b'{"kind":"rank","rank":1,"record":{"measurements":3}}', "record: Expected `array`"),
        (2, b'{"kind":"collective","op":"x","times_s":[-1]}', "times_s"),
        (2, b'{"kind":"rank","rank":1,"record":{"x":"\xed\xa0\x80"}}', "can't decode byte 0xed"),
        (1, b'{"kind":"fleet","schema":"roofwatch.fleet/2"}', "this one reads roofwatch.fleet/1"),
        (4, b'{"kind":"fleet","schema":"roofwatch.fleet/1"}', "a second fleet begins here"),
    ],
)
def test_damage_is_one_line_with_its_row(
    kept: Path, row: int, line: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = kept.read_bytes().splitlines(True)
    rows[row - 1] = line + b"\n"
    kept.write_bytes(b"".join(rows))
    assert main(["show", str(kept)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert f"row {row}: " in told.err
    assert said in told.err


def test_show_prints_the_report_again(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(kept)]) == 0
    text = capsys.readouterr().out
    assert "16 ranks on 2 nodes, NVIDIA H200" in text
    assert "node000 card 3 (rank 3) silent" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_json_is_of_the_contract(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(kept), "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    told = json.loads(out)
    assert told["schema"] == "roofwatch.fleet/1"
    assert [r["rank"] for r in told["ranks"]] == list(range(16))
    assert told["ranks"][0]["host"] == "node000"
    assert told["ranks"][0]["record"]["schema"] == "roofwatch.record/1"
    assert told["ranks"][3]["record"] is None
    assert told["ranks"][3]["state"] == "silent"
    assert told["spread"]["add_scalar-fp16"]["count"] == 15
    assert {o["metric"] for o in told["outliers"]} <= told["spread"].keys()
    assert told["collectives"][0]["op"] == "all_reduce"
    assert told["collectives"][0]["sizes"][0]["bytes"] == 8


@pytest.mark.parametrize(
    "option", [["--table"], ["--probe", "x"], ["--nominal", "/none"], ["--plot", "x.txt"]]
)
def test_what_is_of_a_session_is_refused(
    kept: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["show", str(kept), *option])
    assert ended.value.code == 2
    assert "is of a session" in capsys.readouterr().err


def test_the_schema_page_names_every_kind_and_field_of_a_fleet() -> None:
    root = Path(__file__).parents[3]
    page = (root / "docs" / "schema.md").read_text().split("# The fleet's file")[1]
    for kind in get_args(lines.AnyLine):
        assert f"`{kind.__struct_config__.tag}`" in page
        for field in kind.__struct_fields__:
            assert f"`{field}`" in page, f"{kind.__struct_config__.tag}.{field}"


@pytest.mark.parametrize("ranks", [0, 1])
def test_a_collective_of_nobody_has_no_bandwidth(kept: Path, ranks: int) -> None:
    line = lines.CollectiveLine(
        op="all_reduce", ranks=ranks, sizes_bytes=[8] * 3, times_s=[1e-6] * 3
    )
    kept.write_bytes(kept.read_bytes() + encode(line))
    assert collective(read_fleet(kept).collectives[-1]).sizes == []
    assert main(["show", str(kept)]) == 0


@pytest.mark.parametrize("anonymous", [False, True])
def test_ranks_of_one_card_are_told_without_its_uuid_too(
    kept: Path, capsys: pytest.CaptureFixture[str], anonymous: bool
) -> None:
    uuid = "GPU-5021cba0-78eb-c8d4-b98b-4700bfd71fff"
    lines = []
    for raw in kept.read_bytes().splitlines():
        line = json.loads(raw)
        if line["kind"] == "rank" and line.get("record") and line["rank"] in (0, 2):
            line["record"]["device"]["uuid"] = uuid
        lines.append(json.dumps(line))
    kept.write_text("\n".join(lines) + "\n")
    how = ["--anonymous"] if anonymous else []
    assert main(["show", str(kept), *how]) == 0
    assert "ranks 0, 2 had one card together" in capsys.readouterr().out
    assert main(["show", str(kept), "--json", *how]) == 0
    out = capsys.readouterr().out
    told = json.loads(out)
    assert told["shared_cards"] == [[0, 2]]
    assert (uuid in out) is not anonymous


def test_anonymous_cleans_the_header_too(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = map(json.loads, kept.read_bytes().splitlines())
    host = next(line["host"] for line in rest if line["kind"] == "rank" and line.get("host"))
    free = {"launcher", "torch", "nccl", "roofwatch", "suite", "device"}
    first |= {field: f"{field} of {host} in /home/ann/{field}" for field in free}
    kept.write_text("".join(json.dumps(line) + "\n" for line in (first, *rest)))
    for how in ([], ["--json"], ["--md"]):
        assert main(["show", str(kept), "--anonymous", *how]) == 0
        said = capsys.readouterr().out
        assert host not in said
        assert "ann" not in said


def test_anonymous_leaves_out_people_that_any_rank_tells(kept: Path) -> None:
    with kept.open("ab") as file:
        file.write(b'{"kind":"note","text":"alice waits; see /home/alice/x"}\n')
    told = [line for _, line in anonymous_lines(kept) if isinstance(line, NoteLine)]
    assert told[-1].text == "removed waits; see (removed)"


def test_anonymous_leaves_our_own_words_of_a_header(kept: Path) -> None:
    told = next(line for _, line in anonymous_lines(kept))
    assert told == next(line for _, line in lines_of(kept))
