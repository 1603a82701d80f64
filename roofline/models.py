"""The decoders that are known by name: read from TOML, found by what people call them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from roofwatch.roofline.model import Model
from roofwatch.roofline.toml_text import kind_of, one_line, toml_document

SCHEMA = 1
MOST_MODELS = 500
"""Models of one file."""
MOST_NAMES = 100
"""Names of one model."""
LONGEST_SAID = 60
"""Characters of a name in a message."""
LONGEST = 200
"""Characters beyond which a text is no model's name."""
MOST = {
    "layers": 10_000,
    "hidden": 1_000_000,
    "intermediate": 10_000_000,
    "heads": 100_000,
    "kv_heads": 100_000,
    "head_dim": 100_000,
    "vocab": 100_000_000,
}
"""The shapes of a model, each with a bound that no decoder comes near."""
_BETWEEN = re.compile(r"[\s\-_]+")


class ModelError(ValueError):
    """A model cannot be used. The message is one line: file, entry, field and reason."""


def parse(text: str, source: str) -> tuple[Model, ...]:
    """Read the models of a TOML file; ``source`` is its name in messages.

    Raises:
        ModelError: not TOML, or a field is unknown, missing, of the wrong type or beyond its
            bound, or a name is used twice.
    """
    try:
        document = toml_document(text)
    except ValueError as error:
        raise ModelError(one_line(f"{source}: {error}")) from None
    return models_in(document, source)


def models_in(document: dict[str, Any], source: str) -> tuple[Model, ...]:
    """The models of a document that is already read. Raises ModelError as ``parse`` does."""
    place = ""
    used: dict[str, int] = {}
    models: list[Model] = []
    try:
        for field in document:
            _known(field, ("schema", "model"))
        if whole(document.get("schema", SCHEMA), "schema", 1_000_000) != SCHEMA:
            raise WrongField("schema", f"this version reads schema {SCHEMA} only")
        tables = document.get("model", [])
        if not isinstance(tables, list):
            raise WrongField("model", f"expected [[model]] tables, got {kind_of(tables)}")
        if len(tables) > MOST_MODELS:
            raise WrongField("model", f"{len(tables)} models; at most {MOST_MODELS} are read")
        for number, table in enumerate(tables, 1):
            name = table.get("name") if isinstance(table, dict) else None
            place = f"[[model]] {number} " + (
                f'"{name[:LONGEST_SAID]}" ' if isinstance(name, str) else ""
            )
            models.append(model := _model(table))
            for each in dict.fromkeys(map(folded, (model.name, *model.names))):
                if used.setdefault(each, number) != number:
                    raise WrongField("names", f"{each} is already [[model]] {used[each]}")
    except WrongField as error:
        raise ModelError(one_line(f"{source}: {place}field {error.field}: {error}")) from None
    return tuple(models)


def merge(base: Iterable[Model], user: Iterable[Model]) -> tuple[Model, ...]:
    """``user``'s models, then those of ``base`` whose name none of them took."""
    mine = tuple(user)
    taken = {folded(each) for model in mine for each in (model.name, *model.names)}
    return mine + tuple(model for model in base if folded(model.name) not in taken)


def match(name: str, models: Sequence[Model]) -> tuple[Model, ...]:
    """The models that ``name`` may mean: one is understood, several are ambiguous, none unknown.

    A whole name or alias decides, in any case, without its organisation ("meta-llama/"), hyphens,
    blanks and underscores alike; of two that own it the earlier. Otherwise each word of ``name``
    must be a word of the model's name, or of one alias: "Mistral" is one, "Llama 3" two.
    """
    asked = folded(name[:LONGEST])
    if not asked or len(name) > LONGEST:
        return ()
    for model in models:
        if asked in map(folded, (model.name, *model.names)):
            return (model,)
    words = set(asked.split("-"))
    return tuple(
        model
        for model in models
        if any(words <= set(folded(each).split("-")) for each in (model.name, *model.names))
    )


def near(name: str, models: Sequence[Model]) -> list[str]:
    """Names of models that look like ``name``, at most three."""
    names = {folded(each): m.name for m in reversed(models) for each in (*m.names, m.name)}
    close = get_close_matches(folded(name[:60]), names, 12, 0.5)
    return list(dict.fromkeys(names[each] for each in close))[:3]


def named(name: str, models: Sequence[Model]) -> Model:
    """The one model of that name.

    Raises:
        ModelError: none has it (with the nearest names), or several may be meant.
    """
    found = match(name, models)
    if len(found) == 1:
        return found[0]
    said = repr(name[:60])
    if found:
        names = ", ".join(model.name for model in found)
        raise ModelError(one_line(f"{said} may be {names}: say which model"))
    close = near(name, models)
    if close:
        return _unknown(said, f"like it: {', '.join(close)}")
    return _unknown(said, "known are " + ", ".join(model.name for model in models))


def _unknown(said: str, hint: str) -> Model:
    raise ModelError(one_line(f"no model is called {said}; {hint}"))


def folded(name: str) -> str:
    """A name without organisation, in one case, with one kind of separator."""
    return _BETWEEN.sub("-", name.casefold().rpartition("/")[2].strip(" \t-_"))


class WrongField(Exception):
    """One field cannot be used, and why."""

    def __init__(self, field: str, what: str) -> None:
        super().__init__(what)
        self.field = field


def checked(model: Model) -> Model:
    """The model, if its shapes go together. Raises WrongField."""
    if model.heads % model.kv_heads:
        raise WrongField("kv_heads", f"{model.kv_heads} does not divide heads, {model.heads}")
    return model


def _known(field: str, fields: Iterable[str]) -> None:
    known = tuple(fields)
    if field not in known:
        close = get_close_matches(field[:LONGEST_SAID], known, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise WrongField(field, f"unknown{hint}")


def whole(value: object, field: str, most: int) -> int:
    """The value, if it is a whole number from 1 to ``most``. Raises WrongField."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongField(field, f"expected a whole number, got {kind_of(value)}")
    if not 0 < value <= most:
        raise WrongField(field, f"expected a whole number from 1 to {most}")
    return value


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise WrongField(field, f"expected a string, got {kind_of(value)}")
    if not value.strip() or len(value) > LONGEST:
        raise WrongField(field, f"expected 1 to {LONGEST} characters")
    return value


def _name(value: object, field: str) -> str:
    if not folded(_text(value, field)):
        raise WrongField(field, "expected a name")
    return str(value)


def _names(value: object, field: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise WrongField(field, f"expected an array, got {kind_of(value)}")
    if len(value) > MOST_NAMES:
        raise WrongField(field, f"{len(value)} names; at most {MOST_NAMES} are read")
    return tuple(_name(each, field) for each in value)


def _flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise WrongField(field, f"expected true or false, got {kind_of(value)}")
    return value


_OTHERS: dict[str, Callable[[object, str], Any]] = {
    "name": _name,
    "names": _names,
    "tied": _flag,
    "qkv_bias": _flag,
    "qk_norm": _flag,
    "source": _text,
    "note": _text,
}


def _model(table: object) -> Model:
    if not isinstance(table, dict):
        raise WrongField("model", f"expected [[model]] tables, got {kind_of(table)}")
    for field in table:
        _known(field, (*_OTHERS, *MOST))
    for field in ("name", *MOST):
        if field not in table:
            raise WrongField(field, "missing")
    fields: dict[str, Any] = {f: whole(table[f], f, most) for f, most in MOST.items()}
    fields |= {
        field: read(table[field], field) for field, read in _OTHERS.items() if field in table
    }
    return checked(Model(**fields))
