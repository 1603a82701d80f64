"""Every key of the screen, once: bindings, help and command palette are made of this table."""

from __future__ import annotations

from typing import NamedTuple

EVERYWHERE, IN_PANES, IN_REPLAYS = "everywhere", "in the panes", "in a replay"
GROUPS = (EVERYWHERE, IN_PANES, IN_REPLAYS)
ALWAYS = ("ctrl+l", "ctrl+z")  # also over a page, and while something is typed


class Key(NamedTuple):
    """One line of the help: how the key is written, what it does, Textual's names and actions.

    ``by_name``: the command palette offers it too, under what is told of it.
    """

    sign: str  # {lr} and {ud} are the arrows
    told: str
    keys: tuple[tuple[str, str], ...]
    group: str = EVERYWHERE
    by_name: bool = False


KEYS: tuple[Key, ...] = (
    Key("q", "quit; what was measured is kept", (("q", "app.quit"),), by_name=True),
    Key("Ctrl-C", "the same, also while typing", ()),
    Key("?", "this page", (("question_mark", "help"),), by_name=True),
    Key("Ctrl-P", "every command by its name", (("ctrl+p", "app.commands"),)),
    Key(
        "1 to 8",
        "a pane by its number; where several stand, alone, and again back",
        tuple((str(i + 1), f"open({i})") for i in range(8)),
    ),
    Key(
        "Tab",
        "the next pane; where several stand, the one whose keys act",
        (("tab", "next(1)"), ("shift+tab", "next(-1)")),
    ),
    Key("r", "run the suite again, in this session", (("r", "rerun"),), by_name=True),
    Key(
        "y",
        "copy the record as Markdown, through the terminal",
        (("y", "copy"),),
        by_name=True,
    ),
    Key("s", "where this session is saved", (("s", "saved"),), by_name=True),
    Key("c", "check a number of yours as you type", (("c", "check"),), by_name=True),
    Key("p", "another precision", (("p", "precision"),), by_name=True),
    Key("t", "dark, light or high contrast", (("t", "app.theme"),), by_name=True),
    Key(
        "Ctrl-L",
        "draw everything anew",
        (("ctrl+l", "app.redraw"),),
        by_name=True,
    ),
    Key("Ctrl-Z", "to the shell; fg comes back", (("ctrl+z", "app.suspend_process"),)),
    Key(
        "{ud}  j k",
        "point, probe, finding, kernel, card, field, session",
        (("down,j", "move(1)"), ("up,k", "move(-1)")),
        IN_PANES,
    ),
    Key(
        "PgDn PgUp",
        "ten of them at a time",
        (("pagedown", "move(10)"), ("pageup", "move(-10)")),
        IN_PANES,
    ),
    Key(
        "{lr}",
        "precision, time, curve, page, or value",
        (("right", "turn(1)"), ("left", "turn(-1)")),
        IN_PANES,
    ),
    Key("Enter", "open what the cursor is on", (("enter", "details"),), IN_PANES),
    Key(
        "+ -",
        "Clocks: a shorter, a longer stretch of time",
        (("plus,equals_sign", "zoom(-1)"), ("minus", "zoom(1)")),
        IN_PANES,
    ),
    Key(
        "Home End",
        "to the first, to the last; Clocks: to the begin, to now",
        (("home", "end(-1)"), ("end", "end(1)")),
        IN_PANES,
    ),
    Key("m", "Plan: roofs as measured here, or nominal", (("m", "figures"),), IN_PANES),
    Key("v", "Sessions: mark one; on another: compare the two", (("v", "versus"),), IN_PANES),
    Key(
        "Esc",
        "the cursor away; then back to the first session",
        (("escape", "back"),),
        IN_PANES,
    ),
    Key(
        "Space",
        "pause it, let it go on",
        (("space", "replay('hold')"),),
        IN_REPLAYS,
        by_name=True,
    ),
    Key(
        "x",
        "as fast as it was, ten times that, all at once",
        (("x", "replay('speed')"),),
        IN_REPLAYS,
        by_name=True,
    ),
)
