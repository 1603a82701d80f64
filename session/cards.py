"""The nominal cards: the packaged table, the user's own file, and one named on the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from roofwatch.roofline.nominal import Card, NominalError, merge, parse
from roofwatch.roofline.toml_text import one_line
from roofwatch.session.own_file import own_file, text_of


def load_cards(
    nominal: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> tuple[tuple[Card, ...], frozenset[str]]:
    """All cards, and the keys of those that a user wrote.

    Later files override earlier ones by key: the packaged table, ``roofwatch/nominal.toml`` in the
    user's configuration directory if there is one, then ``nominal`` if given.

    Raises:
        NominalError: a file cannot be read or used; one line that names it. A missing user's file
            is no error, a missing ``nominal`` is.
    """
    cards = packaged_cards()
    mine: tuple[Card, ...] = ()
    found = user_file(os.environ if environ is None else environ)
    if found is not None:
        mine = _parse_file(found)
    if nominal is not None:
        mine = merge(mine, _parse_file(Path(nominal)))
    return merge(cards, mine), frozenset(card.key for card in mine)


@cache
def packaged_cards() -> tuple[Card, ...]:
    """The table that comes with roofwatch."""
    text = (files("roofwatch") / "nominal.toml").read_text(encoding="utf-8")
    return parse(text, "nominal.toml")


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own cards are, if that file exists."""
    return own_file(environ, "nominal.toml")


def _parse_file(path: Path) -> tuple[Card, ...]:
    try:
        text = text_of(path)
    except ValueError as error:  # of the file, or a path that holds a null byte
        raise NominalError(one_line(f"{path}: {error}")) from None
    return parse(text, str(path))
