"""Whether the screen, or polling alone, disturbs what is measured: a probe with and without them.

    python benchmarks/perturbation.py [--what screen] [--pairs 20] [--json FILE]

One probe process measures all pairs. Beside it runs the screen (80x24, telemetry at 10 Hz, no
probes of its own), or with ``--what polling`` the telemetry instrument alone at 10 Hz. It is
stopped and continued by signal, so that pairs interleave quickly; which half comes first
alternates. Printed is the mean ratio of medians with its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

STUDENT_95 = {5: 2.776, 10: 2.262, 20: 2.093, 40: 2.023}  # two-sided, n - 1 degrees of freedom
SHAPE = (6144, 5632, 8192)


def probe() -> None:
    """The bare probe: answers ``matmul`` and ``add`` with a median in seconds."""
    import torch

    from roofwatch.probes import device, operands, streams
    from roofwatch.probes.shapes import Shape
    from roofwatch.probes.timing import burst, steady
    from roofwatch.roofline.probe_spec import matmul_spec

    target = device.pick("auto")
    small = target.kind == "cpu"
    spec = matmul_spec("fp32" if small else "bf16")
    shape = Shape(1024, 1024, 1024) if small else Shape(*SHAPE)
    with torch.inference_mode():
        matmul = operands.prepare(spec, shape, "nn", target.torch_device)
        size, _ = streams.tensor_bytes(target, "add_scalar")
        dtype = "fp32" if small else "fp16"
        _, add = streams.prepare(target, "add_scalar", dtype, min(size, 2 << 30))
        timer = target.timer()
        steady(timer, add)
        for line in sys.stdin:
            if line.strip() == "matmul":
                times = burst(timer, [matmul])[0].times_s
            else:
                times = steady(timer, add, warm_s=0.1, warm_cap_s=0.3, cap_s=0.3).times_s
            print(json.dumps(statistics.median(times)), flush=True)


def screen() -> None:
    """The screen with telemetry alone."""
    from roofwatch.session.asked import Options
    from roofwatch.session.cards import load_cards
    from roofwatch.session.live import Live
    from roofwatch.tui.drawing.glyphs import UNICODE
    from roofwatch.tui.screen.app import run

    live = Live(Options(probes=False), load_cards)
    live.start()
    try:
        run(live, UNICODE)
    finally:
        live.close()


def beside(what: str, me: list[str]) -> tuple[Callable[[], object], int]:
    """Start what runs beside the probe: how to end it, and its process id."""
    if what == "polling":
        command = [sys.executable, "-m", "roofwatch.telemetry"]
        polling = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(1.0)

        def end() -> None:
            polling.terminate()
            polling.wait()

        return end, polling.pid
    from terminal import Terminal

    terminal = Terminal([*me, "screen"])
    terminal.when(lambda text: "MHz" in text, 20)
    return terminal.close, terminal.process.pid


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Geometric mean of the ratios and its 95 % interval."""
    logs = [math.log(r) for r in ratios]
    middle = statistics.mean(logs)
    reach = STUDENT_95.get(len(logs), 2.1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - reach), math.exp(middle + reach)


def main() -> None:
    """Interleave, print, write JSON where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--what", choices=["screen", "polling"], default="screen")
    parser.add_argument("--role", choices=["probe", "screen"])
    options = parser.parse_args()
    if options.role:
        return probe() if options.role == "probe" else screen()

    import psutil

    me = [sys.executable, __file__, "--role"]
    end, pid = beside(options.what, me)
    bare = subprocess.Popen(
        [*me, "probe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    family = [pid, *(c.pid for c in psutil.Process(pid).children(recursive=True))]

    def ask(what: str, on: bool) -> float:
        for pid in family:
            os.kill(pid, signal.SIGCONT if on else signal.SIGSTOP)
        time.sleep(0.05)
        assert bare.stdin is not None
        assert bare.stdout is not None
        bare.stdin.write(what + "\n")
        bare.stdin.flush()
        return float(json.loads(bare.stdout.readline()))

    result: dict[str, object] = {"what": options.what, "pairs": options.pairs}
    for what in ("matmul", "add"):
        ask(what, True)
        ratios = []
        for i in range(options.pairs):
            order = (True, False) if i % 2 else (False, True)
            seen = {on: ask(what, on) for on in order}
            ratios.append(seen[True] / seen[False])
        middle, low, high = interval(ratios)
        print(f"{what:8} {options.what} on / bare: {middle:.5f}   95 % {low:.5f} to {high:.5f}")
        result[what] = {"ratio": middle, "low": low, "high": high, "ratios": ratios}
    ask("add", True)
    bare.stdin.close()  # type: ignore[union-attr]
    bare.wait()
    end()
    if options.json:
        from where import where

        options.json.write_text(json.dumps({**where(), **result}, indent=1))
    return None


if __name__ == "__main__":
    main()
