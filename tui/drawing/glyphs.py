"""The characters of the screen: one set for UTF-8 terminals, one that any terminal can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Glyphs(NamedTuple):
    """What each mark looks like. ``curve`` and ``broken_curve`` are plotext markers.

    ``left_right`` and ``up_down`` name keys: in ASCII by words, as ``^v`` would be read as typed.
    ``off_edge`` says to which side of a scale something lies.
    """

    curve: str
    nominal: str
    slope: str
    tick: str
    vertical: str
    corner: str
    horizontal: str
    axis_tick: str
    axis_break: str
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
    rise_fall: str
    ellipsis: str
    broken_curve: str
    flat: str
    sustained: str
    shade: str
    upright: str
    level: str
    turn: str
    at: str
    off_edge: str


UNICODE = Glyphs(
    curve="braille",
    nominal="╌",
    slope="·",
    tick="┤",
    vertical="│",
    corner="└",
    horizontal="─",
    axis_tick="┬",
    axis_break="╱",
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
    rise_fall="↑↓",
    ellipsis="…",
    broken_curve="braille",
    flat="━",
    sustained="⠄",
    shade="░",
    upright="┆",
    level="┈",
    turn="┴",
    at="◉",
    off_edge="◂▸",
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
    axis_break="/",
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
    left_right="left/right",
    degree="",
    sweep="o",
    cross="x",
    ring="o",
    here=">",
    up_down="up/down",
    rise_fall="^v",
    ellipsis="...",
    broken_curve="=",
    flat="*",
    sustained="=",
    shade=":",
    upright=":",
    level=".",
    turn="^",
    at="@",
    off_edge="<>",
)


COERCED = "C.UTF-8"  # what Python itself sets LC_CTYPE to where the locale is C (PEP 538)


def for_terminal(
    encoding: str | None, environ: Mapping[str, str], ascii_only: bool = False
) -> Glyphs:
    """The set that a stream of this encoding can carry to the terminal of this locale.

    A locale that is named and is not UTF-8 is believed before the encoding, which Python makes
    UTF-8 under C; where none is named, as in most containers, the encoding decides.
    """
    utf8 = (encoding or "").lower().replace("-", "") in ("utf8", "utf8sig")
    return UNICODE if utf8 and _says_utf8(environ) and not ascii_only else ASCII


def _says_utf8(environ: Mapping[str, str]) -> bool:
    said = environ.get("LC_ALL") or environ.get("LC_CTYPE") or ""
    if said in ("", COERCED):
        said = environ.get("LANG") or said
    return not said or "utf-8" in said.lower().replace("utf8", "utf-8")
