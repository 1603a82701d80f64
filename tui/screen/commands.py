"""What can be asked for by name: what the keys do, the panes, the themes."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.tui.drawing.theme import CONTRAST, THEMES
from roofwatch.tui.screen.keys import IN_REPLAYS, KEYS
from roofwatch.tui.screen.painting import NAMES

WRITTEN = {
    "question_mark": "?",
    "plus": "+",
    "minus": "-",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "Esc",
}


class Command(NamedTuple):
    """``action`` is what the key ``sign`` would do, as Textual writes it."""

    title: str
    sign: str
    action: str


def written(key: str) -> str:
    """A key by Textual's name of it, as a person writes it."""
    if found := WRITTEN.get(key):
        return found
    return key if len(key) == 1 else "-".join(part.capitalize() for part in key.split("+"))


def commands(replay: bool) -> list[Command]:
    """All of them, of a replay those of replays too."""
    found = [Command(f"Open {name}", str(i + 1), f"open({i})") for i, name in enumerate(NAMES)]
    for key in KEYS:
        if replay or key.group != IN_REPLAYS:
            for name, (keys, action) in zip(key.names, key.keys, strict=bool(key.names)):
                found.append(Command(name, written(keys.partition(",")[0]), action))
    for name in THEMES:
        said = "high contrast" if name == CONTRAST else name
        found.append(Command(f"Theme: {said}", "", f"app.theme('{name}')"))
    return found
