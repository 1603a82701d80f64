"""A session that was cut short and is gone on with: what is done stays, the rest is measured."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.done import done_so_far
from roofwatch.session.events import AnyEvent, Device, End, Fault, Measurement, SessionInfo, encode
from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import fold
from roofwatch.session.kept_file import create
from roofwatch.session.live import Live
from roofwatch.session.resume import last_session, resumable

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


def test_the_last_session_is_the_newest_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSession):
        last_session()
    for stamp in ("20260101T000000Z", "20260301T000000Z", "20260201T000000Z"):
        file = create(None, stamp, "abc")
        file.write(SessionInfo(t=0.0, schema="roofwatch.session/1", id="a"))
        file.close()
    assert last_session().name == "20260301T000000Z-abc.jsonl"


def test_another_card_is_refused(cut) -> None:  # type: ignore[no-untyped-def]
    path = cut(after_third([]))
    live = Live(Options(resume=path, probes=False), load_cards)
    assert live.options.suite == "quick"
    other = Device(kind="cuda", name="NVIDIA L4", uuid="GPU-other")
    live._tell(SessionInfo(t=live.now(), resumed=True))
    live._instruments.inbox.put(SessionInfo(t=live.now(), instrument="telemetry", device=other))
    live.poll()
    live.close()
    fault = live.session.faults[-1]
    assert (fault.instrument, fault.exit_code) == ("parent", 3)
    assert fault.what == "the session is of NVIDIA H200, this is NVIDIA L4: not gone on with"
    again = fold(events(path))
    assert isinstance(again.faults[-1], Fault)
    assert isinstance(again.ends[1], End)


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
