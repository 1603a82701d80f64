"""How fast a large trace is read: ``python benchmarks/trace_speed.py [--megabytes 200]``.

Writes a training step's trace as torch's profiler would (operators with shapes, launches, kernels,
flows, Python frames between them) again and again until it is so large, plain and gzipped, and
times ``roofwatch trace FILE --json`` on each in a process of its own: seconds, MB/s, peak memory.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROPERTIES = {
    "id": 0,
    "name": "NVIDIA H200",
    "totalGlobalMem": 150109880320,
    "computeMajor": 9,
    "computeMinor": 0,
    "numSms": 132,
}
BF16 = "c10::BFloat16"
VECTORIZED = "void at::native::vectorized_elementwise_kernel<8, {0}, std::array<char*, 3ul> >"
LAYER = (
    ("aten::native_layer_norm", [[4096, 4096], [], [4096], [4096], []], "layer_norm_kernel", 25.0),
    (
        "aten::addmm",
        [[16384], [4096, 4096], [4096, 16384], [], []],
        "nvjet_sm90_tst_128x256",
        690.0,
    ),
    ("aten::gelu", [[4096, 16384], []], VECTORIZED.format("GeluCUDAKernelImpl"), 62.0),
    (
        "aten::addmm",
        [[4096], [4096, 16384], [16384, 4096], [], []],
        "nvjet_sm90_tst_256x128",
        700.0,
    ),
    ("aten::add", [[4096, 4096], [4096, 4096], []], VECTORIZED.format("CUDAFunctor_add"), 24.0),
)
"""An operator, its shapes, its kernel and that one's microseconds."""


def events() -> Iterator[str]:
    """Events without end, as kineto prints them."""
    number, host_us, device_us = 1, 5179692020179.0, 5179692020500.0
    while True:
        for name, dims, kernel, length in LAYER:
            types = [BF16 if shape else "Scalar" for shape in dims]
            told = {
                "External id": number,
                "Record function id": 0,
                "Concrete Inputs": ["" if shape else "1" for shape in dims],
                "Input type": types,
                "Input Strides": [[shape[-1], 1][-len(shape) :] if shape else [] for shape in dims],
                "Input Dims": dims,
                "Ev Idx": number - 1,
            }
            yield _event("cpu_op", name, host_us, 14.318, 5384, 5384, told)
            frame = {"Python id": number, "Python parent id": number - 1, "Python module id": 7}
            yield _event(
                "python_function", f"nn.py({number % 900}): forward", host_us, 30.5, 1, 1, frame
            )
            launch = {"External id": number, "cbid": 211, "correlation": number}
            yield _event("cuda_runtime", "cudaLaunchKernel", host_us + 4, 5.011, 5384, 5384, launch)
            at = {"External id": number, "queued": 0, "device": 0, "context": 1, "stream": 7}
            more = {"correlation": number, "registers per thread": 168, "shared memory": 188636}
            more |= {"blocks per SM": 1.0, "warps per SM": 12.0, "grid": [2, 66, 1]}
            more |= {"block": [384, 1, 1], "est. achieved occupancy %": 0}
            yield _event("kernel", kernel, device_us, length, 0, 7, at | more)
            flow = f'"id": {number}, "pid": 0, "tid": 7, "ts": {device_us:.3f}'
            yield f'{{\n    "ph": "f", {flow}, "cat": "ac2g", "name": "ac2g", "bp": "e"\n  }}'
            number, host_us, device_us = number + 1, host_us + 17.25, device_us + length + 0.9


def _event(
    category: str, name: str, ts: float, dur: float, pid: int, tid: int, args: dict[str, object]
) -> str:
    head = f'"ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid}'
    times = f'"ts": {ts:.3f}, "dur": {dur:.3f}'
    told = json.dumps(args)[1:-1]
    return f'{{\n    {head},\n    {times},\n    "args": {{\n      {told}\n    }}\n  }}'


def write(path: Path, megabytes: float) -> int:
    """A trace of that size; how many events it holds."""
    count, size = 0, 0
    with path.open("w") as out:
        out.write(f'{{\n  "schemaVersion": 1,\n  "deviceProperties": [{json.dumps(PROPERTIES)}],\n')
        out.write('  "traceEvents": [\n  ')
        for text in events():
            out.write(text if not count else f",\n  {text}")
            count, size = count + 1, size + len(text) + 4
            if size >= megabytes * 1e6:
                break
        out.write("\n  ]\n}\n")
    return count


def timed(path: Path) -> tuple[float, float]:
    """Seconds and peak memory (MB) of the verb on one file."""
    before = time.perf_counter()
    command = [sys.executable, "-m", "roofwatch", "trace", str(path), "--json"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - before
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"it ended with {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def main() -> None:
    """Write, time, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=200.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "trace.json"
        count = write(plain, options.megabytes)
        packed = Path(folder) / "trace.json.gz"
        with gzip.open(packed, "wb", 5) as out:
            out.write(plain.read_bytes())
        size = plain.stat().st_size / 1e6
        print(f"{size:.0f} MB, {count} events, {packed.stat().st_size / 1e6:.0f} MB gzipped")
        for path in (plain, packed):
            seconds, peak = timed(path)
            rate = f"{size / seconds:5.0f} MB/s"
            print(f"{path.suffix[1:]:<5} {seconds:5.2f} s  {rate}  {peak:6.0f} MB peak")


if __name__ == "__main__":
    main()
