"""Damaged input for every reader: each case ends in an answer or in a refusal of one line.

python benchmarks/fuzz.py [--count 100000] [--seed 1] [--reader session] [--json FILE]
python benchmarks/fuzz.py --repeat KEPT_CASE

A case that ends in anything else is kept as a file, which --repeat runs again.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from fuzz_commands import lay_out
from fuzz_readers import READERS

HANG_S = 5.0  # of the processor
WAITS = 6  # times as long by the clock, for a case that works nothing or a machine that is busy
CLOCKS = ((signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, WAITS))
MEMORY = "/dev/shm"
KEPT = Path(tempfile.gettempdir()) / "roofwatch-fuzz"


class Hang(BaseException):
    """A case took longer than any may."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise Hang


@contextlib.contextmanager
def _own_folder() -> Iterator[Path]:
    """A folder of our own to stand in, and none of the user's files in sight."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None  # a disk takes longer than a reader
    with tempfile.TemporaryDirectory(prefix="roofwatch-", dir=memory) as top:
        folder = Path(top, "a", "b", "c")  # a damaged ../ stays in it
        folder.mkdir(parents=True)
        lay_out(folder)
        before, environ = Path.cwd(), dict(os.environ)
        os.chdir(folder)
        os.environ |= {"XDG_CONFIG_HOME": f"{folder}/home", "XDG_DATA_HOME": f"{folder}/data"}
        os.environ.pop("PYTHONWARNINGS", None)
        rings = [(number, signal.signal(number, _ring)) for number, _, _ in CLOCKS]
        try:
            yield folder
        finally:
            _limit(0)
            for number, ring in rings:
                signal.signal(number, ring)
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environ)


def _limit(seconds: float) -> None:
    for _, timer, times in CLOCKS:
        signal.setitimer(timer, seconds * times)


def chance(name: str, seed: int, number: int) -> random.Random:
    """What decides about one case: the same whichever ran before it."""
    return random.Random(f"{name} {seed} {number}")


def tried(name: str, data: bytes, folder: Path, rng: random.Random, share: float | None) -> str:
    """How one case ends: refused, answered, tracebacks or hangs; why stands on stderr."""
    reader = READERS[name]
    entire = rng.random() < (reader.whole_share if share is None else share)
    _limit(HANG_S)
    try:
        refused = reader.run(data, folder, rng, entire)
    except Hang:
        traceback.print_exc()
        return "hangs"
    except Exception:
        traceback.print_exc()
        return "tracebacks"
    finally:
        _limit(0)
    if entire:
        return "refused whole" if refused else "answered whole"
    return "refused" if refused else "answered"


def fuzz(
    name: str, count: int, seed: int, keep: Path, share: float | None = None
) -> dict[str, Any]:
    """So many cases of one reader, counted by how they ended; ``share`` of them go all the way."""
    ends = Counter[str]()
    longest_s, begin = 0.0, time.perf_counter()
    with _own_folder() as folder:
        for number in range(count):
            rng = chance(name, seed, number)
            data = READERS[name].make(rng)
            before = time.perf_counter()
            end = tried(name, data, folder, rng, share)
            longest_s = max(longest_s, time.perf_counter() - before)
            ends[end] += 1
            if end in ("hangs", "tracebacks"):
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{name}-{seed}-{number}").write_bytes(data)
                print(f"{end}: kept as {keep / f'{name}-{seed}-{number}'}", file=sys.stderr)
    return {
        "count": count,
        "seed": seed,
        "refused": ends["refused"] + ends["refused whole"],
        "answered": ends["answered"] + ends["answered whole"],
        "through_everything": ends["answered whole"],
        "tracebacks": ends["tracebacks"],
        "hangs": ends["hangs"],
        "longest_s": round(longest_s, 3),
        "took_s": round(time.perf_counter() - begin, 1),
    }


def repeat(case: Path) -> str:
    """Run a kept case again, by what its name says."""
    name, seed, number = case.name.rsplit("-", 2)
    rng = chance(name, int(seed), int(number))
    data, made = case.read_bytes(), READERS[name].make(rng)
    if data != made:
        print("the mutations are others by now: what is made of the case may be too")
    with _own_folder() as folder:
        return tried(name, data, folder, rng, 1.0)


def main() -> None:
    """Print what came of each reader's cases; keep it with --json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=100_000, help="cases of each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", choices=READERS, action="append", help="this one alone")
    parser.add_argument("--whole", type=float, metavar="SHARE", help="of the cases: all the way")
    parser.add_argument("--json", type=Path, help="keep the counts there")
    parser.add_argument("--keep", type=Path, default=KEPT, help="where failing cases are kept")
    parser.add_argument("--repeat", type=Path, metavar="CASE", help="run a kept case again")
    options = parser.parse_args()
    if options.repeat:
        print(repeat(options.repeat.resolve()))
        return
    keep, out = options.keep.resolve(), options.json and options.json.resolve()
    failed = 0
    for name in options.reader or READERS:
        found = fuzz(name, options.count, options.seed, keep, options.whole)
        print(name, json.dumps(found), flush=True)
        failed += found["tracebacks"] + found["hangs"]
        if out:
            _keep(out, name, found)
    sys.exit(1 if failed else 0)


def _keep(file: Path, name: str, found: dict[str, Any]) -> None:
    """Put one reader's counts in the place of its older ones."""
    kept: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"readers": {}}
    date, python = datetime.date.today().isoformat(), sys.version.split()[0]
    command = f"python benchmarks/fuzz.py --count {found['count']} --seed {found['seed']}"
    told = {"date": date, "python": python, "command": f"{command} --reader {name}"}
    kept["readers"][name] = {**found, **told}
    file.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
