"""A program of somebody else's: one matmul over and over, and how many a second it got through.

    python benchmarks/matmul_loop.py [--seconds 5] [--warm 2] [--idle 0]

``--idle S``: after each quarter of the time nothing is launched for S seconds, as a loader that is
late would do. It names its parts for whoever watches.
"""

from __future__ import annotations

import argparse
import json
import os
import time

import torch


def mark(name: str) -> None:
    """A line for whoever watches; this program knows nothing of roofwatch."""
    if path := os.environ.get("ROOFWATCH_MARK"):
        with open(path, "a") as marks:
            marks.write(f"{name}\n")


def main() -> None:
    """Warm up, run, print one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--warm", type=float, default=2.0)
    parser.add_argument("--idle", type=float, default=0.0)
    options = parser.parse_args()
    cuda = torch.cuda.is_available()
    device, dtype = ("cuda", torch.bfloat16) if cuda else ("cpu", torch.float32)
    side, each = (8192, 10) if cuda else (512, 4)
    a, b = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    out = torch.empty_like(a)

    def run(seconds: float) -> tuple[int, float]:
        begin = time.perf_counter()
        done = 0
        while (passed := time.perf_counter() - begin) < seconds:
            for _ in range(each):
                torch.mm(a, b, out=out)
            if cuda:
                torch.cuda.synchronize()
            done += each
        return done, passed

    mark("warm up")
    run(options.warm)
    done, passed = 0, 0.0
    for part in range(4):
        mark(f"part {part + 1}")
        n, s = run(options.seconds / 4)
        done, passed = done + n, passed + s
        if options.idle:
            mark("idle")
            time.sleep(options.idle)
    tflops = 2 * side**3 * done / passed / 1e12
    print(json.dumps({"launches": done, "seconds": passed, "tflops": tflops}))


if __name__ == "__main__":
    main()
