"""The command palette's entries: what the keys do, panes by their names, themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from textual.app import SystemCommand

from roofwatch.tui.drawing.theme import THEMES
from roofwatch.tui.screen.keys import IN_REPLAYS, KEYS
from roofwatch.tui.screen.painting import NAMES


def commands(act: Callable[[str], None], replay: bool) -> Iterator[SystemCommand]:
    """All that can be asked for by name; ``act`` runs an action as a key would."""

    def command(title: str, sign: str, action: str) -> SystemCommand:
        return SystemCommand(f"{title}  ({sign})" if sign else title, "", lambda: act(action))

    for key in KEYS:
        if key.by_name and (replay or key.group != IN_REPLAYS):
            title = key.told[0].upper() + key.told[1:]
            yield command(title, key.sign, key.keys[0][1])
    for i, name in enumerate(NAMES):
        yield command(f"Open {name}", str(i + 1), f"open({i})")
    for name in THEMES:
        said = "high contrast" if name == "contrast" else name
        yield command(f"Theme: {said}", "", f"app.theme('{name}')")
