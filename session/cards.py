"""The nominal cards: the packaged table, the user's own file, and one named on the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from roofwatch.roofline.nominal import Card, NominalError, merge, one_line, parse

LIMIT_BYTES = 4 << 20  # nobody's list of cards is longer; a device file is endless


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


def packaged_cards() -> tuple[Card, ...]:
    """The table that comes with roofwatch."""
    text = (files("roofwatch") / "nominal.toml").read_text(encoding="utf-8")
    return parse(text, "nominal.toml")


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own cards are, if that file exists.

    A relative XDG_CONFIG_HOME is ignored, as the XDG base directory specification asks.
    """
    base = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not base.is_absolute():
        home = environ.get("HOME")
        if not home:
            return None
        base = Path(home) / ".config"
    path = base / "roofwatch" / "nominal.toml"
    # lexists: a dangling link or a directory of that name is a mistake to report.
    return path if os.path.lexists(path) else None


def _parse_file(path: Path) -> tuple[Card, ...]:
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT_BYTES + 1)
        if len(data) > LIMIT_BYTES:
            raise ValueError(f"more than {LIMIT_BYTES >> 20} MiB")
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(path, f"not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    except ValueError as error:  # ours, or a path that holds a null byte
        raise _unusable(path, str(error)) from None
    return parse(text, str(path))


def _unusable(path: Path, why: str) -> NominalError:
    return NominalError(one_line(f"{path}: {why}"))
