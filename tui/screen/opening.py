"""What Enter opens in the pane whose keys act: a page, or a word on why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roofwatch.session.entry import Entry
from roofwatch.session.file import UnreadableSession
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen import moving
from roofwatch.tui.screen.moving import NO_TRACE
from roofwatch.tui.screen.painting import Scene
from roofwatch.tui.screen.refusal import refused
from roofwatch.tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from roofwatch.tui.screen.fleet_app import FleetScreen


NO_PAIR = "v is for the saved sessions (8): it marks one, and compares it with another"
NO_FLEETS = "a fleet is not compared: Enter opens its grid"

A_KERNEL = "Enter opens a kernel of the map"


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
        page = kernels_pane.page_of(session, view, scene.glyphs)
        mapped = kernels_pane.MAP in kernels_pane.page_names(session)
        return page or (
            f"{A_KERNEL}, on another page of this tab" if mapped else "nothing here opens"
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


def opened_fleet(entry: Entry, glyphs: Glyphs) -> FleetScreen | None:
    """The grid of a fleet that is among the saved ones; None of a session.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    if entry.ranks is None:
        return None
    from roofwatch.session.fleet.fleet_file import read_fleet
    from roofwatch.tui.screen.fleet_app import FleetScreen

    return FleetScreen(read_fleet(entry.path), glyphs)


def versus(scene: Scene, cells: int) -> Sheet | str:
    """Marks the saved session under the cursor, or is the page of it beside the marked one.

    A word where it can do neither; empty where there is nothing to say.
    """
    entry = moving.saved_here(scene) if scene.focus == "sessions" else None
    if entry is None or entry.ranks is not None:
        return NO_PAIR if entry is None else NO_FLEETS
    if (marked := moving.marked(scene)) in (None, entry.path):
        scene.at.marked = None if marked else entry.path
        return ""
    try:
        return _compared(marked, entry.path, scene.glyphs)
    except UnreadableSession as error:
        return refused(error, cells, scene.glyphs, marked, entry.path)


def _compared(one: Path, other: Path, glyphs: Glyphs) -> Sheet:
    from roofwatch.tui.sessions.compare_page import ComparePage

    return ComparePage(Replay(one).session, Replay(other).session, glyphs)
