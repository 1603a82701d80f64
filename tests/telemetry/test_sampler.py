"""The loop's arithmetic, on a clock that the test turns."""

import threading

import pytest

from roofwatch.session.events import Device, Note, Sample, SessionInfo
from roofwatch.telemetry import sampler
from roofwatch.telemetry.sampler import Ticks, introduce, run

MS = 1_000_000


def test_deadlines_do_not_drift():
    ticks = Ticks(5, 10)
    now = 5
    for k in range(1, 1001):
        deadline = ticks.next(now)
        assert deadline == 5 + k * 100 * MS
        now = deadline + (k * 7919) % (90 * MS)  # every wake-up and reading is late by some


def test_missed_ticks_are_skipped_not_bunched():
    ticks = Ticks(0, 10)
    assert ticks.next(1 * MS) == 100 * MS
    assert ticks.next(1_234 * MS) == 1_300 * MS
    assert ticks.next(1_301 * MS) == 1_400 * MS


def test_an_early_wake_up_does_not_repeat_a_tick():
    ticks = Ticks(0, 10)
    assert ticks.next(0) == 100 * MS
    assert ticks.next(99 * MS) == 200 * MS


def test_a_reading_that_ends_on_a_deadline():
    ticks = Ticks(0, 10)
    assert ticks.next(0) == 100 * MS
    assert ticks.next(200 * MS) == 300 * MS


class Clock:
    """Turns when somebody waits or a reading takes its time."""

    def __init__(self):
        self.ns = 1_000 * MS

    def monotonic_ns(self):
        return self.ns


class Stop(threading.Event):
    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def wait(self, timeout=None):
        assert timeout >= 0
        self.clock.ns += round(timeout * 1e9)
        return self.is_set()


class Pipe:
    """An instrument that keeps what it is given."""

    name = "telemetry"

    def __init__(self, clock):
        self.clock = clock
        self.start = clock.ns
        self.events = []

    def now(self):
        return (self.clock.ns - self.start) / 1e9

    def write(self, event):
        self.events.append(event)


class Source:
    source = "nvml"
    device = Device(kind="cuda", name="NVIDIA H200")
    software = None
    notes = ("slice",)
    neighbours = (Device(kind="cuda", index=1),)

    def __init__(self, clock, costs, beside=lambda t: ()):
        self.clock = clock
        self.costs = costs
        self.beside = beside
        self.slow = []

    def sample(self, t, *, slow):
        if slow:
            self.slow.append(round(t, 3))
        self.clock.ns += round(self.costs(t, slow) * MS)
        return Sample(
            t=t,
            gpu=0,
            sm_mhz=1980.0,
            mem_mhz=None,
            power_w=None,
            power_instant_w=None,
            temp_c=None,
            mem_used_bytes=None,
            util=None,
            reasons=None,
        )


@pytest.fixture
def play(monkeypatch):
    def run_it(costs, hz=10.0, seconds=3.0):
        clock = Clock()
        monkeypatch.setattr(sampler, "time", clock)
        pipe, source = Pipe(clock), Source(clock, costs)
        run(source, pipe, hz, seconds, Stop(clock))
        return [round(event.t, 3) for event in pipe.events], source.slow

    return run_it


def test_ten_a_second_with_slow_ones_between(play):
    times, slow = play(lambda t, slow: 16 if slow else 0.1)
    assert times == [k / 10 for k in range(31)]
    assert slow == [0.1, 1.1, 2.1]


def test_a_reading_that_hangs_leaves_a_gap(play):
    times, slow = play(lambda t, slow: 750 if t == 0.5 else 0.1)
    assert times == [0, 0.1, 0.2, 0.3, 0.4, 0.5] + [k / 10 for k in range(13, 31)]
    assert slow == [0.1, 1.3, 2.3]


def test_slower_than_once_a_second(play):
    times, slow = play(lambda t, slow: 1, hz=0.5, seconds=6)
    assert times == [0, 2, 4, 6]
    assert slow == [2, 4, 6]


def test_stop_ends_it(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(sampler, "time", clock)
    stop = Stop(clock)
    pipe = Pipe(clock)

    def costs(t, slow):
        if t >= 0.3:
            stop.set()
        return 0

    run(Source(clock, costs), pipe, 10, None, stop)
    assert len(pipe.events) == 4


def test_what_is_read_beside_follows_the_tick_and_moves_none(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(sampler, "time", clock)

    def beside(t):
        clock.ns += MS
        return [Note(t=t, text="beside")] if round(t, 1) in (0.2, 0.5) else []

    pipe = Pipe(clock)
    source = Source(clock, lambda t, slow: 0.1, beside)
    run(source, pipe, 10, 0.6, Stop(clock))
    assert [round(e.t, 1) for e in pipe.events if isinstance(e, Sample)] == [
        k / 10 for k in range(7)
    ]
    kinds = [type(e).__name__[0] for e in pipe.events]
    assert "".join(kinds) == "SSSNSSSNS"


def test_the_introduction():
    pipe = Pipe(Clock())
    introduce(Source(pipe.clock, None), pipe, 10)
    info, note = pipe.events
    assert isinstance(info, SessionInfo)
    assert (info.instrument, info.source, info.hz) == ("telemetry", "nvml", 10)
    assert info.device.name == "NVIDIA H200"
    assert info.neighbours == [Device(kind="cuda", index=1)]
    assert note == Note(t=0, text="slice")
