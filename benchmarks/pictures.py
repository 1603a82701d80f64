"""Draws the screen from kept sessions: ``python benchmarks/pictures.py [NAME ...]``.

Writes docs/pictures/NAME.png and docs/screens.md. Needs Chromium, which renders Textual's SVG as a
terminal would; without it the SVG files are left there instead.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.theme import CONTRAST, DARK, LIGHT
from roofwatch.tui.printed.trace_plain import opened
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.trace.opened_trace import OpenedTrace

ROOT = Path(__file__).parent.parent
SESSIONS = ROOT / "tests" / "sessions"
TRACES = ROOT / "tests" / "traces"
FOLDER = ROOT / "docs" / "pictures"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class Picture(NamedTuple):
    """What is pressed over which session, and in which look."""

    name: str
    told: str
    session: str = "h200-full-1"
    size: tuple[int, int] = (80, 24)
    keys: str = ""  # one character a key; + for Enter
    theme: str = DARK
    ascii_only: bool = False
    colorless: bool = False
    trace: str = ""  # of tests/traces


PICTURES = (
    Picture("screen", "Six panes, after the full suite", size=(200, 60)),
    Picture("four", "Four panes", size=(120, 36)),
    Picture("four-light", "The light theme", size=(120, 36), theme=LIGHT),
    Picture("four-colorless", "With `NO_COLOR`", size=(120, 36), colorless=True),
    Picture("roofline", "The roofline, its cursor on the burst", keys="jj"),
    Picture("roofline-contrast", "High contrast", keys="jj", theme=CONTRAST),
    Picture(
        "clocks", "80x24: the clock falls under a held matmul, the reason and the price", keys="2"
    ),
    Picture("clocks-ascii", "With `--ascii`", keys="2", ascii_only=True),
    Picture("probes", "Expected beside measured", keys="3jj"),
    Picture("measurement", "A measurement, opened with Enter", keys="3jj+"),
    Picture("finding", "A finding, opened with Enter", "h200-mistakes-1", keys="4j+"),
    Picture("decode", "A decode step against the batch", "h200-decode-1", keys="5"),
    Picture(
        "kernels", "A transformer's kernels, each against its own roof", "h200-kernels-1", keys="6"
    ),
    Picture("links", "What the links of two cards carry: `--suite links` opens here", "two/links"),
    Picture("trace", "A profiler's trace on this card's roofs", size=(120, 36), trace="h200/layer"),
    Picture("small", "No room for charts", size=(60, 16)),
)


async def draw(picture: Picture) -> str:
    """One picture as SVG."""
    os.environ.pop("NO_COLOR", None)
    if picture.colorless:
        os.environ["NO_COLOR"] = "1"
    glyphs = ASCII if picture.ascii_only else UNICODE
    trace = OpenedTrace(*opened(TRACES / f"{picture.trace}.json.gz")) if picture.trace else None
    replay = Replay(SESSIONS / f"{picture.session}.jsonl")
    app = RoofwatchApp(replay, glyphs, picture.theme, trace=trace)
    app.title = "roofwatch"
    async with app.run_test(size=picture.size) as pilot:
        await pilot.pause(1.5)
        for key in picture.keys:
            await pilot.press("enter" if key == "+" else key)
            await pilot.pause(0.1)
        await pilot.pause(0.8)
        return app.export_screenshot()


def keep(svg: str, name: str, chromium: str | None) -> None:
    """The picture in the folder, as PNG where there is something that renders it."""
    if chromium is None:
        (FOLDER / f"{name}.svg").write_text(svg)
        return
    seen = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert seen is not None
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / f"{name}.svg"
        page.write_text(svg)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        flags += [
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={folder}/u",
        ]
        flags += [f"--window-size={float(seen[1]):.0f},{float(seen[2]):.0f}"]
        flags += [f"--screenshot={FOLDER / f'{name}.png'}", page.as_uri()]
        subprocess.run([chromium, *flags], check=True, capture_output=True, timeout=60)


def page() -> str:
    """docs/screens.md."""
    said = "Drawn from sessions recorded on an H200 (`benchmarks/pictures.py`)."
    lines = ["# The screen", "", said, ""]
    for picture in PICTURES:
        size = f"{picture.size[0]}x{picture.size[1]}"
        lines += [f"{picture.told} ({size}):", ""]
        lines += [f"![{picture.told}](pictures/{picture.name}.png)", ""]
    return "\n".join(lines[:-1]) + "\n"


def main() -> None:
    """All pictures, or those named."""
    FOLDER.mkdir(exist_ok=True)
    chromium = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    for picture in PICTURES:
        if not sys.argv[1:] or picture.name in sys.argv[1:]:
            keep(asyncio.run(draw(picture)), picture.name, chromium)
            print(picture.name)
    (ROOT / "docs" / "screens.md").write_text(page())


if __name__ == "__main__":
    main()
