"""Kept results, and what a page says of where they come from."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "h200"


def load(name: str) -> dict[str, Any]:
    """A kept result."""
    loaded: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return loaded


def paragraph(text: str) -> list[str]:
    """A paragraph in lines of the page's width, and a blank line."""
    return [*textwrap.wrap(text, 100, break_on_hyphens=False, break_long_words=False), ""]


def place(result: dict[str, Any]) -> str:
    """Where a result comes from, in words."""
    return f"{result['device']}, driver {result['driver']}, {result['date']}"
