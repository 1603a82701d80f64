"""What Tab offers: asked of the shells themselves, without anyone at a keyboard."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofwatch.cli import VERBS, main
from roofwatch.notebook.known_card import Cards
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.verbs.completion.card_names import card_names
from roofwatch.verbs.completion.script import SCRIPTS
from roofwatch.verbs.completion.words import ANY, NONE, PROBES, SESSIONS, Command, commands
from roofwatch.verbs.parser import parser_of
from roofwatch.verbs.screen import SHELLS, screen_parser

SESSIONS_KEPT = Path(__file__).parent.parent / "sessions"
CHECKS = {"bash": ["--norc", "-n"], "zsh": ["-f", "-n"], "fish": ["--no-execute"]}
KEPT = "20261130T101112Z-nvidia-h200-abcdef.jsonl"


@pytest.fixture(scope="module")
def told() -> dict[str, Command]:
    """Every command by its name."""
    return {each.name: each for each in commands(screen_parser(), VERBS)}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script of every shell."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell, script in SCRIPTS.items():
        (folder / shell).write_text(script(commands(screen_parser(), VERBS)))
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder to complete files of, with a kept session elsewhere."""
    kept = tmp_path / "data" / "roofwatch" / "sessions"
    kept.mkdir(parents=True)
    (kept / KEPT).write_text("")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "my session.jsonl").write_text("")
    return tmp_path / "here"


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


def asked(here: Path, shell: str, *arguments: str) -> list[str]:
    environ = {**os.environ, "XDG_DATA_HOME": str(here.parent / "data"), "LC_ALL": "C.UTF-8"}
    result = subprocess.run(
        [shell, *arguments], cwd=here, env=environ, capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout.splitlines()


def by_bash(scripts: Path, here: Path, *words: str) -> set[str]:
    line = " ".join(map(shlex.quote, words))
    code = f"""
        set -u
        source {scripts / "bash"}
        COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
        _roofwatch
        printf '%s\\n' ${{COMPREPLY[@]+"${{COMPREPLY[@]}}"}}
    """
    return {each for each in asked(here, needs("bash"), "--norc", "-c", code) if each}


def test_every_verb_and_option_is_told(told: dict[str, Command]) -> None:
    assert set(told) == {"", *VERBS}
    for verb in VERBS:
        parser = parser_of(VERBS[verb])
        names = {
            n for a in parser._actions if a.help != argparse.SUPPRESS for n in a.option_strings
        }
        assert {n for word in told[verb].options for n in word.names} == names
        assert told[verb].said
    takes = {n: w.takes for w in told["show"].options for n in w.names}
    assert takes["--json"] == NONE
    assert takes["--price"] == ANY
    assert takes["--probe"] == PROBES
    assert told["show"].arguments[0].takes == SESSIONS
    words = {n: w.words for w in told["plan"].options for n in w.names}
    assert set(words["--gpu"]) > {card.key for card in packaged_cards()}
    assert {"T4", "H200", "A100 80GB SXM", "H100 SXM", "RTX 4090"} <= set(words["--gpu"])


def test_each_name_that_is_offered_means_one_card() -> None:
    known = Cards(packaged_cards())
    names = card_names(packaged_cards())
    assert len(names) == len(set(names)) > 200
    for name in names:
        assert card_named(name, known)


def test_the_command_line_knows_the_shells_there_are() -> None:
    assert set(SHELLS) == set(SCRIPTS) == set(CHECKS)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_and_the_shell_can_read_it(
    shell: str, scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--completion", shell]) == 0
    assert capsys.readouterr().out == (scripts / shell).read_text()
    subprocess.run([needs(shell), *CHECKS[shell], scripts / shell], check=True, timeout=60)


def test_it_loads_neither_torch_nor_textual() -> None:
    code = (
        "import sys; from roofwatch.cli import main; main(['--completion', 'fish'])\n"
        "print(*({'torch', 'textual', 'psutil', 'plotext', 'pynvml'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pl"], {"plan"}),
        (["--su"], {"--suite", "--sustain"}),
        (["--suite", "de"], {"decode"}),
        (["run", "--suite", "=", "mi"], {"mistakes"}),
        (["run", "--suite", "="], {"quick", "full", "mistakes", "decode", "kernels", "links"}),
        (["plan", "--gpu", "h200-s"], {"h200-sxm-141"}),
        (["plan", "--gpu", "H2"], {"H20", "H20-3e", "H200", r"H200\ NVL"}),
        (["plan", "--gpu", "t4"], {"t4"}),
        (["plan", "--gpu", "T4"], {"T4"}),
        (["plan", "--gpu", '"A100 80'], {"A100 80GB SXM", "A100 80GB PCIe"}),
        (["plan", "--gpu", "'a100 80gb s"], {"A100 80GB SXM"}),
        (["plan", "--gpu", r"A100\ 80GB\ S"], {r"A100\ 80GB\ SXM"}),
        (["plan", "--model", "tinyl"], {"TinyLlama-1.1B"}),
        (["plan", "--session", "la"], {"last", "last~1"}),
        (["trace", "x", "--session", "la"], {"last", "last~1"}),
        (["triage", "m:f", "--session", "la"], {"last", "last~1"}),
        (["compare", "la"], {"last", "last~1"}),
        (["run", "--resume", "last~"], {"last~1"}),
        (["check", "--json", "--op", "add"], {"add", "add_scalar"}),
        (["check", "--lang", ""], {"en", "zh-CN"}),
        (["watch", "--device", "a"], {"auto", "all"}),
        (["show", "my"], {"my session.jsonl"}),
        (["show", "2026"], {f"../data/{KEPT}"}),
        (["run", "--resume", "2026"], {f"../data/{KEPT}"}),
        (["run", "--resume", "--js"], {"--json"}),
        (["show", "x.jsonl", "--plot", "my"], {"my session.jsonl"}),
        (["plan", "--price", ""], set()),
        (["watch", "--", "cat", "my"], {"my session.jsonl"}),
    ],
)
def test_bash_offers(words: list[str], offered: set[str], scripts: Path, here: Path) -> None:
    kept = str(here.parent / "data" / "roofwatch" / "sessions")
    found = by_bash(scripts, here, "roofwatch", *words)
    assert {each.replace(kept, "../data") for each in found} == offered


@pytest.mark.parametrize("name", ["my session.jsonl", "last"])
def test_bash_offers_the_probes_of_the_session_on_the_line(
    name: str, scripts: Path, here: Path
) -> None:
    kept = here.parent / "data" / "roofwatch" / "sessions"
    for folder, session in ((here, "my session.jsonl"), (kept, KEPT)):
        shutil.copy(SESSIONS_KEPT / "h200-quick-1.jsonl", folder / session)
    keys = {s.key for s in fold(events(SESSIONS_KEPT / "h200-quick-1.jsonl")).specs}
    found = by_bash(scripts, here, "roofwatch", "show", name, "--probe", "")
    assert found
    assert found <= keys
    assert by_bash(scripts, here, "roofwatch", "show", name, "--probe", "matmul-bf16-") == {
        "matmul-bf16-sustained"
    }
    assert by_bash(scripts, here, "roofwatch", "show", "absent", "--probe", "") == set()


def test_bash_takes_no_name_for_a_pattern(scripts: Path, here: Path) -> None:
    for name in ("*.jsonl", "[m]y*"):
        (here / name).touch()
    assert by_bash(scripts, here, "roofwatch", "show", "*") == {"*.jsonl"}
    assert by_bash(scripts, here, "roofwatch", "watch", "--", "cat", "[") == {"[m]y*"}


def test_bash_offers_every_verb_and_behind_dashes_commands(scripts: Path, here: Path) -> None:
    assert by_bash(scripts, here, "roofwatch", "") == set(VERBS)
    assert "python3" in by_bash(scripts, here, "roofwatch", "watch", "--", "python3")
    assert "--metrics" in by_bash(scripts, here, "roofwatch", "watch", "-")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("roofwatch pl", {"plan"}),
        ("roofwatch --su", {"--suite", "--sustain"}),
        ("roofwatch run --suite mi", {"mistakes"}),
        ("roofwatch plan --gpu h200-s", {"h200-sxm-141"}),
        ("roofwatch plan --gpu H20", {"H200", "H200 NVL"}),
        ("roofwatch plan --gpu a100", {"A100 80GB SXM"}),
        ("roofwatch plan --session la", {"last", "last~1"}),
        ("roofwatch show my", {"my session.jsonl"}),
        ("roofwatch watch --", {"--"}),
    ],
)
def test_fish_offers(line: str, offered: set[str], scripts: Path, here: Path) -> None:
    code = f"source {scripts / 'fish'}; complete -C {shlex.quote(line)}"
    found = {each.partition("\t")[0] for each in asked(here, needs("fish"), "-c", code)}
    assert offered <= found or (line.endswith("--") and "--metrics" in found)
