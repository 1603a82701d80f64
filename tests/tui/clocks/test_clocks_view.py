"""Where the window of the Clocks pane stands: scrolling, zooming, and the columns under it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.session.events import Device, Note, SessionInfo
from roofwatch.session.fold import Session, fold
from roofwatch.tui.clocks.clocks_view import (
    LENGTHS_S,
    WHOLE,
    ClocksView,
    card_count,
    card_moved,
    columns_of,
    focused,
    followed,
    scrolled,
    shown_s,
    zoomed,
)
from roofwatch.tui.drawing.time_columns import clock_text, columns_until, length_text, marks


def lasting(seconds: float, closed: bool = True) -> Session:
    session = fold([Note(t=seconds, text="the last event")])
    session.closed = closed
    return session


def test_a_step_is_a_quarter_and_the_end_follows_again() -> None:
    session = lasting(600.0)
    back = scrolled(ClocksView(), session, -1)
    assert back.end_s == 585.0
    assert scrolled(back, session, -2).end_s == 555.0
    assert scrolled(back, session, 1) == ClocksView()
    assert scrolled(back, session, 10**6) == ClocksView()
    assert scrolled(back, session, -(10**6)).end_s == 60.0
    assert followed(back) == ClocksView()


def test_a_session_that_is_all_on_show_does_not_scroll() -> None:
    assert scrolled(ClocksView(), lasting(40.0), -3) == ClocksView()
    assert scrolled(ClocksView(), Session(), -3) == ClocksView()


def test_zoom_keeps_the_middle() -> None:
    session = lasting(10_000.0)
    view = ClocksView(end_s=5030.0)
    closer = zoomed(view, session, -1)
    assert (closer.length_s, closer.end_s) == (15.0, 5007.5)
    assert zoomed(closer, session, 1) == view
    assert zoomed(view, session, 2).length_s == 900.0


def test_zoom_follows_while_it_followed() -> None:
    session = lasting(10_000.0)
    lengths = [zoomed(ClocksView(), session, step).length_s for step in range(-3, 5)]
    assert lengths == [5.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0]
    assert zoomed(ClocksView(), session, 9).end_s is None


def test_there_is_nothing_beyond_the_whole() -> None:
    assert zoomed(ClocksView(), lasting(40.0), 1) == ClocksView()
    assert zoomed(ClocksView(), lasting(30_000.0), 9).length_s == WHOLE
    assert zoomed(ClocksView(), lasting(40.0), -1).length_s == 15.0  # closer than what is shown
    assert zoomed(ClocksView(), lasting(12.0), -1).length_s == 5.0


def test_a_young_session_grows_by_steps_and_a_closed_one_fills_the_width() -> None:
    seen = [shown_s(ClocksView(), lasting(t, closed=False)) for t in (0, 14, 15, 29, 30, 59, 600)]
    assert seen == [15.0, 15.0, 30.0, 30.0, 60.0, 60.0, 60.0]
    assert shown_s(ClocksView(), lasting(38.0)) == pytest.approx(38.0)
    whole = ClocksView(length_s=WHOLE)
    assert shown_s(whole, lasting(100_000.0, closed=False)) == 172_800.0
    assert shown_s(whole, lasting(100_000.0)) == pytest.approx(100_000.0)


@given(
    st.floats(0, 1e9),
    st.lists(st.tuples(st.sampled_from([scrolled, zoomed]), st.integers(-9, 9)), max_size=8),
    st.booleans(),
    st.integers(20, 200),
)
def test_the_window_stays_inside_the_session(
    duration_s: float, keys: list[tuple[object, int]], closed: bool, count: int
) -> None:
    session = lasting(duration_s, closed)
    view = ClocksView()
    for act, steps in keys:
        view = act(view, session, steps)  # type: ignore[operator]
        assert view.length_s in LENGTHS_S
        assert view.end_s is None or view.length_s <= view.end_s + 1e-6
        assert view.end_s is None or view.end_s < session.duration_s
        columns = columns_of(view, session, count)
        first, last = columns.window
        assert columns.size == count
        assert last > first
        end_s = duration_s if view.end_s is None else view.end_s
        assert 0 <= columns.at(end_s) < count or duration_s > 1e8


@pytest.mark.parametrize("length_s", [5.0, 15.0, 60.0, 3600.0])
def test_columns_move_whole_and_not_too_often(length_s: float) -> None:
    view = ClocksView(length_s=length_s)
    firsts = []
    for k in range(400):
        columns = columns_of(view, lasting(4000 + k / 10, closed=False), 64)
        firsts.append(columns.first)
        assert columns.window[1] > 4000 + k / 10
    moves = sum(a != b for a, b in itertools.pairwise(firsts))
    assert moves <= 40 / min(4.0, length_s / 15) + 1
    assert len({round(columns.width_s, 9)}) == 1


def test_a_column_is_of_the_session_not_of_the_window() -> None:
    for first in range(-3, 60):
        columns = columns_until((first + 64) * 0.9375 - 0.1, 60.0, 64)
        assert columns.at(30.0) + columns.first == 32


def test_marks_that_say_how_long_ago_never_move() -> None:
    view = ClocksView()
    seen = {
        tuple(marks(columns_of(view, lasting(100 + k / 7, closed=False), 64), following=True))
        for k in range(50)
    }
    assert len(seen) == 1
    assert [label for _, label in next(iter(seen))] == ["now", "-15 s", "-30 s", "-45 s"]


def test_marks_of_the_past_are_moments() -> None:
    columns = columns_of(ClocksView(end_s=5400.0, length_s=3600.0), lasting(28_800.0), 64)
    assert [label for _, label in marks(columns, following=False)] == [
        "45:00",
        "1:00:00",
        "1:15:00",
        "1:30:00",
    ]
    closed = columns_of(ClocksView(), lasting(28_800.0), 64)
    assert (63, "end") in marks(closed, following=True, closed=True)


def test_times_in_words() -> None:
    assert [clock_text(t) for t in (0, 35.4, 750, 3750)] == ["0:00", "0:35", "12:30", "1:02:30"]
    lengths = (1, 15, 60, 90, 900, 3600, 5400, 86_400)
    assert [length_text(s) for s in lengths] == [
        "1 s",
        "15 s",
        "1 min",
        "90 s",
        "15 min",
        "1 h",
        "90 min",
        "24 h",
    ]


def host(measured: int, *others: int) -> Session:
    cards = [Device(kind="cuda", name="NVIDIA H200", index=i, uuid=f"GPU-{i}") for i in others]
    own = Device(kind="cuda", name="NVIDIA H200", index=measured, uuid=f"GPU-{measured}")
    return fold([SessionInfo(t=0.0, instrument="telemetry", device=own, neighbours=cards)])


def test_the_cursor_walks_over_the_cards_and_opens_one() -> None:
    session = host(2, 0, 1, 3)
    assert card_count(session) == 4
    view = card_moved(ClocksView(), session, 9)
    assert view.card == 3
    opened = focused(view, session)
    assert opened.focused == 3
    assert focused(opened, session).focused is None
    own = focused(opened._replace(card=2), session)
    assert own.focused is None
    assert card_moved(view, session, -20).card == 0


def test_a_card_alone_has_no_strips() -> None:
    session = host(0)
    assert card_count(session) == 0
    assert card_moved(ClocksView(), session, 5).card == 0
    assert focused(ClocksView(), session) == ClocksView()
    assert card_count(host(0, 0)) == 0  # a neighbour that is the card itself is none
