"""What Enter opens in the pane whose keys act: a page, or a word on why there is none."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen.moving import NO_TRACE
from roofwatch.tui.screen.painting import Scene
from roofwatch.tui.widgets.sheet import Sheet


def page_of(scene: Scene) -> Sheet | str:
    """The page of the finding, probe or point under the cursor; a sentence where there is none."""
    session, at = scene.session, scene.at
    if scene.compact:
        return "there is no room for a cursor here: 61x17 has it"
    if scene.focus == "notebook":
        if not scene.found:
            return "nothing is found"
        from roofwatch.tui.notebook.error_page import ErrorPage

        f = scene.found[min(at.place.finding, len(scene.found) - 1)]
        return ErrorPage(f, session.label(f.subject), scene.glyphs)
    if scene.focus == "probes":
        probe = None if at.probe is None else probes_pane.key_at(session, at.probe)
        return _measurement(scene, probe) if probe else "the arrows choose a probe; Enter opens it"
    if scene.focus == "roofline":
        m = None
        if at.point is not None:
            m = roofline_pane.measurement_at(session, at.key(session), at.point)
        if m is None:
            return "the arrows choose a point; Enter opens it"
        return _measurement(scene, m.probe)
    if scene.focus == "kernels":
        from roofwatch.tui.kernels import kernels_pane

        view = kernels_pane.View(at.kernel_page, at.kernel)
        return (
            kernels_pane.page_of(session, view, scene.glyphs) or "Enter opens a kernel of the map"
        )
    if scene.focus == "trace":
        kernel = at.trace.kernel() if at.trace else None
        if at.trace is None or kernel is None:
            return NO_TRACE
        from roofwatch.tui.trace.trace_kernel_page import TraceKernelPage

        return TraceKernelPage(kernel, at.trace.answer(session), scene.glyphs)
    return "Enter opens a probe, a point, a finding, a kernel or a session"


def _measurement(scene: Scene, probe: str) -> Sheet:
    from roofwatch.tui.probes.measurement_page import MeasurementPage

    return MeasurementPage(scene.session, probe, scene.glyphs)


def compared(one: Path, other: Path, glyphs: Glyphs) -> Sheet:
    """Two saved sessions side by side.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    from roofwatch.tui.sessions.compare_page import ComparePage

    return ComparePage(Replay(one).session, Replay(other).session, glyphs)
