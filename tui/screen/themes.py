"""The palette's themes as Textual's: dialogs and the command palette take their colours here."""

from __future__ import annotations

from textual.theme import Theme

from roofwatch.tui.drawing import palette
from roofwatch.tui.drawing.theme import COLORLESS, LIGHT, THEMES


def themes() -> list[Theme]:
    """One for each of the palette's, of its name; roles are variables of the style sheet."""
    return [_theme(name) for name in (*THEMES, COLORLESS)]


def _theme(name: str) -> Theme:
    colors = dict(palette.variables(name))
    return Theme(
        name,
        primary=colors["cyan"],
        foreground=colors["ink"],
        background=colors["page"],
        surface=colors["raised"],
        panel=colors["raised"],
        dark=name != LIGHT,
        variables={
            **colors,
            "block-cursor-background": colors["field-open"],
            "block-cursor-foreground": colors["bright"],
            "block-cursor-blurred-background": colors["field-open"],
            "block-cursor-blurred-foreground": colors["bright"],
        },
    )
