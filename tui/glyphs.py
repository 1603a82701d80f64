"""The characters of the screen: one set for UTF-8 terminals, one that any terminal can show."""

from __future__ import annotations

from typing import NamedTuple


class Glyphs(NamedTuple):
    """What each mark looks like. ``curve`` is a plotext marker."""

    curve: str
    nominal: str
    slope: str
    tick: str
    vertical: str
    corner: str
    horizontal: str
    axis_tick: str
    full: str
    empty: str
    band: str
    warn: str
    wrong: str
    note: str
    ok: str
    spark: str
    dash: str
    dot: str
    left_right: str
    degree: str
    sweep: str
    cross: str
    ring: str
    here: str
    up_down: str
    ellipsis: str


UNICODE = Glyphs(
    curve="braille",
    nominal="╌",
    slope="·",
    tick="┤",
    vertical="│",
    corner="└",
    horizontal="─",
    axis_tick="┬",
    full="█",
    empty="░",
    band="▒",
    warn="▲",
    wrong="✗",
    note="·",
    ok="✓",
    spark="▁▂▃▄▅▆▇█",
    dash="–",
    dot="·",
    left_right="←→",
    degree="°",
    sweep="∘",
    cross="×",
    ring="○",
    here="▸",
    up_down="↑↓",
    ellipsis="…",
)

ASCII = Glyphs(
    curve="*",
    nominal="-",
    slope=".",
    tick="+",
    vertical="|",
    corner="+",
    horizontal="-",
    axis_tick="+",
    full="#",
    empty=".",
    band="=",
    warn="!",
    wrong="X",
    note="-",
    ok="ok",
    spark="_.-=^",
    dash="-",
    dot="|",
    left_right="<>",
    degree="",
    sweep="o",
    cross="x",
    ring="o",
    here=">",
    up_down="^v",
    ellipsis="...",
)


def for_encoding(encoding: str | None) -> Glyphs:
    """The set that a stream of this encoding can carry."""
    return UNICODE if (encoding or "").lower().replace("-", "") in ("utf8", "utf8sig") else ASCII
