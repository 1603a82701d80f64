"""``roofwatch plan`` as a shell sees it: exit codes, streams, one line for a mistake."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from roofwatch.cli import main
from roofwatch.session.plan_fields import FIELDS

ROOT = Path(__file__).parent.parent
KEYS = [
    "gpu",
    "model",
    "precision",
    "ridge",
    "weights_bytes",
    "kv_bytes_per_token",
    "ai_max",
    "b_star",
    "reaches_roof",
    "batch_memory_cap",
    "limited_by",
    "decode_floor_s",
    "load_s",
    "cost_per_mtok",
    "curve",
]
CURVE = [
    "batch",
    "intensity",
    "bytes",
    "flop",
    "step_s",
    "tokens_per_s",
    "gap_to_linear",
    "bound",
]


def said(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one call in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["plan", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return code, out.buffer.getvalue().decode(), err.getvalue()


def plan(*arguments: str) -> dict[str, Any]:
    code, out, err = said(*arguments, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found: dict[str, Any] = json.loads(out)
    return found


def refusal(*arguments: str) -> str:
    code, out, err = said(*arguments)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    assert err[:-1].isprintable()
    return err


def test_json_has_every_name_of_the_contract() -> None:
    found = plan("--gpu", "H100 SXM", "--model", "Llama-3-8B", "--context", "2048")
    assert [k for k in KEYS if k not in found] == []
    assert [k for k in CURVE if any(k not in point for point in found["curve"])] == []
    assert found["b_star"] is None
    assert found["limited_by"] == "ai_max"
    assert found["weights_bytes"] == 2 * 8_030_261_248
    assert found["kv_bytes_per_token"] == 131_072
    assert found["ai_max"] == pytest.approx(59.8, abs=0.05)
    assert found["decode_floor_s"] == pytest.approx(4.8e-3, abs=5e-5)
    assert [p["batch"] for p in found["curve"]] == [1, 2, 4, 8, 16, 32, 64, 128]


def test_the_seeds_bends_by_options() -> None:
    found = plan(
        *("--gpu", "T4", "--model", "TinyLlama", "--context", "256", "--bandwidth", "270"),
        *("--peak", "50", "--ridge", "185", "--overhead", "7.8ms"),
    )
    gaps = {p["batch"]: 100 * p["gap_to_linear"] for p in found["curve"]}
    assert [gaps[b] for b in (16, 64, 128)] == pytest.approx([1.97, 7.77, 14.5], abs=0.03)
    assert found["b_star"] == pytest.approx(359.2, abs=0.05)
    assert found["reaches_roof"] is True


def test_every_option_is_heard() -> None:
    base = ("--gpu", "A100 80GB SXM", "--model", "Llama-2-7B")
    found = plan(*base)
    assert plan(*base, "--weights", "int4")["weights_bytes"] * 4 == found["weights_bytes"]
    assert plan(*base, "--kv", "fp8")["kv_bytes_per_token"] * 2 == found["kv_bytes_per_token"]
    assert plan(*base, "--reserve", "0.5")["batch_memory_cap"] < found["batch_memory_cap"]
    assert plan(*base, "--batch-max", "4")["curve"][-1]["batch"] == 4
    assert plan(*base, "--batch-max=60")["limited_by"] == "ai_max"
    assert plan(*base, "--link", "64GB/s")["load_s"] == pytest.approx(0.21, abs=0.005)
    assert plan(*base, "--price", "1.99/h")["cost_per_mtok"] == pytest.approx(0.347, abs=0.001)
    assert plan(*base, "--ridge", "10")["b_star"] > 0
    assert found["cost_per_mtok"] is None
    assert 58 <= found["batch_memory_cap"] <= 67


def test_a_config_json_of_ones_own(tmp_path: Path) -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 2048,
        "intermediate_size": 5632,
        "num_attention_heads": 32,
        "num_hidden_layers": 22,
        "num_key_value_heads": 4,
        "vocab_size": 32000,
    }
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    assert plan("--gpu", "T4", "--model", str(path))["params"] == 1_100_048_384
    path.write_text(json.dumps({**config, "num_local_experts": 8}))
    assert f"{path}: field num_local_experts: 8 experts" in refusal("--model", str(path))


def test_a_slice_is_titled_as_one() -> None:
    _, out, _ = said("--gpu", "H100 SXM MIG 1g.10gb", "--model", "TinyLlama")
    text = " ".join(out.split())
    assert text.startswith("NVIDIA H100 80GB HBM3 MIG 1g.10gb × TinyLlama-1.1B")
    assert "(fp16, derived) over 419 GB/s (derived)" in text
    assert "derived from the whole card's share of SMs and memory" in text
    assert "no MIG profile" in refusal("--gpu", "T4 MIG 1g.5gb", "--model", "TinyLlama")
    assert "no such MIG profile" in refusal("--gpu", "A100 80GB SXM MIG 9g.900gb")


def test_a_named_pipe_is_no_file(tmp_path: Path) -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "roofwatch"
    own.mkdir(parents=True)
    (tmp_path / "folder").mkdir()
    pipe, inside = tmp_path / "pipe.json", tmp_path / "folder" / "config.json"
    os.mkfifo(pipe)
    os.mkfifo(inside)
    for arguments, file in (
        (("--gpu", "T4", "--model", str(pipe)), pipe),
        (("--gpu", "T4", "--model", str(inside.parent)), inside),
        (("--session", str(pipe)), pipe),
        (("--nominal", str(pipe)), pipe),
    ):
        assert refusal(*arguments) == f"roofwatch: {file}: is a pipe, not a file\n"
    os.mkfifo(own / "models.toml")
    assert "models.toml: is a pipe, not a file" in refusal("--gpu", "T4")


def test_a_ridge_a_hair_below_ai_max() -> None:
    base = ("--gpu", "T4", "--model", "TinyLlama", "--context", "50", "--ridge")
    for ridge in ("1953.210909090909", "1953.2109090909091"):
        assert plan(*base, ridge)["b_star"] is None
        _, out, _ = said(*base, ridge)
        assert "none: AI_max is at the ridge of 1953" in out
    assert "none: AI_max lies below the ridge of 2000" in said(*base, "2000")[1]


def test_what_is_null_says_why_and_a_price_its_currency() -> None:
    base = ("--gpu", "T4", "--model", "TinyLlama")
    of_cost = ("cost_per_mtok", "cost_batch", "cheapest_per_mtok", "cheapest_batch")
    one = {"peer_gbs": "one card"}
    assert plan(*base)["status"] == dict.fromkeys((*of_cost, "price"), "no price") | one
    assert plan(*base, "--price", "2/h")["price"] == {"per_hour": 2.0, "currency": "$"}
    none = plan("--gpu", "T4", "--model", "Llama-3-70B", "--price", "2/h")
    assert [none["status"][name] for name in of_cost] == ["no batch fits in the memory"] * 4


@pytest.mark.parametrize("option", [*(f"--{n.replace('_', '-')}" for n in FIELDS), "--session"])
def test_a_long_text_is_cut(option: str) -> None:
    for text in ("x" * 5000, "9" * 5000):
        assert len(refusal(f"{option}={text}")) < 400


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    shapes = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 1, "vocab_size": 9}
    (folder / "config.json").write_text(json.dumps({**shapes, "num_hidden_layers": 1}))
    assert plan("--gpu", "T4", "--model", str(folder))["model"] == "?"
    code, out, _ = said("--gpu", "T4", "--model", str(folder))
    assert (code, out.splitlines()[0].split(",")[0]) == (0, " Tesla T4 × ?")


def test_ones_own_models_and_cards(tmp_path: Path) -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "roofwatch"
    own.mkdir(parents=True)
    fields = "layers = 1\nhidden = 8\nintermediate = 8\nheads = 1\nkv_heads = 1\nhead_dim = 8\n"
    (own / "models.toml").write_text(f'[[model]]\nname = "Mine"\nvocab = 10\n{fields}')
    cards = tmp_path / "n.toml"
    cards.write_text('[[card]]\nkey = "k"\nnames = ["K"]\nbandwidth_gbs = 10\npeaks.fp16 = 1\n')
    found = plan("--gpu", "K", "--model", "mine", "--nominal", str(cards))
    assert (found["gpu"], found["model"], found["ridge"]) == ("K", "Mine", 100)
    (own / "models.toml").write_text("[[model]]\n")
    assert "models.toml: [[model]] 1 field name: missing" in refusal()


def test_a_saved_session_gives_its_figures(full_file: Path) -> None:
    found = plan("--session", str(full_file), "--model", "Llama-3-8B")
    assert (found["gpu"], found["figures"]) == ("NVIDIA H200", "measured")
    assert found["bandwidth_gbs"] == pytest.approx(4389, abs=1)
    _, out, _ = said("--session", str(full_file), "--model", "Llama-3-8B")
    assert "(fp16, measured burst) over 4389 GB/s" in out


TWO = ROOT / "tests" / "sessions" / "two"
SPLIT = ("--model", "Llama-3-8B", "--tp", "2")


def test_several_files_give_each_figure_that_they_have(full_file: Path) -> None:
    files = ("--session", str(full_file), "--session", str(TWO / "fleet-1.jsonl"))
    found = plan(*files, *SPLIT)
    assert found["bandwidth_gbs"] == pytest.approx(4389, abs=1)  # the session's, not the ranks'
    assert (found["peer_from"], found["latency_from"]) == ("measured", "fitted")
    assert found["peer_latency_s"] == pytest.approx(51.3e-6, abs=1e-7)
    _, out, _ = said(*files, *SPLIT)
    assert "batch 1: stops paying at 1" in out
    models = json.loads(said(*files, "--json")[1])
    assert len(models) > 3


def test_without_a_latency_the_answer_itself_says_that_it_is_an_upper_bound() -> None:
    _, out, _ = said("--gpu", "H200", *SPLIT)
    told = " ".join(out.split())
    assert "batch 1: pays up to the 8 shown at most" in told
    assert (
        "with no latency counted, an upper bound: 2 cards are no faster than one from 26.6 µs"
        in told
    )
    assert "(nvlink) with no latency counted: tokens/s are an upper bound" in told
    _, out, _ = said("--gpu", "H200", *SPLIT, "--link-gbs", "328", "--link-latency", "47us")
    assert "upper bound" not in out
    told = " ".join(out.split())
    assert "with 47.0 µs an all-reduce of 2 cards (given; over more it is longer" in told
    assert "a tenth off each time" not in told


@pytest.mark.parametrize("option", [("--link-gbs", "100"), ("--link-latency", "10us")])
def test_a_link_between_cards_needs_cards(option: tuple[str, str]) -> None:
    where = ("--gpu", "H200", "--model", "Llama-3-8B")
    code, _, err = said(*where, *option)
    assert (code, len(err.splitlines())) == (2, 1)
    assert f"{option[0]} is of several cards: it goes with --tp" in err
    assert said(*where, *option, "--tp", "1")[0] == 0


def test_what_is_typed_goes_before_a_session(full_file: Path) -> None:
    base = ("--session", str(full_file), "--model", "Llama-3-8B")
    found = plan(*base, "--bandwidth", "4000", "--peak", "500")
    assert (found["bandwidth_gbs"], found["peak_tflops"], found["ridge"]) == (4000, 500, 125)
    _, out, _ = said(*base, "--bandwidth", "4000", "--peak", "500")
    assert "500 TFLOP/s (fp16, given) over 4000 GB/s (given)" in " ".join(out.split())
    _, out, _ = said(*base, "--ridge", "nominal")
    assert "206 FLOP/byte (nominal), decides b* alone; times go by 798" in " ".join(out.split())


def test_without_names_the_seeds_table() -> None:
    code, out, err = said()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    head = " ".join(lines[: lines.index("")])
    assert "the worked examples of the three notes that the project grew from" in head.lower()
    lines = lines[lines.index("") + 1 :]
    assert [line.split()[0] for line in lines[5:8]] == ["never", "limit", "limit"]
    assert lines[8] == ""
    for line, words in zip(
        lines[2:5],
        (
            ("T4", "TinyLlama-1.1B", "203", "2.20 GB", "22,528 B", "47.7", "never", "AI_max"),
            ("A100", "Llama-2-7B", "153", "13.5 GB", "524,288 B", "12.6", "never", "memory  65"),
            ("H100", "Llama-3-8B", "295", "16.1 GB", "131,072 B", "59.8", "never", "AI_max"),
        ),
        strict=True,
    ):
        assert all(word in line for word in words)
    _, out, _ = said("--json")
    assert [p["model"] for p in json.loads(out)] == ["TinyLlama-1.1B", "Llama-2-7B", "Llama-3-8B"]


@pytest.mark.parametrize(
    ("seed", "what", "figure"),
    [
        ("Day 1", "A100 80GB SXM ridge", "153 FLOP/byte"),
        ("Day 18", "T4 ridge", "203 FLOP/byte"),
        ("H100 note", "H100 SXM ridge", "295 FLOP/byte"),
        ("Day 1", "Llama-2-7B weights", "13.5 GB"),
        ("Day 18", "Llama-2-7B KV of a token", "524,288 B"),
        ("Day 18", "Llama-3-8B KV of a token", "131,072 B"),
        ("Day 18", "TinyLlama-1.1B KV of a token", "22,528 B"),
        ("Day 18", "TinyLlama-1.1B AI_max 256", "381.5 FLOP/byte"),
        ("Day 18", "TinyLlama-1.1B AI_max 2048", "47.7 FLOP/byte"),
        ("Day 18", "Llama-2-7B AI_max 256", "100.6 FLOP/byte"),
        ("Day 18", "Llama-2-7B AI_max 2048", "12.57 FLOP/byte"),
        ("Day 18", "Llama-3-8B AI_max 2048", "59.8 FLOP/byte"),
        ("Day 18", "Llama-2-13B AI_max 4096", "7.75 FLOP/byte"),
        ("Day 18", "TinyLlama-1.1B b* at 185", "359.2"),
        ("Day 18", "TinyLlama-1.1B b* at 203", "434"),
        ("Day 18", "7B sequences on an A100", "58 to 67 sequences"),
        ("Day 18", "13B sequences on an A100", "14 to 17 sequences"),
        ("Day 18", "self-test, measured ridge", "265.6 FLOP/byte"),
        ("H100 note", "Llama-3-8B floor of a step", "4.8 ms"),
        ("Day 1", "7B floor of a step", "6.6 ms"),
        ("Day 18", "TinyLlama floor on a T4", "6.9 ms"),
        ("Day 18", "off linear, 16 at 256", "1.97 %"),
        ("Day 18", "off linear, 64 at 256", "7.77 %"),
        ("Day 18", "off linear, 128 at 256", "14.5 %"),
        ("Day 18", "off linear, 128 at 2048", "57.4 %"),
        ("Day 18", "TinyLlama step, batch 1", "15.97 ms"),
        ("Day 18", "TinyLlama step, batch 128", "18.68 ms"),
        ("Day 18", "tokens, batch 128 over 1", "109.4x"),
        ("Day 18", "without overhead, 128 at 256", "24.9 %"),
        ("Day 18", "without overhead, 128 at 2048", "72.3 %"),
        ("Day 18", "batch 128, computing", "5.6 ms"),
        ("Day 18", "batch 128, moving", "10.9 ms"),
        ("Day 1", "loading 7B at 64 GB/s", "0.21 s"),
    ],
)
def test_the_seeds_examples_stand_below_their_table(seed: str, what: str, figure: str) -> None:
    _, out, _ = said()
    document = re.split(r"(?m)^ (Day 1|Day 18|H100 note): .*\n", out)
    text = document[document.index(seed) + 1]
    row = re.search(rf"(?m)^ {re.escape(what)}  .*\n(?:   .*\n)*", text)
    assert row is not None
    assert re.search(rf"= {re.escape(figure)}(;|\n)", row[0])


def test_the_examples_alone() -> None:
    _, whole, _ = said()
    code, out, err = said("--examples")
    assert (code, err) == (0, "")
    head, _, below = out.partition("\n\n")
    assert whole.startswith(f"{head}\n\n")
    assert whole.endswith(f"\n\n{below}")
    _, out, _ = said("--examples", "--json")
    found = json.loads(out)
    assert isinstance(found, list)
    load = next(e for e in found if e["what"] == "loading 7B at 64 GB/s")
    assert load.keys() >= {"seed", "what", "how", "value", "unit", "said"}
    assert (load["seed"], load["unit"], load["said"]) == ("Day 1", "s", "over 3")
    assert load["value"] == pytest.approx(0.2106, abs=1e-4)


def test_the_examples_are_the_seeds_own_whatever_a_user_calls_a_t4() -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]) / "roofwatch"
    own.mkdir(parents=True)
    cards = '[[card]]\nkey = "t4"\nnames = ["Tesla T4"]\nbandwidth_gbs = 100\npeaks.fp16 = 65\n'
    (own / "nominal.toml").write_text(cards)
    _, out, _ = said()
    assert "Tesla T4 × TinyLlama-1.1B     650" in out
    assert "65 TFLOP/s / 320 GB/s = 203 FLOP/byte" in out


def test_whoever_asks_something_gets_no_examples() -> None:
    for arguments in (("--gpu", "T4"), ("--context", "64"), ("--price", "1/h")):
        out = said(*arguments)[1]
        assert "Day 18" not in out
        assert ("of the notes that the project grew from" in out) == ("--gpu" not in arguments)


def test_the_same_words_say_what_the_examples_are() -> None:
    words = "the worked examples of the three notes that the project grew from (its seeds: Day 1,"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for text in (said("--help")[1], said()[1], readme):
        assert words in " ".join(text.split()).replace("The worked", "the worked")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--examples",),
        ("--gpu", "RTX 4090"),
        ("--model", "Qwen2.5-32B"),
        ("--gpu", "RTX PRO 6000 Blackwell Workstation Edition", "--model", "TinyLlama"),
        ("--gpu", "T4", "--model", "Llama-3-70B", "--price", "1234.56 CNY/h"),
        ("--gpu", "T4", "--model", "TinyLlama", "--batch-max", "1000000", "--overhead", "1h"),
    ],
)
def test_text_fits_80_columns(arguments: tuple[str, ...]) -> None:
    _, out, _ = said(*arguments)
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--gpu", "A100", "--model", "TinyLlama"), "roofwatch: 'A100' may be NVIDIA A100-SXM4-40"),
        (("--gpu", "T5", "--model", "TinyLlama"), "roofwatch: no card is called 'T5'"),
        (("--gpu", "T4", "--model", "Llama-4"), "roofwatch: no model is called 'Llama-4'; like it"),
        (("--gpu", "T4", "--model", "llama"), "roofwatch: 'llama' may be Llama-2-7B, Llama-2-13B"),
        (("--gpu", "T4", "--model", "./none.json"), "none.json: No such file or directory"),
        (("--context", "x"), "roofwatch: context: 'x' is no number"),
        (("--overhead=-3ms",), "roofwatch: overhead: '-3ms' is not from 0 to 3600 s"),
        (("--overhead", "-3ms"), "roofwatch: overhead: '-3ms' is not from 0 to 3600 s"),
        (("--overhead", "7.8"), "'7.8' has no unit: seconds or milliseconds? 7.8ms, 7.8s"),
        (("--context", "0"), "roofwatch: context: '0' is not from 1 to 100000000"),
        (("--reserve", "-0.1"), "roofwatch: reserve: '-0.1' is not from 0 to 0.99"),
        (("--price", "-1/h"), "roofwatch: price: '-1/h' is not above 0"),
        (("--price=-1/h",), "roofwatch: price: '-1/h' is not above 0"),
        (("--peak", "fast"), "roofwatch: peak: 'fast' is no number"),
        (("--price", "much"), "roofwatch: price: 'much' is no price"),
        (("--weights", "fp4"), "roofwatch: weights is 'fp4', none of fp16, bf16, fp8, int8, int4"),
        (("--ridge", "measured"), "roofwatch: a measured ridge needs a session"),
        (("--session", "/nowhere.jsonl", "--model", "TinyLlama"), "/nowhere.jsonl: No such file"),
        (("--nominal", "/nowhere.toml"), "/nowhere.toml: No such file"),
        (("--examples", "--gpu", "T4"), "roofwatch: --examples is of the notes' own cards"),
        (("--examples", "--session", "x"), "roofwatch: --examples is of the notes' own cards"),
        (("--jason",), "roofwatch plan: unrecognized arguments: --jason"),
        (("--gpu",), "roofwatch plan: argument --gpu: expected one argument"),
        (("T4",), "roofwatch plan: unrecognized arguments: T4"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: tuple[str, ...], says: str) -> None:
    assert says in refusal(*arguments)


def test_a_session_alone_is_the_table_over_models_and_has_its_own_card(full_file: Path) -> None:
    code, out, err = said("--session", str(full_file))
    assert (code, err) == (0, "")
    assert out.startswith(" NVIDIA H200, 2048 tokens of context, measured figures")
    assert [r for r in out.splitlines() if r.startswith(" Llama-3-8B ")] != []
    _, text, _ = said("--session", str(full_file), "--json")
    assert {p["figures"] for p in json.loads(text)} == {"measured"}
    said_ = refusal("--session", str(full_file), "--gpu", "T4", "--model", "TinyLlama")
    assert "measured on NVIDIA H200, not on Tesla T4" in said_


def test_the_verb_runs_from_a_shell_in_ascii_too() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    result = subprocess.run(
        [sys.executable, "-m", "roofwatch", "plan", "--gpu", "T4", "--model", "TinyLlama"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(" Tesla T4 x TinyLlama-1.1B")
    assert result.stdout.isascii()


def test_the_readmes_example_is_what_is_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"    \./start plan (--gpu .*)\n\n((?:     .*\n|\n)+)", readme)
    assert block is not None
    _, out, _ = said(*shlex.split(block[1]))
    shown = re.sub(r"(?m)^    ", "", block[2])
    assert shown.strip("\n") == out.strip("\n")


def test_the_readmes_examples_are_among_those_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"    \./start plan --examples\n\n((?:     .*\n)+)", readme)
    assert block is not None
    _, out, _ = said("--examples")
    rows = re.findall(r"(?m)^ \S.*\n(?:   .*\n)*", re.sub(r"(?m)^    ", "", block[1]))
    assert len(rows) > 5
    assert all(row in out for row in rows)


def test_help_says_what_each_option_takes() -> None:
    code, out, _ = said("--help")
    assert code == 0
    assert all(f"--{name.replace('_', '-')}" in out for name in (*FIELDS, "examples"))
    assert "3% (0.03)" in out


VALUE = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"[-+]?[0-9]{1,9}(\.[0-9]{0,3})?(e[-+]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["nan", "inf", "1e308", "T4", "TinyLlama", "fp8", "3%", "7.8ms", "measured"]),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), VALUE, max_size=4), st.booleans())
@example({"model": "\0"}, False)
@example({"gpu": ""}, True)
@example({"gpu": "T4", "model": "TinyLlama", "overhead": "1e-18", "batch_max": "1000000"}, True)
@example({"context": "100000000", "ridge": "0.001", "peak": "1e9"}, False)
def test_whatever_is_typed_there_is_an_answer_or_one_line(
    typed: dict[str, str], as_json: bool
) -> None:
    named = {"gpu": "T4", "model": "TinyLlama", **typed}
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in named.items()]
    code, out, err = said(*arguments, *(["--json"] if as_json else []))
    assert code in (0, 2), err
    assert "Traceback" not in err
    if code == 2:
        assert (out, err.count("\n")) == ("", 1)
    elif as_json:
        assert json.loads(out).keys() >= set(KEYS)
    else:
        assert all(len(line) <= 80 for line in out.splitlines())
        assert not re.search(r"\b(nan|inf)\b", out)
