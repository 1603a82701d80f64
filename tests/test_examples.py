"""The examples for trackers, run as programs; W&B and MLflow are stand-ins that note the calls."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
WATCHED = ROOT / "tests" / "sessions" / "watch" / "h200-2.jsonl"

WANDB = """
import atexit, json, os
class Table:
    def __init__(self, *, columns, data):
        assert all(len(row) == len(columns) for row in data)
        self.rows = len(data)
class Run:
    def __init__(self, **told): self.told, self.logged, self.summary = told, [], {}
    def __enter__(self): return self
    def __exit__(self, *_): 
        kept = {**self.told, "logged": self.logged, "summary": self.summary}
        open(os.environ["NOTED"], "w").write(json.dumps(kept, default=lambda table: table.rows))
    def define_metric(self, name, step_metric=None): assert name
    def log(self, told): self.logged.append(told)
def init(*, project, job_type, config): return Run(project=project, config=config)
"""
MLFLOW = """
import json, os, types
noted = {"metrics": {}, "batches": [], "files": {}}
class Run:
    info = types.SimpleNamespace(run_id="r")
    def __enter__(self): return self
    def __exit__(self, *_): open(os.environ["NOTED"], "w").write(json.dumps(noted))
def set_experiment(name): noted["experiment"] = name
def start_run(*, tags): noted["tags"] = tags; return Run()
def log_metrics(metrics): noted["metrics"].update(metrics)
def log_dict(value, name): noted["files"][name] = value
"""
ENTITIES = """
class Metric:
    def __init__(self, key, value, timestamp, step): self.of = (key, value, timestamp, step)
"""
TRACKING = """
import mlflow
class MlflowClient:
    def log_batch(self, run_id, *, metrics):
        assert len(metrics) <= 1000
        mlflow.noted["batches"] += [m.of for m in metrics]
"""


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def of(example: str, *words: object, code: int = 0) -> dict[str, Any]:
        for name, text in (
            ("wandb/__init__.py", WANDB),
            ("mlflow/__init__.py", MLFLOW),
            ("mlflow/entities.py", ENTITIES),
            ("mlflow/tracking.py", TRACKING),
        ):
            path = tmp_path / "stand-ins" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        noted = tmp_path / "noted.json"
        told = subprocess.run(
            [sys.executable, str(ROOT / "examples" / example), *map(str, words)],
            env={**os.environ, "PYTHONPATH": str(tmp_path / "stand-ins"), "NOTED": str(noted)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert told.returncode == code, told.stderr
        assert "Traceback" not in told.stderr
        found: dict[str, Any] = json.loads(noted.read_text()) if noted.exists() else {}
        return found

    return of


def test_csv_as_tensorboard_exports_it(run: Any, tmp_path: Path) -> None:
    run("to_tensorboard_csv.py", WATCHED, tmp_path / "out")
    with (tmp_path / "out" / "telemetry" / "power_instant_w.csv").open() as file:
        head, *rows = csv.reader(file)
    assert head == ["Wall time", "Step", "Value"]
    assert len(rows) == 158
    assert [int(row[1]) for row in rows] == list(range(158))
    assert float(rows[-1][0]) - float(rows[0][0]) == pytest.approx(15.7, abs=0.1)
    energy = (tmp_path / "out" / "card0" / "energy_j.csv").read_text().splitlines()[1]
    assert float(energy.split(",")[2]) == pytest.approx(6440, rel=0.01)
    assert "host-bound,suspect" in (tmp_path / "out" / "findings.csv").read_text()


def test_a_name_leads_nowhere_else(run: Any, h200_file: Path, tmp_path: Path) -> None:
    text = h200_file.read_text().replace("add_scalar-fp16", "../../../x y")
    (tmp_path / "s.jsonl").write_text(text)
    run("to_tensorboard_csv.py", tmp_path / "s.jsonl", tmp_path / "deep" / "er" / "out")
    written = list(tmp_path.rglob("*.csv"))
    assert written
    assert all(p.is_relative_to(tmp_path / "deep" / "er" / "out") for p in written)


def test_to_wandb(run: Any, h200_file: Path) -> None:
    noted = run("to_wandb.py", h200_file, "mine")
    assert noted["project"] == "mine"
    assert noted["config"]["card"] == "NVIDIA H200"
    assert noted["summary"]["bf16/burst_tflops"] > 700
    assert noted["summary"]["bandwidth_gbs"] > 4000
    *series, table = noted["logged"]
    assert max(s["telemetry/sm_mhz"] for s in series) == 1980.0
    assert len(series) > 50
    assert table["findings"] >= 1


def test_to_mlflow(run: Any) -> None:
    noted = run("to_mlflow.py", WATCHED)
    assert noted["experiment"] == "roofwatch"
    assert noted["tags"]["version/driver"].startswith("580")
    assert noted["metrics"]["card0/power_w"] == pytest.approx(413, abs=1)
    assert {key for key, *_ in noted["batches"]} >= {"telemetry/sm_mhz", "telemetry/util"}
    assert noted["files"]["record.json"]["schema"] == "roofwatch.record/1"
    assert next(f["code"] for f in noted["files"]["findings.json"]["findings"]) == "host-bound"


def test_what_is_no_session_is_one_line(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("x\n")
    assert run("to_wandb.py", tmp_path / "x.jsonl", code=2) == {}
