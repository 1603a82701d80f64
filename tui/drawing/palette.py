"""Style names to colours, one set a theme: the only file of the screen that knows any.

A style is named by what it means; its ink and ground are roles, and a theme gives each role a
colour. So every theme has every style, and a new style is one line.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style

from roofwatch.tui.drawing.theme import COLORLESS, DARK, THEMES

# role: dark, light, high contrast
ROLES: dict[str, tuple[str, str, str]] = {
    "page": ("#0d1117", "#ffffff", "#000000"),
    "raised": ("#161b22", "#f0f3f6", "#000000"),
    "ink": ("#c8ccd4", "#1f2328", "#ffffff"),
    "bright": ("#ffffff", "#000000", "#ffffff"),
    "dim": ("#7d8590", "#59636e", "#d0d0d0"),
    "faint": ("#59616d", "#818b98", "#b0b0b0"),
    "paper": ("#8b949e", "#57606a", "#e0e0e0"),  # the datasheet
    "rest": ("#a8b1bd", "#4a5560", "#f0f0f0"),  # of a value, before it is typed
    "cyan": ("#58c4dd", "#0a6c8c", "#00ffff"),
    "orange": ("#e8a33d", "#9a5b00", "#ffb000"),
    "amber": ("#ffa657", "#b35900", "#ffd080"),
    "green": ("#7ee787", "#1a7f37", "#5fff5f"),
    "blue": ("#79c0ff", "#0550ae", "#87d7ff"),
    "pale": ("#a5d6ff", "#0a4f9e", "#d7f0ff"),
    "violet": ("#d2a8ff", "#7a3fc0", "#ffafff"),
    "yellow": ("#f2cc60", "#7d5700", "#ffff00"),
    "red": ("#ff7b72", "#c01a24", "#ff8080"),
    "band": ("#2a313c", "#dde3ea", "#303030"),
    "band-next": ("#39424e", "#c4ced8", "#585858"),
    "here": ("#22303f", "#dbeafc", "#002347"),
    "field": ("#21262d", "#e4e9ef", "#202020"),
    "field-open": ("#2f3b4c", "#cfdff2", "#004b8d"),
}

# style: ink, ground, bold
MEANT: dict[str, tuple[str, str, bool]] = {
    "": ("ink", "", False),
    "title": ("bright", "", True),
    "strong": ("bright", "", False),
    "dim": ("dim", "", False),
    "axis": ("faint", "", False),
    "tab": ("bright", "", True),
    "key": ("bright", "", True),
    "nominal": ("paper", "", False),
    "burst": ("cyan", "", True),
    "sustained": ("orange", "", False),
    "point-stream": ("page", "green", True),
    "point-burst": ("page", "cyan", True),
    "point-sustained": ("page", "orange", True),
    "point-sweep": ("ink", "", True),
    "point-here": ("page", "bright", True),
    "point-stream-text": ("green", "", False),
    "clock": ("green", "", False),
    "clock-spin": ("amber", "", True),
    "memory": ("blue", "", False),
    "power": ("violet", "", False),
    "reason": ("orange", "", True),
    "running": ("cyan", "", True),
    "band-0": ("ink", "band", False),
    "band-1": ("ink", "band-next", False),
    "band-running": ("page", "cyan", True),
    "spark": ("cyan", "", False),
    "ok": ("green", "", False),
    "note": ("pale", "", False),
    "warn": ("yellow", "", True),
    "wrong": ("red", "", True),
    "field": ("ink", "field", False),
    "field-open": ("bright", "field-open", False),
    "field-rest": ("rest", "field-open", False),
    "taken": ("page", "pale", False),
}


def _style(theme: str, ink: str, ground: str, bold: bool) -> Style:
    at = THEMES.index(theme)
    return Style(
        color=ROLES[ink][at], bgcolor=ROLES[ground][at] if ground else None, bold=bold or None
    )


def _styles(theme: str) -> dict[str, Style]:
    found = {name: _style(theme, *how) for name, how in MEANT.items()}
    here = {
        f"{name}-here": _style(theme, ink, "here", bold)
        for name, (ink, ground, bold) in MEANT.items()
        if not ground
    }
    return found | here


def _colorless() -> dict[str, Style]:
    """Faint inks are dim, grounds are reverse."""
    return {name: _shape(name, style) for name, style in _styles(DARK).items()}


def _shape(name: str, style: Style) -> Style:
    ink = (MEANT.get(name) or MEANT[name.removesuffix("-here")])[0]
    faint, grounded = ink in ("dim", "faint"), style.bgcolor is not None
    return Style(bold=style.bold, dim=faint or None, reverse=grounded or None)


STYLES: dict[str, dict[str, Style]] = {theme: _styles(theme) for theme in THEMES}
STYLES[COLORLESS] = _colorless()
"""Of each theme; ``x-here`` is ``x`` on the line under the cursor, which keeps its own ink."""


def style(name: str, theme: str = DARK) -> Style:
    """The style of a name. Every segment must have one: without, NO_COLOR ends the app."""
    return STYLES.get(theme, STYLES[DARK])[name]


def variables(theme: str) -> Mapping[str, str]:
    """The colours of a theme by role, for the style sheet."""
    at = THEMES.index(theme) if theme in THEMES else 0
    return {role: colors[at] for role, colors in ROLES.items()}
