"""How a rank's process ends: what cannot be written, who is not met, a signal, a lost store."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofwatch.session.fleet.fleet_file import read_fleet

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

# A rank whose suite is a moment's wait; ``how`` says what goes wrong.
RANK = """
import os, signal, sys, threading, time
from roofwatch.fleet import gather, lead, links_fault, meeting, rank, roll_call
from roofwatch.fleet.__main__ import main
from roofwatch.fleet.not_met import MeetingLost
from roofwatch.fleet.own_suite import Outcome

rank.READY_S = links_fault.SILENT_S = roll_call.STILL_S = 4.0
roll_call.FRESH_S = 2.0
how, record = sys.argv[1], open(sys.argv[2], "rb").read()
me = os.environ.get("RANK", "0")
if how == "still":
    meeting.ASK_S = 3.0
    rank.READY_S = 60.0
if how == "mute":
    meeting.JOIN_S = 1.0

def lost(*_):
    raise MeetingLost("the store does not answer: Broken pipe")

def measure(doing, may_go, stopped):
    doing("measuring something")
    while not may_go() and not stopped():
        time.sleep(0.05)
    if how == "lost":
        meeting.Meeting.beats = meeting.Meeting.take = lost
    if how.startswith("late") and me == "2":
        until = time.monotonic() + 30
        while not os.path.exists(os.environ["GO"]) and time.monotonic() < until:
            doing("measuring something")
            time.sleep(0.1)
    if how == "torchrun" and me == "1":
        threading.Timer(3.0, os._exit, (9,)).start()
    return Outcome(state="done", record=record)

class Dies(rank.LinksProcess):
    def __init__(self, *told):
        super().__init__(*told)
        threading.Thread(target=self.end, daemon=True).start()

    def end(self):
        while not self.doing.startswith("measuring"):
            time.sleep(0.01)
        os.kill(self.process.pid, getattr(signal, how))

if how == "gone" and me == "0":
    lead.LinksProcess = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if how.startswith("SIG") and me == "1":
    rank.LinksProcess = Dies
sys.exit(main(sys.argv[3:], measure))
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def started(
    how: str, record: Path, *options: str, environ: dict[str, str] | None = None, **more: Any
) -> subprocess.Popen[bytes]:
    told: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.Popen(
        [sys.executable, "-c", RANK, how, str(record), "--device", "cpu", *options],
        env=os.environ | (environ or {}),
        **told,
    )


def place(rank: int, port: int, size: int = 2) -> dict[str, str]:
    here = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return {"RANK": str(rank), "WORLD_SIZE": str(size)} | here


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "data").rglob("*.jsonl"))


def has(pid: int, kind: str, number: int) -> bool:
    """Whether a process ignores or catches a signal."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    signals = next(line.split()[1] for line in status if line.startswith(kind))
    return bool(int(signals, 16) & 1 << (number - 1))


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not what():
        assert time.monotonic() < until
        time.sleep(0.002)


def connected(port: int) -> int:
    """Connections to a port of this machine."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


def test_a_full_stdout_is_one_line_and_code_1(record: Path, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = started("well", record, stdout=full)
        err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1
    assert err.splitlines()[-1] == "roofwatch.fleet: [Errno 28] No space left on device"
    assert "Traceback" not in err
    assert read_fleet(kept(tmp_path)[0]).end is not None


def test_a_full_stderr_costs_no_report(record: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = started("well", record, "--json", stderr=full)
        out = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    assert json.loads(out)["ranks"][0]["state"] == "done"


def test_a_reader_who_leaves_and_a_script_without_signs_cost_nothing(record: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    left = started("well", record, stdout=write_end)
    os.close(write_end)
    ascii_only = started("well", record, environ={"PYTHONIOENCODING": "ascii"})
    for process in (left, ascii_only):
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err.decode()
        assert b"Traceback" not in err
        assert b"Exception" not in err
    assert out.isascii()
    assert b"1 rank on 1 node" in out


def test_a_lost_store_costs_the_other_ranks_alone(
    record: Path, free_port: Callable[[], int], tmp_path: Path
) -> None:
    port = free_port()
    ranks = [
        started("lost" if rank == 0 else "well", record, "--json", environ=place(rank, port))
        for rank in range(2)
    ]
    out, err = ranks[0].communicate(timeout=60)
    ranks[1].communicate(timeout=60)
    assert ranks[0].returncode == 4, err.decode()
    told = json.loads(out)
    assert [r["state"] for r in told["ranks"]] == ["done", "silent"]
    assert told["ranks"][0]["record"] is not None
    assert "the store does not answer: Broken pipe: what had come by then" in told["notes"]
    fleet = read_fleet(kept(tmp_path)[0])
    assert fleet.end is not None
    assert (fleet.end.complete, fleet.end.why) == (False, "the store does not answer: Broken pipe")
    assert f"the fleet is in {kept(tmp_path)[0]}" in err.decode()


def test_a_rank_0_that_stands_still_holds_up_nobody(
    record: Path, free_port: Callable[[], int]
) -> None:
    port = free_port()  # the third never comes: the others wait for it at the meeting
    ranks = [started("still", record, environ=place(rank, port, size=3)) for rank in range(2)]
    try:
        assert ranks[0].stderr is not None
        wait_for(lambda: connected(port) >= 2)
        time.sleep(2.0)
        ranks[0].send_signal(signal.SIGSTOP)
        err = ranks[1].communicate(timeout=60)[1].decode()
    finally:
        ranks[0].kill()
        ranks[0].communicate()
    assert ranks[1].returncode == 4
    assert err == (
        "roofwatch.fleet: rank 1: the store does not answer: who holds it stands still\n"
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("SIGKILL", "killed by signal 9 at measuring all_reduce"),
        pytest.param("SIGSTOP", "no sign of life for 4 s at measuring", marks=pytest.mark.long),
    ],
)
def test_the_rank_whose_links_die_is_the_one_that_is_named(
    how: str, said: str, record: Path, free_port: Callable[[], int]
) -> None:
    port = free_port()
    ranks = [started(how, record, "--json", environ=place(rank, port)) for rank in range(2)]
    out, err = ranks[0].communicate(timeout=90)
    ranks[1].communicate(timeout=60)
    assert ranks[0].returncode == 4, err.decode()
    (note,) = json.loads(out)["notes"]
    assert note.startswith("the links were not measured to their end: rank 1 (")
    assert said in note
    assert note.isascii()


@pytest.mark.parametrize(
    ("number", "state", "said"),
    [
        (signal.SIGKILL, "silent", "no sign of life for 4 s: killed, or it hangs"),
        pytest.param(signal.SIGTERM, "partial", "ended by SIGTERM", marks=pytest.mark.long),
        pytest.param(signal.SIGSTOP, "silent", "no sign of life for 4 s", marks=pytest.mark.long),
    ],
)
def test_who_is_gone_once_its_record_has_come_is_named_and_the_others_have_links(
    number: signal.Signals,
    state: str,
    said: str,
    record: Path,
    free_port: Callable[[], int],
    tmp_path: Path,
) -> None:
    port, go = free_port(), tmp_path / "go"
    told = ("--json", "--most-mib", "1", "--save", str(tmp_path / "fleet.jsonl"))
    ranks = [
        started("late", record, *told, environ={**place(rank, port, size=3), "GO": str(go)})
        for rank in range(3)
    ]
    try:
        assert ranks[0].stderr is not None
        for line in ranks[0].stderr:
            if line.startswith(b"rank 1 done"):
                break
        ranks[1].send_signal(number)
        go.touch()
        out, err = ranks[0].communicate(timeout=90)
        ranks[2].communicate(timeout=60)
    finally:
        ranks[1].kill()
        ranks[1].communicate()
    fleet = json.loads(out)
    assert ranks[0].returncode == 4, err.decode()
    assert [r["state"] for r in fleet["ranks"]] == ["done", state, "done"]
    assert fleet["ranks"][1]["why"].startswith(said)
    assert fleet["ranks"][1]["record"]["schema"] == "roofwatch.record/1"
    assert {x["op"]: x["ranks"] for x in fleet["collectives"]}["all_reduce"] == 2
    assert [(x["a"], x["b"]) for x in fleet["links"]] == [(0, 2)]
    again = read_fleet(tmp_path / "fleet.jsonl")
    assert (again.ranks[1].state, bool(again.ranks[1].figures)) == (state, True)


@pytest.mark.long  # test_roll_call.py shows the same without processes
@pytest.mark.parametrize(
    ("number", "state", "said"),
    [
        (signal.SIGTERM, "partial", "ended by SIGTERM"),
        (signal.SIGKILL, "silent", "no sign of life"),
    ],
)
def test_who_goes_while_another_is_waited_for_is_left_out_of_the_links_too(
    number: signal.Signals,
    state: str,
    said: str,
    record: Path,
    free_port: Callable[[], int],
    tmp_path: Path,
) -> None:
    port, go = free_port(), tmp_path / "go"
    ranks = [
        started(
            "late",
            record,
            *("--json", "--most-mib", "1"),
            environ={**place(rank, port, size=4), "GO": str(go)},
        )
        for rank in range(4)
    ]
    try:
        err = ranks[0].stderr
        assert err is not None
        left = {b"rank 1 done", b"rank 3 done"}
        while left:
            left.discard(err.readline()[:11])
        ranks[1].kill()
        go.touch()
        while not err.readline().startswith(b"rank 2 done"):
            pass
        time.sleep(0.7)  # it has answered: rank 1 is what is waited for
        ranks[3].send_signal(number)
        out, _ = ranks[0].communicate(timeout=90)
        ranks[2].communicate(timeout=60)
    finally:
        for each in ranks:
            each.kill()
            each.communicate()
    fleet = json.loads(out)
    assert [r["state"] for r in fleet["ranks"]] == ["done", "silent", "done", state]
    assert fleet["ranks"][3]["why"].startswith(said)
    assert [(x["a"], x["b"]) for x in fleet["links"]] == [(0, 2)]


@pytest.mark.long
def test_under_torchrun_the_rank_whose_death_ends_the_others_is_named(
    record: Path, tmp_path: Path
) -> None:
    path, kept_at = record.with_name("rank.py"), tmp_path / "fleet.jsonl"
    path.write_text(RANK)
    run = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    fleet = [str(path), "torchrun", str(record), "--device", "cpu", "--save", str(kept_at)]
    result = subprocess.run(
        [sys.executable, *run, *fleet], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 1
    assert "1 not whole" in result.stdout
    told = read_fleet(kept_at)
    assert [(r.rank, r.state) for r in told.troubled] == [(1, "silent")]
    assert told.end is not None
    assert told.end.why.startswith("rank 1 (")
    assert "no sign of life" in told.end.why
    assert "exitcode  : 4 " in result.stderr  # rank 0's: the signal is not the cause


def test_a_rank_0_that_dies_during_the_links_is_one_line_and_code_4(
    record: Path, free_port: Callable[[], int]
) -> None:
    port = free_port()
    ranks = [started("gone", record, environ=place(rank, port)) for rank in range(2)]
    err = ranks[1].communicate(timeout=60)[1].decode()
    ranks[0].communicate(timeout=60)
    assert [ranks[0].returncode, ranks[1].returncode] == [-signal.SIGKILL, 4]
    assert err.count("\n") == 1
    assert err.startswith("roofwatch.fleet: rank 1: the store does not answer: ")


def test_a_stranger_is_turned_away_and_a_taken_port_leaves_no_file(
    record: Path, free_port: Callable[[], int], tmp_path: Path
) -> None:
    port = free_port()
    plain = ("--no-collectives", "--json")
    lead = started("well", record, *plain, environ=place(0, port))
    stranger = started("well", record, *plain, environ=place(1, port, size=3))
    err = stranger.communicate(timeout=60)[1].decode()
    assert stranger.returncode == 2
    assert err.count("\n") == 1
    assert "its WORLD_SIZE is 2, this rank's 3" in err
    second = started("well", record, environ=place(0, port))
    err = second.communicate(timeout=60)[1].decode()
    assert (second.returncode, err.count("\n")) == (2, 1)
    assert f"port {port} of this host is taken" in err
    assert len(kept(tmp_path)) == 1
    mine = started("well", record, *plain, environ=place(1, port))
    out, _ = lead.communicate(timeout=60)
    mine.communicate(timeout=60)
    assert [lead.returncode, mine.returncode] == [0, 0]
    told = json.loads(out)
    assert [r["state"] for r in told["ranks"]] == ["done", "done"]
    assert any("rank 1 of 3" in note and "was refused" in note for note in told["notes"])


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which signals are caught")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_a_rank_that_waits_for_rank_0(
    number: signal.Signals, record: Path, free_port: Callable[[], int]
) -> None:
    process = started("well", record, environ=place(1, free_port()))
    wait_for(lambda: has(process.pid, "SigCgt", signal.SIGTERM))  # the fleet's own handlers
    process.send_signal(number)
    began = time.monotonic()
    err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 128 + number
    assert err.splitlines() == [
        f"roofwatch.fleet: rank 1: ended by {number.name} before the others were met"
    ]
    assert time.monotonic() - began < 20  # what is left of importing torch


@pytest.mark.long
def test_what_answers_and_is_no_store_is_not_waited_for_for_ever(record: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        process = started("mute", record, environ=place(1, mute.getsockname()[1]))
        err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 4
    assert err.count("\n") == 1
    assert "is no store of a fleet" in err


@pytest.mark.long
def test_torchruns_next_start_is_a_fleet_of_its_own(record: Path) -> None:
    script = RANK.replace('how == "lost"', "False").replace(
        "def measure(doing, may_go, stopped):\n",
        "def measure(doing, may_go, stopped):\n"
        '    if me == "1" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":\n'
        "        os._exit(9)\n",
    )
    assert "os._exit(9)" in script
    path = record.with_name("rank.py")
    path.write_text(script)
    run = ["-m", "torch.distributed.run", "--standalone", "--max-restarts", "1"]
    fleet = [str(path), "well", str(record), "--device", "cpu", "--json", "--no-collectives"]
    result = subprocess.run(
        [sys.executable, *run, "--nproc-per-node", "2", *fleet],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr.decode()
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [r["state"] for r in told[-1]["ranks"]] == ["done", "done"]
    assert not any("refused" in note for note in told[-1]["notes"])


def test_an_early_ctrl_c_ends_it_as_any_other_program(first_line: Any) -> None:
    command = first_line.command("roofwatch.fleet", "--device", "cpu")
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    first_line.wait()
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
    assert b"Traceback" not in err
