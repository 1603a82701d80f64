"""What is kept of the profiler's events; on a CPU nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import kernels  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.kernels import LAUNCHES, LONGEST_NAME, Profiled, profiled, wake  # noqa: E402

CARD: Any = SimpleNamespace(kind="cuda", torch_device=torch.device("cpu"))
MATMUL = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"


def event(name: str, microseconds: float, device: str = "CUDA") -> Any:
    return SimpleNamespace(
        name=name,
        device_type=SimpleNamespace(name=device),
        time_range=SimpleNamespace(elapsed_us=lambda: microseconds),
    )


def see(monkeypatch: pytest.MonkeyPatch, events: list[Any] | None) -> None:
    """The profiler will have seen these events."""

    @contextmanager
    def profile(activities: list[Any]) -> Iterator[Any]:
        yield SimpleNamespace(events=lambda: events)

    monkeypatch.setattr(kernels, "profile", profile)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)


def test_a_cpu_has_no_kernels_and_runs_nothing() -> None:
    ran: list[int] = []
    target = CpuTarget()
    assert profiled(target, lambda: ran.append(1)) == Profiled(status="not_supported")
    wake(target)
    assert ran == []


def test_the_longest_kernel_gives_the_name_and_all_of_them_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    see(
        monkeypatch,
        [
            *[event(MATMUL, 200)] * LAUNCHES,
            *[event("splitKreduce_kernel", 10)] * LAUNCHES,
            *[event("Memset (Device)", 500)] * LAUNCHES,
            *[event("aten::mm", 9000, "CPU")] * LAUNCHES,
        ],
    )
    ran: list[int] = []
    found = profiled(CARD, lambda: ran.append(1))
    assert len(ran) == LAUNCHES
    assert found.kernel == MATMUL
    assert found.time_s == pytest.approx(210e-6)
    assert found.status is None


def test_one_slow_launch_does_not_move_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    see(monkeypatch, [event(MATMUL, us) for us in (200, 200, 5000, 200, 200)])
    assert profiled(CARD, lambda: None).time_s == pytest.approx(200e-6)


def test_several_kernels_of_one_name_are_one_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    see(monkeypatch, [event(MATMUL, 200)] * 2 * LAUNCHES)
    assert profiled(CARD, lambda: None).time_s == pytest.approx(400e-6)


def test_a_copy_is_the_drivers_own_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    see(monkeypatch, [event("Memcpy DtoD (Device -> Device)", 900)] * LAUNCHES)
    found = profiled(CARD, lambda: None)
    assert found.kernel == "Memcpy DtoD (Device -> Device)"
    assert found.time_s == pytest.approx(900e-6)


def test_a_long_name_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    see(monkeypatch, [event("k" * 5000, 1)] * LAUNCHES)
    assert profiled(CARD, lambda: None).kernel == "k" * LONGEST_NAME


@pytest.mark.parametrize("events", [None, [], [event("aten::mm", 9, "CPU")]])
def test_no_event_of_the_card_means_no_permission(
    monkeypatch: pytest.MonkeyPatch, events: list[Any] | None
) -> None:
    see(monkeypatch, events)
    assert profiled(CARD, lambda: None) == Profiled(status="no_permission")


def test_a_profiler_that_fails_is_an_error_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    see(monkeypatch, [])

    def fail() -> None:
        raise RuntimeError("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED")

    assert profiled(CARD, fail) == Profiled(status="error")
