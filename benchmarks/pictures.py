"""Draws the screen from a session file: ``python benchmarks/pictures.py SESSION FOLDER``.

Writes one SVG a size and pane into FOLDER; any browser shows them.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen.app import WIDE, RoofwatchApp
from roofwatch.tui.screen.painting import PANES, TOGETHER

SIZES = ((80, 24), (120, 36), (200, 60))


async def draw(session: Path, folder: Path) -> None:
    """One SVG a size and one a pane that stands alone there."""
    for columns, rows in SIZES:
        app = RoofwatchApp(Replay(session), UNICODE)
        async with app.run_test(size=(columns, rows)) as pilot:
            await pilot.pause(0.6)
            if columns >= WIDE[0]:
                app.save_screenshot(f"{columns}x{rows}-all.svg", str(folder))
            for i, pane in enumerate(PANES):
                if columns >= WIDE[0] and i < TOGETHER:
                    continue
                await pilot.press(str(i + 1))
                await pilot.pause(0.6)
                app.save_screenshot(f"{columns}x{rows}-{pane}.svg", str(folder))


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1]), Path(sys.argv[2])))
