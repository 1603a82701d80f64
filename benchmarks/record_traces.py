"""Profiler traces of programs whose bound is known, with the profiler's own table beside each.

python benchmarks/record_traces.py FOLDER [--device cpu]

Writes NAME.json.gz (the Chrome trace) and NAME.table.json (seconds and launches of each kernel, by
torch's key_averages) for a compute-bound, a memory-bound and an overhead-bound program, and for a
transformer's layer, eager and as a CUDA graph.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

Step = Callable[[], object]


def compute(device: str) -> tuple[Step, int]:
    """Square products far right of the ridge."""
    side, dtype = (8192, torch.bfloat16) if device == "cuda" else (512, torch.float32)
    a, b = (torch.randn(side, side, device=device, dtype=dtype) for _ in range(2))
    return lambda: a @ b, 30


def memory(device: str) -> tuple[Step, int]:
    """Element by element over tensors that no cache holds."""
    count = 1 << (28 if device == "cuda" else 22)
    dtype = torch.float16 if device == "cuda" else torch.float32
    a, b = (torch.randn(count, device=device, dtype=dtype) for _ in range(2))

    def step() -> None:
        c = a + b
        d = torch.nn.functional.gelu(c)
        torch.softmax(d.view(-1, 4096), dim=-1)

    return step, 10


def overhead(device: str) -> tuple[Step, int]:
    """Small work, launched one by one."""
    x = torch.randn(64, 64, device=device)

    def step() -> None:
        y = x
        for _ in range(8):
            y = torch.relu(y @ x) + 1.0

    return step, 30


def layer(device: str) -> Step:
    """One layer of a small decoder, a step of eight sequences."""
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    width, heads, context = (4096, 32, 2048) if device == "cuda" else (256, 4, 64)
    body = torch.nn.Linear(width, 4 * width, bias=True, device=device, dtype=dtype)
    back = torch.nn.Linear(4 * width, width, bias=True, device=device, dtype=dtype)
    norm = torch.nn.LayerNorm(width, device=device, dtype=dtype)
    x = torch.randn(8, 1, width, device=device, dtype=dtype)
    each = (8, heads, context, width // heads)
    k, v = (torch.randn(each, device=device, dtype=dtype) for _ in range(2))

    def step() -> torch.Tensor:
        q = norm(x).view(8, heads, 1, width // heads)
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        y = x + attended.reshape(8, 1, width)
        return y + back(torch.nn.functional.gelu(body(norm(y))))

    return step


def graphed(step: Step) -> Step:
    """The same as one CUDA graph."""
    for _ in range(3):
        step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def record(folder: Path, name: str, device: str, step: Step, times: int) -> None:
    """Warm up, record, write both files."""
    synchronize = torch.cuda.synchronize if device == "cuda" else bool
    for _ in range(3):
        step()
    synchronize()
    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities, record_shapes=True) as seen:
        for _ in range(times):
            step()
        synchronize()
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "trace.json"
        seen.export_chrome_trace(str(plain))
        with gzip.GzipFile(folder / f"{name}.json.gz", "wb", mtime=0) as out:
            out.write(plain.read_bytes())
    on_device = torch.autograd.DeviceType.CUDA
    rows = [e for e in seen.key_averages() if device == "cpu" or e.device_type == on_device]
    table = [
        {
            "name": each.key,
            "count": each.count,
            "time_s": getattr(each, f"self_{'cpu' if device == 'cpu' else 'device'}_time_total")
            / 1e6,
        }
        for each in rows
    ]
    told = {"torch": torch.__version__, "cuda": torch.version.cuda, "kernels": table}
    if device == "cuda":
        told["card"] = torch.cuda.get_device_name()
    (folder / f"{name}.table.json").write_text(json.dumps(told, indent=1) + "\n")
    print(f"{name}: {sum(each['time_s'] for each in table):.6f} s on the device")


def main() -> None:
    """Record all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="cuda", choices=("cpu", "cuda"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with torch.inference_mode():
        for program in (compute, memory, overhead):
            record(options.folder, program.__name__, options.device, *program(options.device))
        record(options.folder, "layer", options.device, layer(options.device), 10)
        if options.device == "cuda":
            graph = graphed(layer(options.device))
            record(options.folder, "layer-graph", options.device, graph, 10)


if __name__ == "__main__":
    main()
