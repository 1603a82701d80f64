"""A gather of 1,024 ranks: how long rank 0 takes, how much memory, and whether it names the slow.

    python benchmarks/fleet_gather.py [--ranks 1024] [--out FILE]

Records are made from one of a real H200 with noise, eight cards a node; some are slowed down on
purpose, each with a cause in its record or without. They come through the same store as in a real
fleet, from other processes; rank 0's part is the real one, with its file, report and JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from simulated_ranks import CARDS, one, planted, template

from roofwatch.fleet.gather import gather
from roofwatch.fleet.lead import Lead
from roofwatch.fleet.meeting import Meeting
from roofwatch.fleet.world import World
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import encode
from roofwatch.session.fleet.outliers import outliers
from roofwatch.session.fleet.spreads import metrics
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.printed.fleet_rows import fleet_rows

FEEDERS = 4


def world(rank: int, ranks: int, port: int) -> World:
    """A place at the meeting of this benchmark."""
    return World(
        rank=rank,
        size=ranks,
        local_rank=rank % CARDS,
        local_size=CARDS,
        host="here",
        node=rank // CARDS,
        address="127.0.0.1",
        port=port,
        launcher="benchmark",
        agent_store=rank != 0,
    )


def feed(part: int, ranks: int, port: int) -> None:
    """One of the processes that hand records in: they are made before it says so."""
    base = template()
    lines = {rank: encode(one(base, rank, ranks)) for rank in range(part, ranks, FEEDERS)}
    ends = {part or ranks: Meeting(world(part or ranks, ranks + 1, port))}
    meeting = next(iter(ends.values()))
    meeting.count("made", 1)
    while not meeting.said("begin"):
        time.sleep(0.01)
    for rank, line in lines.items():
        meeting._rank = rank  # one connection stands for many ranks
        meeting.hand_in(line)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--feed", type=int, nargs=2, metavar=("PART", "PORT"))
    options = parser.parse_args()
    if options.feed:
        feed(options.feed[0], options.ranks, options.feed[1])
        return 0
    ranks = options.ranks
    meeting = Meeting(world(0, ranks + 1, 0), "benchmark")  # the feeders' numbers go to ranks
    told = [sys.executable, __file__, "--ranks", str(ranks), "--feed"]
    feeders = [
        subprocess.Popen([*told, str(part), str(meeting.port)], env=os.environ)
        for part in range(FEEDERS)
    ]
    while meeting.count("made") < FEEDERS:
        meeting.beat("ranks are made")  # ranks join a fleet whose rank 0 lives
        time.sleep(0.05)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    meeting.say("begin", "yes")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        lead = Lead(Path(folder) / "fleet.jsonl", keep_records=True)
        lead.begin(ranks, "quick", "cuda", "benchmark", "")
        gather(meeting, ranks, lead.rank, 60.0, 60.0, lambda: None)
        gathered = time.perf_counter()
        rows = fleet_rows(lead.fleet, 80, UNICODE)
        found = outliers(lead.fleet, metrics(lead.fleet))
        reported = time.perf_counter()
        json_bytes = sum(len(piece) for piece in fleet_json(lead.fleet, lead.lines()))
        lead.end(None, True, "")
        file_bytes = lead.file.size_bytes
    over = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for feeder in feeders:
        feeder.wait()
    slow = planted(ranks)
    named = {o.rank for o in found}
    out = {
        "ranks": ranks,
        "gather_s": round(gathered - began, 2),
        "report_s": round(reported - gathered, 2),
        "json_s": round(over - reported, 2),
        "total_s": round(over - began, 2),
        "peak_rss_mib": peak // 1024,
        "rss_before_mib": before // 1024,
        "file_mib": round(file_bytes / 2**20, 1),
        "json_mib": round(json_bytes / 2**20, 1),
        "report_rows": len(rows),
        "planted": len(slow),
        "planted_named": len(named & slow.keys()),
        "named_beside": sorted(named - slow.keys()),
        "reasons": {
            f"{slow[rank][1]}, {slow[rank][0]:.0%}": sorted(
                {o.reason.code for o in found if o.rank == rank}
            )
            for rank in slow
        },
    }
    print(json.dumps(out, indent=1))
    if options.out:
        options.out.write_text(json.dumps(out, indent=1) + "\n")
    return 0 if named == set(slow) and over - began < 10 else 1


if __name__ == "__main__":
    sys.exit(main())
