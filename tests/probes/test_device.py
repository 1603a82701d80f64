"""The CPU as a device: its timer, and what it says of itself."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import device  # noqa: E402
from roofwatch.probes.device import CpuTarget, HostTimer  # noqa: E402
from roofwatch.probes.timing import GRAPH_BELOW_S, Cancelled, Launch  # noqa: E402


class Work:
    """Calls that take a time each, on a clock that moves by nothing else."""

    def __init__(self) -> None:
        self.now = 20.0
        self.calls = 0

    def clock(self) -> float:
        return self.now

    def taking(self, *seconds: float) -> Launch:
        turns = itertools.cycle(seconds)

        def run() -> None:
            self.calls += 1
            self.now += next(turns)

        return run


def test_each_call_is_timed_alone_and_in_order() -> None:
    work = Work()
    timer = HostTimer(work.clock)
    assert timer.each([work.taking(0.1), work.taking(0.3)]) == pytest.approx([0.1, 0.3])
    assert timer.times(work.taking(0.2), 3) == pytest.approx([0.2] * 3)
    assert timer.times(work.taking(0.2), 0) == []
    assert timer.name == "host"


def test_several_calls_are_one_repetition_and_their_mean_its_time() -> None:
    work = Work()
    times = HostTimer(work.clock, calls=4).times(work.taking(1e-6, 3e-6), 5)
    assert times == pytest.approx([2e-6] * 5)
    assert work.calls == 20


def test_a_stop_is_heard_between_two_launches() -> None:
    work = Work()
    timer = HostTimer(work.clock, stopped=lambda: work.calls >= 3)
    with pytest.raises(Cancelled):
        timer.times(work.taking(0.1), 10)
    assert work.calls == 3


def test_a_stop_before_the_first_launch_runs_none() -> None:
    work = Work()
    with pytest.raises(Cancelled):
        HostTimer(work.clock, stopped=lambda: True).each([work.taking(0.1)])
    assert work.calls == 0


@pytest.mark.parametrize(
    ("seconds", "calls"), [(1e-6, 1000), (GRAPH_BELOW_S / 2, 20), (GRAPH_BELOW_S * 1.01, 1)]
)
def test_a_short_call_is_repeated_until_the_clocks_own_cost_is_small(
    monkeypatch: pytest.MonkeyPatch, seconds: float, calls: int
) -> None:
    work = Work()
    target = CpuTarget()
    monkeypatch.setattr(target, "timer", lambda: HostTimer(work.clock))
    timer = target.timer_for(work.taking(seconds))
    before = work.calls
    timer.times(work.taking(seconds), 1)
    assert work.calls - before == pytest.approx(calls, abs=1)


def test_every_timer_of_a_target_hears_its_stop() -> None:
    stopped = False
    target = CpuTarget(lambda: stopped)
    timers = [target.timer(), target.timer_for(lambda: None)]
    stopped = True
    for timer in timers:
        with pytest.raises(Cancelled):
            timer.times(lambda: None, 1)


def test_a_cpu_gives_a_third_of_what_can_be_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    target = CpuTarget()
    monkeypatch.setattr(target, "_available_bytes", lambda: 9000)
    assert target.free_bytes() == 3000
    assert target.identity().kind == target.kind == "cpu"
    assert target.identity().compute_capability is None


def test_without_a_card_auto_is_the_cpu_and_a_name_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device.pick("auto").kind == device.pick("cpu").kind == "cpu"
    with pytest.raises(device.NoDevice, match="--device cpu"):
        device.pick("cuda:0")


def test_settings_that_change_results_are_in_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    monkeypatch.delenv("CUDA_LAUNCH_BLOCKING", raising=False)
    settings = device.software().settings
    assert settings["NVIDIA_TF32_OVERRIDE"] == "1"
    assert "CUDA_LAUNCH_BLOCKING" not in settings
    assert int(settings["matmul_threads"]) >= 1
