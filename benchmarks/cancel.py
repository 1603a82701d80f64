"""How soon each probe of the full suite ends when it is asked to stop.

    python benchmarks/cancel.py [--device auto] [--json FILE]

Every probe is begun in this process and asked to stop a moment later, at three moments each. Told
is the time from the asking to the end of the run, less the fixed wait for a last telemetry sample.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from pathlib import Path

import torch
from where import where

from roofwatch.probes.device import pick
from roofwatch.probes.worker import LAST_SAMPLE_S, Worker
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.suite import FULL, suite
from roofwatch.session.events import AnyEvent, Span
from roofwatch.session.instrument import Instrument

MOMENTS_S = (0.05, 0.3, 0.8)


class Stopping(Instrument):
    """Asks to stop a moment after one probe began."""

    def __init__(self, probe: str, after_s: float, stop: threading.Event) -> None:
        super().__init__("probes", os.open(os.devnull, os.O_WRONLY), None)
        self._probe_key, self._after_s, self._stop = probe, after_s, stop
        self.asked_at: float | None = None

    def write(self, event: AnyEvent) -> None:
        """Write nowhere; listen for the probe's beginning."""
        begins = isinstance(event, Span) and event.edge == "begin"
        if begins and event.probe == self._probe_key:
            threading.Timer(self._after_s, self._ask).start()

    def _ask(self) -> None:
        self.asked_at = time.monotonic()
        self._stop.set()


def stopped(specs: list[ProbeSpec], after_s: float, device: str) -> float | None:
    """Seconds until the last of ``specs`` ended; None when it was over before."""
    stop = threading.Event()
    out = Stopping(specs[-1].key, after_s, stop)
    Worker(out, pick(device, stop.is_set), 1, stop).run(specs)
    ended = time.monotonic()
    over = out.asked_at is None or ended - LAST_SAMPLE_S < out.asked_at
    return None if over or out.asked_at is None else ended - LAST_SAMPLE_S - out.asked_at


def main() -> None:
    """Print a line a probe; write JSON where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    target = pick(options.device)
    probes = suite(FULL, target.kind, target.identity().compute_capability)
    bursts = {p.peak_key: p for p in probes if p.protocol == "burst"}
    found: dict[str, list[float | None]] = {}
    with torch.inference_mode():
        for spec in probes:
            first = bursts.get(spec.peak_key) if spec.protocol != "burst" else None
            specs = [first, spec] if first and spec.peak_key else [spec]
            found[spec.key] = [stopped(specs, after, options.device) for after in MOMENTS_S]
            said = ("  over" if s is None else f"{s:6.2f}" for s in found[spec.key])
            print(f"{spec.key:28}", *said, flush=True)
    longest = max(s for seconds in found.values() for s in seconds if s is not None)
    print(f"longest {longest:.2f} s")
    if options.json:
        result = {**where(), "moments_s": MOMENTS_S, "seconds": found, "longest_s": longest}
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
