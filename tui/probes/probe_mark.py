"""The mark before or behind a probe's figure: the same wherever the probe stands."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.session.checks import OK
from roofwatch.session.table import RUNNING, ProbeRow, marked
from roofwatch.tui.drawing.glyphs import Glyphs


def mark_of(r: ProbeRow, glyphs: Glyphs) -> tuple[str, str]:
    """Mark and style, as the notebook marks its gravest finding; none where nothing is expected."""
    if r.state == RUNNING:
        return glyphs.here, "running"
    marks = {WRONG: (glyphs.wrong, "wrong"), SUSPECT: (glyphs.warn, "warn"), OK: (glyphs.ok, "ok")}
    return marks.get(marked(r), ("", "dim"))
