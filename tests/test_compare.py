"""``roofwatch compare`` as a shell sees it: noise, planted differences, exit codes, refusals."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from roofwatch.cli import main
from roofwatch.tui.drawing import print_rows

SESSIONS = Path(__file__).parent / "sessions"
QUICK = [str(SESSIONS / f"h200-quick-{i}.jsonl") for i in (1, 2, 3)]
FULL = str(SESSIONS / "h200-full-1.jsonl")
Edit = Callable[[dict[str, Any]], None]


def said(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["compare", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()  # type: ignore[attr-defined]


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str, Edit], str]:
    """The second quick run again, with something planted in it."""

    def write(name: str, edit: Edit) -> str:
        lines = []
        for line in Path(QUICK[1]).read_text().splitlines():
            event = json.loads(line)
            edit(event)
            lines.append(json.dumps(event))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    return write


def half_the_size(event: dict[str, Any]) -> None:
    if event["kind"] == "measurement" and event["op"] == "add_scalar":
        event["shape"]["elements"] //= 2
        for tensor in event["tensors"]:
            tensor["read_bytes"] //= 2
            tensor["write_bytes"] //= 2
        event["times_s"] = [t / 2 * 1.004 for t in event["times_s"]]


def with_tf32(event: dict[str, Any]) -> None:
    if event.get("instrument") == "probes" and event["kind"] == "session":
        event["software"]["settings"]["NVIDIA_TF32_OVERRIDE"] = "1"
    if event.get("probe") == "matmul-fp32" and event["kind"] == "measurement":
        event["times_s"] = [t / 7.9 for t in event["times_s"]]


def slower(share: float) -> Edit:
    def edit(event: dict[str, Any]) -> None:
        if event["kind"] == "measurement" and event["probe"] == "matmul-bf16":
            event["times_s"] = [t * (1 + share) for t in event["times_s"]]

    return edit


def test_runs_of_one_card_differ_in_nothing() -> None:
    code, out, err = said(*QUICK, "--json", "--strict")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert len(told["pairs"]) == 30
    assert not any(p["outside_noise"] for p in told["pairs"])
    assert told["conditions"] == told["missing"] == []
    assert {p["session"] for p in told["pairs"]} == set(QUICK[1:])


@pytest.mark.parametrize("pair", list(itertools.permutations(QUICK, 2)))
def test_whichever_comes_first(pair: tuple[str, str]) -> None:
    code, out, _ = said(*pair, "--json", "--strict")
    told = json.loads(out)
    assert code == 0
    assert list(told)[:2] == ["pairs", "conditions"]
    assert list(told["pairs"][0])[:6] == ["what", "a", "b", "ratio", "interval", "outside_noise"]
    assert not any(p["outside_noise"] for p in told["pairs"])


def test_tensors_of_half_the_size_are_a_condition_and_no_like(made: Any) -> None:
    path = made("half.jsonl", half_the_size)
    code, out, _ = said(QUICK[0], path, "--json", "--strict")
    told = json.loads(out)
    assert [(c["what"], c["a"], c["b"]) for c in told["conditions"]] == [
        ("tensor size", "2 GiB", "1 GiB")
    ]
    outside = {p["what"]: p for p in told["pairs"] if p["outside_noise"]}
    assert set(outside) == {"DRAM bandwidth", "add_scalar fp32"}
    assert {p["noise"] for p in outside.values()} == {"unlike"}
    assert not any(p["alike"] for p in outside.values())
    assert code == 0  # slower, but not like against like


def test_tf32_that_the_environment_switched_on_is_flagged(made: Any) -> None:
    path = made("tf32.jsonl", with_tf32)
    code, out, _ = said(path, QUICK[0], "--json", "--strict")
    told = json.loads(out)
    assert [(c["what"], c["a"], c["b"]) for c in told["conditions"]] == [
        ("settings", "NVIDIA_TF32_OVERRIDE=1", "NVIDIA_TF32_OVERRIDE not set")
    ]
    (fp32,) = (p for p in told["pairs"] if p["outside_noise"])
    assert (fp32["what"], fp32["alike"]) == ("fp32 burst", False)
    assert fp32["ratio"] == pytest.approx(1 / 7.9, rel=0.01)
    assert "NVIDIA_TF32_OVERRIDE 1 in A, none in B" in fp32["notes"]
    assert code == 0  # what is compared is not the same arithmetic


def test_a_regression_of_the_card_exits_5_only_when_strict(made: Any) -> None:
    path = made("slow.jsonl", slower(0.02))
    code, _, err = said(QUICK[0], path, "--strict")
    assert code == 5
    assert err.startswith("roofwatch compare: slower outside noise: bf16 burst 0.98")
    assert err.count("\n") == 1
    assert said(QUICK[0], path)[0] == 0
    assert said(path, QUICK[0], "--strict")[0] == 0  # faster is no regression
    code, _, err = said(QUICK[0], QUICK[2], path, "--strict")
    assert (code, path in err) == (5, True)


def test_less_than_noise_is_no_regression(made: Any) -> None:
    assert said(QUICK[0], made("near.jsonl", slower(0.003)), "--strict")[0] == 0


@pytest.mark.parametrize("cells", [60, 80, 120])
@pytest.mark.parametrize("extra", [[], ["--ascii"]], ids=["unicode", "ascii"])
def test_the_text_fits(cells: int, extra: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_rows, "columns", lambda _: cells)
    for sessions in (QUICK[:2], [QUICK[0], FULL], [*QUICK, FULL, *QUICK * 3]):
        code, out, _ = said(*sessions, *extra)
        assert code == 0
        assert max(map(cell_len, out.splitlines())) <= cells
        assert "bf16 burst" in out
        assert out.isascii() or not extra
    assert ("95 % interval" in said(*QUICK[:2])[1].split("roofs")[1].split("\n")[0]) == (
        cells == 120
    )


def test_many_have_a_column_each_and_a_mark(made: Any) -> None:
    _, out, _ = said(*QUICK, made("slow.jsonl", slower(0.02)), made("half.jsonl", half_the_size))
    line = next(x for x in out.splitlines() if x.startswith("bf16 burst"))
    assert line.split()[-4:] == ["1.000", "1.001", "0.980-", "1.000"]
    line = next(x for x in out.splitlines() if x.startswith("DRAM bandwidth"))
    assert line.split()[-1] == "0.996*"


def test_strict_does_not_pass_what_it_cannot_tell(made: Any) -> None:
    def few_and_slow(event: dict[str, Any]) -> None:
        if event["kind"] == "measurement" and event["probe"] == "matmul-bf16":
            event["times_s"] = [1.15 * t for t in event["times_s"][:4]]  # above what is held

    other = made("few.jsonl", few_and_slow)
    code, out, err = said(QUICK[0], other, "--strict")
    assert (code, err.count("\n")) == (2, 1)
    assert "--strict cannot tell: of too few repetitions to tell: bf16 burst 0.8" in err
    assert "bf16 burst" in out
    assert said(QUICK[0], other)[0] == 0
    assert said(other, QUICK[0], "--strict")[0] == 0  # the other way it is faster


def test_figures_that_their_session_does_not_believe_are_told(made: Any) -> None:
    def scattered(event: dict[str, Any]) -> None:
        if event["kind"] == "measurement" and event["probe"] == "add_scalar-fp16":
            event["times_s"] = [t * (1 + 0.5 * (i % 4)) for i, t in enumerate(event["times_s"])]

    other = made("scattered.jsonl", scattered)
    code, out, err = said(QUICK[0], other, "--strict")
    assert (code, err.count("\n")) == (2, 1)
    assert "--strict cannot tell: doubted: add_scalar fp16 0." in err
    assert re.search(r"^add_scalar fp16 .* lower +doubted$", out, re.MULTILINE)
    out = " ".join(out.split())
    # the other stream too: it is held against this one
    both = "add_scalar fp16, add_scalar fp32 (flagged unstable)"
    assert f"{both}." in out.split("doubted in B ")[1]
    assert out.count("flagged unstable") == 1  # once, under the rows
    assert "doubted in A" not in out
    assert "none is better or worse in B; 10 within noise, 2 doubted." in out
    pairs = json.loads(said(QUICK[0], other, "--json")[1])["pairs"]
    one = next(p for p in pairs if p["what"] == "add_scalar fp16")
    assert (one["noise"], one["doubts"]) == ("doubted", {"b": "flagged unstable"})
    assert one["notes"] == ["not to be believed in B: flagged unstable"]
    md = said(QUICK[0], other, "--md")[1]
    assert re.search(rf"^- doubted in B: .*{re.escape(both)}$", md, re.MULTILINE)
    assert "oubted" not in said(QUICK[0], QUICK[1])[1]
    many = said(QUICK[0], QUICK[2], other)[1]
    assert f"{both}." in " ".join(many.split("doubted in C")[1].split())
    assert next(x for x in many.splitlines() if x.startswith("add_scalar fp16")).endswith("~")


def test_what_is_slower_and_believed_comes_before_what_is_doubted(made: Any) -> None:
    def both(event: dict[str, Any]) -> None:
        slower(0.02)(event)
        if event["kind"] == "measurement" and event["probe"] == "add_scalar-fp32":
            event["times_s"] = [t * (1 + 0.5 * (i % 4)) for i, t in enumerate(event["times_s"])]

    code, _, err = said(QUICK[0], made("both.jsonl", both), "--strict")
    assert code == 5
    assert "bf16 burst 0.98" in err
    assert "add_scalar fp32" not in err


@pytest.mark.parametrize("by", [0.1, 0.3])
def test_a_card_that_became_slow_is_slower_however_far_below_its_range(
    made: Any, by: float
) -> None:
    def all_matmuls(event: dict[str, Any]) -> None:
        if event["kind"] == "measurement" and event["probe"].startswith("matmul"):
            event["times_s"] = [t * (1 + by) for t in event["times_s"]]

    code, out, err = said(QUICK[0], made("slow.jsonl", all_matmuls), "--strict")
    assert code == 5
    told = {what: float(r) for what, r in re.findall(r"(bf16 \w+) (0\.\d+)", err)}
    assert told == {
        "bf16 burst": pytest.approx(1 / (1 + by), abs=0.01),
        "bf16 sustained": pytest.approx(1 / (1 + by), abs=0.01),
    }
    assert "doubted" not in out.split("noise\n")[1].split("B / A is outside")[0]


def test_strict_does_not_pass_a_session_that_measured_almost_nothing(
    made: Any, tmp_path: Path
) -> None:
    whole = made("whole.jsonl", lambda event: None)
    lines = []
    for line in Path(whole).read_text().splitlines():
        event = json.loads(line)
        if event["kind"] == "measurement" and event["probe"].startswith("matmul"):
            event = {
                "kind": "fault",
                "t": event["t"],
                "instrument": "probes",
                "what": "CUDA error: out of memory",
                "probe": event["probe"],
            }
        lines.append(json.dumps(event))
    lost = tmp_path / "lost.jsonl"
    lost.write_text("\n".join(lines) + "\n")
    code, out, err = said(whole, str(lost), "--strict")
    assert (code, err.count("\n")) == (2, 1)
    assert "missing: bf16 burst (CUDA error: out of memory), bf16 sustained (CUDA" in err
    assert " more were to be measured and B lacks them." in " ".join(out.split())
    assert said(whole, str(lost))[0] == 0
    assert said(str(lost), whole, "--strict")[0] == 0  # A has no more than B


def test_one_file_twice_is_said() -> None:
    for how in ((), ("--json",), ("--md",), ("--strict",)):
        code, out, err = said(QUICK[0], QUICK[0], *how)
        assert (code, bool(out)) == (0, True)
        assert (
            err
            == f"roofwatch compare: {QUICK[0]} and {QUICK[0]} are one file, held against itself\n"
        )
    watched = str(SESSIONS / "watch/h200-1.jsonl")
    code, _, err = said(watched, watched)
    assert (code, err.count("\n")) == (2, 1)
    assert "measured nothing that can be compared (suite watch)" in err


def test_markdown_leaves_out_the_uuids_of_a_setting(made: Any) -> None:
    def other_card(event: dict[str, Any]) -> None:
        if event["kind"] == "session" and event.get("instrument") == "probes":
            uuid = "GPU-01234567-2222-3333-4444-555555555555"
            event["software"]["settings"]["CUDA_VISIBLE_DEVICES"] = uuid
            event["software"]["settings"]["TORCHINDUCTOR_CACHE_DIR"] = "/home/alice/cache"

    _, out, _ = said(QUICK[0], made("settings.jsonl", other_card), "--md")
    assert "CUDA_VISIBLE_DEVICES=(removed)" in out
    assert "alice" not in out


def test_markdown_names_no_host_and_no_path() -> None:
    code, out, _ = said(QUICK[0], FULL, "--md")
    assert code == 0
    assert "| bf16 burst | 818.50 | 830." in out
    assert "session 129bd5" in out
    assert "- suite: quick in A, full in B" in out
    assert "GPU-" not in out
    assert "jsonl" not in out
    assert str(SESSIONS) not in out


@pytest.mark.parametrize("other", [QUICK[1], FULL, str(SESSIONS / "runs/half.jsonl")])
def test_markdown_and_text_use_the_same_words(other: str) -> None:
    text, md = said(QUICK[0], other)[1], said(QUICK[0], other, "--md")[1]
    in_text = re.findall(
        r" (within|outside|unlike|too few|host|doubted|unsure)$", text, re.MULTILINE
    )
    in_md = re.findall(
        r"\| (within|outside|unlike|too few|host|doubted|unsure)(?:, \w+)? \|$", md, re.MULTILINE
    )
    assert in_text == in_md != []
    text, md = " ".join(text.split()), " ".join(md.split())
    for sentence in re.findall(r"(?:Of \d+ figures|B / A is outside noise) [^.]*", text):
        assert sentence in md
    assert ("Unlike: outside noise, and not measured alike." in md) == ("unlike" in in_md)


def test_both_figures_of_a_row_have_their_digits_alike() -> None:
    for other in (QUICK[1], FULL):
        rows = [line.split(" | ") for line in said(QUICK[0], other, "--md")[1].splitlines()]
        figures = [r[1:3] for r in rows if len(r) == 7 and r[1][:1].isdigit()]
        assert len(figures) > 10
        for pair in figures:
            assert len({len(f.partition(".")[2]) for f in pair}) == 1, pair


@pytest.mark.parametrize("other", [QUICK[1], FULL, str(SESSIONS / "runs/half.jsonl")])
def test_the_counts_are_those_of_the_rows(other: str) -> None:
    code, out, _ = said(QUICK[0], other)
    rows = re.findall(r" (within|outside|unlike|too few|host|doubted|unsure)$", out, re.MULTILINE)
    head = " ".join(out.split())
    judged = re.search(r"Of (\d+) figures", head)
    neither = re.search(r"(\d+) more rows? (?:is|are) neither", head)
    assert code == 0
    assert judged is not None
    assert int(judged[1]) + (int(neither[1]) if neither else 0) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required"),
        ([QUICK[0]], "two sessions at least"),
        ([QUICK[0], "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        ([QUICK[0], str(SESSIONS)], "Is a directory"),
        ([QUICK[0], __file__], "row 1: Expected"),
        ([QUICK[0], str(SESSIONS / "watch/h200-1.jsonl")], "can be compared (suite watch)"),
        ([QUICK[0], FULL, "--strict"], "--strict is of one card over time"),
        ([QUICK[0], "last~3"], "last~3: no sessions with roofs saved in"),
        ([QUICK[0], QUICK[1], "--json", "--md"], "not allowed with"),
        ([QUICK[0], "a\x1b[2Jb"], "No such file"),
    ],
)
def test_a_refusal_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    code, out, err = said(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert words in err
    assert "\x1b" not in err


def test_saved_sessions_go_by_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    for path in (*QUICK, str(SESSIONS / "watch/h200-1.jsonl")):
        (folder / Path(path).name).write_bytes(Path(path).read_bytes())
    told = json.loads(said("last~2", "last", "--json")[1])
    began = [s["started_at"] for s in told["sessions"]]
    assert began == ["2026-11-29T17:30:35.277Z", "2026-11-29T17:31:00.165Z"]  # no watch
    _, out, _ = said("last~2", "last")
    assert out.splitlines()[:2] == [  # what finds them again, when last is another
        "A  last~2: h200-quick-1.jsonl, session 129bd5",
        f"B  last: h200-quick-3.jsonl, session {told['sessions'][1]['id']}",
    ]
    code, _, err = said("last~7", "last")
    assert (code, "last~7: 3 sessions" in err) == (2, True)


def test_what_a_file_says_moves_no_cursor(made: Any) -> None:
    def hostile(event: dict[str, Any]) -> None:
        event.get("device", {}).update(name="x\x1b[2J|y`")
        if event["kind"] == "measurement":
            event["settings"] = {"blas\x1b[2J": "\x1b[2J|"}

    paths = [made("1.jsonl", hostile), QUICK[0], QUICK[1]]
    for way in ([], ["--md"], ["--json"]):
        for many in (2, 3):
            assert "\x1b" not in said(*paths[:many], *way)[1]


@pytest.mark.parametrize("seed", range(3))
def test_damaged_files_are_compared_or_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = Path(QUICK[0]).read_bytes()
    lines = [x for x in whole.splitlines(keepends=True) if b'"kind":"sample"' not in x]
    path = tmp_path / "m.jsonl"
    for _ in range(12):
        at = chance.randrange(len(lines))
        line = bytearray(lines[at])
        for _ in range(chance.randint(1, 4)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        path.write_bytes(b"".join([*lines[:at], bytes(line), *lines[at + 1 :]]))
        code, out, err = said(QUICK[1], str(path), *chance.choice([[], ["--json"], ["--md"]]))
        assert (code == 0 and bool(out) and not err) or (
            code == 2 and not out and err.count("\n") == 1
        )


CPU = [str(SESSIONS / "cpu" / f"{name}-1.jsonl") for name in ("full", "kernels")]


@pytest.mark.parametrize("how", [(), ("--md",)])
def test_rates_of_a_cpu_have_digits_and_their_unit(how: tuple[str, ...]) -> None:
    code, out, _ = said(*CPU, *how)
    assert code == 0
    assert "GFLOP/s" in out
    assert "TFLOP/s" not in out
    told = json.loads(said(*CPU, "--json")[1])  # in one unit for scripts
    pair = next(p for p in told["pairs"] if p["what"] == "fp32 burst")
    assert pair["unit"] == "TFLOP/s"
    assert f" {pair['b'] * 1e3:.6f}"[:5] in out


@pytest.mark.parametrize("how", [(), ("--md",)])
def test_of_several_the_last_words_are_on_all_of_them(how: tuple[str, ...]) -> None:
    of_c = " ".join(said(QUICK[0], FULL, *how)[1].split())
    both = " ".join(said(QUICK[0], QUICK[1], FULL, *how)[1].split())
    for words in ("Unlike: outside noise, and not measured alike.", "and than two cards of one"):
        assert words in of_c
        assert words in both
        assert words not in " ".join(said(*QUICK[:2], *how)[1].split())
    assert "A ratio is outside noise where" in both


def test_markdown_of_hosts_with_ordinary_names_has_all_its_words(made: Callable[..., str]) -> None:
    def named(event: dict[str, Any]) -> None:
        if event["kind"] == "session" and "host" in event:
            event["host"] = "clock"

    plain, ordinary = made("plain.jsonl", lambda event: None), made("named.jsonl", named)
    a, b = (said(path, QUICK[1], "--md")[1].partition("\n\nOf ")[2] for path in (plain, ordinary))
    assert a == b
    assert "SM clock |" in a


def test_markdown_leaves_the_hosts_name_out_of_conditions_too(made: Callable[..., str]) -> None:
    def named(event: dict[str, Any]) -> None:
        if event["kind"] == "session":
            event["host"] = "annsbox"
            event.setdefault("software", {})["driver"] = "595.1 of annsbox"

    out = said(QUICK[0], made("named.jsonl", named), "--md")[1]
    assert "595.1" in out
    assert "annsbox" not in out
