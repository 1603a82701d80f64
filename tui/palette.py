"""Style names to colours: the only file of the screen that knows any."""

from __future__ import annotations

from rich.style import Style

STYLES: dict[str, Style] = {
    "": Style(color="#c8ccd4"),
    "title": Style(color="#ffffff", bold=True),
    "strong": Style(color="#ffffff"),
    "dim": Style(color="#7d8590"),
    "axis": Style(color="#59616d"),
    "tab": Style(color="#ffffff", bold=True),
    "key": Style(color="#ffffff", bold=True),
    "nominal": Style(color="#8b949e"),
    "burst": Style(color="#58c4dd", bold=True),
    "sustained": Style(color="#e8a33d"),
    "point-stream": Style(color="#0d1117", bgcolor="#7ee787", bold=True),
    "point-burst": Style(color="#0d1117", bgcolor="#58c4dd", bold=True),
    "point-sustained": Style(color="#0d1117", bgcolor="#e8a33d", bold=True),
    "point-sweep": Style(color="#c9d1d9", bold=True),
    "point-stream-text": Style(color="#7ee787"),
    "clock": Style(color="#7ee787"),
    "clock-spin": Style(color="#ffa657", bold=True),
    "memory": Style(color="#79c0ff"),
    "power": Style(color="#d2a8ff"),
    "reason": Style(color="#e8a33d", bold=True),
    "running": Style(color="#58c4dd", bold=True),
    "band-0": Style(color="#c8ccd4", bgcolor="#2a313c"),
    "band-1": Style(color="#c8ccd4", bgcolor="#39424e"),
    "band-running": Style(color="#0d1117", bgcolor="#58c4dd", bold=True),
    "spark": Style(color="#58c4dd"),
    "ok": Style(color="#7ee787"),
    "note": Style(color="#a5d6ff"),
    "warn": Style(color="#f2cc60", bold=True),
    "wrong": Style(color="#ff7b72", bold=True),
    "field": Style(color="#c8ccd4", bgcolor="#21262d"),
    "field-open": Style(color="#ffffff", bgcolor="#2f3b4c"),
    "field-rest": Style(color="#8b949e", bgcolor="#2f3b4c"),
    "taken": Style(color="#0d1117", bgcolor="#a5d6ff"),
}

HERE = "#22303f"
STYLES |= {
    f"{name}-here": STYLES[name] + Style(bgcolor=HERE)
    for name in ("", "strong", "dim", "note", "warn", "wrong")
}
"""A line under the cursor keeps its own colours."""


def style(name: str) -> Style:
    """The style of a name. Every segment must have one: without, NO_COLOR ends the app."""
    return STYLES[name]
