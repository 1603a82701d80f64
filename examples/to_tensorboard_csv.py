"""A session as CSV files the way TensorBoard exports scalars: Wall time, Step, Value, one a tag.

python examples/to_tensorboard_csv.py SESSION.jsonl FOLDER

Needs nothing beside roofwatch. Findings go to findings.csv.
"""

from __future__ import annotations

import csv
import datetime
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from record_of import FINDING, figures, findings, record_of, samples

NO_NAME = re.compile(r"^\.+|[^\w.-]+")
HEAD = ("Wall time", "Step", "Value")
SERIES = ("sm_mhz", "mem_mhz", "power_w", "power_instant_w", "temp_c", "util", "mem_used_bytes")


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """One file; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(head)
        out.writerows(rows)


def main(session: Path, folder: Path) -> None:
    """A file a tag: telemetry with its steps, each figure of the record as one step."""
    record = record_of(session)
    began = datetime.datetime.fromisoformat(record["session"]["started_at"].replace("Z", "+00:00"))
    begin_s = began.timestamp()
    read = list(samples(session))
    for name in SERIES:
        rows = [
            (begin_s + sample["t"], step, sample[name])
            for step, sample in enumerate(read)
            if sample.get(name) is not None
        ]
        if rows:
            write(folder / "telemetry" / f"{name}.csv", HEAD, rows)
    end_s = begin_s + record["session"]["duration_s"]
    for name, value in figures(record).items():
        parts = [NO_NAME.sub("_", part) for part in name.split("/")]  # a file may name anything
        write(folder.joinpath(*parts[:-1], f"{parts[-1]}.csv"), HEAD, [(end_s, 0, value)])
    write(folder / "findings.csv", FINDING, findings(record))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
