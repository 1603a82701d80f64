"""A session of hours, made of a recorded one: its samples over and over, its run now and then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HZ = 10.0
MOMENTS = ("t", "t0", "begin_s", "end_s")  # of an event, in seconds
PAUSE_S = 1.0  # between a run's first event and what came before it


def make(recorded: Path, path: Path, hours: float, runs: int) -> int:
    """Write the file, in the order of time; returns its number of samples.

    Samples stand on a grid of 0.1 s, their counters go on growing. The runs begin at equal
    distances, each with all that the recorded run wrote but its samples.
    """
    events = [json.loads(line) for line in recorded.read_text().splitlines()]
    samples = [e for e in events if e["kind"] == "sample"]
    told = [e for e in events if e["kind"] == "session"]
    of_run = [e for e in events if e["kind"] not in ("sample", "session")]
    count = round(hours * 3600 * HZ)
    begun = min(e["t"] for e in of_run)
    runs_begin = [hours * 3600 * run / runs + PAUSE_S for run in range(runs)]
    later = [
        _moved(event, begin - begun, run)
        for run, begin in enumerate(runs_begin, 1)
        for event in of_run
    ]
    later.sort(key=lambda event: event["t"])
    grown = {
        name: end - samples[0]["counters"][name] for name, end in samples[-1]["counters"].items()
    }
    due = iter(later)
    event = next(due, None)
    with path.open("w", encoding="utf-8") as file:
        for each in told:
            file.write(_line({**each, "t": 0.0}))
        for i in range(count):
            t = round((i + 1) / HZ, 9)
            while event is not None and event["t"] <= t:
                file.write(_line(event))
                event = next(due, None)
            again, at = divmod(i, len(samples))
            counters = samples[at]["counters"]
            counters = {name: value + again * grown[name] for name, value in counters.items()}
            file.write(_line({**samples[at], "t": t, "counters": counters}))
    return count


def _moved(event: dict[str, Any], by_s: float, run: int) -> dict[str, Any]:
    """An event of a later run: every moment in it as much later."""
    moved = {**event, "run": run}
    moved |= {name: round(event[name] + by_s, 9) for name in MOMENTS if name in event}
    if "clock_t_s" in event:
        moved["clock_t_s"] = [round(t + by_s, 9) for t in event["clock_t_s"]]
    return moved


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, separators=(",", ":")) + "\n"
