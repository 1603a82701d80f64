"""What is told of a call from a pretended device's clock: work, waiting, nothing, elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import on_cuda  # noqa: E402
from roofwatch.probes.on_cuda import OtherStream, fp32_math, look  # noqa: E402

ENQUEUE_S = 7e-6


class Device:
    """One stream in order behind a host that runs ahead, and another stream beside it."""

    def __init__(self) -> None:
        self.host_s = 0.0
        self.free_s = 0.0  # when the current stream is done
        self.other_s = 0.0
        self.late_s = 0.0  # what a synchronise takes by itself

    def perf_counter(self) -> float:
        return self.host_s

    def _sleep(self, cycles: int) -> None:
        self.free_s = max(self.free_s, self.host_s) + cycles / 2e9

    def synchronize(self, _: int) -> None:
        self.host_s = max(self.host_s, self.free_s, self.other_s) + self.late_s

    def sleep(self, seconds: float) -> None:
        self.host_s += seconds

    def Event(self, enable_timing: bool) -> Any:
        device = self

        class Event:
            def record(self) -> None:
                device.free_s = max(device.free_s, device.host_s) + 1e-6
                self.at_s = device.free_s

            def query(self) -> bool:
                return device.host_s >= self.at_s

            def elapsed_time(self, other: Any) -> float:
                return float(other.at_s - self.at_s) * 1e3

        return Event()

    def kernel(self, seconds: float) -> None:
        self.host_s += ENQUEUE_S
        self.free_s = max(self.free_s, self.host_s) + seconds

    def elsewhere(self, seconds: float) -> None:
        self.host_s += ENQUEUE_S
        self.other_s = max(self.other_s, self.host_s) + seconds

    def compute(self, seconds: float) -> None:
        self.host_s += seconds


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()
    monkeypatch.setattr(on_cuda, "torch", SimpleNamespace(cuda=made))
    monkeypatch.setattr(on_cuda, "time", made)
    return made


@pytest.mark.parametrize("seconds", [1e-6, 1e-4, 0.05])
def test_a_kernel_is_seen_with_its_own_time(device: Device, seconds: float) -> None:
    seen = look(0, lambda: device.kernel(seconds))
    assert (seen.works, seen.waited) == (True, False)
    assert seen.device_s == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 0.1])
def test_the_host_alone_leaves_nothing(device: Device, seconds: float) -> None:
    seen = look(0, lambda: device.compute(seconds))
    assert (seen.works, seen.waited) == (False, False)


def test_a_slow_synchronise_is_no_work_elsewhere(device: Device) -> None:
    device.late_s = 3e-4
    assert not look(0, lambda: device.compute(0.02)).works
    with pytest.raises(OtherStream, match="another stream"):
        look(0, lambda: device.elsewhere(1e-3))


def test_a_call_that_waits_is_told_from_one_that_does_not(device: Device) -> None:
    def fn() -> None:
        device.kernel(2e-6)
        device.synchronize(0)

    seen = look(0, fn)
    assert (seen.works, seen.waited) == (True, True)


def test_work_elsewhere_is_refused(device: Device) -> None:
    with pytest.raises(OtherStream, match="another stream"):
        look(0, lambda: device.elsewhere(1e-3))


def test_without_a_spin_nothing_is_assumed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Device, "_sleep")
    seen = look(0, lambda: device.kernel(1e-3))
    assert (seen.works, seen.waited) == (True, True)


def test_torchs_switches_decide_the_math_of_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NVIDIA_TF32_OVERRIDE", raising=False)
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("highest")
        assert fp32_math() == "ieee"
        torch.set_float32_matmul_precision("high")
        assert fp32_math() == "tf32"
    finally:
        torch.set_float32_matmul_precision(before)
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    assert fp32_math() == "tf32"
