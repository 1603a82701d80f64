"""Every key of the screen, once: bindings, help and command palette are made of this table."""

from __future__ import annotations

from typing import NamedTuple

EVERYWHERE, IN_PANES, IN_REPLAYS = "everywhere", "in the panes", "in a replay"
GROUPS = (EVERYWHERE, IN_PANES, IN_REPLAYS)
ALWAYS = ("ctrl+l", "ctrl+z")  # also over a page, and while something is typed


class Key(NamedTuple):
    """One line of the help: how the key is written, what it does, Textual's names and actions.

    ``names`` are those of the actions in the command palette, which has none for the panes: it
    opens each by its own name.
    """

    sign: str  # {lr} and {ud} are the arrows
    told: str
    keys: tuple[tuple[str, str], ...]
    group: str = EVERYWHERE
    names: tuple[str, ...] = ()


KEYS: tuple[Key, ...] = (
    Key(
        "q",
        "quit; what was measured is kept",
        (("q", "app.quit"),),
        names=("Quit: what was measured is kept",),
    ),
    Key("Ctrl-C", "the same, also while typing", ()),
    Key(
        "?",
        "this page",
        (("question_mark", "page('help')"),),
        names=("Help: every key and sign",),
    ),
    Key(
        "a",
        "the record table and the five answers, with their checks",
        (("a", "page('record')"),),
        names=("Record: the table and the five answers, with their checks",),
    ),
    Key("Ctrl-P", "every command by its name", (("ctrl+p", "app.commands"),)),
    Key(
        "1 to 9",
        "a pane by its number (6: links, cards too); where several stand, alone, and again back",
        tuple((str(i + 1), f"open({i})") for i in range(9)),
    ),
    Key(
        "Tab",
        "the next pane; where several stand, the one whose keys act",
        (("tab", "next(1)"), ("shift+tab", "next(-1)")),
        names=("Next pane", "Previous pane"),
    ),
    Key(
        "r",
        "run the suite again, in this session",
        (("r", "rerun"),),
        names=("Run the suite again, in this session",),
    ),
    Key(
        "y",
        "copy the record as Markdown, through the terminal",
        (("y", "copy"),),
        names=("Copy the record as Markdown, through the terminal",),
    ),
    Key(
        "s",
        "where this session is saved",
        (("s", "saved"),),
        names=("Where this session is saved",),
    ),
    Key(
        "c",
        "check a number of yours as you type",
        (("c", "check"),),
        names=("Check a number of yours as you type",),
    ),
    Key("p", "another precision", (("p", "precision"),), names=("Precision: the next",)),
    Key("t", "dark, light or high contrast", (("t", "app.theme"),), names=("Theme: the next",)),
    Key(
        "Ctrl-L",
        "draw everything anew",
        (("ctrl+l", "app.redraw"),),
        names=("Draw everything anew",),
    ),
    Key(
        "Ctrl-Z",
        "to the shell; fg comes back",
        (("ctrl+z", "app.suspend_process"),),
        names=("Suspend: to the shell; fg comes back",),
    ),
    Key(
        "{ud}  j k",
        "point, probe, finding, kernel, card, field, session",
        (("down,j", "move(1)"), ("up,k", "move(-1)")),
        IN_PANES,
        names=("Cursor down", "Cursor up"),
    ),
    Key(
        "PgDn PgUp",
        "ten of them at a time",
        (("pagedown", "move(10)"), ("pageup", "move(-10)")),
        IN_PANES,
        names=("Page down", "Page up"),
    ),
    Key(
        "{lr}",
        "precision, time, curve, page, or value",
        (("right", "turn(1)"), ("left", "turn(-1)")),
        IN_PANES,
        names=("Right: the next precision, time, curve, page or value", "Left: the one before"),
    ),
    Key(
        "Enter",
        "open what the cursor is on",
        (("enter", "details"),),
        IN_PANES,
        names=("Open or expand what the cursor is on",),
    ),
    Key(
        "+ -",
        "Clocks: a shorter, a longer stretch of time",
        (("plus,equals_sign", "zoom(-1)"), ("minus", "zoom(1)")),
        IN_PANES,
        names=(
            "Zoom in: Clocks, a shorter stretch of time",
            "Zoom out: Clocks, a longer stretch of time",
        ),
    ),
    Key(
        "Home End",
        "to the first, to the last; Clocks: to the beginning, to now",
        (("home", "end(-1)"), ("end", "end(1)")),
        IN_PANES,
        names=("First: to the beginning", "Last: to the end, to now"),
    ),
    Key(
        "m",
        "Plan: roofs as measured here, or nominal",
        (("m", "figures"),),
        IN_PANES,
        names=("Plan: measured roofs or nominal ones",),
    ),
    Key(
        "v",
        "Sessions: mark one; on another: compare the two",
        (("v", "versus"),),
        IN_PANES,
        names=("Sessions: mark one, compare it with another",),
    ),
    Key(
        "Esc",
        "the cursor away; then back to the first session",
        (("escape", "back"),),
        IN_PANES,
        names=("Back: the cursor away, then to the first session",),
    ),
    Key(
        "Space",
        "pause it, let it go on",
        (("space", "replay('hold')"),),
        IN_REPLAYS,
        names=("Pause the replay, or let it go on",),
    ),
    Key(
        "x",
        "as fast as it was, ten times that, all at once",
        (("x", "replay('speed')"),),
        IN_REPLAYS,
        names=("Speed of the replay: as it was, ten times, all at once",),
    ),
)
