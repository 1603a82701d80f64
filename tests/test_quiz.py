"""``roofwatch quiz`` as a shell and a person see it."""

from __future__ import annotations

import contextlib
import io
import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from roofwatch.cli import main
from roofwatch.notebook.catalog import choose
from roofwatch.notebook.known_card import Cards
from roofwatch.session.cards import packaged_cards
from roofwatch.session.own_card import own_card
from roofwatch.tui.drawing import print_rows
from roofwatch.tui.printed import quiz_plain

SESSIONS = Path(__file__).parent / "sessions"
CARDS = Cards(packaged_cards())


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(quiz_plain, "own_card", lambda cards: own_card(cards, tmp_path))


def said(*arguments: str, typed: bytes = b"") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(["quiz", *arguments])
            except SystemExit as end:
                code = int(end.code or 0)
    finally:
        sys.stdin = before
        choose("en")
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]


def told(*arguments: str) -> Any:
    code, out, err = said(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def typed_of(question: dict[str, Any]) -> bytes:
    then = question["then"]
    second = f"{then['answer']}\n" if then else ""
    return f"{question['answer']} {question['unit']}\n{second}".encode()


def test_json_holds_questions_and_answers() -> None:
    found = told("--gpu", "T4", "--seed", "5")
    assert (found["gpu"], found["seed"]) == ("Tesla T4", 5)
    assert [q["number"] for q in found["questions"]] == list(range(1, 18))
    for q in found["questions"]:
        assert q["question"]
        assert q["explanation"]
        assert (q["kind"] == "choice") == bool(q["choices"])
    assert told("--gpu", "T4", "--seed", "5") == found
    assert told("--gpu", "T4", "--seed", "5", "--question", "9")["questions"] == [
        found["questions"][8]
    ]
    chinese = told("--gpu", "T4", "--seed", "5", "--lang", "zh-CN")["questions"]
    assert [q["answer"] for q in chinese] == [q["answer"] for q in found["questions"]]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_whoever_knows_all_has_all(language: str) -> None:
    right = told("--seed", "2")["questions"]
    typed = b"".join(map(typed_of, right))
    code, out, _ = said("--seed", "2", "--lang", language, typed=typed)
    assert code == 0
    end = out.splitlines()[-1]
    assert end == ("17 of 17 right." if language == "en" else "17 题答对 17 题。")


def test_a_wrong_answer_is_explained_at_once_and_counted() -> None:
    code, out, _ = said("--seed", "2", "--question", "8", typed=b"3 FLOP/byte\n")
    assert code == 0
    assert "No: " in out
    assert "On paper" in out
    assert out.splitlines()[-1] == "0 of 1 right."


def test_what_is_no_answer_is_asked_again_and_not_counted() -> None:
    (q,) = told("--seed", "2", "--question", "8")["questions"]
    typed = b"what?\n\n\xff\xfe\n" + b"9" * 20_000 + b"\n" + typed_of(q)
    code, out, _ = said("--seed", "2", "--question", "8", typed=typed)
    assert code == 0
    assert out.count("It was not counted.") >= 3
    assert out.splitlines()[-1] == "1 of 1 right."


def test_the_end_of_the_input_ends_it_with_the_score() -> None:
    first = told("--seed", "2")["questions"][0]
    code, out, err = said("--seed", "2", typed=typed_of(first))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "Ended: 1 of 1 right, 16 not answered."
    assert said("--seed", "2")[1].splitlines()[-1] == "Ended: 0 of 0 right, 17 not answered."
    alone = said("--question", "1")[1].splitlines()[-1]
    assert alone == "Ended: 0 of 0 right, 1 not answered."  # it was asked


@pytest.mark.parametrize("word", ["q", " Q ", "quit", "退出"])
def test_q_ends_it_with_the_score(word: str) -> None:
    first = typed_of(told("--seed", "2")["questions"][0])
    code, out, err = said("--seed", "2", typed=first + word.encode() + b"\n" + b"a\n" * 20)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "Ended: 1 of 1 right, 16 not answered."


def test_a_question_can_be_skipped() -> None:
    right = told("--seed", "2")["questions"]
    typed = b"".join(map(typed_of, right[1:15]))
    code, out, _ = said("--seed", "2", typed=b"s\n" + typed + b"\n\n" + b"skip\n")
    assert code == 0
    assert out.splitlines()[-1] == "14 of 14 right, 3 skipped."
    assert out.count("Nothing was typed: Enter again skips the question, q ends.") == 1
    assert right[0]["explanation"][:30] not in out  # it may be asked again
    (then,) = (q for q in right if q["number"] == 11)
    half = typed_of(then).splitlines()[0]
    out = said("--seed", "2", "--question", "11", typed=half + b"\ns\n")[1]
    assert out.splitlines()[-1] == "0 of 0 right, 1 skipped."


def test_ctrl_c_ends_it_with_the_score_and_130() -> None:
    first = typed_of(told("--gpu", "T4", "--seed", "4")["questions"][0])
    command = [sys.executable, "-m", "roofwatch", "quiz", "--gpu", "T4", "--seed", "4"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(first)
        child.stdin.flush()
        seen = b""
        while b"2 of 17" not in seen or not seen.endswith(b"> "):
            piece = child.stdout.read1(4096)  # type: ignore[attr-defined]
            assert piece, seen
            seen += piece
        child.send_signal(signal.SIGINT)
        rest, err = child.communicate(timeout=20)
    assert (child.returncode, err) == (130, b"")
    assert rest.decode() == "\nEnded: 1 of 1 right, 16 not answered.\n"


@pytest.mark.parametrize(
    ("second", "end"), [("{then}", "1 of 1 right."), ("{other}", "0 of 1 right.")]
)
@pytest.mark.parametrize("number", ["11", "16"])
def test_both_answers_may_stand_in_one_line(number: str, second: str, end: str) -> None:
    (q,) = told("--seed", "2", "--question", number)["questions"]
    choices = ["a", "b"]
    then = choices[_place(q["then"])]
    other = choices[1 - _place(q["then"])]
    for sign in (", ", "; ", "，"):
        line = f"{q['answer']} {q['unit']}{sign}{second.format(then=then, other=other)}\n"
        out = said("--seed", "2", "--question", number, typed=line.encode())[1]
        assert out.splitlines()[-1] == end
        assert q["then"]["question"] not in out


@pytest.mark.parametrize(("language", "words"), [("en", "(a CPU"), ("zh-CN", "只有 CPU")])
def test_that_another_card_is_asked_about_is_said(language: str, words: str) -> None:
    assert words in said("--answers", "--question", "7", "--lang", language)[1]
    named = said("--answers", "--question", "7", "--lang", language, "--gpu", "H100 SXM")[1]
    assert words not in named


@pytest.mark.parametrize("number", ["11", "16"])
def test_both_things_that_a_question_asks_are_checked(number: str) -> None:
    (q,) = told("--seed", "2", "--question", number)["questions"]
    first, second = typed_of(q).splitlines()
    other = next(c for c in b"ab" if "ab".index(chr(c)) != _place(q["then"]))
    ends = []
    for typed in (
        first + b"\n" + second,
        first + b"\n" + bytes([other]),
        b"7" + q["unit"].encode() + b"\n" + second,
        first + b"\nbanana\n" + second,
        first,
        b"?",
    ):
        code, out, _ = said("--seed", "2", "--question", number, typed=typed + b"\n")
        assert code == 0
        ends.append(out.splitlines()[-1])
        assert (q["then"]["question"] in out) == (typed != b"?")
        assert (q["explanation"].split(":")[0][:40] in out) == (typed != first)
    assert ends == [
        *("1 of 1 right.", "0 of 1 right.", "0 of 1 right.", "1 of 1 right."),
        *("Ended: 0 of 0 right, 1 not answered.", "0 of 1 right."),
    ]


def _place(then: dict[str, Any]) -> int:
    return int(then["choices"].index(then["answer_said"]))


@pytest.mark.parametrize("number", ["6", "8", "9", "11"])
def test_a_number_without_its_unit_is_asked_back_once(number: str) -> None:
    (q,) = told("--gpu", "T4", "--seed", "1", "--question", number)["questions"]
    bare, with_unit, *then = f"{q['answer']}\n".encode(), *typed_of(q).splitlines(keepends=True)
    for typed in (bare + with_unit, bare + bare):
        typed += b"".join(then)
        _, out, _ = said("--gpu", "T4", "--seed", "1", "--question", number, typed=typed)
        asked_back = " ".join(out.split())
        assert asked_back.count("A unit is not guessed: write it like") == 1
        assert f"counts as {q['unit']}." in asked_back
        assert out.splitlines()[-1] == "1 of 1 right."
    _, out, _ = said("--gpu", "T4", "--seed", "1", "--question", "2", typed=b"3\n")
    assert "not guessed" not in out  # a factor has no unit


def test_microseconds_are_written_one_way_as_the_terminal_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for language in ("en", "zh-CN"):
        out = said("--answers", "--question", "12", "--lang", language)[1]
        assert " µs" in out
        assert " us" not in out
    monkeypatch.setenv("LC_ALL", "C")
    assert " us" in said("--answers", "--question", "12")[1]


def test_the_answer_is_said_in_the_language_of_the_question() -> None:
    out = said("--answers", "--question", "16", "--seed", "1", "--lang", "zh-CN")[1]
    assert "答案：0.25 FLOP/byte；memory-bound（显存带宽）" in out
    out = said("--answers", "--question", "16", "--seed", "1")[1]
    assert "Answer: 0.25 FLOP/byte; memory-bound" in out


def test_a_question_mark_shows_the_answer() -> None:
    _, out, _ = said("--seed", "2", "--question", "7", typed=b"?\n")
    assert "Answer: " in out
    assert out.splitlines()[-1] == "0 of 1 right."


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_the_text_fits(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_rows, "columns", lambda _: cells)
    for language in ("en", "zh-CN"):
        code, out, _ = said("--answers", "--lang", language, "--seed", "1")
        assert code == 0
        assert max(map(cell_len, out.splitlines())) <= cells


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--gpu", "Banana"], "no card is called 'Banana'"),
        (["--gpu", "A100"], "say which card"),
        (["--gpu", "Tesla K80"], "the questions need a bandwidth"),
        (["--seed", "x"], "no whole number"),
        (["--seed", "-1"], "argument"),
        (["--seed", "9" * 5000], "no whole number"),
        (["--question", "18"], "none of 1 to 17"),
        (["--question", "0"], "none of 1 to 17"),
        (["--question", "٣"], "none of 1 to 17"),
        (["--lang", "tlh"], "is none of en, zh-CN"),
        (["--answers", "--json"], "not allowed with"),
        (["--nominal", "nowhere.toml"], "nowhere.toml"),
        (["--gpu", "\x1b[2J"], "no card is called"),
        (["more"], "unrecognized arguments"),
    ],
)
def test_a_refusal_is_one_line(arguments: list[str], words: str) -> None:
    code, out, err = said(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert words in err
    assert "\x1b" not in err


@pytest.mark.parametrize("seed", range(4))
def test_noise_at_the_prompt_ends_in_a_score(seed: int) -> None:
    chance = random.Random(seed)
    typed = bytes(chance.choice(b"0123456789.%/abcxGBms \n\n\x00\x1b\xff") for _ in range(3000))
    code, out, err = said("--seed", str(seed), typed=typed)
    assert (code, err) == (0, "")
    assert "right" in out.splitlines()[-1]
    assert "\x1b" not in out


def test_without_a_name_it_is_this_machines_card_then_the_last_saved_then_the_notes(
    tmp_path: Path,
) -> None:
    assert told("--seed", "1")["gpu"] == "NVIDIA H100 80GB HBM3"
    folder = tmp_path / "data" / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    for name in ("h200-quick-1.jsonl", "watch/h200-1.jsonl"):
        (folder / Path(name).name).write_bytes((SESSIONS / name).read_bytes())
    assert told("--seed", "1")["gpu"] == "NVIDIA H200"
    for bus, name in (("0000:01", "Unheard of"), ("0000:02", "NVIDIA A100-SXM4-80GB")):
        (tmp_path / bus).mkdir()
        (tmp_path / bus / "information").write_text(f"Model: \t {name}\nIRQ: 11\n")
    assert told("--seed", "1")["gpu"] == "NVIDIA A100-SXM4-80GB"
    (tmp_path / "0000:02" / "information").write_bytes(b"\xff\x00")
    assert own_card(CARDS, tmp_path) is not None  # the saved one again


@pytest.mark.pty
def test_on_a_terminal_it_asks_and_ctrl_d_ends_it(tmp_path: Path) -> None:
    terminal = pytest.importorskip("terminal")
    (first, second, *_) = told("--gpu", "T4", "--seed", "4")["questions"]
    command = [sys.executable, "-m", "roofwatch", "quiz", "--gpu", "T4", "--seed", "4"]
    screen = terminal.Terminal(command, rows=60, owned=True)
    try:
        assert screen.when(lambda text: "1 of 17" in text and "\n>" in text, 30) is not None
        screen.type("hm\r")
        assert screen.when(lambda text: "It was not counted." in text, 10) is not None
        screen.type(typed_of(first).decode().replace("\n", "\r"))
        assert screen.when(lambda text: "Right." in text and "2 of 17" in text, 10) is not None
        screen.type("7x\r")
        assert second["unit"] == "x"
        assert screen.when(lambda text: "No: " in text and "3 of 17" in text, 10) is not None
        screen.type("\x04")
        ended = "Ended: 1 of 2 right, 15 not answered."
        assert screen.when(lambda text: ended in text, 10) is not None
        assert screen.process.wait(10) == 0
    finally:
        screen.close()
