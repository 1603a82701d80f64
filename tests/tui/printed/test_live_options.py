"""What a live session is asked for: models and contexts of the decode suite, the price."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import pytest

from roofwatch import cli
from roofwatch.roofline.model import Model
from roofwatch.roofline.suite import CONTEXTS, MODELS
from roofwatch.session.events import Price
from roofwatch.session.models import packaged_models
from roofwatch.session.replay import Replay
from roofwatch.tui.printed import plain
from roofwatch.tui.printed.live_options import (
    MOST_CONTEXT,
    add_live_options,
    decode_shapes,
    with_values,
)
from roofwatch.verbs.screen import screen_parser

TINY = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 100,
}


def asked(*argv: str) -> tuple[tuple[Model, ...], tuple[int, ...]]:
    parser = cli.Parser(prog="roofwatch run")
    add_live_options(parser)
    return decode_shapes(parser, parser.parse_args(list(argv)))


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    with pytest.raises(SystemExit) as ended:
        asked(*argv)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    return said


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(TINY))
    return path


def names(found: tuple[Model, ...]) -> list[str]:
    return [model.name for model in found]


def test_another_suite_has_neither_models_nor_contexts() -> None:
    assert asked() == asked("--suite", "full") == ((), ())


def test_the_decode_suite_always_has_both() -> None:
    models, contexts = asked("--suite", "decode")
    assert names(models) == list(MODELS)
    assert set(models) <= set(packaged_models())
    assert contexts == CONTEXTS == (256, 2048)
    models, contexts = asked("--suite", "decode", "--context", "64")
    assert names(models) == list(MODELS)
    assert contexts == (64,)


def test_models_and_contexts_are_said_once_or_again_or_with_commas() -> None:
    argv = ["--model", "llama-3-8b,TinyLlama", "--model=mistral", "--model", "Llama-3-8B"]
    models, contexts = asked("--suite", "decode", *argv, "--context=512, 16", "--context", "512")
    assert names(models) == ["Llama-3-8B", "TinyLlama-1.1B", "Mistral-7B"]
    assert contexts == (512, 16)


@pytest.mark.parametrize("as_folder", [True, False])
def test_a_config_is_a_model(config: Path, as_folder: bool) -> None:
    (model,), _ = asked("--suite", "decode", "--model", str(config.parent if as_folder else config))
    assert (model.name, model.layers, model.kv_size) == ("tiny", 2, 32)
    models, _ = asked("--suite", "decode", "--model", f"{config},TinyLlama")
    assert names(models) == ["tiny", "TinyLlama-1.1B"]


def test_a_path_may_hold_a_comma_and_no_text(config: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/a,b\xff")
    config.parent.rename(odd)
    (model,), _ = asked("--suite", "decode", "--model", odd)
    assert model.name.startswith("a,b")
    assert model.name.encode()  # what a session can keep


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--model", "TinyLlama"], "--model is of --suite decode"),
        (["--suite", "kernels", "--context", "64"], "--context is of --suite decode"),
        (["--suite", "decode", "--model", "nosuch"], "--model: no model is called 'nosuch'"),
        (["--suite", "decode", "--model", "TinyLlama,"], "no model is called ''"),
        (["--suite", "decode", "--model", "Llama-3"], "may be Llama-3-8B, Llama-3-70B"),
        (["--suite", "decode", "--model", "./none.json"], "No such file"),
        (["--suite", "decode", "--model", "a\0b"], "no model is called"),
        (["--suite", "decode", "--context", "0"], "'0' is not a number of tokens from 1 to"),
        (["--suite", "decode", "--context", f"{MOST_CONTEXT + 1}"], "is not a number of tokens"),
        (["--suite", "decode", "--context", "256,"], "'' is not a number of tokens"),
        (["--suite", "decode", "--context", "2k"], "'2k' is not a number of tokens"),
        (["--suite", "decode", "--context", "-5"], "--context"),
        (["--suite", "decode", "--context", "9" * 5000], "is not a number of tokens"),
    ],
)
def test_a_mistake_is_one_line(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, *argv)
    assert says in said
    assert len(said) < 400


def test_a_mixture_of_experts_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(json.dumps(TINY | {"num_local_experts": 8}))
    assert "experts" in refused(capsys, "--suite", "decode", "--model", str(config))


def test_two_models_of_one_name_are_refused(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "tiny" / "config.json"
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(TINY | {"num_hidden_layers": 3}))
    said = refused(capsys, "--suite", "decode", "--model", f"{config},{other}")
    assert "two models are called tiny" in said


def test_a_mistake_in_the_users_own_models_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "config" / "roofwatch" / "models.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[[model]]\nname = "Mine"\nlayers = "two"\n')
    for more in ([], ["--model", "TinyLlama"]):
        assert cli_code(["run", "--suite", "decode", *more]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "models.toml" in said
        assert "field hidden: missing" in said


def cli_code(argv: list[str]) -> int | str | None:
    try:
        return cli.main(argv)
    except SystemExit as ended:
        return ended.code


def test_the_session_file_holds_shapes_contexts_and_price(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(live: Any, *_: object) -> Any:
        """A run that ends as soon as its first event is written."""
        live.start()
        live.close()
        return live.session

    monkeypatch.setattr(plain, "run", begun)
    path = tmp_path / "s.jsonl"
    argv = ["run", "--device", "cpu", "--save", str(path), "--price", "2,49 €/h"]
    cli.main([*argv, "--suite", "decode", "--model", str(config), "--context", "64"])
    kept = Replay(path).session
    assert [m["name"] for m in kept.models] == ["tiny"]
    assert kept.models[0]["kv_heads"] == 2
    assert kept.contexts == [64]
    assert kept.price == Price(per_hour=2.49, currency="€")
    assert [spec.key for spec in kept.specs if spec.model] == ["decode-tiny"]


def test_the_screen_takes_them_too() -> None:
    parser = screen_parser()
    options = parser.parse_args(["--suite", "decode", "--model", "TinyLlama", "--price", "1/h"])
    assert isinstance(options, argparse.Namespace)
    assert names(decode_shapes(parser, options)[0]) == ["TinyLlama-1.1B"]
    assert options.price == Price(per_hour=1.0)


def test_a_value_below_nought_is_no_option() -> None:
    asked = ["plan", "--price", "-1/h", "--json", "--reserve", "-.1", "--gpu", "-x", "-2"]
    joined = ["plan", "--price=-1/h", "--json", "--reserve=-.1", "--gpu", "-x", "-2"]
    assert with_values(asked, pytest.fail) == joined


@pytest.mark.parametrize(
    "line",
    [
        "plan --price=--",
        "plan --gpu T4 --context=--",
        "run --suite=--",
        "run --device=--",
        "run --nominal=--",
        "check --nominal=-- --op add",
        "show --price=-- x.jsonl",
        "--device=--",
    ],
)
def test_two_hyphens_are_no_value(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(line.split())
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1)
    name = next(word for word in line.split() if word.endswith("=--")).removesuffix("=--")
    assert f"argument {name}: expected a value, not '--'" in err


def test_behind_two_hyphens_stand_no_options() -> None:
    asked = ["check", "--", "--price=--"]
    assert with_values(asked, pytest.fail) == asked
