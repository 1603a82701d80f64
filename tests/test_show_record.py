"""``show`` with a table, with the log, and without names, as a person types it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from roofwatch.cli import main
from roofwatch.session.events import Price
from roofwatch.session.file import sessions_folder
from roofwatch.session.log_entry import session_log
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.log_plain import log_rows

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT / "tests" / "sessions"
THREE = [str(SESSIONS / f"h200-{suite}-1.jsonl") for suite in ("full", "decode", "kernels")]
COMMENT = 65_536  # characters of a comment on GitHub


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["show", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    try:
        code = main(["show", *arguments])
    except SystemExit as ended:
        code = int(str(ended.code))
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err


@pytest.fixture
def kept() -> Path:
    """Where sessions are kept, with some."""
    folder = sessions_folder()
    folder.mkdir(parents=True)
    for name in ("h200-full-1", "h200-decode-1", "h200-mistakes-1"):
        shutil.copy(SESSIONS / f"{name}.jsonl", folder)
    shutil.copy(SESSIONS / "watch" / "h200-1.jsonl", folder / "h200-watch-1.jsonl")
    (folder / "junk.jsonl").write_text("no session\n")
    return folder


def test_a_table_in_each_form(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *THREE, "--table", "--one-kind")
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "4389" in text
    assert "Llama-3-8B at 256, graph" in text
    assert "3 cards of one kind" in text
    assert text.count("? \n") + text.count("?\n") == 5
    told = json.loads(shown(capsys, *THREE, "--table", "json", "--one-kind"))
    assert told["schema"] == "roofwatch.table/1"
    assert [q["number"] for q in told["questions"]] == [1, 2, 3, 4, 5]
    rows = list(csv.DictReader(io.StringIO(shown(capsys, THREE[0], "--table", "csv"))))
    assert [r["item"] for r in rows] == [r["item"] for r in told["rows"]]
    assert shown(capsys, THREE[0], "--table", "md").startswith("| record | nominal |")
    assert shown(capsys, THREE[0], "--table", "--ascii").isascii()


def test_what_does_not_go_together_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "another NVIDIA H200 (GPU-44390328)" in refused(capsys, *THREE, "--table")
    assert "GPU-" not in refused(capsys, *THREE, "--table", "--anonymous")
    assert "several files are of --table" in refused(capsys, *THREE)
    assert "--one-kind is of --table" in refused(capsys, THREE[0], "--one-kind")
    assert "no file goes with it" in refused(capsys, THREE[0], "--log")
    for word in (["--md"], ["--one-kind"], ["--nominal", "x"], ["--plot", "x.svg"]):
        assert "--json, --anonymous and --price only" in refused(capsys, "--log", *word)
    for word in (["--table"], ["--plot", "x.svg"], ["--probe", "matmul-bf16"]):
        assert "--price is of the whole record" in refused(
            capsys, THREE[0], *word, "--price", "1.99/h"
        )
    assert "required: file" in refused(capsys)
    assert "--anonymous is of what is printed" in refused(
        capsys, THREE[0], "--anonymous", "--replay"
    )
    cpu = str(SESSIONS / "cpu/full-1.jsonl")
    assert "of AMD EPYC, but" in refused(capsys, THREE[0], cpu, "--table", "--one-kind")


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda p: p.stem)
def test_the_markdown_of_every_kept_session_fits_a_comment(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, str(path), "--md", "--anonymous")
    assert len(text) < COMMENT
    if "watch" not in path.stem:
        assert "| record | nominal | expected |" in text
        assert "**5. Which kernels reach the compute roof" in text


@pytest.mark.parametrize("form", [["--md"], ["--json"], ["--table"], ["--table", "json"], []])
def test_anonymous_output_names_no_card_host_or_path(
    form: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, THREE[0], "--anonymous", *form)
    for secret in ("GPU-06dc758c", "06dc758c", '"vm"', " vm ", str(SESSIONS), "h200-full-1"):
        assert secret not in text, secret
    assert "NVIDIA H200" in text


def test_the_record_has_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(shown(capsys, THREE[0], "--json"))["table"]
    assert told["rows"][0]["item"] == "bandwidth"
    assert [c["word"] for c in told["checks"]] == ["ok", "missing"]


def test_the_log_is_a_line_a_session_newest_first(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(capsys, "--log").splitlines()
    assert [line.split()[3] for line in lines[1:5]] == ["watch", "decode", "mistakes", "full"]
    assert max(map(cell_len, lines)) <= 80
    assert lines[4].split()[2:9] == ["H200", "full", "4389", "831", "696", "-", "2"]
    assert lines[5] == " burst and held: of bf16"
    assert "5.11" in lines[2]
    assert "5!" in lines[3]


def test_the_log_as_json_is_an_object_a_session(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [json.loads(line) for line in shown(capsys, "--log", "--json").splitlines()]
    assert [t["suite"] for t in told] == ["watch", "decode", "mistakes", "full"]
    assert told[1]["decode"]["model"] == "Llama-3-8B"
    assert told[1]["decode"]["of_roof"] == pytest.approx(0.6715, abs=1e-3)
    assert told[2]["findings"] == {"wrong": 4, "suspect": 1, "note": 0}
    assert told[3]["file"] == str(kept / "h200-full-1.jsonl")
    assert (told[3]["cost"], told[3]["currency"]) == (None, None)
    bare = [
        json.loads(line)
        for line in shown(capsys, "--log", "--json", "--anonymous").split("\n")[:-1]
    ]
    assert {(t["file"], t["uuid"]) for t in bare} == {(None, None)}


@pytest.mark.parametrize("how", [[], ["--json"], ["--md"], ["--table"]])
def test_a_pipe_is_read_once(h200_file: Path, how: list[str]) -> None:
    me = [sys.executable, "-m", "roofwatch", "show"]
    with subprocess.Popen(["cat", str(h200_file)], stdout=subprocess.PIPE) as cat:
        piped = subprocess.run(
            [*me, "/dev/stdin", "--anonymous", *how],
            stdin=cat.stdout,
            capture_output=True,
            check=True,
        )
    named = subprocess.run(
        [*me, str(h200_file), "--anonymous", *how], capture_output=True, check=True
    )
    assert piped.stdout == named.stdout


def test_a_price_brings_hours_and_cost(kept: Path) -> None:
    path = kept / "h200-full-1.jsonl"
    first, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(first[:-1] + b',"price":{"per_hour":3.0,"currency":"CHF"}}\n' + rest)
    (kept / "cut.jsonl").write_bytes(first + b"\n")
    found = list(session_log([kept]))
    full = next(e for e in found if e.suite == "full" and e.state == "complete")
    assert full.hours is not None
    assert full.cost == pytest.approx(3.0 * full.hours)
    for glyphs in (UNICODE, ASCII):
        for room in (80, 120, 200):
            lines = [text_of(r) for r in log_rows(found, room, glyphs)]
            assert max(map(cell_len, lines)) <= room
            assert "cost" in lines[0]
            assert any("CHF" in line for line in lines)
            assert any("cut short" in line for line in lines)


def test_a_price_that_is_said_replaces_those_that_were_kept(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kept / "h200-full-1.jsonl"
    first, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(first[:-1] + b',"price":{"per_hour":3.0,"currency":"CHF"}}\n' + rest)
    before = path.read_bytes()
    said = shown(capsys, "--log", "--json", "--price", "1.99 EUR/h", "--anonymous")
    told = [json.loads(line) for line in said.splitlines()]
    assert len(told) == 4
    assert {t["currency"] for t in told} == {"EUR"}
    assert [t["cost"] for t in told] == [pytest.approx(1.99 * t["hours"]) for t in told]
    lines = shown(capsys, "--log", "--price", "1.99 EUR/h").splitlines()
    assert lines[0].split()[-2:] == ["hours", "cost"]
    assert all(line.endswith("EUR") for line in lines[1:5])
    assert path.read_bytes() == before
    assert "EUR" not in shown(capsys, "--log")


def test_without_sessions_the_log_says_how_one_is_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "roofwatch run" in shown(capsys, "--log")
    assert shown(capsys, "--log", "--json") == ""


def test_the_log_needs_neither_torch_nor_textual(kept: Path) -> None:
    code = (
        "import sys; from roofwatch.cli import main; main(['show', '--log']); "
        "print([m for m in ('torch', 'textual', 'pynvml') if m in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True
    )
    assert told.stdout.splitlines()[-1] == "[]"


def test_the_readmes_record_is_what_its_command_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"    \./start show (tests\S+) --table\n\n((?:     .*\n)+)", readme)
    assert block is not None
    files = [str(path) for path in sorted(ROOT.glob(block[1]))]
    assert len(files) == 3
    out = shown(capsys, *files, "--table")
    *lines, rest = re.sub(r"(?m)^    ", "", block[2]).splitlines()
    assert rest == " ..."
    assert lines == out.splitlines()[: len(lines)]
    assert any("answer 5" in line for line in lines)


def test_a_log_keeps_small_hours_and_costs_apart_and_says_giga(kept: Path) -> None:
    cpu = SESSIONS / "cpu" / "kernels-1.jsonl"
    (kept / "cpu.jsonl").write_bytes(cpu.read_bytes())
    begun = (SESSIONS / "h200-quick-1.jsonl").read_bytes().splitlines(True)[:3]
    (kept / "begun.jsonl").write_bytes(b"".join(begun))
    for currency, least in (("$", "<$0.0001"), ("CNY", "<0.0001 CNY")):
        found = list(session_log([kept], Price(per_hour=1.99, currency=currency)))
        for room in (80, 120):
            lines = [text_of(r).rstrip() for r in log_rows(found, room, UNICODE)]
            assert max(map(cell_len, lines)) <= room
            assert any(" <0.001 " in line and f" {least}" in line for line in lines)
            assert any(" 14.5G " in line for line in lines)
            assert "G: GFLOP/s" in lines[-1]
