"""The part of docs/measurements.md on what the screen costs, and on a day of samples."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kept import load, paragraph, place

LONG = Path(__file__).parent / "results" / "cpu" / "long_session.json"


def screen() -> list[str]:
    """Paints, keys, bytes and CPU beside nvitop's."""
    kept = load("screen")
    stall = kept["stalled"]
    lines = [
        "## What the screen costs",
        "",
        *paragraph(
            f"{place(kept)}. `python benchmarks/screen.py`: in a pseudo-terminal of 24-bit "
            "colours, while a matmul is held and telemetry streams at 10 Hz; nvitop beside the "
            f"same load. Bytes and CPU over {kept['seconds']:.0f} s each. Seconds are from the "
            "start of the process to the last byte, a terminal's own drawing not counted."
        ),
        "| | " + " | ".join("x".join(map(str, z["size"])) for z in kept["sizes"]) + " |",
        "|---|" + "---:|" * len(kept["sizes"]),
    ]

    def line(what: str, values: Sequence[str]) -> None:
        lines.append(f"| {what} | {' | '.join(values)} |")

    sizes = kept["sizes"]
    if all("first_paint_s" in z for z in sizes):
        line("first paint: name and keys, s", [_span(z["first_paint_s"]) for z in sizes])
    line("first paint with panes, s", [_span(z["whole_paint_s"]) for z in sizes])
    line("nvitop's first paint, s", [_span(z["nvitop"]["first_paint_s"]) for z in sizes])
    line("key to paint, median, ms", [_ms(statistics.median(z["key_to_paint_s"])) for z in sizes])
    line("key to paint, 95th percentile, ms", [_ms(_p95(z["key_to_paint_s"])) for z in sizes])
    for name in dict.fromkeys(n for z in sizes for n in z["panes"]):
        line(f"{name}, kB/s and share of a core", [_cost(z["panes"].get(name)) for z in sizes])
    line("nvitop, kB/s and share of a core", [_cost(z["nvitop"]) for z in sizes])
    return [
        *lines,
        "",
        *paragraph(
            f"A terminal that reads nothing for {stall['seconds']:.0f} s: the longest gap between "
            f"two samples was {stall['longest_gap_s'] * 1e3:.0f} ms, between two series of "
            f"launches {stall['longest_series_gap_s'] * 1e3:.1f} ms; {stall['faults']} faults."
        ),
    ]


def long_session() -> list[str]:
    """Eight hours at 10 Hz."""
    kept: dict[str, Any] = json.loads(LONG.read_text())
    slowest = max(d["draw_s"] for d in kept["draws"])
    keys = [k["answered_s"] for k in kept["keys"] if k["answered_s"] is not None]
    return [
        "## A session of eight hours",
        "",
        *paragraph(
            f"{kept['device']} (no GPU), {kept['date']}. `python benchmarks/long_session.py`: "
            f"{kept['hours']:.0f} hours at 10 Hz, {kept['samples']} samples, "
            f"{kept['file_bytes'] / 1e6:.0f} MB. Folded in {kept['fold_s']:.2f} s; the screen "
            f"stands after {kept['painted_s']:.2f} s with at most "
            f"{kept['screen_peak_bytes'] / 1e6:.0f} MB resident. The slowest of the clocks' "
            f"windows is drawn in {slowest * 1e3:.0f} ms; keys that scroll and zoom are answered "
            f"in {_ms(statistics.median(keys))} ms (median), {_ms(max(keys))} ms at most."
        ),
    ]


def _span(values: Sequence[float | None]) -> str:
    known = sorted(v for v in values if v is not None)
    return f"{known[0]:.2f} – {known[-1]:.2f}"


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f}"


def _cost(seen: dict[str, float] | None) -> str:
    return f"{seen['kb_per_s']:.2f}, {seen['core_share']:.1%}" if seen else ""
