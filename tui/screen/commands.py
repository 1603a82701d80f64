"""What can be asked for by name: what the keys do, the panes, the themes."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.tui.drawing.theme import CONTRAST, THEMES
from roofwatch.tui.screen.keys import IN_REPLAYS, KEYS
from roofwatch.tui.screen.painting import NAMES


class Command(NamedTuple):
    """``action`` is what the key ``sign`` would do, as Textual writes it."""

    title: str
    sign: str
    action: str


def commands(replay: bool) -> list[Command]:
    """All of them, of a replay those of replays too."""
    found = [Command(f"Open {name}", str(i + 1), f"open({i})") for i, name in enumerate(NAMES)]
    for key in KEYS:
        if key.by_name and (replay or key.group != IN_REPLAYS):
            title = key.told[0].upper() + key.told[1:]
            found.append(Command(title, key.sign, key.keys[0][1]))
    for name in THEMES:
        said = "high contrast" if name == CONTRAST else name
        found.append(Command(f"Theme: {said}", "", f"app.theme('{name}')"))
    return found
