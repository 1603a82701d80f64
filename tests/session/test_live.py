"""A live session with real children: paired, killed, stood down, run again. CPU only."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.live import Live

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
SHIM = Path(__file__).parent.parent / "telemetry" / "shim"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    session = Live(Options(device="cpu", save=tmp_path / "s.jsonl"), load_cards)
    yield session
    session.close()


def until(live: Live, seen: Callable[[], bool], timeout_s: float = 30) -> None:
    end = time.monotonic() + timeout_s
    while not seen():
        assert time.monotonic() < end, "never happened"
        live.poll()
        time.sleep(0.02)


def pid_of(live: Live, instrument: str) -> int:
    return live.instruments._children[instrument].process.pid


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_telemetry_and_expectations_stand_before_torch(live: Live) -> None:
    live.start()
    until(live, lambda: len(live.session.samples) >= 2 and bool(live.session.expects))
    assert live.session.device.name
    assert live.session.told_by("probes") is None
    assert live.session.nominal is not None
    assert live.session.nominal.origin == "none"


@needs_torch
def test_a_killed_telemetry_is_a_fault_and_the_file_stays_readable(live: Live) -> None:
    live.start()
    live.start_probes()
    until(live, lambda: len(live.session.samples) >= 2)
    os.kill(pid_of(live, "telemetry"), signal.SIGKILL)
    until(live, lambda: bool(live.session.faults))
    fault = live.session.faults[0]
    assert (fault.instrument, fault.exit_code) == ("telemetry", -9)
    assert "killed by signal 9" in fault.what
    assert live.probing
    live.close()
    again = fold(events(live.path))
    assert again.faults == live.session.faults
    assert len(again.samples) >= 2


@needs_torch
def test_killed_probes_are_a_fault_and_telemetry_goes_on(live: Live) -> None:
    live.start()
    live.start_probes()
    until(live, lambda: len(live.session.samples) >= 2)
    os.kill(pid_of(live, "probes"), signal.SIGKILL)
    until(live, lambda: bool(live.session.faults))
    assert live.session.faults[0].instrument == "probes"
    assert live.probing  # they are started again
    os.kill(pid_of(live, "probes"), signal.SIGKILL)
    until(live, lambda: not live.probing)  # twice for nothing is enough
    assert not live.session.ends[1].complete
    count = len(live.session.samples)
    until(live, lambda: len(live.session.samples) > count)
    assert live.rerun()
    assert live.probing
    assert live.session.run == 2


@needs_torch
def test_closing_leaves_no_process_behind(live: Live) -> None:
    live.start()
    live.start_probes()
    until(live, lambda: len(live.session.samples) >= 1)
    pids = [pid_of(live, name) for name in ("telemetry", "probes")]
    live.close()
    assert all(gone(pid) for pid in pids)
    assert not fold(events(live.path)).complete


@needs_torch
def test_a_rerun_waits_for_the_end(live: Live) -> None:
    live.start()
    live.start_probes()
    assert not live.rerun()


def test_a_session_without_probes_only_listens(tmp_path: Path) -> None:
    live = Live(Options(device="cpu", probes=False, save=tmp_path / "w.jsonl"), load_cards)
    live.start()
    live.start_probes()
    until(live, lambda: len(live.session.samples) >= 2)
    assert not live.probing
    assert not live.waiting
    live.close()


def test_a_card_on_nvml_that_torch_cannot_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVML answers, this torch has no CUDA: the CPU is measured, telemetry changes over to it."""
    pytest.importorskip("torch")
    monkeypatch.setenv("PYTHONPATH", str(SHIM))
    monkeypatch.setenv("ROOFWATCH_FAKE", "{}")
    live = Live(Options(save=tmp_path / "s.jsonl"), load_cards)
    live.start()
    until(live, lambda: live.session.device.kind == "cuda" and bool(live.session.expects))
    assert live.session.nominal is not None
    assert live.session.nominal.origin == "table"
    live.start_probes()
    until(live, lambda: live.waiting, 60)
    assert live.session.device.kind == "cpu"
    assert live.session.telemetry_source == "host"
    assert any("cannot use the GPU" in n.text for n in live.session.notes)
    assert live.busy() is None
    live.close()


def test_a_named_device_that_is_absent_ends_with_3(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    live = Live(Options(device="cuda:7", save=tmp_path / "s.jsonl"), load_cards)
    live.start()
    live.start_probes()
    until(live, lambda: any(f.instrument == "probes" for f in live.session.faults))
    until(live, lambda: not live.probing)
    fault = next(f for f in live.session.faults if f.instrument == "probes")
    assert fault.exit_code == 3
    assert "cuda:7" in fault.what
    live.close()


def test_the_last_words_of_telemetry_are_taken_before_it_is_heard_out(tmp_path: Path) -> None:
    options = Options(device="cuda:7", probes=False, save=tmp_path / "s.jsonl")
    live = Live(options, load_cards)
    live.start()
    telemetry = live.instruments.get("telemetry")
    assert telemetry is not None
    assert telemetry.wait(20) == 3
    assert not live.instruments.alive("telemetry")
    assert not live.instruments.heard_out("telemetry")  # dead, and its fault not yet taken
    until(live, lambda: live.instruments.heard_out("telemetry"))
    assert [f.exit_code for f in live.session.faults] == [3]
    live.close()


def test_telemetry_on_another_card_is_paired_by_uuid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live(Options(save=tmp_path / "s.jsonl"), load_cards)
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(live, "_spawn_telemetry", lambda *a: asked.append(a))
    for who, uuid in (("telemetry", "GPU-aa"), ("probes", "GPU-bb")):
        device = Device(kind="cuda", name="NVIDIA H200", uuid=uuid)
        live.instruments.inbox.put(SessionInfo(t=0.1, instrument=who, device=device))
    live.poll()
    assert asked == [("nvml", "GPU-bb")]
    assert not live._paired()
    device = Device(kind="cuda", name="NVIDIA H200", uuid="GPU-BB")
    live.instruments.inbox.put(SessionInfo(t=0.2, instrument="telemetry", device=device))
    live.poll()
    assert live._paired()
    live.close()


def test_the_default_file_is_named_after_the_card() -> None:
    live = Live(Options(device="cpu", probes=False), load_cards)
    live.instruments.inbox.put(
        SessionInfo(t=0.1, instrument="telemetry", device=Device(kind="cuda", name="NVIDIA H200"))
    )
    live.poll()
    assert "-nvidia-h200-" in live.path.name
    live.close()


def test_telemetry_that_hangs_is_noticed_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stuck driver: the process lives and beats, NVML never answers."""
    pytest.importorskip("torch")
    shim = tmp_path / "shim"
    shim.mkdir()
    (shim / "pynvml.py").write_text("import time\ndef nvmlInit(): time.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", str(shim))
    live = Live(Options(save=tmp_path / "s.jsonl"), load_cards)
    live.start()
    live.start_probes()
    until(
        live,
        lambda: live.instruments.silence is not None and live.instruments.silence[0] == "telemetry",
    )
    until(live, lambda: live.waiting, 60)
    assert live.session.nominal is not None
    live.close()


@needs_torch
def test_stopped_probes_are_noticed(live: Live) -> None:
    live.start()
    live.start_probes()
    until(live, lambda: live.waiting, 60)
    os.kill(pid_of(live, "probes"), signal.SIGSTOP)
    until(live, lambda: live.instruments.silence is not None)
    assert live.instruments.silence is not None
    assert live.instruments.silence[0] == "probes"


def test_an_answer_that_comes_after_the_probes_are_gone(live: Live) -> None:
    live.go()
    live.stand_down()
    assert live.session.faults == []


def test_an_instrument_that_cannot_be_started_is_a_fault(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("roofwatch.session.instruments.Child", refuse)
    live.start()
    live.start_probes()
    assert [f.instrument for f in live.session.faults] == ["telemetry", "probes"]
    assert "Too many open files" in live.session.faults[0].what
    assert not live.probing
