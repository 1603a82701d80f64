"""``roofwatch trace``: what it prints, its JSON, and one line with exit code 2 for a mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofwatch.cli import main

TESTS = Path(__file__).parent
MEMORY = str(TESTS / "traces" / "h200" / "memory.json.gz")
FULL = str(TESTS / "sessions" / "h200-full-1.jsonl")


def test_the_json_is_as_agreed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", MEMORY, "--json", "--session", FULL]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"busy_s", "gap_s", "span_s", "bound", "kernels"} <= found.keys()
    assert {"compute", "memory", "overhead"} <= found["bound"].keys()
    fields = {"name", "count", "time_s", "share", "intensity", "gbs", "tflops", "bound"}
    for kernel in found["kernels"]:
        assert fields <= kernel.keys()
        assert kernel["bound"] in ("compute", "memory", "overhead", "unknown")
    assert sum(found["bound"].values()) == pytest.approx(1.0)
    assert found["busy_s"] + found["gap_s"] == pytest.approx(found["span_s"])


def test_a_cpu_trace_has_null_shares(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(TESTS / "traces" / "cpu" / "memory.json.gz"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["bound"].values()) == {None}
    assert "aten::gelu" in {k["name"] for k in found["kernels"]}


def test_text_names_the_bound_and_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", MEMORY, "--top", "1"]) == 0
    out = capsys.readouterr().out
    assert "bound by memory" in out
    assert "2 more" in out
    assert "nominal" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_session_of_the_card_is_found_among_the_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    (folder / "h200.jsonl").write_bytes(Path(FULL).read_bytes())
    assert main(["trace", MEMORY, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)["card"]
    assert card["origin"] == "measured"
    assert card["file"] == str(folder / "h200.jsonl")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "required"),
        (["missing.json"], "missing.json: No such file"),
        ([str(TESTS)], "directory"),
        ([MEMORY, "--gpu", "A100"], "say which card"),
        ([MEMORY, "--gpu", "no such card"], "no card is called"),
        ([MEMORY, "--gpu", "T4", "--session", FULL], "not allowed with"),
        ([MEMORY, "--session", MEMORY], "memory.json.gz"),
        ([MEMORY, "--top", "0"], "--top"),
        ([str(TESTS / "traces" / "cpu" / "memory.json.gz"), "--gpu", "T4"], "no GPU in it"),
    ],
)
def test_a_mistake_is_one_line(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["trace", *argv])
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1


def test_the_screen_with_a_trace_needs_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["--trace", MEMORY], ["show", FULL, "--trace", MEMORY]):
        with pytest.raises(SystemExit) as left:
            main(argv)
        assert left.value.code == 2
        assert "roofwatch trace FILE prints it" in capsys.readouterr().err
