"""Formula bytes and FLOP against hardware counters (Nsight Compute) and torch's FLOP counter.

    python benchmarks/dram_counters.py [--ncu ncu] [--json FILE] [--output FILE]

Each launch is counted as one range of several launches after a warm-up; ncu must be installed and
allowed to read counters. What the cache still holds dirty at a range's end is not counted: with
tensors of 2 GiB that is under 1 %. Of the kernel map's kernels (but the short ones, which live in
the cache) the instructions are counted too, beside what roofline/arithmetic_time.py says of them;
torch counts the FLOP of products alone, a causal attention without its mask (twice ours), and no
attention whose query heads share keys.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

METRICS = ("dram__bytes_read.sum", "dram__bytes_write.sum")
INSTRUCTIONS = ("smsp__inst_executed.sum", "smsp__inst_executed_pipe_xu.sum")
LANES = 32  # threads of a warp, for which the counters count one
LAUNCHES = 4
STREAMS = (
    ("add_scalar", "fp16"),
    ("add_scalar", "fp32"),
    ("copy", "fp16"),
    ("triad", "fp16"),
    ("read", "fp32"),
    ("fill", "fp32"),
    ("strided", "fp16"),
)
MODEL = "Llama-3-8B"
STEPS = ((1, 2048), (32, 2048))  # batch and context of a decode step
MATMULS = ((4096, 4096, 4096), (8192, 8192, 8192), (6144, 5632, 8192))


def launches() -> None:
    """The child that ncu watches: one profiler range an entry, its formula bytes on stdout."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from roofwatch.probes import map_kernels, matmul, operands, streams
    from roofwatch.probes.device import pick
    from roofwatch.probes.shapes import Shape
    from roofwatch.probes.timing import Launch
    from roofwatch.probes.transformer import FORMS, Cache, Step, Weights
    from roofwatch.roofline import decode_work
    from roofwatch.roofline.probe_spec import matmul_spec
    from roofwatch.roofline.workload import Work
    from roofwatch.session.models import packaged_models

    target = pick("cuda:0")

    def count(name: str, work: Work, launch: Launch, **more: float) -> None:
        for _ in range(LAUNCHES):
            launch()
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        for _ in range(LAUNCHES):
            launch()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
        told = {"name": name, "op": work.op, "shape": work.shape, "bytes": work.bytes, **more}
        print("FORMULA", json.dumps(told), flush=True)

    with torch.inference_mode():
        for op, dtype in STREAMS:
            size, _ = streams.tensor_bytes(target, op)
            work, launch = streams.prepare(target, op, dtype, size)
            count(f"{op} {dtype}", work, launch)
            del launch
            target.clean_up()
        spec = matmul_spec("bf16")
        for m, n, k in MATMULS:
            shape = Shape(m, n, k)
            launch = operands.prepare(spec, shape, "nn", target.torch_device)
            count(f"matmul bf16 {m}x{n}x{k}", matmul.work(spec, shape), launch)
            del launch
            target.clean_up()
        decoder = next(m for m in packaged_models() if m.name == MODEL)
        weights = Weights(decoder, decoder.layers, torch.bfloat16, target.torch_device)
        cache = Cache(weights, max(batch * context for batch, context in STEPS))
        for batch, context in STEPS:
            step = Step(weights, cache, batch, context, FORMS[-1], "bf16")
            work = decode_work.step(decoder, decoder.layers, batch, context, "bf16")
            count(f"decode {MODEL}, batch {batch} at {context}", work, step.run)
        del weights, cache, step
        target.clean_up()
        sizes = map_kernels.sizes_for(target)
        for kernel in map_kernels.kernels_of(target, "bf16", sizes):
            if kernel.timing == map_kernels.SHORT:
                continue
            more = {"flop": kernel.work.flop}
            try:
                with FlopCounterMode(display=False) as counter:
                    kernel.launch()
                more["torch_flop"] = float(counter.get_total_flops())
            except AssertionError:  # it knows no attention whose query heads share keys
                pass
            count(f"{kernel.work.op} bf16", kernel.work, kernel.launch, **more)
            del kernel
            target.clean_up()


def parse(text: str) -> list[dict[str, float]]:
    """Bytes read and written of each range, in order, from ncu's CSV."""
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    ranges: dict[str, dict[str, float]] = {}
    for row in rows:
        value = float(row["Metric Value"].replace(",", ""))
        units = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "inst": 1}
        scale = units[row["Metric Unit"]]
        ranges.setdefault(row["ID"], {})[row["Metric Name"]] = value * scale
    return list(ranges.values())


def instructions(entry: dict[str, Any], seen: dict[str, float]) -> dict[str, float]:
    """Instructions an element as counted, and by the table where it has the op."""
    from roofwatch.roofline.arithmetic_time import ELEMENT

    shape = entry["shape"]
    elements = shape.get("elements") or shape.get("rows", 0) * shape.get("columns", 0)
    if not elements or "flop" not in entry:
        return {}
    told = [seen.get(name, 0.0) * LANES / LAUNCHES / elements for name in INSTRUCTIONS]
    row = {"instructions": told[0], "special": told[1]}
    if (cost := ELEMENT.get(entry["op"])) is not None:
        row["table_instructions"] = cost.instructions
        row["table_special"] = cost.special
    return row


def beside(row: dict[str, Any]) -> str:
    """What else was counted, for the line of an op."""
    said = ""
    if row.get("torch_flop"):
        said += f"  FLOP torch / ours {row['torch_flop'] / row['flop']:.3f}"
    if "instructions" in row:
        said += f"  instructions {row['instructions']:.1f}, special {row['special']:.2f}"
    if "table_instructions" in row:
        said += f" (table {row['table_instructions']:.1f}, {row['table_special']:.0f})"
    return said


def main() -> None:
    """Print a line an op; write JSON and ncu's own output where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--output", type=Path, help="keep what ncu printed")
    parser.add_argument("--role", choices=["launches"])
    options = parser.parse_args()
    if options.role:
        return launches()
    command = [options.ncu, "--replay-mode", "app-range", "--print-units", "base", "--csv"]
    metrics = ",".join((*METRICS, *INSTRUCTIONS))
    command += ["--metrics", metrics, sys.executable, __file__, "--role", "launches"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"{options.ncu} is not installed: it is part of Nsight Compute (--ncu names it)")
    if options.output:
        options.output.write_text(done.stdout + done.stderr)
    said = [line for line in done.stdout.splitlines() if line.startswith("FORMULA ")]
    formula = list({line: json.loads(line.partition(" ")[2]) for line in said}.values())
    counted = parse(done.stdout)
    if done.returncode or not counted or len(counted) != len(formula):
        told = (done.stdout + done.stderr)[-2000:]
        sys.exit(f"ncu counted {len(counted)} of {len(formula)} ranges:\n{told}")
    rows = []
    for entry, seen in zip(formula, counted, strict=True):
        read, written = (seen[m] / LAUNCHES for m in METRICS)
        ratio = (read + written) / entry["bytes"]
        row = {**entry, "read_bytes": read, "written_bytes": written, "ratio": ratio}
        row |= instructions(entry, seen)
        rows.append(row)
        print(
            f"{entry['name']:28} formula {entry['bytes'] / 1e9:7.3f} GB  counted "
            f"{read / 1e9:7.3f} read {written / 1e9:7.3f} written  {ratio:7.1%}{beside(row)}"
        )
    if options.json:
        from where import where

        options.json.write_text(
            json.dumps({**where(), "launches": LAUNCHES, "ops": rows}, indent=1)
        )
    return None


if __name__ == "__main__":
    main()
