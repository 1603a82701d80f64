"""How well a card's roofs repeat, from several sessions of the full suite.

python benchmarks/repeatability.py [--json FILE] SESSION…
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from roofwatch.session.events import AnyEvent, End, SessionInfo
from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import Session, fold
from roofwatch.session.summary import record

ALIKE_C = 3.0  # start temperatures of held figures that may be compared


class Repeated(NamedTuple):
    """One figure over several runs."""

    what: str
    values: list[float]

    @property
    def spread(self) -> float:
        """Largest distance between runs, as a share of the smallest."""
        return max(self.values) / min(self.values) - 1

    @property
    def said(self) -> str:
        """The figures and their spread; of a single run there is none."""
        values = " ".join(figure(v) for v in self.values)
        return f"{values}   " + (f"spread {self.spread:.2%}" if len(self.values) > 1 else "one run")


def figure(value: float) -> str:
    """Four significant digits, no exponent."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def run_of(path: Path) -> dict[str, Any]:
    """What one session says: roofs, when and how the held figure fell, how warm it began."""
    stream = list(events(path))
    session = fold(stream)
    seen = record(session, None)
    held = {
        s.measurement: {
            "tflops": s.tflops,
            "gbs": s.gbs,
            "begun_c": _begun_c(session, s.measurement),
            "onset_s": s.onset_s,
            "clock_onset_s": s.clock_onset_s,
            "sm_mhz": s.sm_mhz,
            "power_w": s.power_w,
            "tflops_per_w": s.tflops_per_w,
            "settled": [[x.sm_mhz, x.tflops, x.efficiency] for x in s.settled],
        }
        for s in seen.sustained
    }
    return {
        "device": session.device.name,
        "driver": session.software.driver,
        "id": session.id,
        "started_at": session.started_at,
        "suite": session.suite,
        "bandwidth_gbs": seen.roofs.bandwidth_gbs,
        "bandwidth_kernel": seen.roofs.bandwidth_kernel,
        "burst_tflops": {k: c.burst_tflops for k, c in seen.roofs.compute.items()},
        "held": held,
        "l2_bytes_seen": seen.roofs.l2_bytes_seen,
        "suite_s": _suite_s(stream),
        "span_s": _spans_s(session),
    }


def _begun_c(session: Session, probe: str) -> float | None:
    """The card's temperature when a probe began."""
    begin = next((s.t for s in session.spans if s.probe == probe and s.edge == "begin"), None)
    if begin is None:
        return None
    seen = [s.temp_c for s in session.between(begin - 0.5, begin + 0.1) if s.temp_c is not None]
    return seen[-1] if seen else None


def _suite_s(stream: Sequence[AnyEvent]) -> float:
    """From the device opened (torch is imported) to the end."""
    opened = next(e.t for e in stream if isinstance(e, SessionInfo) and e.instrument == "probes")
    return next(e.t for e in stream if isinstance(e, End)) - opened


def _spans_s(session: Session) -> dict[str, float]:
    """How long each probe took."""
    begins = {s.probe: s.t for s in session.spans if s.edge == "begin"}
    return {s.probe: s.t - begins[s.probe] for s in session.spans if s.edge == "end"}


def alike(temps: Sequence[float]) -> list[int]:
    """Indices of the largest set of runs whose start temperatures lie within 3 degrees."""
    sets = [[i for i, t in enumerate(temps) if low <= t <= low + ALIKE_C] for low in temps]
    return max(sets, key=len)


def repeated(runs: Sequence[dict[str, Any]]) -> list[Repeated]:
    """Bandwidth, each burst, and the held figures of runs that began equally warm."""
    rows = [Repeated("bandwidth roof, GB/s", [r["bandwidth_gbs"] for r in runs])]
    for key in runs[0]["burst_tflops"]:
        rows.append(Repeated(f"{key} burst", [r["burst_tflops"][key] for r in runs]))
    for probe in runs[0]["held"]:
        held = [r["held"][probe] for r in runs]
        temps = [h["begun_c"] for h in held]
        known = [t for t in temps if t is not None]
        same = alike(known) if len(known) == len(held) else list(range(len(held)))
        began = ", ".join(f"{t:.0f}" for t in (known[i] for i in same)) if known else "unknown"
        values = [held[i]["tflops"] or held[i]["gbs"] for i in same]
        rows.append(Repeated(f"{probe} (begun at {began} °C)", values))
    return rows


def main() -> None:
    """Print a line a figure; write JSON where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    runs = []
    for path in options.sessions:
        try:
            runs.append(run_of(path))
        except (StopIteration, UnreadableSession) as error:
            sys.exit(f"{path}: not a finished session: {error}")
    if len({(r["device"], r["suite"]) for r in runs}) > 1:
        sys.exit("the sessions are of different cards or suites: they do not repeat each other")
    for row in repeated(runs):
        print(f"{row.what:58} {row.said}")
    if options.json:
        first = runs[0]
        place = {k: first[k] for k in ("device", "driver")}
        place["date"] = (first["started_at"] or "")[:10]
        options.json.write_text(json.dumps({**place, "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
