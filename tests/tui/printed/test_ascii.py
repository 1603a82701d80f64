"""--ascii, or a locale that is not UTF-8: nothing that is printed has another character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.tui.drawing.ascii_signs import in_ascii
from roofwatch.verbs.parser import parser_of

Said = Callable[..., tuple[int, str, str]]
SESSIONS = Path(__file__).parents[2] / "sessions"


@pytest.mark.parametrize(
    "command",
    [
        "quiz --gpu T4 --seed 1 --answers",
        "show two/fleet-1.jsonl",
        "show h200-full-1.jsonl --table",
        "show h200-full-1.jsonl",
        "compare h200-quick-1.jsonl h200-quick-2.jsonl",
        "show two/fleet-1.jsonl --md",
        "show two/links.jsonl --md",
        "show h200-full-1.jsonl --md",
        "show watch/h200-1.jsonl --md",
        "show h200-full-1.jsonl --table md",
        "compare h200-quick-1.jsonl h200-quick-2.jsonl --md",
        "plan",
        "plan --gpu H200 --model Llama-3-8B",
        "check --gpu T4 --op add_scalar --elements 524288 --dtype fp16 --claimed 900GB/s",
        "show watch/h200-1.jsonl",
        "show h200-kernels-1.jsonl",
        "show h200-decode-1.jsonl --probe decode-TinyLlama-1.1B",
    ],
)
def test_what_is_printed_where_the_locale_is_c(
    command: str, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    words = [str(SESSIONS / w) if w.endswith(".jsonl") else w for w in command.split()]
    code, out, _ = said(*words)
    assert code == 0
    other = [line for line in out.splitlines() if not line.isascii()]
    assert not other


def test_a_fleet_with_ascii_keeps_its_columns(said: Said) -> None:
    file = str(SESSIONS / "two" / "fleet-1.jsonl")
    wide = said("show", file)[1].splitlines()
    plain = said("show", file, "--ascii")[1].splitlines()
    assert "".join(plain).isascii()
    (unicode,) = (line for line in wide if "temperature, held" in line)
    (ascii_,) = (line for line in plain if "temperature, held" in line)
    assert len(unicode) == len(ascii_)


@pytest.mark.parametrize(
    "command",
    [
        "show two/fleet-1.jsonl",
        "show h200-full-1.jsonl",
        "compare h200-full-1.jsonl two/cards.jsonl",
    ],
)
def test_markdown_with_ascii_has_the_rows_of_the_other(command: str, said: Said) -> None:
    words = [str(SESSIONS / w) if w.endswith(".jsonl") else w for w in command.split()]
    rich, plain = (said(*words, "--md", *more)[1].splitlines() for more in ([], ["--ascii"]))
    assert "".join(plain).isascii()
    assert not "".join(rich).isascii()
    assert len(plain) == len(rich)
    cells = [[x.count(" | ") for x in lines if x.startswith("|")] for lines in (rich, plain)]
    assert cells[0] == cells[1]
    assert not any(x.startswith("- - ") for x in plain)  # no list within the list
    assert any(" ok " in x for x in plain) or command.startswith("compare")


def test_a_plot_as_text_too(said: Said, tmp_path: Path) -> None:
    file = str(SESSIONS / "h200-full-1.jsonl")
    for option, plain in (("--ascii", True), (None, False)):
        plot = tmp_path / f"{option}.txt"
        assert said("show", file, "--plot", str(plot), *([option] if option else []))[0] == 0
        assert plot.read_text("utf-8").isascii() is plain


def test_every_help() -> None:
    from roofwatch.cli import VERBS

    for verb in VERBS.values():
        assert parser_of(verb).format_help().isascii()


def test_letters_of_a_script_stay() -> None:
    assert in_ascii("4096×4096 · 3 µs ≥ 12 °C, 卡 é") == "4096x4096 - 3 us >= 12 C, 卡 é"
