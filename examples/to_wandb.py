"""A session's record and findings as a Weights & Biases run.

    pip install wandb
    python examples/to_wandb.py SESSION.jsonl [PROJECT]

``WANDB_MODE=offline`` keeps the run on this machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

import wandb
from record_of import FINDING, figures, findings, record_of, samples, words

SERIES = ("sm_mhz", "power_w", "power_instant_w", "temp_c", "util", "mem_used_bytes")


def main(session: Path, project: str = "roofwatch") -> None:
    """One run: configuration, telemetry against the session's seconds, figures, findings."""
    record = record_of(session)
    with wandb.init(project=project, job_type="roofwatch", config=words(record)) as run:
        run.define_metric("seconds")
        run.define_metric("telemetry/*", step_metric="seconds")
        for sample in samples(session):
            told = {f"telemetry/{n}": sample[n] for n in SERIES if sample.get(n) is not None}
            run.log({"seconds": sample["t"], **told})
        run.summary.update(figures(record))
        run.log({"findings": wandb.Table(columns=list(FINDING), data=findings(record))})


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), *sys.argv[2:3])
