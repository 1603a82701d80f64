"""The numbers behind a finding as aligned rows: a name, a figure, a unit that people read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rich.cells import cell_len

from roofwatch.notebook.catalog import percent
from roofwatch.roofline.size_said import size_scale
from roofwatch.roofline.time_said import time_scale
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import unit_of
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, broken, row, wrapped

SENTENCE = 24  # characters from which a text is one
LEAST_TEXT, INDENT = 8, 2  # cells of a text beside its name, and before one under it
Said = tuple[str, str]  # a figure and its unit; a figure alone is text

NAMES = {
    "gbs": "rate",
    "tflops": "rate",
    "sm_mhz": "SM clock",
    "cache_bytes": "last-level cache",
    "working_set_bytes": "all tensors",
    "ai_max": "highest intensity",
    "tdp_w": "power it may draw",
    "sm_count": "SMs",
    "onset_s": "held before it fell",
    "moved_over_useful": "moved over useful",
    "dtype": "type",
    "low": "expected from",
    "high": "expected to",
    "seen_bytes": "a read-only stream turns",
    "turns_bytes": "turns",
}
SHARES = ("share", "full", "spread", "drift")
TIMES = ("ratio", "times", "moved_over_useful")
OF_UNIT = ("rate", "nominal", "ceiling", "expected", "other_nominal", "low", "high")
"""Fields whose unit is told by the field ``unit``."""


def evidence_rows(
    evidence: Mapping[str, Any], message: str, cells: int, glyphs: Glyphs
) -> list[Row]:
    """One row a figure; figures stand right, so that units and points lie under each other. Where
    that is too narrow, each stands under its name.

    A sentence that the message already says is left out.
    """
    said = [
        (name, (text, unit_of(unit, glyphs)))
        for name, (text, unit) in _pairs(evidence, glyphs)
        if unit or len(text) < SENTENCE or text not in message
    ]
    if not said:
        return []
    names = max(cell_len(name) for name, _ in said) + 2
    figures = max((cell_len(f) for _, (f, unit) in said if unit), default=0)
    units = max((cell_len(unit.strip()) + 1 for _, (_, unit) in said if unit), default=0)
    if names + max(figures + units, LEAST_TEXT) > cells:
        return [r for name, told in said for r in _under(name, told, cells)]
    out: list[Row] = []
    for name, (text, unit) in said:
        head = (name + " " * (names - cell_len(name)), "dim")
        if unit:
            out.append(row(head, (f"{text:>{figures}}", "strong"), (f" {unit.strip()}", "dim")))
            continue
        for line in broken(text, cells - names):
            out.append(row(head, (line, "")))
            head = (" " * names, "")
    return out


def _under(name: str, told: Said, cells: int) -> list[Row]:
    """A name, and below it what it is of."""
    text, unit = told
    lines = wrapped(f"{text} {unit.strip()}".strip(), cells - INDENT, "strong" if unit else "")
    return [*wrapped(name, cells, "dim"), *(row(" " * INDENT, *line) for line in lines)]


def _pairs(evidence: Mapping[str, Any], glyphs: Glyphs) -> list[tuple[str, Said]]:
    rest = dict(evidence)
    unit = rest.pop("unit", None)
    if not isinstance(unit, str):
        unit = "TFLOP/s" if any("tflops" in name for name in rest) else "GB/s"
    unit = shown(unit)
    out: list[tuple[str, Said]] = []
    low, high = rest.get("low"), rest.get("high")
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        del rest["low"], rest["high"]
        out.append(("expected range", (f"{_short(low)} {glyphs.dash} {_short(high)}", unit)))
    pairs = [(_name(name), _said(name, value, unit)) for name, value in rest.items()]
    return [*(p for p in pairs if p[0] == "rate"), *out, *(p for p in pairs if p[0] != "rate")]


def _name(name: str) -> str:
    if name in NAMES:
        return NAMES[name]
    ending = next((e for e in ENDINGS if name.endswith(e)), "")
    return shown(name.removesuffix(ending)).replace("_", " ").strip() or shown(name)


def _said(name: str, value: Any, unit: str) -> Said:
    if isinstance(value, bool):
        return ("yes" if value else "no"), ""
    if isinstance(value, (int, float)):
        return _number(name, value, unit)
    if isinstance(value, (list, tuple)):
        return ", ".join(_said("", one, "")[0] for one in value), ""
    if isinstance(value, Mapping):
        return ", ".join(f"{shown(str(k))} {_said('', v, '')[0]}" for k, v in value.items()), ""
    return shown(str(value)), ""


def _number(name: str, value: float, unit: str) -> Said:
    if name.startswith("of_") or name.endswith(("_share", "_of_nominal")) or name in SHARES:
        figure_, _, sign = percent(value).partition(" ")
        return figure_, sign
    if name in TIMES or name.endswith("_ratio"):
        return _short(value), "times"
    if name in OF_UNIT:
        return _short(value), unit
    for ending, tell in ENDINGS.items():
        if name.endswith(ending) or name == ending[1:]:
            return tell(value)
    return (str(value) if isinstance(value, int) else _short(value)), " "


def _short(value: float) -> str:
    """A figure that a row can hold, whatever a file says."""
    return figure(value) if abs(value) < 1e12 else f"{value:.3g}"


def _in(unit: str) -> Callable[[float], Said]:
    return lambda value: (_short(value), unit)


def _bytes(value: float) -> Said:
    scale, unit = size_scale(value)
    return _short(value / scale), unit


def _seconds(value: float) -> Said:
    scale, unit = time_scale(value)
    return _short(value / scale), unit


ENDINGS: dict[str, Callable[[float], Said]] = {
    "_mb_per_sequence": _in("MB a sequence"),
    "_tflops": _in("TFLOP/s"),
    "_gflop": _in("GFLOP"),
    "_bytes": _bytes,
    "_gbs": _in("GB/s"),
    "_mhz": _in("MHz"),
    "_mb": _in("MB"),
    "_gb": _in("GB"),
    "_ms": lambda value: _seconds(value * 1e-3),
    "_us": lambda value: _seconds(value * 1e-6),
    "_s": _seconds,
    "_w": _in("W"),
    "_c": _in("°C"),
}
"""Endings of names, the longer before the shorter, and how their figures are told."""
