"""Where models come from: the table, the user's file, a config.json; every way to be no file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from roofwatch.roofline.models import ModelError, named
from roofwatch.session.models import load_models, model_named, packaged_models
from roofwatch.session.own_file import LIMIT_BYTES

ENTRY = """\
[[model]]
name = "{name}"
layers = 2
hidden = 64
intermediate = 128
heads = 8
kv_heads = 2
head_dim = 8
vocab = 100
"""
CONFIG = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
MODELS = packaged_models()


def own(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "config" / "roofwatch" / "models.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def refused(name: str) -> str:
    with pytest.raises(ModelError) as caught:
        model_named(name, MODELS)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_without_a_file_the_packaged_table() -> None:
    assert load_models({}) == MODELS
    assert load_models({"HOME": "/nowhere"}) == MODELS


def test_a_users_own_model_is_added_or_takes_the_place_of_one(tmp_path: Path) -> None:
    environ = own(tmp_path, ENTRY.format(name="Mine") + ENTRY.format(name="llama 3 8b"))
    models = load_models(environ)
    assert len(models) == len(MODELS) + 1
    assert named("mine", models).layers == 2
    assert named("Llama-3-8B", models).layers == 2
    assert named("Llama-3-70B", models).layers == 80


def test_without_xdg_the_file_under_home_counts(tmp_path: Path) -> None:
    path = tmp_path / ".config/roofwatch/models.toml"
    path.parent.mkdir(parents=True)
    path.write_text(ENTRY.format(name="Mine"))
    assert named("Mine", load_models({"HOME": str(tmp_path)})).hidden == 64
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "relative"}
    assert named("Mine", load_models(environ)).hidden == 64


def test_a_mistake_in_the_users_file_names_the_file_and_the_field(tmp_path: Path) -> None:
    environ = own(tmp_path, ENTRY.format(name="Mine").replace("heads = 8", 'heads = "x"', 1))
    with pytest.raises(ModelError) as caught:
        load_models(environ)
    assert 'roofwatch/models.toml: [[model]] 1 "Mine" field heads: expected' in str(caught.value)


@pytest.mark.parametrize("how", ["folder", "dangling", "bytes", "huge"])
def test_a_users_file_that_is_no_file(tmp_path: Path, how: str) -> None:
    path = tmp_path / "config" / "roofwatch" / "models.toml"
    path.parent.mkdir(parents=True)
    if how == "folder":
        path.mkdir()
    elif how == "dangling":
        path.symlink_to("nowhere")
    elif how == "bytes":
        path.write_bytes(b"name = \xff")
    else:
        with path.open("wb") as file:
            file.truncate(LIMIT_BYTES + 1)
    with pytest.raises(ModelError, match=r"models\.toml: "):
        load_models({"XDG_CONFIG_HOME": str(tmp_path / "config")})


@pytest.mark.parametrize("how", ["file", "folder", "other.json", "no-ending", "relative"])
def test_a_config_json_is_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    folder = tmp_path / "My-Model"
    folder.mkdir()
    monkeypatch.chdir(folder)
    name = how if how in ("other.json", "no-ending") else "config.json"
    (folder / name).write_text(json.dumps(CONFIG))
    typed = {"folder": str(folder), "relative": "./config.json"}.get(how, str(folder / name))
    model = model_named(typed, MODELS)
    assert model.params == 8_030_261_248
    called = {"other.json": "other", "no-ending": "no-ending"}.get(how, "My-Model")
    assert model.name == called


def test_a_name_is_a_name_where_no_such_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "TinyLlama").mkdir()  # without a config.json it is no model
    assert model_named("TinyLlama", MODELS).name == "TinyLlama-1.1B"
    assert model_named("meta-llama/Llama-2-7b-hf", MODELS).name == "Llama-2-7B"


def test_a_folder_named_as_a_model_hides_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for called in ("Llama-3-8B", "llama", "Foundling", "meta-llama/Llama-2-7b-hf"):
        (tmp_path / called).mkdir(parents=True)
        config = json.dumps(CONFIG | {"num_hidden_layers": 3})
        (tmp_path / called / "config.json").write_text(config)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"num_hidden_layers": 5}))
    assert model_named("Llama-3-8B", MODELS).layers == 32
    assert model_named("llama 3 8b", MODELS).layers == 32
    assert "may be" in refused("llama")  # several of the table: a folder does not decide
    for written in ("./Llama-3-8B", "Llama-3-8B/", f"Llama-3-8B{os.sep}config.json"):
        assert model_named(written, MODELS).layers == 3
    assert model_named("meta-llama/Llama-2-7b-hf", MODELS).layers == 3
    assert model_named("Foundling", MODELS).layers == 3  # no model is called so
    assert model_named("config.json", MODELS).layers == 5
    assert model_named(".", MODELS).layers == 5


def test_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert model_named("~/config.json", MODELS).layers == 32
    assert "no model is called '~nobody-of-that-name/x'" not in refused("~/nothing.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON: "),
        ("{", "no JSON: "),
        ('{"hidden_size": NaN}', "no JSON: "),
        ("[" * 5000, "no JSON: "),
        ("[]", "expected an object, got array"),
        ("{}", "field num_hidden_layers: missing"),
        ('{"num_hidden_layers": 1e3}', "field num_hidden_layers: expected a whole number"),
        ('{"num_hidden_layers": ' + "9" * 400 + "}", "config.json: "),
    ],
)
def test_a_config_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    assert says in refused(str(path))
    assert str(path) in refused(str(path))


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    assert "nowhere.json: No such file" in refused("/nowhere.json")
    assert refused(str(tmp_path)).endswith("config.json: No such file or directory")
    assert "no model is called" in refused("x" * 5000)
    assert "no model is called" in refused("nul\0byte")
    assert "no model is called" in refused("~nobody-of-that-name/x")
    assert "Is a directory" in refused(os.fspath(_folder(tmp_path / "x.json")))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
