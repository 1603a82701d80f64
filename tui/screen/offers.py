"""What the footer offers of the pane whose keys act."""

from __future__ import annotations

from textual.geometry import Size

from roofwatch.tui.clocks import clocks_view
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.short_rows import most_first
from roofwatch.tui.roofline import roofline_pane
from roofwatch.tui.screen.painting import Scene, compact_rows

PRECISION: Offer = ("{lr}", "precision")


def offers(scene: Scene, size: Size) -> list[Offer]:
    """What the keys do there now: nothing is offered that does nothing."""
    session, at, name = scene.session, scene.at, scene.focus
    if scene.compact:
        return _compact(scene, size)
    if name == "roofline":
        found = [PRECISION] * (len(roofline_pane.precisions(session)) > 1)
        if roofline_pane.stops(session, at.key(session)):
            found.append(("{ud}", "point"))
        return [*found, ("Enter", "open")] if at.point is not None else found
    if name == "clocks":
        found = [("{lr}", "time")] * clocks_view.scrolls(at.clocks, session)
        found += [("+-", "zoom")] * bool(session.samples)
        several = clocks_view.card_count(session)
        return [*found, ("{ud}", "card"), ("Enter", "it alone")] if several else found
    if name == "probes":
        from roofwatch.tui.probes import probes_pane

        return [("{ud}", "probe"), ("Enter", "open")] if probes_pane.count(session) else []
    if name == "notebook":
        return [("{ud}", "finding"), ("Enter", "open")] if scene.found else []
    if name == "decode":
        from roofwatch.tui.decode import decode_pane

        if scene.small:
            turns: list[Offer] = [("{lr}", "curve")] * (len(decode_pane.curves(session)) > 1)
            return [*turns, *_compact(scene, size)]
        return decode_pane.keys(session, at.curve, size, scene.glyphs, at.all_batches)
    if name == "kernels":
        from roofwatch.tui.kernels import kernels_pane, short_kernels

        view = kernels_pane.View(at.kernel_page, at.kernel)
        if scene.small:
            return short_kernels.keys(session, view, size, scene.glyphs)
        return kernels_pane.keys(session, view, size, scene.glyphs)
    if name == "plan":
        from roofwatch.tui.plan import plan_pane

        return plan_pane.keys(at.plan(session))
    if name == "trace":
        from roofwatch.tui.trace import trace_pane

        return trace_pane.keys(at.trace.answer(session) if at.trace else None)
    if not scene.listing().entries:
        return []
    return [("{ud}", "session"), ("Enter", "open"), ("v", "compare")]


def _compact(scene: Scene, size: Size) -> list[Offer]:
    """Of compact text: its rows where they do not fit."""
    found = [PRECISION] * (
        scene.focus == "roofline" and len(roofline_pane.precisions(scene.session)) > 1
    )
    more = most_first(compact_rows(scene, size.width), size.height)
    return [*found, ("{ud}", "rows")] if more else found
