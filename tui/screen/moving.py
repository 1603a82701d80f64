"""What the keys that move do in each pane, and the words for it in the footer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size

from roofwatch.tui.clocks import clocks_view
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen.painting import Scene
from roofwatch.tui.sessions import saved_cursor

if TYPE_CHECKING:
    from pathlib import Path

    from roofwatch.session.entry import Entry

FAR = 10**6  # more than there is of anything


def move(scene: Scene, size: Size, step: int) -> None:
    """The cursor of the pane whose keys act by ``step``; ``size`` is its room."""
    at, session, name = scene.at, scene.session, scene.focus
    if scene.compact:
        at.first_row = max(0, at.first_row + step)
    elif name == "roofline":
        at.point = _along(at.point, step, roofline_pane.stops(session, at.key(session)))
    elif name == "clocks":
        at.clocks = clocks_view.card_moved(at.clocks, session, step)
    elif name == "probes":
        from roofwatch.tui.probes import probes_pane

        count = probes_pane.count(session)
        at.probe = probes_pane.start(session) if at.probe is None else _held(at.probe + step, count)
    elif name == "notebook":
        from roofwatch.tui.notebook import notebook_pane
        from roofwatch.tui.notebook.notebook_cursor import moved, paged

        spans, length = notebook_pane.spans(session, size.width, scene.glyphs, scene.found)
        go = moved if abs(step) == 1 else paged
        at.place = go(at.place, step, spans, length, size.height)
    elif name == "decode":
        at.all_batches = step > 0
    elif name == "kernels":
        from roofwatch.tui.kernels import kernels_pane

        view = kernels_pane.View(at.kernel_page, at.kernel)
        places = kernels_pane.length(session, *size, scene.glyphs, view)
        at.kernel = _held(at.kernel + step, places)
    elif name == "plan":
        _in_plan(scene, size, step)
    else:
        at.saved = saved_cursor.moved(at.saved, scene.listing(), step)


def _in_plan(scene: Scene, size: Size, step: int) -> None:
    """One field on or back; further, a page of the batches."""
    from roofwatch.tui.plan import plan_pane

    fields = scene.at.plan(scene.session)
    if abs(step) == 1:
        fields.step(step)
    else:
        pages = plan_pane.pages(fields, scene.session, *size, scene.glyphs)
        fields.turn(max(-1, min(1, step)), pages)


def turn(scene: Scene, step: int) -> None:
    """Another moment, value, curve or page; else another precision of the roofline."""
    at, name = scene.at, scene.focus
    if name == "clocks":
        at.clocks = clocks_view.scrolled(at.clocks, scene.session, step)
    elif name == "plan":
        at.plan(scene.session).change(step, scene.session)
    elif name == "decode":
        at.curve += step
    elif name == "kernels":
        at.kernel_page, at.kernel = at.kernel_page + step, 0
    elif name != "sessions":
        at.next_precision(scene.session, step)


def end(scene: Scene, size: Size, step: int) -> None:
    """To the first (-1) or the last of what there is; of the clocks to the beginning, or to now."""
    if scene.focus == "clocks":
        scene.at.clocks = clocks_view.scrolled(scene.at.clocks, scene.session, step * FAR)
    else:
        move(scene, size, step * FAR)


def zoom(scene: Scene, step: int) -> None:
    """A longer (1) or shorter (-1) stretch of time, where there is time."""
    if scene.focus == "clocks":
        scene.at.clocks = clocks_view.zoomed(scene.at.clocks, scene.session, step)


def focus_card(scene: Scene) -> None:
    """The charts of the card under the cursor, or of the measured one again."""
    scene.at.clocks = clocks_view.focused(scene.at.clocks, scene.session)


def saved_here(scene: Scene) -> Entry | None:
    """The saved session under the cursor."""
    listing = scene.listing()
    return listing.entry(saved_cursor.followed(scene.at.saved, listing).row)


def marked(scene: Scene) -> Path | None:
    """The file that stands as A, as long as it is on the list."""
    return scene.at.marked if scene.listing().find(scene.at.marked) else None


def typed(scene: Scene, key: str, character: str | None) -> None:
    """One key while a value of the plan is typed."""
    fields = scene.at.plan(scene.session)
    if fields.line is None:
        return
    if key == "escape":
        fields.type(None)
    elif key in ("enter", "tab", "shift+tab", "down", "up"):
        fields.enter(scene.session)
        if fields.line is None and key != "enter":
            fields.step(-1 if key in ("shift+tab", "up") else 1)
    elif (line := fields.line.key(key, character)) is not None:
        fields.type(line)


def released(scene: Scene) -> bool:
    """Take the cursor of the roofline or the probe table away; False where there is none."""
    at, before = scene.at, (scene.at.point, scene.at.probe)
    if scene.focus == "roofline":
        at.point = None
    elif scene.focus == "probes":
        at.probe = None
    return (at.point, at.probe) != before


def pasted(scene: Scene, line: str) -> None:
    """A line that is pasted where a value is typed."""
    for character in line:
        typed(scene, "", character)


def offers(scene: Scene, size: Size) -> list[Offer]:
    """What the keys do now in the pane whose keys act: nothing is offered that does nothing."""
    session, at, name = scene.session, scene.at, scene.focus
    if scene.compact:
        return [("{ud}", "rows")]
    if name == "roofline":
        found: list[Offer] = []
        if len(roofline_pane.precisions(session)) > 1:
            found.append(("{lr}", "precision"))
        if roofline_pane.stops(session, at.key(session)):
            found.append(("{ud}", "point"))
        return [*found, ("Enter", "open")] if at.point is not None else found
    if name == "clocks":
        found = [("{lr}", "time"), ("+-", "zoom")] if session.samples else []
        if clocks_view.card_count(session):
            found += [("{ud}", "card"), ("Enter", "it alone")]
        return found
    if name == "probes":
        from roofwatch.tui.probes import probes_pane

        return [("{ud}", "probe"), ("Enter", "open")] if probes_pane.count(session) else []
    if name == "notebook":
        return [("{ud}", "finding"), ("Enter", "open")] if scene.found else []
    if name == "decode":
        from roofwatch.tui.decode import decode_pane

        return decode_pane.keys(session, at.curve, size, scene.glyphs, at.all_batches)
    if name == "kernels":
        from roofwatch.tui.kernels import kernels_pane

        view = kernels_pane.View(at.kernel_page, at.kernel)
        return kernels_pane.keys(session, view, size, scene.glyphs)
    if name == "plan":
        from roofwatch.tui.plan import plan_pane

        return plan_pane.keys(at.plan(session))
    if not scene.listing().entries:
        return []
    return [("{ud}", "session"), ("Enter", "open"), ("v", "compare")]


def _held(at: int, count: int) -> int:
    return max(0, min(count - 1, at))


def _along(at: int | None, step: int, count: int) -> int | None:
    """A cursor that stands nowhere until a key is pressed: then on the first, or the last."""
    if not count:
        return None
    if at is None:
        return 0 if step > 0 else count - 1
    return _held(at + step, count)
