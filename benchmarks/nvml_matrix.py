"""Every NVML function that telemetry uses, failing in every way: what comes of it.

python benchmarks/nvml_matrix.py [--json FILE] [--no-hang]

Needs no GPU: the tests' stand-in for pynvml fails. A cell is the worst that came of a failure.
``same``: every value is true all the same, by another route or because nothing hangs on it.
``reading``: a 0 is believed where 0 is a reading. ``other card``: the guess of what CUDA counts
failed; what is shown is true of the card that it names. ``null``: no value, its status says why.
``line``: one line, nothing else. ``works``: the beats named the call that hangs, and the
instrument samples when started again without it. Anything else is WRONG, and the exit code 1.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nvml_cells import COLUMNS, cell
from nvml_garbage import FORMS
from nvml_hang import hang
from nvml_scenes import functions

RESULT = Path(__file__).parent / "results" / "cpu" / "nvml_matrix.json"
AT_ONCE = 2  # instruments; each waits more than it works


def table(matrix: dict[str, dict[str, str]]) -> list[str]:
    """A row a function; what is garbage stands together, the worst word first."""
    garbage = [column for column in COLUMNS if column in FORMS]
    plain = [column for column in next(iter(matrix.values())) if column not in garbage]
    rows = [["", *plain, "garbage"]]
    for function, cells in matrix.items():
        counted = Counter(cells[column].split(":")[0] for column in garbage)
        said = ", ".join(f"{count} {word}" for word, count in counted.most_common())
        rows.append([function.removeprefix("nvmlDevice"), *(cells[c] for c in plain), said])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def main() -> int:
    """Run every cell, print the table, keep it; 1 where a cell is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE")
    parser.add_argument("--no-hang", action="store_true", help="leave out what needs a process")
    options = parser.parse_args()
    matrix = {name: {column: cell(name, column) for column in COLUMNS} for name in functions()}
    if not options.no_hang:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for name, word in zip(matrix, pool.map(hang, matrix), strict=True):
                matrix[name]["hang"] = word
    words = [word for cells in matrix.values() for word in cells.values()]
    totals = Counter(word.split(":")[0] for word in words)
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "functions": len(matrix),
        "cells": len(words),
        "totals": dict(totals.most_common()),
        "matrix": matrix,
    }
    options.json.write_text(json.dumps(result, indent=1) + "\n")
    print(*table(matrix), sep="\n")
    print(f"{len(words)} cells of {len(matrix)} functions:", dict(totals.most_common()))
    for name, cells in matrix.items():
        for column, word in cells.items():
            if word.startswith("WRONG"):
                print(f"{name}, {column}: {word}")
    return 1 if totals["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
