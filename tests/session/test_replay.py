"""A session replayed in its own time is, at every moment, the session as it was at that moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofwatch.session.events import AnyEvent, Note, SessionInfo, encode
from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import fold
from roofwatch.session.replay import LOOK, SLICE_S, Replay
from roofwatch.session.summary import record

RECORDED = Path(__file__).parent.parent / "sessions" / "h200-quick-1.jsonl"
FIRST = SessionInfo(t=0.0, schema="roofwatch.session/1", id="abc")


class Clock:
    """Stands still until it is told to go on; each look may take a while."""

    def __init__(self, look_s: float = 0.0) -> None:
        self.now_s = 1000.0
        self.look_s = look_s

    def __call__(self) -> float:
        self.now_s += self.look_s
        return self.now_s


def note(t: float) -> Note:
    return Note(t=t, text=f"at {t}")


def written(path: Path, *told: AnyEvent, rest: bytes = b"") -> Path:
    path.write_bytes(b"".join(map(encode, (FIRST, *told))) + rest)
    return path


def polled(replay: Replay, clock: Clock, after_s: float) -> list[float]:
    """Moments of what a poll released."""
    clock.now_s += after_s
    return [event.t for event in replay.poll()]


def test_without_a_speed_everything_is_there_at_once() -> None:
    replay = Replay(RECORDED)
    assert replay.done
    assert replay.session.closed
    assert replay.at_s == replay.length_s == replay.session.duration_s
    assert replay.poll() == []
    assert record(replay.session, None) == record(fold(events(RECORDED)), None)


def test_events_come_as_their_moments_pass(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", note(0.5), note(0.6), note(9.0), note(10.0))
    clock = Clock()
    replay = Replay(path, 1.0, clock)
    assert (replay.length_s, replay.at_s) == (10.0, 0.0)
    clock.now_s += 60.0  # the screen takes its time to begin
    assert polled(replay, clock, 0.0) == [0.0]
    assert polled(replay, clock, 0.25) == []
    assert polled(replay, clock, 0.25) == [0.5]
    assert replay.at_s == 0.5
    assert polled(replay, clock, 1.0) == [0.6]
    assert polled(replay, clock, 7.0) == []  # a gap is played as it was
    assert not replay.session.closed
    assert polled(replay, clock, 0.5) == [9.0]
    revision = replay.session.revision
    assert polled(replay, clock, 60.0) == [10.0]
    assert replay.done
    assert replay.session.closed
    assert replay.session.revision > revision + 1  # what ran is ended: drawn anew
    assert replay.at_s == replay.length_s == 10.0
    assert polled(replay, clock, 1.0) == []


def test_a_speed_and_a_pause_hold_from_what_was_last_on_show(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *map(note, map(float, range(1, 101))))
    clock = Clock()
    replay = Replay(path, 10.0, clock)
    polled(replay, clock, 0.0)
    assert polled(replay, clock, 0.25) == [1.0, 2.0]
    clock.now_s += 0.1
    replay.speed = 1.0
    assert replay.speed == 1.0
    assert polled(replay, clock, 1.5) == [3.0, 4.0]
    replay.paused = True
    assert polled(replay, clock, 50.0) == []
    assert (replay.paused, replay.at_s) == (True, 4.0)
    replay.paused = False
    assert polled(replay, clock, 1.0) == [5.0]
    replay.paused = True
    replay.speed = None
    assert polled(replay, clock, 1.0) == []
    replay.paused = False
    assert polled(replay, clock, 0.0) == [float(t) for t in range(6, 101)]
    assert replay.done


def test_what_is_left_is_folded_in_slices(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", *(note(i / 100) for i in range(10 * LOOK)))
    clock = Clock(look_s=SLICE_S * 0.6)
    replay = Replay(path, 1.0, clock)
    replay.poll()
    replay.speed = None
    sizes = []
    while not replay.done:
        sizes.append(len(replay.poll()))
        assert replay.done or replay.at_s == replay.session.duration_s < replay.length_s
    assert len(sizes) > 3
    assert max(sizes) == 2 * LOOK
    assert replay.at_s == replay.length_s


def test_a_speed_beyond_ours_goes_as_fast_as_we_can(tmp_path: Path) -> None:
    """Time never runs ahead of what is folded by more than a gap, and a slower speed holds."""
    path = written(tmp_path / "s.jsonl", *(note(i / 100) for i in range(10 * LOOK)))
    clock = Clock(look_s=SLICE_S * 0.6)
    replay = Replay(path, 1e6, clock)
    replay.poll()
    assert len(replay.poll()) == 2 * LOOK
    reached_s = replay.at_s
    assert reached_s == replay.session.duration_s
    clock.look_s = 0.0
    replay.speed = 1.0
    clock.now_s += 0.5
    assert len(replay.poll()) in (49, 50)
    assert replay.at_s == pytest.approx(reached_s + 0.5)


def test_a_damaged_row_that_is_met_later_ends_the_replay(tmp_path: Path) -> None:
    path = written(
        tmp_path / "s.jsonl", note(1.0), rest=b'{"kind":"note","t":2}\n' + encode(note(3.0))
    )
    with pytest.raises(UnreadableSession, match="row 3"):
        Replay(path)
    clock = Clock()
    replay = Replay(path, 1.0, clock)
    polled(replay, clock, 0.0)
    assert replay.problem is None
    assert polled(replay, clock, 1.0) == [1.0]
    assert replay.problem is not None
    assert "s.jsonl: row 3: " in replay.problem
    assert "text" in replay.problem
    assert "\n" not in replay.problem
    assert replay.done
    assert replay.session.closed
    assert replay.at_s == 1.0
    assert [n.text for n in replay.session.notes] == ["at 1.0"]


@pytest.mark.parametrize("content", [b"", b"hello\n", encode(note(1.0)), b"no line feed"])
@pytest.mark.parametrize("speed", [None, 1.0])
def test_a_file_that_is_none_is_refused_at_once(
    tmp_path: Path, content: bytes, speed: float | None
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(UnreadableSession, match=r"bad\.jsonl: row 1"):
        Replay(path, speed)
    with pytest.raises(UnreadableSession, match="No such file"):
        Replay(tmp_path / "none.jsonl", speed)


def test_a_moment_far_beyond_the_end_does_not_stop_time(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", note(1e9), note(2.0), rest=encode(note(3.0)) * 1000)
    clock = Clock()
    replay = Replay(path, 1.0, clock)
    polled(replay, clock, 0.0)
    replay.length_s = 3.0  # as told by a tail in which that row is not
    assert polled(replay, clock, 2.9) == []
    assert len(polled(replay, clock, 0.2)) == 1002
    assert replay.done


@given(st.lists(st.floats(0.0, 3.0), max_size=30), st.sampled_from([0.5, 1.0, 10.0]))
@settings(max_examples=20)
def test_however_it_is_polled_it_is_the_same_session(steps: list[float], speed: float) -> None:
    """And in between it is the fold of what had happened by then."""
    clock = Clock()
    replay = Replay(RECORDED, speed, clock)
    whole = list(events(RECORDED))
    released: list[AnyEvent] = []
    for step_s in steps:
        clock.now_s += step_s
        released += replay.poll()
        assert released == whole[: len(released)]
        assert replay.done or whole[len(released)].t > replay.at_s
        assert all(event.t <= replay.at_s for event in released)
    so_far = fold(released)
    assert replay.session.samples == so_far.samples
    assert replay.session.spans == so_far.spans
    replay.speed = None
    while not replay.done:
        released += replay.poll()
    assert released == whole
    assert record(replay.session, None) == record(fold(whole), None)
