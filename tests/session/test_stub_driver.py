"""A live session over a driver that hangs, crashes or loses its card: the compiled stub library."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nvml_stub
import pytest

from roofwatch.session import restarts, stuck
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.exit_code import exit_code
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.live import Live

pytestmark = [
    pytest.mark.skipif(nvml_stub.compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(importlib.util.find_spec("pynvml") is None, reason="needs nvidia-ml-py"),
    pytest.mark.skipif(sys.platform != "linux", reason="pynvml loads a .so by its name"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return nvml_stub.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def live(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Live]]:
    monkeypatch.setattr(stuck, "TELEMETRY_S", 3.0)
    monkeypatch.setattr(restarts, "WAITS_S", (0.05, 0.05))
    opened: list[Live] = []

    def start(orders: str) -> Live:
        for name, value in nvml_stub.environment(library, orders).items():
            monkeypatch.setenv(name, value)
        session = Live(Options(probes=False, save=tmp_path / "s.jsonl"), load_cards)
        opened.append(session)
        session.start()
        return session

    yield start
    for session in opened:
        session.close()


def until(live: Live, seen: Callable[[], bool], timeout_s: float = 30) -> None:
    end = time.monotonic() + timeout_s
    while not seen():
        assert time.monotonic() < end, "never happened"
        live.poll()
        time.sleep(0.02)


def samples_after(live: Live, t: float) -> int:
    return sum(moment > t for moment in live.session.samples.moments)


def test_a_call_that_hangs_while_it_runs_is_left_out(live: Callable[[str], Live]) -> None:
    session = live("nvmlDeviceGetTemperature=after:5:hang")
    until(session, lambda: bool(session.session.faults))
    fault = session.session.faults[0]
    assert "hangs: no sample for" in fault.what
    assert "(nvmlDeviceGetTemperature does not return)" in fault.what
    before = [s for s in session.session.samples if s.t < fault.t]
    assert before[-1].temp_c is not None
    until(session, lambda: samples_after(session, fault.t) >= 3)
    last = session.session.samples[-1]
    assert (last.temp_c, last.status["temp_c"]) == (None, "error")
    assert (last.sm_mhz, last.gpu) == (before[-1].sm_mhz, 0)
    assert session.session.open_faults == []
    assert exit_code(session.session, [], strict=False) == 0


def test_a_crash_in_the_driver_costs_less_than_a_second(live: Callable[[str], Live]) -> None:
    session = live("nvmlDeviceGetPowerUsage=after:5:crash")
    until(session, lambda: len(session.session.faults) >= 1)
    fault = session.session.faults[0]
    assert fault.exit_code == -11
    until(session, lambda: samples_after(session, fault.t) >= 1)
    assert session.session.device.name == "NVIDIA H200"


def test_a_card_that_is_lost_is_said_once_and_not_asked_for_again(
    live: Callable[[str], Live],
) -> None:
    session = live("nvmlDeviceGetClockInfo=after:9:15")
    until(session, lambda: bool(session.session.faults))
    until(session, lambda: bool(session.session.notes))
    assert [f.exit_code for f in session.session.faults] == [4]
    assert session.session.faults[0].what.startswith("GPU is lost")
    assert session.session.notes[-1].text == "telemetry: not started again"
    assert exit_code(session.session, [], strict=False) == 4
    session.close()
    again = fold(events(session.path))
    assert again.samples[-1].sm_mhz is not None  # the last values stay
