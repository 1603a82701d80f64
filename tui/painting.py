"""How the panes are drawn: what each depends on, and which are to be drawn again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from roofwatch.notebook.finding import Finding
from roofwatch.session.fold import Session
from roofwatch.tui import (
    clocks_pane,
    header,
    notebook_pane,
    probes_pane,
    roofline_pane,
    small_pane,
)
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.pane import Pane
from roofwatch.tui.rows_of_text import Row
from roofwatch.tui.standing import Standing

CHART_S = 0.5  # the clocks move with every sample: they are drawn twice a second at most


class Scene(NamedTuple):
    """What the panes are drawn from at one moment."""

    session: Session
    at: Standing
    found: list[Finding]
    glyphs: Glyphs
    wide: bool  # the panes stand together
    small: bool  # no room for a chart
    progress: float | None = None  # of the running probe, known only live


class Drawing(NamedTuple):
    """Rows for a size, true as long as ``stamp`` is."""

    stamp: tuple[object, ...]
    rows: Callable[[int, int], list[Row]]


def _roofline(s: Scene) -> Drawing:
    key = s.at.key(s.session)
    return Drawing(
        (s.session.revision, key),
        lambda w, h: roofline_pane.build(s.session, w, h, key, s.glyphs),
    )


def _clocks(s: Scene) -> Drawing:
    return Drawing(
        (s.session.revision, s.session.ticks),
        lambda w, h: clocks_pane.build(s.session, w, h, s.glyphs),
    )


def _probes(s: Scene) -> Drawing:
    # Beside the others the table follows the run; the keys move it where it stands alone.
    first, reach = (0, "key 3") if s.wide else (s.at.first_probe, "down, up")
    return Drawing(
        (s.session.revision, s.progress, first),
        lambda w, h: probes_pane.build(
            s.session, w, h, s.glyphs, s.progress, first, reach, s.found
        ),
    )


def _notebook(s: Scene) -> Drawing:
    place = s.at.place
    at = None if s.wide else place.finding
    return Drawing(
        (s.session.revision, place, at),
        lambda w, h: notebook_pane.build(s.session, w, h, s.glyphs, s.found, place.first, at),
    )


def _small(s: Scene) -> Drawing:
    return Drawing(
        (s.session.revision, s.session.ticks),
        lambda w, h: small_pane.build(s.session, w, h, s.found),
    )


# Those that never stand with the others are imported when they are first drawn.


def _decode(s: Scene) -> Drawing:
    from roofwatch.tui import decode_pane

    at, plan = s.at, s.at.plan(s.session)

    def rows(w: int, h: int) -> list[Row]:
        if s.small:
            return decode_pane.small(s.session, w, h, at.curve)
        paper = plan.answer(s.session).plan
        return decode_pane.build(s.session, w, h, s.glyphs, at.curve, at.all_batches, paper)

    return Drawing((s.session.revision, s.small, at.curve, at.all_batches, plan.revision), rows)


def _kernels(s: Scene) -> Drawing:
    from roofwatch.tui import kernels_pane

    view = kernels_pane.View(s.at.kernel_page, s.at.kernel)

    def rows(w: int, h: int) -> list[Row]:
        if s.small:
            return kernels_pane.small(s.session, w, h, view)
        return kernels_pane.build(s.session, w, h, s.glyphs, view)

    return Drawing((s.session.revision, s.small, view), rows)


def _plan(s: Scene) -> Drawing:
    from roofwatch.tui import plan_pane

    fields = s.at.plan(s.session)
    build = plan_pane.small if s.small else plan_pane.build
    return Drawing(
        (s.session.revision, s.small, fields.revision),
        lambda w, h: build(fields, s.session, w, h, s.glyphs),
    )


class Painted(NamedTuple):
    """One pane of the screen: its name, what draws it, and what does so on a small screen."""

    name: str
    draw: Callable[[Scene], Drawing]
    small: Callable[[Scene], Drawing] = _small


PAINTED: Mapping[str, Painted] = {
    "roofline": Painted("Roofline", _roofline),
    "clocks": Painted("Clocks", _clocks),
    "probes": Painted("Probes", _probes),
    "notebook": Painted("Notebook", _notebook),
    "decode": Painted("Decode", _decode, _decode),
    "kernels": Painted("Kernels", _kernels, _kernels),
    "plan": Painted("Plan", _plan, _plan),
}
PANES = tuple(PAINTED)
NAMES = tuple(p.name for p in PAINTED.values())
TOGETHER = 4
"""So many panes stand together where there is room; the others always stand alone."""
TITLED = ("probes", "notebook")
"""Panes with a rule of their own where they stand together; the upper ones have the tabs' row."""


class Painting:
    """Draws those panes whose stamp has changed."""

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        self._panes = panes
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._chart_at = 0.0

    def forget(self) -> None:
        """Everything is to be drawn again."""
        self._drawn.clear()

    def paint(self, scene: Scene, now: float) -> None:
        """Draw what is to be drawn, ``now`` in seconds on any clock that only rises."""
        for name, painted in PAINTED.items():
            pane = self._panes[name]
            width, height = pane.size
            if not width or not height or not pane.display:
                continue
            chart = name == "clocks" and not scene.small
            if chart and name in self._drawn and now - self._chart_at < CHART_S:
                continue
            drawing = (painted.small if scene.small else painted.draw)(scene)
            stamp = (width, height, *drawing.stamp)
            if self._drawn.get(name) == stamp:
                continue
            self._drawn[name] = stamp
            if chart:
                self._chart_at = now
            head: list[Row] = []
            if scene.wide and name in TITLED:
                head = [header.rule(width, painted.name, scene.glyphs)]
            pane.show([*head, *drawing.rows(width, height - len(head))])
