"""The verbs as a shell sees them: exit codes, streams, one line for a mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofwatch.cli import main

ROOT = Path(__file__).parent.parent


def roofwatch(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "roofwatch", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        check=False,
    )


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["frobnicate"], "'frobnicate' is no verb"),
        (["--device", "all", "--suite", "decode"], "--device all is of --suite quick and full"),
        (["--device", "gpu"], "'gpu' is not auto, all, cpu or cuda:N"),
        (["run", "--device", "cuda:x"], "'cuda:x' is not"),
        (["run", "--device", "cuda:12345"], "'cuda:12345' is not"),
        (["run", "--device", "x" * 9000], "x' is not auto, all, cpu or cuda:N"),
        (["run", "--device", "cpu", "--nominal", "x" * 9000], "x: File name too long"),
        (["show", "x" * 9000], "...: File name too long"),
        (["run", "--sustain", "nan"], "'nan' is not a number of seconds"),
        (["run", "--sustain", "0"], "'0' is not a number of seconds"),
        (["--price", "free"], "'free' is no price"),
        (["run", "--price", "0/h"], "argument --price: '0/h' is not above 0"),
        (["run", "--price", "1,990/h"], "may be 1.990 or 1990"),
        (["run", "--price=-1.99/h"], "is not above 0"),
        (["show", "/nowhere/s.jsonl", "--price", "inf"], "'inf' is no price"),
        (["run", "--suite", "huge"], "invalid choice: 'huge'"),
        (["run", "--jason"], "unrecognized arguments: --jason"),
        (["show"], "required: file"),
        (["show", "/nowhere/s.jsonl"], "/nowhere/s.jsonl: No such file"),
        (["run", "--nominal", "/nowhere/n.toml"], "/nowhere/n.toml"),
        (["run", "--save", "/nowhere/s.jsonl"], "/nowhere/s.jsonl: No such file"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    assert says in one_line(roofwatch(*arguments))


def test_a_mistake_in_the_users_own_cards_is_named_before_anything_runs(tmp_path: Path) -> None:
    own = tmp_path / "config" / "roofwatch" / "nominal.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[card]]\nkey = "mine"\nnames = ["X"]\nbandwidth_gbs = "fast"\n')
    said = one_line(roofwatch("run", "--device", "cpu"))
    assert "nominal.toml" in said
    assert "bandwidth_gbs" in said


def test_a_session_is_never_written_over(tmp_path: Path, h200_file: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(h200_file.read_bytes())
    assert "has content already" in one_line(roofwatch("run", "--save", str(path)))
    assert path.read_bytes() == h200_file.read_bytes()


def test_show_prints_the_record_again(h200_file: Path) -> None:
    result = roofwatch("show", str(h200_file))
    assert result.returncode == 0
    assert "NVIDIA H200" in result.stdout
    assert "\x1b" not in result.stdout
    assert result.stderr == ""


def test_show_json_is_json_alone(h200_file: Path) -> None:
    result = roofwatch("show", str(h200_file), "--json")
    assert json.loads(result.stdout)["schema"] == "roofwatch.record/1"
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_show_with_a_price_says_what_it_cost_and_leaves_the_file(
    tmp_path: Path, h200_file: Path
) -> None:
    assert json.loads(roofwatch("show", str(h200_file), "--json").stdout)["cost"] == {}
    path = tmp_path / "s.jsonl"
    first, _, rest = h200_file.read_bytes().partition(b"\n")
    path.write_bytes(first[:-1] + b',"price":{"per_hour":3.0,"currency":"CHF"}}\n' + rest)
    before = path.read_bytes()
    assert json.loads(roofwatch("show", str(path), "--json").stdout)["cost"]["currency"] == "CHF"
    assert " money  3.00 CHF an hour" in roofwatch("show", str(path)).stdout
    told = roofwatch("show", str(path), "--price", "€1.99/h")
    assert told.returncode == 0
    assert " money  €1.99 an hour" in told.stdout
    bill = json.loads(roofwatch("show", str(path), "--price", "1.99/h", "--json").stdout)["cost"]
    assert bill["run_cost"] == pytest.approx(1.99 * bill["run_s"] / 3600, rel=1e-3)
    assert path.read_bytes() == before


def test_show_in_a_terminal_of_ascii(h200_file: Path) -> None:
    result = roofwatch("show", str(h200_file), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.returncode == 0
    assert result.stdout.isascii()


def test_a_torn_session_is_shown_and_exits_0(tmp_path: Path, h200_file: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(h200_file.read_bytes()[:60000])
    result = roofwatch("show", str(path))
    assert result.returncode == 0
    assert "not complete" in result.stdout


def test_damage_is_one_line_with_its_row(tmp_path: Path, h200_file: Path) -> None:
    path = tmp_path / "bad.jsonl"
    rows = h200_file.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*rows[:5], b'{"kind":"note","t":0}\n', *rows[5:]]))
    assert "bad.jsonl: row 6: Object missing required field `text`" in one_line(
        roofwatch("show", str(path))
    )


def test_replay_wants_a_terminal(h200_file: Path) -> None:
    assert "--replay needs a terminal" in one_line(roofwatch("show", str(h200_file), "--replay"))


def test_version_and_help() -> None:
    assert roofwatch("--version").stdout.startswith("roofwatch 0.")
    assert "roofwatch show FILE" in roofwatch("--help").stdout


def test_a_closed_pipe_is_no_traceback(h200_file: Path) -> None:
    command = f"{sys.executable} -m roofwatch show {h200_file} | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr
    assert "NVIDIA H200" in result.stdout


def test_a_cuda_device_that_is_absent_exits_3(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    result = roofwatch("run", "--device", "cuda:9", "--save", str(tmp_path / "s.jsonl"), "--json")
    assert result.returncode == 3
    assert "cuda:9" in result.stderr
    assert json.loads(result.stdout)["faults"]


def shell(command: str) -> subprocess.CompletedProcess[str]:
    me = f"{sys.executable} -m roofwatch"
    return subprocess.run(
        ["bash", "-c", command.replace("ME", me)],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("ME show FILE >/dev/full", 1),
        ("ME show FILE --json >/dev/full", 1),
        ("ME --help >/dev/full", 1),
        ("ME --version >/dev/full", 1),
        ("ME check --help >/dev/full", 1),
        ("ME run --help >/dev/full", 1),
        ("ME check --help | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}", 0),
        ("ME show FILE >&-", 0),
        ("ME show FILE 2>&-", 0),
        ("ME show FILE <&-", 0),
    ],
)
def test_streams_that_are_full_or_closed(h200_file: Path, command: str, code: int) -> None:
    result = shell(command.replace("FILE", str(h200_file)))
    assert "Traceback" not in result.stderr
    assert result.returncode == code


def test_a_probe_of_a_session_that_measured_none() -> None:
    watched = Path(__file__).parent / "sessions" / "watch" / "h200-1.jsonl"
    result = roofwatch("show", str(watched), "--probe", "matmul-bf16")
    assert result.returncode == 2
    assert str(watched) in result.stderr
    assert "ran no probe" in result.stderr
    assert "none of  " not in result.stderr


def test_names_that_are_no_text(tmp_path: Path, h200_file: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/s\xff.jsonl"
    with open(odd, "wb") as file:
        file.write(h200_file.read_bytes())
    result = shell(f"ME show {tmp_path}/s$'\\xff'.jsonl --json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["session"]["complete"] is True


def test_a_session_from_a_pipe(h200_file: Path) -> None:
    assert "NVIDIA H200" in shell(f"ME show <(cat {h200_file})").stdout


def test_the_command_line_knows_the_suites_there_are() -> None:
    from roofwatch.roofline import suite
    from roofwatch.tui.printed import live_options

    assert live_options.SUITES == suite.SUITES
    assert live_options.QUICK == suite.QUICK
    assert live_options.FULL == suite.FULL


@pytest.mark.parametrize("text", ["foo", "", "bf16,", "bf16,,fp16", "BF16"])
def test_a_precision_that_is_none_is_said(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    from roofwatch import cli

    with pytest.raises(SystemExit) as ended:
        cli.main(["run", f"--hold={text}"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--hold" in said
    assert "fp8_fast" in said


def test_a_verb_behind_options_is_told_where_it_belongs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--ascii", "show", "s.jsonl", "--replay"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "the verb comes first, then its options: roofwatch show ..." in said
    assert said.count("\n") == 1


def test_a_run_on_a_device_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    environ = os.environ | {"XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "roofwatch", "run", "--device", "cuda:9"],
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    assert "cuda:9" in done.stderr
    assert list((tmp_path / "roofwatch" / "sessions").iterdir()) == []


@pytest.mark.long
def test_a_run_that_cannot_be_saved_says_so_and_measures(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "file").write_text("no folder")
    environ = os.environ | {"XDG_DATA_HOME": str(tmp_path / "file")}
    command = [sys.executable, "-m", "roofwatch", "run", "--device", "cpu"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        said = [line for line, _ in zip(run.stderr, range(2), strict=False)]
        run.terminate()
        rest = run.stderr.read()
    assert "the session is not saved" in "".join(said)
    assert " session " not in "".join(said).replace("the session is", "")
    assert "not kept" in rest


@pytest.mark.parametrize(
    "arguments",
    [["run", "--anonymous"], ["--anonymous"], ["compare", "a", "b", "--md", "--anonymous"]],
)
def test_an_option_of_show_is_said_to_be_so(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--anonymous is of a saved session: roofwatch show last --anonymous" in said


def test_a_probe_that_a_session_has_not_names_the_file(
    h200_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = ROOT / "tests" / "sessions" / "watch" / "h200-1.jsonl"
    for file, words in ((h200_file, "is none of add_scalar-fp16, "), (watched, "ran no probe")):
        with pytest.raises(SystemExit) as ended:
            main(["show", str(file), "--probe", "nothing"])
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert words in said
        assert str(file) in said
