"""`roofwatch check` as a shell sees it: exit codes, streams, languages, files of any kind."""

from __future__ import annotations

import gc
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from roofwatch import cli
from roofwatch.notebook.catalog import choose
from roofwatch.notebook.entry import READ
from roofwatch.session import cards as cards_of_session

ROOT = Path(__file__).parent.parent
CONTRACT = {
    *("id", "verdict", "gbs", "tflops", "intensity"),
    *("of_nominal", "expected", "findings", "error"),
}
GOOD = {
    "gpu": "T4",
    "op": "add_scalar",
    "elements": 1 << 29,
    "dtype": "fp16",
    "time_ms": "7.900",
}
WRONG = {**GOOD, "claimed_gbs": 136}
T4_OPTIONS = "--gpu T4 --op add_scalar --elements 524288 --dtype fp16".split()  # noqa: SIM905


class Said(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


table = cache(cards_of_session.packaged_cards)  # parsing it is most of a run's time


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No language of the tester's and none left behind; the table is parsed once."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cards_of_session, "packaged_cards", table)
    yield
    choose("en")
    gc.enable()  # a process of its own has no use for it


def check(capfdbinary: pytest.CaptureFixture[bytes], *arguments: object) -> Said:
    capfdbinary.readouterr()
    try:
        code = cli.main(["check", *map(str, arguments)])
    except SystemExit as ended:  # argparse
        code = int(ended.code or 0)
    out, err = capfdbinary.readouterr()
    said = Said(code, out.decode(), err.decode())
    assert "Traceback" not in said.err
    return said


def kept(folder: Path, *rows: object, name: str = "n.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(r) + "\n" if r != "{" else "{\n" for r in rows))
    return path


def one_line(said: Said) -> str:
    assert said.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith("roofwatch")
    return said.err


CAP = pytest.CaptureFixture[bytes]


def test_the_readmes_example_is_what_is_printed(capfdbinary: CAP) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"    \./start check (--gpu .*)\n\n((?:     .*\n|\n)+)", readme)
    assert block is not None
    shown = re.sub(r"(?m)^    ", "", block[2])
    assert check(capfdbinary, *shlex.split(block[1])).out.strip("\n") == shown.strip("\n")


# Exit codes and streams.


@pytest.mark.parametrize(
    ("rows", "strict", "code"),
    [
        ([GOOD], False, 0),
        ([GOOD], True, 0),
        ([WRONG], False, 0),
        ([WRONG], True, 5),
        ([GOOD, "{"], False, 2),
        ([WRONG, "{"], True, 2),
        (["{", WRONG], True, 2),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_exit_codes(
    tmp_path: Path, capfdbinary: CAP, rows: list[object], strict: bool, code: int, as_json: bool
) -> None:
    options = ["--json"] * as_json + ["--strict"] * strict
    said = check(capfdbinary, kept(tmp_path, *rows), *options)
    assert said.code == code
    assert (said.err == "") is (code != 2)


def test_json_stands_alone_on_stdout_one_answer_a_row_in_order(
    tmp_path: Path, capfdbinary: CAP
) -> None:
    path = kept(tmp_path, {**GOOD, "id": 1}, "{", {**WRONG, "id": 2}, {"op": "ad", "id": 3})
    said = check(capfdbinary, path, "--json")
    assert [a["id"] for a in said.answers] == [1, None, 2, 3]
    assert [a["verdict"] for a in said.answers] == ["believable", None, "wrong", None]
    for one in said.answers:
        assert set(one) >= CONTRACT
        assert isinstance(one["findings"], list)
    first, second = said.err.splitlines()
    assert first.startswith(f"roofwatch: {path}: row 2: no JSON object")
    assert second == f"roofwatch: {path}: row 4, field op: 'ad' is not known; did you mean add?"


def test_a_page_for_one_number(capfdbinary: CAP) -> None:
    said = check(capfdbinary, *T4_OPTIONS, "--claimed", "900GB/s", "--time", "2.33us")
    assert said.code == 0
    assert said.err == ""
    assert said.out.startswith(" ✗ wrong   Tesla T4   900 GB/s  281 % of nominal\n")
    assert "E2 l2-hit" in said.out
    assert "\x1b" not in said.out
    assert not [line for line in said.out.splitlines() if line != line.rstrip() or len(line) > 80]


def test_many_rows_are_lines_full_makes_pages(tmp_path: Path, capfdbinary: CAP) -> None:
    path = kept(tmp_path, *[{**WRONG, "id": f"r{i}"} for i in range(9)])
    lines, pages = check(capfdbinary, path), check(capfdbinary, path, "--full")
    assert len(lines.out.splitlines()) == 12
    assert lines.out.splitlines()[-2:] == [
        " 9 rows   ✗ 9 wrong",
        " --full prints a page for each row",
    ]
    assert "--full" not in pages.out
    assert pages.out.count("Why") == 9


def test_a_row_that_cannot_be_read_is_told_once(tmp_path: Path, capfdbinary: CAP) -> None:
    path = tmp_path / "n.jsonl"
    rows = [json.dumps(WRONG)] * 7 + ["", json.dumps({"op": "ad"}), "{"]
    path.write_text("\n".join(rows) + "\n")
    said = check(capfdbinary, path)
    (typo, torn) = [line.split("✗ ")[1] for line in said.out.splitlines() if "unreadable  " in line]
    assert typo == "unreadable  row 8 (line 9), field op"
    assert torn == "unreadable  row 9 (line 10)"
    assert "did you mean add?" in said.err
    assert "did you mean add?" not in said.out


def test_csv_and_jsonl_say_the_same(tmp_path: Path, capfdbinary: CAP) -> None:
    path = tmp_path / "n.csv"
    path.write_text(",".join(WRONG) + "\r\n" + ",".join(map(str, WRONG.values())) + "\r\n")
    of_csv = check(capfdbinary, path, "--json")
    assert of_csv.out == check(capfdbinary, kept(tmp_path, WRONG), "--json").out.replace(
        '"row 1"', '"row 1 (line 2)"'
    )


def test_every_field_is_an_option(capfdbinary: CAP) -> None:
    for name in READ:
        said = check(capfdbinary, f"--{name.replace('_', '-')}", "\x1b", "--op", "add", "--json")
        assert len(said.answers) == 1, name
    assert check(capfdbinary, "--op", "add", "--time_ms", "3", "--json").code == 0


def test_a_rate_that_follows_without_a_type_is_told(capfdbinary: CAP) -> None:
    size = ["--op", "matmul", "--m", "8192", "--n", "8192", "--k", "8192", "--time", "4.3ms"]
    page = check(capfdbinary, *size)
    assert page.code == 0
    assert page.out.splitlines()[0] == " ? cannot say   256 TFLOP/s"
    (row,) = check(capfdbinary, *size, "--json").answers
    assert row["tflops"] == pytest.approx(2 * 8192**3 / 4.3e-3 / 1e12)
    assert row["verdict"] == "cannot-say"
    assert (row["gbs"], row["of_nominal"], row["expected"]) == (None, None, None)  # need a type
    assert row["missing"] == ["gpu", "dtype"]


def test_points_of_an_experiment_are_told_apart(capfdbinary: CAP) -> None:
    points = ["--op", "decode", "--params", "8B", "--batch", "8,64", "--time", "10ms,11ms"]
    page = check(capfdbinary, *points)
    heads = [line for line in page.out.splitlines() if line.startswith(" ? cannot say")]
    assert [" ".join(h.split()[3:]) for h in heads] == [
        *("experiment, batch 8", "experiment, batch 64")
    ]
    rows = check(capfdbinary, *points, "--json").answers
    assert [r["point"] for r in rows] == ["batch 8", "batch 64"]
    assert [r["id"] for r in rows] == ["experiment", "experiment"]


def test_options_with_commas_are_points(capfdbinary: CAP) -> None:
    said = check(capfdbinary, "--op", "decode", "--batch", "8,64", "--time", "10ms,11ms", "--json")
    first, last = said.answers
    assert first["experiment"] is None
    assert last["experiment"]["bound"] == ["memory", "overhead"]
    page = check(capfdbinary, "--op", "decode", "--batch", "8,64", "--time", "10ms,11ms")
    assert "Together" in page.out


def test_options_that_cannot_be_read(capfdbinary: CAP) -> None:
    said = check(capfdbinary, "--op", "ad")
    assert one_line(said) == "roofwatch: field op: 'ad' is not known; did you mean add?\n"
    as_json = check(capfdbinary, "--op", "ad", "--json")
    assert as_json.code == 2
    assert [a["error"] for a in as_json.answers] == [
        "field op: 'ad' is not known; did you mean add?"
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give a file or -, or one number by options"),
        (["x.csv", "--op", "add"], "give a file or -, or one number by options"),
        (["-", "--gpu", "T4"], "give a file or -"),
        (["a.csv", "b.csv"], "unrecognized arguments: b.csv"),
        (["--jason", "x"], "unrecognized arguments: --jason"),
        (["x.csv", "--lang", "fr"], "'fr' is none of en, zh-CN"),
        (["/nowhere/n.csv"], "roofwatch: /nowhere/n.csv: No such file or directory"),
        (["/tmp"], "roofwatch: /tmp: Is a directory"),
        (["a\0b"], "null byte"),
        (["--op", "add", "--nominal", "/nowhere/c.toml"], "/nowhere/c.toml: No such file"),
    ],
)
def test_a_mistake_is_one_line(capfdbinary: CAP, arguments: list[str], says: str) -> None:
    assert says in one_line(check(capfdbinary, *arguments))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no rows in it"),
        (b"\n \n", "no rows in it"),
        (b"\x7fELF\0\0", "no text"),
        ('{"op":"add"}'.encode("utf-16-le"), "no text"),
    ],
)
def test_files_that_hold_no_rows(tmp_path: Path, capfdbinary: CAP, data: bytes, says: str) -> None:
    path = tmp_path / "n.jsonl"
    path.write_bytes(data)
    assert one_line(check(capfdbinary, path)).startswith(f"roofwatch: {path}: {says}")
    assert says in one_line(check(capfdbinary, path, "--json"))


@pytest.mark.parametrize("text", ["op,elements\n", "hello", "[]"])
def test_a_file_of_headings_alone_is_not_silent(
    tmp_path: Path, capfdbinary: CAP, text: str
) -> None:
    path = tmp_path / "n.txt"
    path.write_text(text)
    said = check(capfdbinary, path)
    assert said.code == 2
    assert said.err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_of_other_encodings(tmp_path: Path, capfdbinary: CAP, encoding: str) -> None:
    path = tmp_path / "n.csv"
    path.write_text("op,note\nadd,é 名\n", encoding=encoding)
    said = check(capfdbinary, path, "--json")
    assert said.code == 0
    assert len(said.answers) == 1


def test_standard_input(capfdbinary: CAP, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps(WRONG).encode() + b"\n{\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    said = check(capfdbinary, "-", "--json")
    assert said.code == 2
    assert [a["verdict"] for a in said.answers] == ["wrong", None]
    assert said.err.startswith("roofwatch: row 2: no JSON object")
    monkeypatch.setattr(sys, "stdin", None)
    assert one_line(check(capfdbinary, "-")) == "roofwatch: standard input is closed\n"


def test_bytes_that_are_no_text_cost_one_row(tmp_path: Path, capfdbinary: CAP) -> None:
    path = tmp_path / "n.csv"
    path.write_bytes(b"id,op\n1,add\n\xff,add\n3,add\n")
    said = check(capfdbinary, path, "--json")
    assert said.code == 2
    assert [a["error"] is None for a in said.answers] == [True, False, True]


def test_bytes_that_are_no_text_elsewhere_cost_one_row(tmp_path: Path, capfdbinary: CAP) -> None:
    path = tmp_path / "n.csv"
    path.write_bytes(b"gpu,op,note\nT4,add,x\n\xff,add,x\nT4,add,\xfe\nT4,add,y\n")
    said = check(capfdbinary, path, "--json")
    assert said.code == 2
    assert [a["error"] is None for a in said.answers] == [True, False, False, True]
    assert "field gpu: " in said.err
    assert "field note: " in said.err


# Cards and languages.


def test_cards_beside_the_tables(tmp_path: Path, capfdbinary: CAP) -> None:
    cards = tmp_path / "mine.toml"
    cards.write_text('[[card]]\nkey = "mine"\nnames = ["My Card"]\nbandwidth_gbs = 1000\n')
    row = ["--gpu", "My Card", "--op", "copy", "--claimed", "850GB/s", "--json"]
    (known,) = check(capfdbinary, *row, "--nominal", cards).answers
    (unknown,) = check(capfdbinary, *row).answers
    assert (known["verdict"], known["of_nominal"]) == ("believable", 0.85)
    assert (unknown["verdict"], unknown["of_nominal"]) == ("cannot-say", None)
    cards.write_text('[[card]]\nkey = "mine"\nnames = ["X"]\nbandwidth_gbs = "fast"\n')
    assert "bandwidth_gbs" in one_line(check(capfdbinary, *row, "--nominal", cards))


def test_the_users_own_cards(tmp_path: Path, capfdbinary: CAP) -> None:
    own = tmp_path / "config" / "roofwatch" / "nominal.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[card]]\nkey = "t4"\nnames = ["Tesla T4"]\nbandwidth_gbs = 300\n')
    row = ["--gpu", "T4", "--op", "copy", "--claimed", "150GB/s", "--json"]
    (one,) = check(capfdbinary, *row).answers
    assert one["of_nominal"] == 0.5


CHINESE = ROOT / "notebook" / "languages" / "zh-CN.toml"
chinese = pytest.mark.skipif(not CHINESE.exists(), reason="the notebook has no Chinese yet")
E2 = [*T4_OPTIONS, "--claimed", "900GB/s", "--time", "2.33us"]


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


@chinese
@pytest.mark.parametrize("name", ["zh-CN", "zh", "zh_cn.UTF-8", "ZH-cn"])
def test_chinese_by_option(capfdbinary: CAP, name: str) -> None:
    said = check(capfdbinary, *E2, "--lang", name)
    assert is_chinese(said.out)
    assert "E2 l2-hit" in said.out
    (one,) = check(capfdbinary, *E2, "--lang", name, "--json").answers
    assert one["verdict"] == "wrong"  # words that machines read stay as they are
    assert {f["severity"] for f in one["findings"]} == {"wrong"}
    assert is_chinese(one["findings"][0]["message"])
    assert not is_chinese(check(capfdbinary, *E2).out)  # and no run later


@chinese
@pytest.mark.parametrize("name", ["LANG", "LC_MESSAGES", "LC_ALL"])
def test_chinese_by_the_shells_language(
    capfdbinary: CAP, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "zh_CN.UTF-8")
    assert is_chinese(check(capfdbinary, *E2).out)
    assert not is_chinese(check(capfdbinary, *E2, "--lang", "en").out)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert not is_chinese(check(capfdbinary, *E2).out)


# What a terminal acts on never leaves as it came.

ODD = "\x1b[31mred\x1b[0m \x9b31m \x07 \u202eabc\u2066 \x7f \x85 [bold red]x[/] é"


def assert_plain(text: str) -> None:
    bad = [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")]
    assert not bad, bad


@pytest.mark.parametrize("name", [*READ, "a column"])
def test_no_field_reaches_the_terminal_as_it_came(
    tmp_path: Path, capfdbinary: CAP, name: str
) -> None:
    path = kept(tmp_path, {"op": "copy", "claimed_gbs": 5, name: ODD}, {**GOOD, "id": ODD})
    for options in ([], ["--full"], ["--json"]):
        said = check(capfdbinary, path, *options)
        assert_plain(said.out)
        assert_plain(said.err)
        assert "[bold red]x[/]"[:6] in said.out
    if name in READ:
        said = check(capfdbinary, f"--{name}", ODD.replace("\0", ""), "--json")
        assert_plain(said.out)
        assert_plain(said.err)


@pytest.mark.parametrize("heading", [f"elements{ODD}", f"{ODD}op", "\x1b[2J", "elements\u202e"])
def test_nor_does_a_heading(tmp_path: Path, capfdbinary: CAP, heading: str) -> None:
    path = kept(tmp_path, {"op": "add", heading: 1})
    text = tmp_path / "n.csv"
    text.write_text(f'op,"{heading}"\nadd,1,2\nadd,1\n')
    for each in (path, text):
        for options in ([], ["--json"]):
            said = check(capfdbinary, each, *options)
            assert_plain(said.out)
            assert_plain(said.err)


@pytest.mark.parametrize("name", ["n\x1b[31m\n.csv", "\u202en.csv", "n\x9b.csv"])
def test_nor_does_a_files_name(tmp_path: Path, capfdbinary: CAP, name: str) -> None:
    assert_plain(one_line(check(capfdbinary, tmp_path / name)))
    said = check(capfdbinary, kept(tmp_path, "{", name=name))
    assert_plain(said.out + said.err)


def test_nor_does_an_option_that_nobody_knows(capfdbinary: CAP) -> None:
    assert_plain(one_line(check(capfdbinary, "x.csv", "b\x1b[31m\nc")))


def test_300_damaged_rows_have_an_answer_each() -> None:
    import mutated_rows

    from roofwatch.notebook.known_card import Cards
    from roofwatch.session.cards import packaged_cards

    number = mutated_rows.check(300, 20240, Cards(packaged_cards()))
    assert sum(number.values()) >= 290  # a cut line may be blank
    assert number["unreadable"] > 20
    assert sum(number.values()) - number["unreadable"] > 20


def test_damaged_csv_too(tmp_path: Path, capfdbinary: CAP) -> None:
    rng = random.Random(3)
    names = [*WRONG, "note", "id"]
    text = ",".join(names) + "\n"
    for i in range(60):
        cells = [*map(str, WRONG.values()), "x", str(i)]
        cells[rng.randrange(len(cells))] = rng.choice(["", '"', '"a"b', "-1", "x,y", "½", "\ufeff"])
        text += ",".join(cells) + "\n"
    path = tmp_path / "n.csv"
    path.write_text(text)
    said = check(capfdbinary, path, "--json")
    assert said.code == 2
    assert len(said.answers) == 60
    assert said.err.count("\n") == len([a for a in said.answers if a["error"]])


# As processes of their own.


def run(command: str, data: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command.replace("CHECK", f"{sys.executable} -m roofwatch check")],
        input=data,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("options", [["-"], ["-", "--json"]])
def test_a_process_reads_a_pipe_and_loads_nothing_heavy(options: list[str]) -> None:
    code = (
        "import sys\nfrom roofwatch.cli import main\n"
        f"code = main(['check', '--strict', *{options!r}])\n"
        "heavy = ('torch', 'textual', 'plotext', 'pynvml', 'psutil', 'numpy', 'matplotlib')\n"
        "print(*(m for m in heavy if m in sys.modules), file=sys.stderr)\n"
        "raise SystemExit(code)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(WRONG),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 5
    assert "read-only-bytes" in result.stdout
    assert result.stderr == "\n"


@pytest.mark.parametrize("options", ["", "--json", "--lang zh-CN"])
def test_a_terminal_of_ascii(options: str) -> None:
    data = json.dumps({**WRONG, "id": "名 é"}) + "\n{\n"
    result = run(f"CHECK - {options}", data, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert result.stdout.isascii() or options == "--json"
    assert result.stderr.isascii()
    assert "136 GB/s" in result.stdout or "136" in result.stdout


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("CHECK - <&-", 2),
        ("CHECK - >/dev/full", 1),
        ("CHECK - --json >/dev/full", 1),
        ("CHECK - --strict 2>&-", 5),
        ("CHECK - | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}", 0),
    ],
)
def test_streams_that_are_full_or_closed(command: str, code: int) -> None:
    result = run(command, json.dumps(WRONG))
    assert "Traceback" not in result.stderr
    assert result.returncode == code
    assert result.stderr.count("\n") <= 1


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_closed_standard_output(options: str) -> None:
    result = run(f"CHECK - --strict {options} >&-", json.dumps(WRONG))
    assert "Traceback" not in result.stderr
    assert result.returncode == 5


def test_a_closed_standard_error_leaves_the_json_alone() -> None:
    result = run("CHECK - --json 2>&-", "{\n")
    assert result.returncode == 2
    assert [json.loads(line)["verdict"] for line in result.stdout.splitlines()] == [None]


def test_a_heading_that_is_no_utf_8_is_answered(tmp_path: Path, capfdbinary: CAP) -> None:
    table = tmp_path / "rows.csv"
    table.write_bytes(b"op,gpu,elements,dtype,time,\xff\nadd,T4,1e8,fp16,4ms,x\n")
    said = check(capfdbinary, table, "--json")
    assert (said.code, [a["unused"] for a in said.answers]) == (0, [["?"]])
