"""Real processes that meet at a real store: two ranks whole, one killed, one under torchrun."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roofwatch.session.fleet.fleet_file import read_fleet

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

# A rank whose suite is a moment's wait: the record, of a real H200, is handed in at once.
RANK = """
import os, signal, sys, time
from roofwatch.fleet import gather, rank
from roofwatch.fleet.__main__ import main
from roofwatch.fleet.own_suite import Outcome

gather.STILL_S = rank.READY_S = 4.0
how, record = sys.argv[1], open(sys.argv[2], "rb").read()

def measure(doing, may_go, stopped):
    doing("measuring something")
    if os.environ["RANK"] == "1" and how == "killed":
        time.sleep(1.2)
        doing("measuring matmul")
        os.kill(os.getpid(), signal.SIGKILL)
    while not may_go() and not stopped():
        time.sleep(0.05)
    return Outcome(state="done", record=record)

sys.exit(main(sys.argv[3:], measure))
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import msgspec
    from simulated_ranks import template

    path = tmp_path_factory.mktemp("record") / "record.json"
    path.write_bytes(msgspec.json.encode(template()))
    return path


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def two(how: str, record: Path, *options: str) -> tuple[Any, list[int], str]:
    """Two ranks; what rank 0 printed as JSON, both exit codes, and rank 0's stderr."""
    port = str(free_port())
    started = []
    for rank in range(2):
        told = {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", RANK, how, str(record), "--device", "cpu", *options],
                env=os.environ | told | {"MASTER_PORT": port},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
    out, err = started[0].communicate(timeout=120)
    beside = started[1].communicate(timeout=60)[1].decode()
    assert out, err.decode()
    assert "TCPStore" not in beside, beside  # rank 0, which holds the store, leaves last
    return json.loads(out), [p.returncode for p in started], err.decode()


def test_two_ranks_measure_gather_and_send(record: Path, tmp_path: Path) -> None:
    kept = tmp_path / "fleet.jsonl"
    told, codes, err = two("whole", record, "--json", "--most-mib", "1", "--save", str(kept))
    assert codes == [0, 0], err
    assert [(r["rank"], r["state"], r["card"]) for r in told["ranks"]] == [
        (0, "done", 0),
        (1, "done", 1),
    ]
    assert told["ranks"][1]["record"]["schema"] == "roofwatch.record/1"
    ops = {c["op"]: c for c in told["collectives"]}
    assert set(ops) == {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"}
    for c in ops.values():
        assert c["sizes"] or c["status"].startswith("not_supported")
    sizes = ops["all_reduce"]["sizes"]
    assert [s["bytes"] for s in sizes] == [8, 64, 512, 4096, 32768, 262144, 1 << 20]
    assert sizes[-1]["bus_gbs"] == pytest.approx(sizes[-1]["algorithm_gbs"])  # 2 (n-1)/n of two
    assert ops["all_reduce"]["fit"]["points"] == 7
    assert told["overlap"]["together_s"] > 0
    assert [(x["a"], x["b"], x["group"]) for x in told["links"]] == [(0, 1, "within")]
    assert told["fleet"]["complete"]
    again = read_fleet(kept)
    assert len(again.collectives) == 5
    assert again.end is not None


@pytest.mark.long
def test_a_killed_rank_is_named_and_the_others_report(record: Path) -> None:
    told, codes, err = two("killed", record, "--json")
    assert codes == [4, -9], err
    lost = told["ranks"][1]
    assert (lost["state"], lost["record"]) == ("silent", None)
    assert "last word: measuring" in lost["why"]
    assert told["ranks"][0]["state"] == "done"
    assert told["spread"]["add_scalar-fp16"]["count"] == 1
    few = "fewer than two ranks are there for them"
    assert told["notes"] == [f"no links: {few}"]
    assert told["links_missing"] == f"not measured: {few}"


@pytest.mark.long
def test_torchrun_measures_for_real(tmp_path: Path) -> None:
    run = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    fleet = ["-m", "roofwatch.fleet", "--device", "cpu", "--json", "--no-collectives"]
    result = subprocess.run(
        [sys.executable, *run, *fleet, "--save", str(tmp_path / "fleet.jsonl")],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["fleet"]["launcher"] == "torchrun"
    assert [r["state"] for r in told["ranks"]] == ["done", "done"]
    assert list(told["spread"]) == ["add_scalar-fp32", "matmul-fp32"]
    assert told["collectives"] == []
    assert told["links_missing"] == "not measured: --no-collectives leaves them out"


@pytest.mark.parametrize(
    ("environ", "arguments", "code", "said"),
    [
        ({"RANK": "1"}, [], 2, "roofwatch.fleet: WORLD_SIZE is not set\n"),
        ({}, ["--timeout", "x"], 2, "roofwatch.fleet: argument --timeout: 'x' is not"),
        ({}, ["--save", "/dev/null/x"], 2, "roofwatch.fleet: /dev/null/x: Not a directory\n"),
    ],
)
def test_what_is_typed_wrong_is_one_line(
    environ: dict[str, str],
    arguments: list[str],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from roofwatch.fleet import __main__ as fleet

    monkeypatch.setattr(fleet, "Stopping", lambda agent: None)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    try:
        ended = fleet.main(["--device", "cpu", *arguments])
    except SystemExit as error:
        ended = int(error.code or 0)
    told = capsys.readouterr()
    assert (ended, told.out) == (code, "")
    assert told.err.startswith(said)
    assert told.err.count("\n") == 1
