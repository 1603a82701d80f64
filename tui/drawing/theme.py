"""The names of the themes, and the one that suits a terminal."""

from __future__ import annotations

from collections.abc import Mapping

DARK, LIGHT, CONTRAST = THEMES = ("dark", "light", "contrast")
COLORLESS = "colorless"  # of NO_COLOR, not to be chosen: weight and reverse say what colours would


def theme_of(environ: Mapping[str, str]) -> str:
    """Light where the terminal says that its ground is, else dark.

    ``COLORFGBG`` (``ink;ground`` as colours of the sixteen) is what rxvt, Konsole and others set.
    """
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if ground in ("7", "15") else DARK
