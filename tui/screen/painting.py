"""How the panes are drawn: what each depends on, and which are to be drawn again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.geometry import Size

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.suite import COMPARED, LINKS, WATCH
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.screen import tabs
from roofwatch.tui.screen.standing import Standing
from roofwatch.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from roofwatch.session.listing import Listing

CHART_S = 0.5  # the clocks move with every sample: they are drawn twice a second at most
LIST_S = 0.02  # of every paint, for reading saved sessions while they are on show


class Scene(NamedTuple):
    """What the panes are drawn from at one moment."""

    session: Session
    at: Standing
    found: list[Finding]
    glyphs: Glyphs
    standing: tuple[str, ...]  # the panes on show
    focus: str  # the one whose keys act
    small: bool  # no room for a chart
    judged: bool  # ``found`` is what the rules say, not nothing yet
    listing: Callable[[], Listing]  # of the saved sessions, read when they are looked at
    progress: float | None = None  # of the running probe, known only live

    @property
    def wide(self) -> bool:
        """Whether several panes stand together."""
        return len(self.standing) > 1

    @property
    def compact(self) -> bool:
        """Whether the pane whose keys act is compact text, which has no cursor."""
        return self.small and not PAINTED[self.focus].compact


class Drawing(NamedTuple):
    """Rows for a size, true as long as ``stamp`` is."""

    stamp: tuple[object, ...]
    rows: Callable[[int, int], list[Row]]


# Each pane is imported when it is first drawn: the first paint waits for one of them.


def _roofline(s: Scene) -> Drawing:
    from roofwatch.tui.roofline import roofline_pane

    key = s.at.key(s.session)
    cursor = s.at.point if s.focus == "roofline" else None
    return Drawing(
        (s.session.revision, key, cursor),
        lambda w, h: roofline_pane.build(s.session, w, h, key, s.glyphs, cursor, s.found),
    )


def _clocks(s: Scene) -> Drawing:
    from roofwatch.tui.clocks import clocks_pane

    reach = "+" if s.focus == "clocks" else "key 2"  # a shorter stretch has room for their names
    return Drawing(
        (s.session.revision, s.session.ticks, s.at.clocks),
        lambda w, h: clocks_pane.build(s.session, w, h, s.glyphs, s.at.clocks, reach),
    )


def _probes(s: Scene) -> Drawing:
    from roofwatch.tui.probes import probes_pane

    # Where the keys act on another pane the table follows the run.
    at, reach = (s.at.probe, "") if s.focus == "probes" else (None, "key 3")
    return Drawing(
        (s.session.revision, s.progress, at, reach),
        lambda w, h: probes_pane.build(s.session, w, h, s.glyphs, s.progress, at=at, found=s.found),
    )


def _notebook(s: Scene) -> Drawing:
    from roofwatch.tui.notebook import notebook_pane

    place = s.at.place
    at, reach = (place.finding, "") if s.focus == "notebook" else (None, "key 4")
    return Drawing(
        (s.session.revision, place, at),
        lambda w, h: notebook_pane.build(
            s.session, w, h, s.glyphs, s.found, place.first, at, reach
        ),
    )


def _decode(s: Scene) -> Drawing:
    from roofwatch.tui.decode import decode_pane, short_decode

    at, plan = s.at, s.at.plan(s.session)
    curve = at.curve if s.focus == "decode" else None  # beside others it follows the largest

    def rows(w: int, h: int) -> list[Row]:
        paper = plan.answer(s.session).plan
        if s.small:
            return short_decode.build(s.session, w, h, at.curve, paper, s.glyphs, at.first_row)
        return decode_pane.build(s.session, w, h, s.glyphs, curve, at.all_batches, paper)

    standing = (curve, at.first_row) if s.small else (curve, at.all_batches)
    return Drawing((s.session.revision, s.small, *standing, plan.revision), rows)


def _kernels(s: Scene) -> Drawing:
    from roofwatch.tui.kernels import kernels_pane, short_kernels

    view = kernels_pane.View(s.at.kernel_page, s.at.kernel)
    of_keys = view if s.focus == "kernels" else None

    def rows(w: int, h: int) -> list[Row]:
        if s.small:
            return short_kernels.build(s.session, w, h, s.glyphs, view)
        return kernels_pane.build(s.session, w, h, s.glyphs, of_keys)

    return Drawing((s.session.revision, s.small, of_keys), rows)


def _plan(s: Scene) -> Drawing:
    from roofwatch.tui.plan import plan_pane, short_plan

    fields = s.at.plan(s.session)
    build = short_plan.build if s.small else plan_pane.build
    return Drawing(
        (s.session.revision, s.small, fields.revision),
        lambda w, h: build(fields, s.session, w, h, s.glyphs),
    )


def _sessions(s: Scene) -> Drawing:
    from roofwatch.tui.sessions import saved_cursor, sessions_pane

    listing = s.listing()
    listing.advance(LIST_S)
    s.at.saved = at = saved_cursor.followed(s.at.saved, listing)
    build = sessions_pane.small if s.small else sessions_pane.build
    return Drawing(
        (listing.revision, s.small, at, s.at.marked),
        lambda w, h: build(listing, w, h, s.glyphs, at.row, s.at.marked),
    )


def _trace(s: Scene) -> Drawing:
    from roofwatch.tui.trace import short_trace, trace_pane

    pane, trace = short_trace if s.small else trace_pane, s.at.trace
    if trace is None:
        return Drawing((s.small,), pane.no_trace)
    found = trace.answer(s.session)
    return Drawing(
        (s.small, trace.revision, trace.at),
        lambda w, h: pane.build(found, w, h, s.glyphs, trace.at),
    )


class Painted(NamedTuple):
    """One pane of the screen: its title, what draws it, whether that draws compact text too, and
    its name where there is no room for the title."""

    title: str
    draw: Callable[[Scene], Drawing]
    compact: bool = False
    short: str = ""


PAINTED: Mapping[str, Painted] = {
    "roofline": Painted("Roofline", _roofline, short="Roof"),
    "clocks": Painted("Clocks", _clocks),
    "probes": Painted("Probes", _probes),
    "notebook": Painted("Notebook", _notebook, short="Notes"),
    "decode": Painted("Decode", _decode, True),
    "kernels": Painted("Kernels", _kernels, True),
    "plan": Painted("Plan", _plan, True),
    "sessions": Painted("Sessions", _sessions, True, "Saved"),
    "trace": Painted("Trace", _trace, True),
}
PANES = tuple(PAINTED)
NAMES = tuple(p.title for p in PAINTED.values())
SHORT_NAMES = tuple(p.short or p.title for p in PAINTED.values())


def first_pane(session: Session) -> int:
    """The pane that a session is opened with.

    Of one that only watches the clocks; of one of links, or of every card once all were measured,
    that of the kernels, where those stand.
    """
    if session.suite == WATCH:
        return PANES.index("clocks")
    return PANES.index("kernels") if _of_kernels(session) else 0


def names(session: Session) -> tuple[str, ...]:
    """The panes by their titles: that of the kernels is called by what a session has there."""
    own = _of_kernels(session)
    return tuple(own if own and name == "Kernels" else name for name in NAMES)


def short_names(session: Session) -> tuple[str, ...]:
    """The same, as short as they get."""
    own = _of_kernels(session)
    return tuple(own if own and name == "Kernels" else name for name in SHORT_NAMES)


def _of_kernels(session: Session) -> str:
    """What stands in place of kernels in a session that is not of them; else empty."""
    if session.suite == LINKS:
        return "Links"
    return "Cards" if session.closed and session.cards and session.suite in COMPARED else ""


def compact_rows(s: Scene, cells: int) -> list[Row]:
    """All rows of the pane whose keys act, as compact text that is moved by rows."""
    if s.focus == "decode":
        from roofwatch.tui.decode import short_decode

        paper = s.at.plan(s.session).answer(s.session).plan
        return short_decode.rows(s.session, cells, s.at.curve, paper, s.glyphs)
    from roofwatch.tui.screen import small_pane

    key = s.at.key(s.session)
    return small_pane.rows(s.session, cells, s.found, s.focus, key, s.glyphs, s.progress)


def _small(s: Scene, name: str) -> Drawing:
    from roofwatch.tui.screen import small_pane

    key = s.at.key(s.session)
    return Drawing(
        (s.session.revision, s.session.ticks, key, s.progress, s.at.first_row),
        lambda w, h: small_pane.build(
            s.session, w, h, s.found, name, key, s.glyphs, s.progress, s.at.first_row
        ),
    )


class Painting:
    """Draws those panes whose stamp has changed."""

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        self._panes = panes
        self._drawn: dict[str, tuple[object, ...]] = {}
        self._chart: tuple[object, ...] = ()  # how the clocks were last drawn, and when
        self._chart_at = 0.0

    def paint(self, scene: Scene, rooms: Mapping[str, Size], now: float) -> None:
        """Draw what is to be drawn in these rooms, ``now`` in seconds on a clock that rises."""
        for name, (width, height) in rooms.items():
            focused = scene.focus == name
            if not width or not height:
                continue
            # With every sample only so often; what a key asks for at once.
            chart = (width, height, focused, scene.session, scene.at.clocks, scene.small)
            if name == "clocks" and chart == self._chart and now - self._chart_at < CHART_S:
                continue
            own = not scene.small or PAINTED[name].compact
            drawing = PAINTED[name].draw(scene) if own else _small(scene, name)
            lead = (width, height, scene.session, scene.judged, scene.wide and focused)
            stamp = (*lead, *drawing.stamp)
            if self._drawn.get(name) == stamp:
                continue
            self._drawn[name] = stamp
            if name == "clocks":
                self._chart, self._chart_at = chart, now
            head: list[Row] = []
            if scene.wide:
                number, title = PANES.index(name) + 1, _title(scene, name)
                head = [tabs.rule(width, number, title, scene.glyphs, focused)]
            # The last column stays free: a neighbour's first word would stick to this one's last.
            rows = drawing.rows(width - scene.wide, height - len(head))
            self._panes[name].show([*head, *rows])


def _title(scene: Scene, name: str) -> str:
    """The pane's name, of the roofline with its precision."""
    key = scene.at.key(scene.session) if name == "roofline" else None
    title = names(scene.session)[PANES.index(name)]
    return f"{title} {key}" if key else title
