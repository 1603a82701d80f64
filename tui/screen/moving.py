"""What the keys that move do in each pane, and a word where they can do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size

from roofwatch.session.program import PROGRAM
from roofwatch.tui.clocks import clocks_view
from roofwatch.tui.drawing.short_rows import most_first
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen.painting import Scene, compact_rows
from roofwatch.tui.sessions import saved_cursor

if TYPE_CHECKING:
    from pathlib import Path

    from roofwatch.session.entry import Entry

FAR = 10**6  # more than there is of anything
ALL_ROWS = "every row is in view"
ALL_TIME = "the whole session is in view"
NO_PLAN = "there is no plan yet"
ALL_BATCHES = "every batch is in view"
ONE_CARD = "there is one card: no other to choose"
NO_TRACE = f"there is no trace here: {PROGRAM} --trace FILE opens one"
NO_CHART = "there is no room for a chart here: 61x17 has it"


def move(scene: Scene, size: Size, step: int) -> str:
    """The cursor of the pane whose keys act by ``step``; ``size`` is its room.

    As the others here it returns a word on why nothing can move, or nothing.
    """
    at, session, name = scene.at, scene.session, scene.focus
    if name == "roofline" and not scene.compact:
        stops = roofline_pane.stops(session, at.key(session))
        at.point = _along(at.point, step, stops)
        return "" if stops else "there is no point"
    if name == "clocks" and not scene.compact:
        at.clocks = clocks_view.card_moved(at.clocks, session, step)
        return "" if clocks_view.card_count(session) else ONE_CARD
    if name == "probes" and not scene.compact:
        from roofwatch.tui.probes import probes_pane

        count = probes_pane.count(session)
        if at.probe is None:  # the first step is one to where a cursor begins
            at.probe = probes_pane.start(session) - (1 if step > 0 else -1)
        at.probe = _held(at.probe + step, count) if count else None
    elif name == "notebook" and not scene.compact:
        from roofwatch.tui.notebook import notebook_pane
        from roofwatch.tui.notebook.notebook_cursor import ended, moved, paged

        spans, length = notebook_pane.spans(session, size.width, scene.glyphs, scene.found)
        go = ended if abs(step) == FAR else paged if abs(step) > 1 else moved
        at.place = go(at.place, step, spans, length, size.height)
    elif name == "kernels":
        at.kernel = _held(at.kernel + step, _kernel_places(scene, size))
    elif name == "plan":
        return _in_plan(scene, size, step)
    elif name == "sessions":
        at.saved = saved_cursor.moved(at.saved, scene.listing(), step)
    elif name == "trace":
        if at.trace is None:
            return NO_TRACE
        at.trace.move(step)
    elif name == "decode" and not scene.small:
        at.all_batches = step > 0
    else:
        return _rows_moved(scene, size, step)
    return ""


def _rows_moved(scene: Scene, size: Size, step: int) -> str:
    """Compact text by rows, no row passed over."""
    last = most_first(compact_rows(scene, size.width), size.height)
    most = FAR if abs(step) == FAR else max(1, size.height - 1)
    at = scene.at
    at.first_row = _held(at.first_row + max(-most, min(most, step)), last + 1)
    return "" if last else ALL_ROWS


def _kernel_places(scene: Scene, size: Size) -> int:
    from roofwatch.tui.kernels import kernels_pane, short_kernels

    view = kernels_pane.View(scene.at.kernel_page, scene.at.kernel)
    length = short_kernels.length if scene.small else kernels_pane.length
    return length(scene.session, *size, scene.glyphs, view)


def _in_plan(scene: Scene, size: Size, step: int) -> str:
    """One field on or back, the first or the last; by pages the batches, or compact text."""
    from roofwatch.tui.plan import plan_pane, short_plan

    fields = scene.at.plan(scene.session)
    if abs(step) in (1, FAR):
        if abs(step) == 1:
            fields.step(step)
        else:
            fields.end(step)
        if not scene.small:  # where the batches alone stand another field could not be seen
            fields.page = 0
        return ""
    if fields.answer(scene.session).plan is None:
        return NO_PLAN
    count = short_plan.pages if scene.small else plan_pane.pages
    pages = count(fields, scene.session, *size, scene.glyphs)
    fields.turn(max(-1, min(1, step)), pages)
    return "" if pages > 1 else ALL_BATCHES


def turn(scene: Scene, step: int) -> str:
    """Another moment, value, curve or page; else another precision of the roofline."""
    at, session, name = scene.at, scene.session, scene.focus
    if name == "clocks":
        return _moment(scene, step)
    if name == "plan":
        at.plan(session).change(step, session)
    elif name == "decode":
        from roofwatch.tui.decode import decode_pane

        at.curve += step
        at.first_row = 0
        return "" if len(decode_pane.curves(session)) > 1 else "there is no other curve"
    elif name == "kernels":
        from roofwatch.tui.kernels import kernels_pane

        at.kernel_page, at.kernel = at.kernel_page + step, 0
        return "" if len(kernels_pane.page_names(session)) > 1 else "there is no other page"
    elif name in ("sessions", "trace"):
        return "left and right move nothing here"
    else:
        return precision(scene, step)
    return ""


def precision(scene: Scene, step: int = 1) -> str:
    """Another precision of the roofline."""
    scene.at.next_precision(scene.session, step)
    several = len(roofline_pane.precisions(scene.session)) > 1
    return "" if several else "there is no other precision"


def _moment(scene: Scene, step: int) -> str:
    if scene.compact:
        return NO_CHART
    before, session = scene.at.clocks, scene.session
    scene.at.clocks = clocks_view.scrolled(before, session, step)
    if scene.at.clocks != before:
        return ""
    if not clocks_view.scrolls(before, session):
        return ALL_TIME
    return "this is the beginning" if step < 0 else "this is its end" if session.closed else "now"


def end(scene: Scene, size: Size, step: int) -> str:
    """To the first (-1) or the last of what there is; of the clocks to the beginning, or to now."""
    if scene.focus == "clocks" and not scene.compact:
        return _moment(scene, step * FAR)
    return move(scene, size, step * FAR)


def zoom(scene: Scene, step: int) -> str:
    """A longer (1) or shorter (-1) stretch of time, where there is time."""
    if scene.focus != "clocks":
        return "+ and - are for the clocks (2): a shorter, a longer stretch"
    if scene.compact:
        return NO_CHART
    before = scene.at.clocks
    scene.at.clocks = clocks_view.zoomed(before, scene.session, step)
    if scene.at.clocks != before:
        return ""
    return ALL_TIME if step > 0 else "there is no shorter stretch"


def focus_card(scene: Scene) -> str:
    """The charts of the card under the cursor, or of the measured one again."""
    if not clocks_view.card_count(scene.session):
        return ONE_CARD
    scene.at.clocks = clocks_view.focused(scene.at.clocks, scene.session)
    return ""


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


def _held(at: int, count: int) -> int:
    return max(0, min(count - 1, at))


def _along(at: int | None, step: int, count: int) -> int | None:
    """A cursor that stands nowhere comes in at the beginning, or backwards at the end."""
    if not count:
        return None
    if at is None:
        at = -1 if step > 0 else count
    return _held(at + step, count)
