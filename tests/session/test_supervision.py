"""Instruments that die or hang under a live session: started again, or what is left is marked."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from roofwatch.session import child as children
from roofwatch.session import stuck
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.child import Child
from roofwatch.session.events import Beat, End
from roofwatch.session.exit_code import exit_code
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.live import Live
from roofwatch.session.restarts import FRUITLESS, LIVED_S, WAITS_S, Restarts
from roofwatch.session.table import FAILED, NOT_RUN, probe_rows

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    session = Live(Options(device="cpu", save=tmp_path / "s.jsonl"), load_cards)
    yield session
    session.close()


def until(live: Live, seen: Callable[[], bool], timeout_s: float = 40) -> None:
    end = time.monotonic() + timeout_s
    while not seen():
        assert time.monotonic() < end, "never happened"
        live.poll()
        if live.waiting:
            live.go()
        time.sleep(0.02)


def child(live: Live, instrument: str) -> Child:
    found = live.instruments.get(instrument)
    assert found is not None
    return found


@pytest.mark.parametrize("instrument", ["telemetry", "probes"])
def test_one_that_the_system_does_not_start_leaves_nothing_behind(
    instrument: str, live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "start_of", lambda _: ["/nowhere/python"])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = set(os.listdir("/proc/self/fd")), set(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError):
        Child(instrument, [], 0, live.file, live.instruments.inbox)
    assert (set(os.listdir("/proc/self/fd")), set(tmp_path.iterdir())) == before


def test_telemetry_that_was_killed_comes_back_and_the_fault_is_healed(live: Live) -> None:
    live.start()
    until(live, lambda: len(live.session.samples) >= 2)
    child(live, "telemetry").process.kill()
    until(live, lambda: bool(live.session.faults))
    assert live.session.open_faults == live.session.faults
    count = len(live.session.samples)
    until(live, lambda: len(live.session.samples) > count)
    assert live.session.open_faults == []
    assert exit_code(live.session, [], strict=False) == 0
    live.close()
    again = fold(events(live.path))
    assert [f.exit_code for f in again.faults] == [-9]
    assert len(again.samples) == len(live.session.samples)


def test_telemetry_is_left_after_some_starts(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofwatch.session.restarts.WAITS_S", (0.0,))
    live.start()
    for faults in (1, 2):
        until(live, lambda: live.instruments.alive("telemetry"))
        child(live, "telemetry").process.kill()
        until(live, lambda faults=faults: len(live.session.faults) == faults)
    assert live.session.notes[-1].text == "telemetry: not started again"
    assert exit_code(live.session, [], strict=False) == 4


def test_a_stopped_telemetry_hangs_and_is_replaced(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stuck, "TELEMETRY_S", 1.0)
    live.start()
    until(live, lambda: len(live.session.samples) >= 2)
    hung = child(live, "telemetry")
    os.kill(hung.process.pid, signal.SIGSTOP)
    until(live, lambda: bool(live.session.faults))
    assert "telemetry instrument hangs: no sample for 1 s" in live.session.faults[0].what
    count = len(live.session.samples)
    until(live, lambda: len(live.session.samples) > count)
    assert hung.process.poll() == -signal.SIGKILL


@pytest.mark.long
@needs_torch
def test_probes_that_die_in_a_probe_go_on_with_the_next(live: Live) -> None:
    live.start()
    live.start_probes()
    until(live, lambda: live.session.running() is not None)
    died_in = live.session.running()
    child(live, "probes").process.kill()
    until(live, lambda: live.session.running() not in (None, died_in))
    fault = live.session.faults[0]
    assert (fault.probe, fault.exit_code) == (died_in, -9)
    states = {r.probe: r.state for r in probe_rows(live.session, [])}
    assert states[died_in or ""] == FAILED
    left = [n.text for n in live.session.notes if n.text.startswith("probes: started again")]
    assert left == [f"probes: started again, {len(states) - 1} remain"]
    until(live, lambda: bool(live.session.measurements))
    assert died_in not in {m.probe for m in live.session.measurements}


def test_telemetry_that_never_said_anything_is_a_fault(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofwatch.session.live.IDENTITY_PATIENCE_S", 0.0)
    live.start()
    told = child(live, "telemetry")
    told.heard = False
    told.beat = Beat(t=1.0, instrument="telemetry", state="starting", waits_for="nvmlInit")
    live.close()
    whats = [f.what for f in live.session.faults]
    assert whats == ["the telemetry instrument said nothing: nvmlInit does not return"]


@needs_torch
def test_what_remains_is_marked_when_nothing_helps(live: Live) -> None:
    live.start()
    live.start_probes()
    for faults in range(1, FRUITLESS + 1):
        child(live, "probes").process.kill()
        until(live, lambda faults=faults: len(live.session.faults) == faults)
    assert not live.probing
    assert {r.state for r in probe_rows(live.session, [])} == {NOT_RUN}
    assert exit_code(live.session, [], strict=False) == 4


@needs_torch
def test_stopped_probes_are_ended_and_the_next_goes_on(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stuck, "SILENT_S", 1.5)
    live.start()
    live.start_probes()
    until(live, lambda: live.session.running() is not None)
    hung = child(live, "probes")
    os.kill(hung.process.pid, signal.SIGSTOP)
    until(live, lambda: bool(live.session.faults))
    assert "the probes instrument hangs: no sign of life" in live.session.faults[0].what
    assert hung.process.wait(5) == -signal.SIGKILL
    assert live.probing


def test_nobody_is_blamed_after_a_pause_of_our_own(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stuck, "TELEMETRY_S", 1.0)
    monkeypatch.setattr("roofwatch.session.instruments.PAUSE_S", 0.5)
    live.start()
    until(live, lambda: len(live.session.samples) >= 2)
    told = child(live, "telemetry")
    told.last_event -= 60
    time.sleep(0.6)
    live.poll()
    assert told.silent_s < 1
    assert live.session.faults == []


@pytest.mark.parametrize(
    ("instrument", "state", "silent_s", "still_s", "lost", "said"),
    [
        ("telemetry", "sampling", 4.9, 0, False, None),
        ("telemetry", "sampling", 5.1, 0, False, "no sample for 5 s"),
        ("telemetry", "starting", 19, 0, False, None),
        ("telemetry", "starting", 21, 0, False, "no sample for 21 s"),
        ("probes", "importing torch", 299, 9000, False, None),
        ("probes", "importing torch", 301, 301, False, "no sign of life for 301 s"),
        ("probes", "waiting", 1, 9000, False, None),
        ("probes", "waiting", 31, 9000, False, "no sign of life for 31 s"),
        ("probes", "measuring", 1, 239, False, None),
        ("probes", "measuring", 1, 241, False, "no step for 241 s"),
        ("probes", "measuring", 1, 21, True, "no step for 21 s"),
        ("probes", "opening the device", 1, 241, False, "no step for 241 s"),
    ],
)
def test_what_counts_as_hung(
    instrument: str, state: str, silent_s: float, still_s: float, lost: bool, said: str | None
) -> None:
    beat = Beat(t=1.0, instrument=instrument, state=state)
    assert stuck.why_stuck(instrument, beat, silent_s, still_s, lost) == said


def test_the_call_that_does_not_return_is_named() -> None:
    beat = Beat(t=1.0, instrument="telemetry", state="sampling", waits_for="nvmlDeviceGetX")
    assert stuck.why_stuck("telemetry", beat, 6.0, 6.0) == (
        "no sample for 6 s (nvmlDeviceGetX does not return)"
    )


def test_a_run_whose_probes_died_behind_the_last_is_complete(
    tmp_path: Path, h200_file: Path
) -> None:
    live = Live(Options(save=tmp_path / "s.jsonl"), load_cards)
    for event in events(h200_file):
        if not isinstance(event, End):
            live.session.add(event)

    class Dead:
        instrument = "probes"
        retired = False
        age_s = 1.0

        def wait(self, timeout_s: float) -> int:
            return -9

        def how_it_ended(self, code: int) -> str:
            return "ended: killed by signal 9"

        def log_tail(self) -> list[str]:
            return []

        def end(self) -> None:
            pass

    dead = Dead()
    live.instruments._children["probes"] = dead  # type: ignore[assignment]
    live._gone(dead)  # type: ignore[arg-type]
    assert live.session.ends[1].complete
    assert len(live.session.faults) == 1
    assert exit_code(live.session, [], strict=False) == 0
    live.close()


def test_restarts_are_counted() -> None:
    telemetry = Restarts()
    assert tuple(telemetry.telemetry_in_s(1.0) for _ in WAITS_S) == WAITS_S
    assert telemetry.telemetry_in_s(1.0) is None
    assert telemetry.telemetry_in_s(LIVED_S) == WAITS_S[0]
    telemetry.new_run()  # somebody asks for it again
    assert telemetry.telemetry_in_s(1.0) == WAITS_S[0]
    probes = Restarts()
    assert probes.probes(done=1, left=4)
    assert probes.probes(done=1, left=4)  # it died before any probe: once more
    assert not probes.probes(done=1, left=4)
    assert not Restarts().probes(done=5, left=0)
