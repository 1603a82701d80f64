"""The mark before or behind a probe's figure: the same wherever the probe stands."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG
from roofwatch.session.table import FAILED, RUNNING, ProbeRow
from roofwatch.tui.drawing.glyphs import Glyphs


def mark_of(r: ProbeRow, glyphs: Glyphs) -> tuple[str, str]:
    """Mark and style, as the notebook marks its gravest finding; none where nothing is expected.

    A number that was made wrong on purpose is marked by what was found, as any other.
    """
    if r.state == RUNNING:
        return glyphs.here, "running"
    if r.state == FAILED or WRONG in r.severities:
        return glyphs.wrong, "wrong"
    if doubtful(r) or (r.on_purpose and r.within is False and not r.codes):
        return glyphs.warn, "warn"
    return (glyphs.ok, "ok") if r.within else ("", "dim")


def doubtful(r: ProbeRow) -> bool:
    """Whether its figure is missing, not to be believed, or outside its range unintended."""
    return r.state == FAILED or r.grave or (r.within is False and not r.on_purpose)
