"""A session that was cut short and is gone on with: what is done stays, the rest is measured."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.done import done_so_far
from roofwatch.session.events import (
    AnyEvent,
    Device,
    End,
    Fault,
    Measurement,
    Note,
    Series,
    SessionInfo,
    Span,
    encode,
)
from roofwatch.session.exit_code import exit_code
from roofwatch.session.file import UnreadableSession, events, sessions_folder
from roofwatch.session.fold import Session, fold
from roofwatch.session.kept_file import create
from roofwatch.session.live import Live
from roofwatch.session.pairing import another
from roofwatch.session.resume import last_session, resumable
from roofwatch.session.table import DONE, probe_rows

ME = [sys.executable, "-m", "roofwatch"]


@pytest.fixture
def cut(tmp_path: Path, h200_file: Path) -> Callable[[Callable[[AnyEvent], bool]], Path]:
    """A recorded session up to an event, with half a line behind it."""

    def make(last: Callable[[AnyEvent], bool]) -> Path:
        path = tmp_path / "cut.jsonl"
        with path.open("wb") as file:
            for event in events(h200_file):
                file.write(encode(event))
                if last(event):
                    break
            file.write(b'{"kind":"sample","t":9')
        return path

    return make


def after_third(seen: list[AnyEvent]) -> Callable[[AnyEvent], bool]:
    def third(event: AnyEvent) -> bool:
        if isinstance(event, Measurement):
            seen.append(event)
        return len(seen) == 3

    return third


def test_what_is_done_is_known_from_the_file(cut, h200_file: Path) -> None:  # type: ignore[no-untyped-def]
    seen: list[AnyEvent] = []
    path = cut(after_third(seen))
    file, session = resumable(path)
    assert not path.read_bytes().endswith(b"}\n")  # nothing is touched yet
    file.release()
    file.close()
    assert path.read_bytes().endswith(b"}\n")  # the torn line is gone, nothing else
    done = done_so_far(session, 1)
    measured = [m.probe for m in session.measurements]
    assert done.probes == measured[:2]  # the third has its figure, and its span is open
    assert done.reference is not None
    assert done.reference[0] == measured[0]
    whole = done_so_far(fold(events(h200_file)), 1)
    assert set(whole.shapes) >= {"fp16", "bf16"}
    assert len(whole.probes) == len({s.key for s in fold(events(h200_file)).specs})


def test_a_whole_session_has_nothing_to_resume(h200_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "whole.jsonl"
    path.write_bytes(h200_file.read_bytes())
    with pytest.raises(UnreadableSession, match=r"whole\.jsonl: is complete"):
        resumable(path)
    assert path.read_bytes() == h200_file.read_bytes()


def test_a_session_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    file.write(SessionInfo(t=0.0, schema="roofwatch.session/1", id="a"))
    with pytest.raises(UnreadableSession, match="written by another roofwatch"):
        resumable(file.path)
    file.close()
    resumable(file.path)[0].close()


def test_a_link_is_not_followed(tmp_path: Path, h200_file: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(h200_file)
    with pytest.raises(UnreadableSession, match="link"):
        resumable(link)


def test_the_last_session_is_the_newest_with_something_left(
    tmp_path: Path, h200_file: Path
) -> None:
    with pytest.raises(UnreadableSession):
        last_session()
    for stamp in ("20260101T000000Z", "20260301T000000Z", "20260201T000000Z"):
        file = create(None, stamp, "abc")
        file.write(SessionInfo(t=0.0, schema="roofwatch.session/1", id="a"))
        file.close()
    (sessions_folder() / "20260401T000000Z-whole.jsonl").write_bytes(h200_file.read_bytes())
    (sessions_folder() / "20260501T000000Z-damage.jsonl").write_text("damage")
    assert last_session().name == "20260301T000000Z-abc.jsonl"


class Ear:
    """A probe instrument that waits."""

    instrument = "probes"

    retired = True

    def tell(self, line: str) -> None:
        raise AssertionError(f"it was told {line}")

    def end(self) -> None:
        pass


CPU = Device(kind="cpu", name="Some CPU")
L4 = Device(kind="cuda", name="NVIDIA L4", uuid="GPU-other")


@pytest.mark.parametrize(
    ("telemetry", "probes", "name"),
    [(L4, L4, "NVIDIA L4"), (CPU, Device(kind="cpu"), "cpu")],
)
def test_nothing_of_another_device_is_added(
    cut, telemetry: Device, probes: Device, name: str
) -> None:  # type: ignore[no-untyped-def]
    path = cut(after_third([]))
    before = path.read_bytes()
    live = Live(Options(resume=path), load_cards)
    assert live.options.suite == "quick"
    live.tell(SessionInfo(t=live.now(), resumed=True))
    for who, device in (("telemetry", telemetry), ("probes", probes)):
        live.instruments.inbox.put(SessionInfo(t=live.now(), instrument=who, device=device))
    live.instruments._children["probes"] = Ear()  # type: ignore[assignment]
    live.poll()
    live.go()
    assert not live.rerun()
    fault = live.session.faults[-1]
    assert (fault.instrument, fault.exit_code) == ("parent", 3)
    assert fault.what == f"the session is of NVIDIA H200, this is {name}: not gone on with"
    live.close()
    assert path.read_bytes() == before


def test_a_session_of_the_cpu_beside_a_card_is_its_own() -> None:
    before, card = CPU, Device(kind="cuda", name="NVIDIA H200", uuid="GPU-a")
    assert another(before, Device(kind="cpu"), card) is None
    assert another(before, Device(kind="cpu"), CPU) is None
    assert another(before, None, card) is None  # the probes have not spoken
    assert another(before, card, card) == card
    assert another(card, card, Device(kind="cuda", uuid="gpu-A")) is None


@pytest.mark.parametrize("data", [b"my notes", b"a,b\n1,2\n3", bytes(range(256)) * 9, b""])
def test_what_is_no_session_is_left_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(UnreadableSession):
        resumable(path)
    assert path.read_bytes() == data


def test_leaving_before_it_goes_on_leaves_it_as_it_was(cut) -> None:  # type: ignore[no-untyped-def]
    path = cut(after_third([]))
    before = path.read_bytes()
    live = Live(Options(resume=path, probes=False, device="cpu"), load_cards)
    live.start()
    live.poll()
    live.close()
    assert path.read_bytes() == before


def failed(path: Path, source: Path) -> str:
    """A copy in which one probe has failed; its key."""
    seen = list(events(source))
    probe = next(m.probe for m in seen if isinstance(m, Measurement))
    with path.open("wb") as file:
        for event in seen:
            if isinstance(event, Measurement) and event.probe == probe:
                event = Fault(t=event.t, instrument="probes", what="killed", probe=probe)
            file.write(encode(event))
    return probe


def test_what_failed_is_tried_again_and_healed_when_it_is_measured(
    tmp_path: Path, h200_file: Path
) -> None:
    path = tmp_path / "s.jsonl"
    probe = failed(path, h200_file)
    session = fold(events(path))
    assert session.complete
    assert [f.probe for f in session.open_faults] == [probe]
    assert probe in done_so_far(session, 1).probes  # within the run it is over
    assert probe not in done_so_far(session, 1, anew=True).probes
    assert exit_code(session, [], strict=False) == 4
    file, session = resumable(path)
    file.close()
    session.add(SessionInfo(t=99.0, resumed=True))
    m = next(m for m in fold(events(h200_file)).measurements if m.probe == probe)
    session.add(msgspec.structs.replace(m, t=100.0))
    session.add(End(t=101.0, complete=True))
    assert session.open_faults == []
    assert exit_code(session, [], strict=False) == 0
    states = {r.probe: r.state for r in probe_rows(session, [])}
    assert states[probe] == DONE


def test_the_cut_attempt_of_a_held_probe_is_not_a_part_of_the_next(h200_file: Path) -> None:
    session = Session()
    seen = list(events(h200_file))
    held = next(e.probe for e in seen if isinstance(e, Series))
    first = next(i for i, e in enumerate(seen) if isinstance(e, Series))
    for event in seen[: first + 2]:
        session.add(event)
    assert len(session.series) >= 1
    session.add(SessionInfo(t=99.0, resumed=True))
    session.add(Span(t=100.0, probe=held, edge="begin"))
    assert session.series == []
    assert session.running() == held


def test_nothing_runs_before_a_resumed_session_begins_a_probe(cut) -> None:  # type: ignore[no-untyped-def]
    session = fold(events(cut(after_third([]))))
    session.closed = False
    cut_in = session.running()
    assert cut_in is not None
    keys = [spec.key for spec in session.specs]
    session.add(SessionInfo(t=99.0, resumed=True))
    assert session.running() is None
    assert [spec.key for spec in session.specs] == keys  # of the same kind of device
    session.add(Span(t=100.0, probe=cut_in, edge="begin"))
    assert session.running() == cut_in


def test_what_is_held_stands_before_what_is_written_later(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    file.write(SessionInfo(t=0.0, schema="roofwatch.session/1", id="a"))
    file.hold()
    for t in range(1, 300):
        file.write(Note(t=t, text="held"))
    writing = threading.Thread(
        target=lambda: [file.write(Note(t=1000.0 + i, text="later")) for i in range(300)]
    )
    writing.start()
    file.release()
    writing.join()
    file.close()
    moments = [e.t for e in events(file.path)]
    assert moments == sorted(moments)
    assert len(moments) == 600


def test_telemetrys_fault_is_of_the_run_under_way() -> None:
    session = Session()
    session.add(Note(t=1.0, text="run 2", run=2))
    session.add(Fault(t=2.0, instrument="telemetry", what="GPU is lost", exit_code=4))
    assert [f.run for f in session.open_faults] == [2]


@pytest.mark.long
@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    run = [*ME, "run", "--device", "cpu", "--json"]
    first = subprocess.Popen(
        [*run, "--save", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b'"measurement"') < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    before = fold(events(path))
    assert not before.complete
    shown = subprocess.run([*ME, "show", str(path)], capture_output=True, text=True)
    assert shown.returncode == 0
    done = done_so_far(before, 1)
    gone_on = subprocess.run(
        [*run, "--resume", str(path)], capture_output=True, text=True, timeout=120
    )
    assert gone_on.returncode == 0, gone_on.stderr
    after = fold(events(path))
    assert after.complete
    assert after.id == before.id
    assert after.measurements[: len(before.measurements)] == before.measurements
    begun = {span.probe for span in after.spans[len(before.spans) :]}
    assert begun.isdisjoint(set(done.probes) - {(done.reference or ("",))[0]})  # a control's block
    over = {m.probe for m in after.measurements} | {n.probe for n in after.notes}
    assert {spec.key for spec in after.specs} <= over
    twice = subprocess.run([*run, "--resume", str(path)], capture_output=True, text=True)
    assert twice.returncode == 2
    assert "is complete, nothing remains" in twice.stderr
    assert twice.stderr.count("\n") == 1
