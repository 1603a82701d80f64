"""A session's record and findings as an MLflow run.

    pip install mlflow
    python examples/to_mlflow.py SESSION.jsonl [EXPERIMENT]

``MLFLOW_TRACKING_URI`` says where to; without it MLflow's own default on this machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlflow
from mlflow.entities import Metric
from mlflow.tracking import MlflowClient
from record_of import FINDING, figures, findings, record_of, samples, words

SERIES = ("sm_mhz", "power_w", "temp_c", "util")
AT_ONCE = 900  # metrics a call: MLflow takes 1000


def main(session: Path, experiment: str = "roofwatch") -> None:
    """One run: tags, figures, telemetry with its own moments, the record and findings as files."""
    record = record_of(session)
    mlflow.set_experiment(experiment)
    with mlflow.start_run(tags=words(record)) as run:
        mlflow.log_metrics({name.replace(" ", "_"): v for name, v in figures(record).items()})
        series = [
            Metric(f"telemetry/{name}", sample[name], round(sample["t"] * 1000), step)
            for step, sample in enumerate(samples(session))
            for name in SERIES
            if sample.get(name) is not None
        ]
        client = MlflowClient()
        for begin in range(0, len(series), AT_ONCE):
            client.log_batch(run.info.run_id, metrics=series[begin : begin + AT_ONCE])
        mlflow.log_dict(record, "record.json")
        rows = [dict(zip(FINDING, row, strict=True)) for row in findings(record)]
        mlflow.log_dict({"findings": rows}, "findings.json")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), *sys.argv[2:3])
