"""The models: the packaged table, the user's own file, and a config.json named as one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from roofwatch.roofline.hf_config import model_of
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import ModelError, match, merge, named, parse
from roofwatch.roofline.toml_text import one_line
from roofwatch.session.own_file import own_file, text_of

CONFIG = "config.json"


def load_models(environ: Mapping[str, str] | None = None) -> tuple[Model, ...]:
    """The packaged models, and before them the user's own from ``roofwatch/models.toml``.

    Raises:
        ModelError: the user's file cannot be read or used; one line that names it.
    """
    found = own_file(os.environ if environ is None else environ, "models.toml")
    if found is None:
        return packaged_models()
    return merge(packaged_models(), parse(_text(found), str(found)))


@cache
def packaged_models() -> tuple[Model, ...]:
    """The table that comes with roofwatch."""
    text = (files("roofwatch") / "models.toml").read_text(encoding="utf-8")
    return parse(text, "models.toml")


def model_named(name: str, models: Sequence[Model]) -> Model:
    """The model of that name, or of a Hugging Face ``config.json`` (or a folder that holds one).

    A file counts where it is written as a path: with a separator in it, or ending in config.json.
    Any other text is a name first, and a file only where no model of the table is called so: a
    folder that happens to have a model's name hides none.

    Raises:
        ModelError: no such model, several, or a file that cannot be used; one line.
    """
    is_name = not _written_as_path(name) and match(name, models)
    path = None if is_name else _path(name)
    return named(name, models) if path is None else read_config(path)


def read_config(path: Path) -> Model:
    """The model that a Hugging Face ``config.json`` describes. Raises ModelError, one line."""
    text = _text(path)
    try:
        config = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ModelError(one_line(f"{path}: no JSON: {error}")) from None
    called = path.resolve().parent.name if path.name == CONFIG else path.stem
    plain = called.encode("utf-8", "replace").decode("utf-8")  # a folder's name may be any bytes
    return model_of(config, str(path), plain)


def _written_as_path(name: str) -> bool:
    return os.sep in name or name.casefold().endswith(CONFIG)


def _path(name: str) -> Path | None:
    """The file that a model's name means; None for a name."""
    try:
        path = Path(name).expanduser()
        if (path / CONFIG).is_file():
            return path / CONFIG
        if path.is_file():
            return path
        is_folder = path.is_dir()
    except (OSError, ValueError, RuntimeError):  # what no file system takes; nobody's home
        return None
    if name.casefold().endswith(".json"):
        return path
    if name.startswith((".", os.sep, "~")):
        return path / CONFIG if is_folder else path
    return None


def _text(path: Path) -> str:
    try:
        return text_of(path)
    except ValueError as error:
        raise ModelError(one_line(f"{path}: {error}")) from None
