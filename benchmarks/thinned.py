"""Copies a session with one of so many telemetry samples, so that it may be kept in the tree.

python benchmarks/thinned.py SESSION.jsonl tests/sessions/NAME.jsonl --every 10

Every other line is copied as it stands: what was measured, expected, noted and found is untouched.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

SAMPLE = b'{"kind":"sample"'


def thinned(lines: Iterable[bytes], every: int) -> Iterator[bytes]:
    """The lines without those samples that are not the first of ``every``."""
    seen = 0
    for line in lines:
        if line.startswith(SAMPLE):
            seen += 1
            if (seen - 1) % every:
                continue
        yield line


def main() -> None:
    """Copy one file; a file that is there is never written over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--every", type=int, default=10, metavar="N")
    options = parser.parse_args()
    lines = options.source.read_bytes().splitlines(keepends=True)
    with options.target.open("xb") as file:
        file.writelines(thinned(lines, options.every))


if __name__ == "__main__":
    main()
