"""The SM clock from a kernel of known cycles, on a device that only pretends to spin."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes.spin import (  # noqa: E402
    CYCLES,
    LEAD_CYCLES,
    LONG_CYCLES,
    MOST_OVERHEAD_S,
    NoSpin,
    SpinClock,
)
from roofwatch.probes.timing import Launch  # noqa: E402


class Spinning:
    """A timer of launches that take an overhead and their cycles over the clock."""

    name = "event"
    calls = 1

    def __init__(self, mhz: float, overhead_s: float, first_s: float = 0.0) -> None:
        self.mhz = mhz
        self.overhead_s = overhead_s
        self.asked: list[int] = []
        self._first_s = first_s  # what the very first launch of a block costs besides
        self._cycles = 0

    def sleep(self, cycles: int) -> None:
        self._cycles = cycles
        self.asked.append(cycles)

    def seconds(self, cycles: int) -> float:
        return self.overhead_s + cycles / (self.mhz * 1e6)

    def times(self, launch: Launch, count: int) -> list[float]:
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        out = []
        for launch in launches:
            launch()
            out.append(self.seconds(self._cycles))
        out[0] += self._first_s
        return out


def opened(monkeypatch: pytest.MonkeyPatch, timer: Spinning) -> SpinClock:
    monkeypatch.setattr(torch.cuda, "_sleep", timer.sleep, raising=False)
    monkeypatch.setattr(torch.version, "hip", None)
    return SpinClock(timer)


@pytest.mark.parametrize("mhz", [345.0, 1455.0, 1980.0, 2900.0])
@pytest.mark.parametrize("overhead_s", [0.5e-6, 1.7e-6, 12e-6])
def test_the_overhead_is_found_and_the_clock_read_back(
    monkeypatch: pytest.MonkeyPatch, mhz: float, overhead_s: float
) -> None:
    timer = Spinning(mhz, overhead_s)
    clock = opened(monkeypatch, timer)
    assert clock.overhead_s == pytest.approx(overhead_s, rel=1e-3)
    assert clock.mhz(timer.seconds(CYCLES)) == pytest.approx(mhz, rel=1e-3)


def test_a_clock_that_falls_later_is_read_with_the_same_overhead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timer = Spinning(1980.0, 2e-6)
    clock = opened(monkeypatch, timer)
    timer.mhz = 1455.0
    (seconds,) = timer.each([clock.launch])
    assert clock.mhz(seconds) == pytest.approx(1455.0, rel=1e-3)


def test_a_first_launch_that_loads_the_kernel_is_no_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = opened(monkeypatch, Spinning(1980.0, 2e-6, first_s=5e-3))
    assert clock.overhead_s == pytest.approx(2e-6, rel=1e-3)


def test_what_it_launches_is_a_spin_and_the_lead_a_shorter_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timer = Spinning(1980.0, 2e-6)
    clock = opened(monkeypatch, timer)
    assert {CYCLES, LONG_CYCLES} <= set(timer.asked)
    timer.asked.clear()
    clock.lead()
    clock.launch()
    assert timer.asked == [LEAD_CYCLES, CYCLES]
    assert LEAD_CYCLES < CYCLES < LONG_CYCLES
    # Readings are told apart by the launch itself: it must be one object.
    assert clock.launch is clock.launch
    assert clock.lead is clock.lead
    assert clock.lead is not clock.launch


@pytest.mark.parametrize("overhead_s", [1.1 * MOST_OVERHEAD_S, 1e-3, -1e-6])
def test_an_implausible_overhead_is_no_clock(
    monkeypatch: pytest.MonkeyPatch, overhead_s: float
) -> None:
    with pytest.raises(NoSpin, match=r"^error$"):
        opened(monkeypatch, Spinning(1980.0, overhead_s))


def test_a_timer_that_does_not_see_the_cycles_is_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    timer = Spinning(1980.0, 0.0)
    monkeypatch.setattr(timer, "seconds", lambda _: 30e-6)
    with pytest.raises(NoSpin, match=r"^error$"):
        opened(monkeypatch, timer)


def test_a_torch_without_the_spin_or_on_rocm_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    timer = Spinning(1980.0, 2e-6)
    monkeypatch.setattr(torch.cuda, "_sleep", timer.sleep, raising=False)
    with monkeypatch.context() as rocm:
        rocm.setattr(torch.version, "hip", "6.3")
        with pytest.raises(NoSpin, match=r"^not_supported$"):
            SpinClock(timer)
    monkeypatch.delattr(torch.cuda, "_sleep")
    with pytest.raises(NoSpin, match=r"^not_supported$"):
        SpinClock(timer)
    assert timer.asked == []


@pytest.mark.parametrize("seconds", [0.0, 1e-6, 2e-6, 2.1e-6, 1.0])
def test_a_time_that_no_clock_explains_is_none(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    assert opened(monkeypatch, Spinning(1980.0, 2e-6)).mhz(seconds) is None
