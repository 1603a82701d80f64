"""The main job for real, on the CPU: one run of the quick suite, looked at from all sides."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from roofwatch.session.events import Price
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.tui.drawing.numbers import money

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    path = tmp_path_factory.mktemp("run") / "cpu.jsonl"
    command = [sys.executable, "-m", "roofwatch", "run", "--device", "cpu", "--json"]
    command += ["--price", "7.2/h"]
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


def test_what_it_cost_is_said_and_kept(run: dict[str, Any]) -> None:
    bill = run["record"]["cost"]
    assert (bill["per_hour"], bill["currency"]) == (7.2, "$")
    assert bill["run_cost"] == pytest.approx(7.2 * bill["run_s"] / 3600, rel=1e-3)
    assert 0 < bill["run_s"] <= bill["session_s"] == run["record"]["session"]["duration_s"]
    assert [i["probe"] for i in bill["idle"]] == [run["record"]["roofs"]["bandwidth_kernel"]]
    assert 0 <= bill["idle"][0]["per_hour"] <= 7.2
    last = run["result"].stderr.splitlines()[-1]
    assert (
        last == f" this run cost {money(bill['run_cost'], '$')} ({bill['run_s']:.1f} s at $7.20/h)"
    )
    assert fold(events(run["path"])).price == Price(per_hour=7.2)


def test_show_gives_the_same_record_again(run: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "roofwatch", "show", str(run["path"]), "--json"]
    again = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert again == run["record"]


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("run") / "mistakes.jsonl"
    command = [sys.executable, "-m", "roofwatch", "run", "--device", "cpu", "--suite", "mistakes"]
    result = subprocess.run(
        [*command, "--json", "--save", str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return {"result": result, "path": path, "record": json.loads(result.stdout)}


@pytest.mark.long
def test_a_cpu_makes_the_mistakes_that_it_can(mistaken: dict[str, Any]) -> None:
    assert mistaken["result"].returncode == 0, mistaken["result"].stderr
    record = mistaken["record"]
    can = ["E1", "E2"] if record["device"]["l2_bytes"] else ["E1"]
    assert [m["code"] for m in record["mistakes"]] == can
    for m in record["mistakes"]:
        assert m["flagged"], m
        assert m["right_probe"] == "add_scalar-fp32"
        assert m["right"] > 0
    skipped = {n["probe"]: n["text"] for n in record["notes"] if "probe" in n}
    assert {"mistake-E3", "mistake-E4", "mistake-E5"} <= set(skipped)
    assert "returns when its work is done" in skipped["mistake-E5"]
    assert record["sustained"] == []
    assert mistaken["result"].stderr.count("on purpose") == len(can)


@pytest.mark.long
def test_a_mistake_on_a_cpu_repeats_as_every_measurement(mistaken: dict[str, Any]) -> None:
    by_id = {m["id"]: m for m in mistaken["record"]["measurements"]}
    for m in mistaken["record"]["mistakes"]:
        seen = by_id[m["probe"]]
        assert (seen["mistake"], seen["protocol"]) == (m["code"], "mistake")
        assert seen["time_s"]["n"] >= 3
        assert seen["timing"] == "host"
    half = next(m for m in mistaken["record"]["mistakes"] if m["code"] == "E1")
    assert half["wrong"] == pytest.approx(by_id["mistake-E1"]["gbs"] / 2)


@pytest.mark.long
def test_show_says_the_mistakes_again(mistaken: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "roofwatch", "show", str(mistaken["path"])]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Mistakes, made on purpose" in text
    assert "read-only-bytes" in text
    again = json.loads(subprocess.run([*command, "--json"], capture_output=True, check=True).stdout)
    assert again == mistaken["record"]
