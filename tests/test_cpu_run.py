"""The main job for real, on the CPU: one run of the quick suite, looked at from all sides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import fold

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    path = tmp_path_factory.mktemp("run") / "cpu.jsonl"
    command = [sys.executable, "-m", "roofwatch", "run", "--device", "cpu", "--json"]
    result = subprocess.run(
        [*command, "--save", str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    return {"result": result, "path": path, "record": json.loads(result.stdout)}


def test_it_ends_well_with_json_alone_on_stdout(run: dict[str, Any]) -> None:
    assert run["result"].returncode == 0, run["result"].stderr
    assert run["result"].stdout.count("\n") == 1
    assert "add_scalar fp32" in run["result"].stderr


def test_the_record_is_complete(run: dict[str, Any]) -> None:
    record = run["record"]
    assert record["session"]["complete"] is True
    assert record["device"]["kind"] == "cpu"
    assert record["nominal"]["origin"] == "none"
    assert record["faults"] == []
    assert record["roofs"]["bandwidth_gbs"] > 0.5
    fp32 = record["roofs"]["compute"]["fp32"]
    assert fp32["burst_tflops"] > 0.001
    assert fp32["sustained_tflops"] > 0.001
    assert record["roofs"]["ridge"]["fp32"]["burst"] > 0


def test_every_measurement_repeats_and_says_why_it_stopped(run: dict[str, Any]) -> None:
    measured = run["record"]["measurements"]
    assert {"add_scalar-fp32", "matmul-fp32", "matmul-fp64", "add_scalar-fp64"} <= {
        m["id"] for m in measured
    }
    for m in measured:
        assert m["time_s"]["n"] >= 3
        assert m["time_s"]["stop"] in ("iqr", "standard-error", "time-cap", "protocol")
        assert m["timing"] == "host"
        assert m["expected"]["why"].startswith("estimated")


def test_the_control_moves_the_same_bytes(run: dict[str, Any]) -> None:
    by_id = {m["id"]: m for m in run["record"]["measurements"]}
    assert by_id["add_scalar-fp64"]["bytes"] == pytest.approx(
        by_id["add_scalar-fp32"]["bytes"], rel=0.1
    )
    cache = run["record"]["device"]["l2_bytes"]
    if cache:
        assert by_id["add_scalar-fp32"]["bytes"] > 4 * cache


def test_telemetry_never_stopped(run: dict[str, Any]) -> None:
    telemetry = run["record"]["telemetry"]
    assert telemetry["samples"] > 5 * run["record"]["session"]["duration_s"]
    session = fold(events(run["path"]))
    assert [s.t for s in session.samples] == sorted(s.t for s in session.samples)
    assert all(s.gpu is None for s in session.samples)


def test_show_gives_the_same_record_again(run: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "roofwatch", "show", str(run["path"]), "--json"]
    again = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert again == run["record"]
