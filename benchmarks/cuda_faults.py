"""What a GPU does to the probes, and others to the GPU: what comes of it, and of the memory.

    python benchmarks/cuda_faults.py [--case NAME] [--json FILE]

assert: a kernel of one stream reads out of bounds, so its context is gone (device-side assert).
kill: SIGKILL of the probes in the middle of a matmul. hang: SIGSTOP there, and the parent waits
three seconds instead of thirty. parent: SIGKILL of roofwatch itself there, then --resume. hog:
another process takes all but the last 5 % again and again, while the probes run. full: another
process holds all but 9 GiB from before the session to its end. Memory is that of the whole card,
by NVML; it is back when it is where it was before the session.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from where import where

from roofwatch.session import child, stuck
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.exit_code import exit_code
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.interpreter import start_of
from roofwatch.session.live import Live
from roofwatch.session.table import probe_rows

BACK_S = 2.0
NEAR_BYTES = 16 << 20  # of where it was
LEFT_BYTES = {"hog": 7 << 30, "full": 9 << 30}  # that another process leaves
PATIENCE_S = 150.0


def card() -> tuple[Any, Any]:
    """NVML and the first card."""
    import pynvml

    pynvml.nvmlInit()
    return pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)


def used_bytes() -> int:
    """Memory in use on the whole card."""
    nvml, handle = card()
    return int(nvml.nvmlDeviceGetMemoryInfo(handle).used)


def back_in_s(level_bytes: int) -> float | None:
    """Seconds until the card's memory is where it was; None when it took too long."""
    begin_s = time.monotonic()
    while used_bytes() > level_bytes + NEAR_BYTES:
        if time.monotonic() - begin_s > 10:
            return None
        time.sleep(0.005)
    return round(time.monotonic() - begin_s, 3)


def broken(argv: list[str]) -> None:
    """The probe instrument, with one stream whose kernel reads out of bounds."""
    import torch

    from roofwatch.probes import streams

    real = streams.prepare

    def prepare(target: Any, op: str, dtype: str, size_bytes: int) -> Any:
        work, launch = real(target, op, dtype, size_bytes)
        if (op, dtype) != ("add_scalar", "fp32"):
            return work, launch
        table = torch.zeros(8, device=target.torch_device)
        beyond = torch.full((1024,), 1 << 20, device=target.torch_device)
        return work, lambda: table[beyond]

    streams.prepare = prepare
    sys.argv = ["roofwatch.probes", *argv]
    runpy.run_module("roofwatch.probes", run_name="__main__", alter_sys=True)


def follow(live: Live, until: Callable[[], bool]) -> None:
    """Poll until something has happened, or too long has passed."""
    end_s = time.monotonic() + PATIENCE_S
    while not until():
        if time.monotonic() > end_s:
            raise TimeoutError("nothing happened")
        live.poll()
        if live.waiting:
            live.go()
        time.sleep(0.01)


def in_a_matmul(live: Live) -> bool:
    """A matmul is being measured, and has been for a moment."""
    running = live.session.running()
    if running is None or not running.startswith("matmul"):
        return False
    return live.session.duration_s - live.session.spans[-1].t > 0.5


def seen(session: Session, code: int | None = None) -> dict[str, Any]:
    """What a session says of itself."""
    states: dict[str, list[str]] = {}
    for row in probe_rows(session, []):
        states.setdefault(row.state, []).append(row.probe)
    total = session.device.memory_bytes or 1
    used = session.samples.readable("mem_used_bytes")
    return {
        "faults": [[f.what, f.probe, f.exit_code] for f in session.faults],
        "notes": [n.text for n in session.notes if "started again" in n.text or "memory" in n.text],
        "states": {name: len(probes) for name, probes in states.items()},
        "failed": states.get("failed", []),
        "complete": session.complete,
        "exit_code": code,
        "least_free_share": round(1 - max(used) / total, 4) if used else None,
    }


def alone(path: Path, case: str) -> dict[str, Any]:
    """One case with the session in this process."""
    level_bytes = used_bytes()
    found: dict[str, Any] = {}
    if case == "assert":
        me = [sys.executable, __file__, "--broken"]
        child.start_of = lambda m: me if m == "roofwatch.probes" else start_of(m)  # type: ignore
    stuck.SILENT_S = 3.0 if case == "hang" else stuck.SILENT_S
    live = Live(Options(device="cuda:0", save=path), load_cards)
    live.start()
    live.start_probes()
    if case in ("kill", "hang"):
        follow(live, lambda: in_a_matmul(live))
        probes = live.instruments.get("probes")
        assert probes is not None
        number = signal.SIGKILL if case == "kill" else signal.SIGSTOP
        os.kill(probes.process.pid, number)
        if case == "hang":
            follow(live, lambda: bool(live.session.faults))
        found["back_s"] = back_in_s(level_bytes)
    if case == "assert":
        follow(live, lambda: bool(live.session.faults))
        follow(live, lambda: any("started again" in n.text for n in live.session.notes))
        found["back_s"] = back_in_s(level_bytes)
    follow(live, lambda: not live.probing)
    live.close()
    child.start_of, stuck.SILENT_S = start_of, 30.0
    found["back_at_the_end_s"] = back_in_s(level_bytes)
    return found | seen(fold(events(path)), exit_code(live.session, [], strict=False))


def parent(path: Path, case: str) -> dict[str, Any]:
    """roofwatch itself is killed in a matmul, and the session is gone on with."""
    level_bytes = used_bytes()
    me = [sys.executable, "-m", "roofwatch", "run", "--device", "cuda:0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    first = subprocess.Popen([*me, "--save", str(path)], **quiet)  # type: ignore[call-overload]
    while not path.exists() or b'"matmul-fp16","edge":"begin"' not in path.read_bytes():
        time.sleep(0.02)
    time.sleep(0.5)
    first.kill()
    first.wait()
    found: dict[str, Any] = {"back_s": back_in_s(level_bytes)}
    found["measured_before"] = len(fold(events(path)).measurements)
    code = subprocess.run([*me, "--resume", str(path)], **quiet).returncode  # type: ignore[call-overload]
    return found | seen(fold(events(path)), code) | {"back_at_the_end_s": back_in_s(level_bytes)}


HOG = """
import sys, time, torch
for_good = sys.argv[1] == "full"
while True:
    free, total = torch.cuda.mem_get_info()
    held = []
    while free > {left}:
        try:
            held.append(torch.empty(min(1 << 30, free - {left}), dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            break
        free, total = torch.cuda.mem_get_info()
    print("held", flush=True)
    time.sleep(3600 if for_good else 0.4)
    del held
    torch.cuda.empty_cache()
    time.sleep(0.6)
"""


def hogged(path: Path, case: str) -> dict[str, Any]:
    """Another process takes the memory."""
    level_bytes = used_bytes()
    hog = subprocess.Popen(
        [sys.executable, "-c", HOG.format(left=LEFT_BYTES[case]), case], stdout=subprocess.PIPE
    )
    try:
        assert hog.stdout is not None
        hog.stdout.readline()
        threading.Thread(target=hog.stdout.read, daemon=True).start()
        found = alone(path, case)
    finally:
        hog.kill()
        hog.wait()
    return found | {"back_at_the_end_s": back_in_s(level_bytes)}


CASES: dict[str, Callable[[Path, str], dict[str, Any]]] = {
    "assert": alone,
    "kill": alone,
    "hang": alone,
    "parent": parent,
    "hog": hogged,
    "full": hogged,
}


def main() -> int:
    """Every case, one after the other; 1 when the memory of one did not come back."""
    if sys.argv[1:2] == ["--broken"]:
        broken(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: dict[str, Any] = {**where(), "cases": {}}
    good = True
    for case in options.case or CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = CASES[case](Path(folder) / "s.jsonl", case)
        result["cases"][case] = found
        print(case, json.dumps(found, indent=1), flush=True)
        times = [found.get("back_s", 0.0), found["back_at_the_end_s"]]
        good = good and all(t is not None and t <= BACK_S for t in times)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
