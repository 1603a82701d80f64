"""The probe instrument: ``python -m roofwatch.probes``, one process a run of the suite.

Imports torch, opens the device, says what it found, waits for ``go`` on stdin, measures, ends. Run
alone from a shell it goes at once. Before ``go``, ``peaks`` and a JSON object tell the nominal
peaks that a mistake is made with, ``load`` and a number for how many seconds ``doctor`` loads a
card; ``stop`` ends it between two launches.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading
import time

import msgspec

from roofwatch.roofline.error_text import first_line
from roofwatch.roofline.model import Model
from roofwatch.roofline.suite import CARDS, QUICK, SHORT, SUITES
from roofwatch.session.done import Done
from roofwatch.session.events import Fault, SessionInfo
from roofwatch.session.host_cpu import host_cpu
from roofwatch.session.instrument import Instrument, add_arguments
from roofwatch.session.turns import Turns

ABSENT, FAILED = 3, 4
DOCTOR = "doctor"  # no suite of probes: a short look, which probes/checkup.py takes


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The instrument's own options."""
    parser = argparse.ArgumentParser(prog="roofwatch.probes")
    add_arguments(parser)
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.add_argument("--suite", default=QUICK, choices=(*SUITES, SHORT, DOCTOR, CARDS))
    parser.add_argument("--hold", default="", help="precisions to hold, separated by commas")
    parser.add_argument("--models", default="[]", help="shapes of the decode suite's, as JSON")
    parser.add_argument("--contexts", default="", help="of the decode suite, in tokens")
    parser.add_argument("--sustain", type=float, default=None, metavar="S")
    parser.add_argument("--done", default="{}", help="what of the run is over already, as JSON")
    parser.add_argument("--gpu", type=int, default=None, help="NVML's index, where it is another")
    parser.add_argument("--stay", action="store_true", help="wait for all cards after the suite")
    parser.add_argument("--run", type=int, default=1, help="which run of the session this is")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the suite once; returns the process's exit code."""
    options = parse(argv)
    instrument = Instrument("probes", options.fd, options.t0)
    instrument.gpu = options.gpu
    go, stop = threading.Event(), threading.Event()
    peaks_tflops: dict[str, float] = {}
    load_s: list[float] = []
    turns = Turns()

    def command(line: str) -> None:
        if line == "go":
            go.set()
        elif line == "stop":
            stop.set()
            go.set()
            turns.end()
        elif turns.hear(line):
            pass
        elif line.startswith("load "):
            load_s.append(float(line.partition(" ")[2]))
        elif line.startswith("peaks "):
            peaks_tflops.update(json.loads(line.partition(" ")[2]))

    instrument.listen(command)
    instrument.say("importing torch")
    instrument.keep_beating()
    if instrument.supervised:
        sys.setswitchinterval(0.001)  # the heartbeat must get a word in while torch is imported

    def fault(what: str, code: int) -> int:
        instrument.write(
            Fault(
                t=instrument.now(),
                instrument="probes",
                what=what,
                exit_code=code,
                run=options.run,
            )
        )
        return code

    began = time.monotonic()
    try:
        import torch
    except ImportError as error:
        return fault(f"torch cannot be imported: {error}", FAILED)
    imported = time.monotonic()
    if options.suite == DOCTOR:
        from roofwatch.probes import checkup

        def wait() -> None:
            if instrument.supervised:
                go.wait()

        with torch.inference_mode():
            return checkup.run(
                instrument,
                options.device,
                imported - began,
                wait,
                lambda: load_s[-1] if load_s else checkup.LOAD_S,
            )
    from roofwatch.probes import device, operands, worker

    operands.quiet()
    instrument.say("opening the device")
    try:
        target = device.pick(options.device, stop.is_set)
    except device.NoDevice as error:
        return fault(str(error), ABSENT)
    except RuntimeError as error:
        return fault(f"the device cannot be opened: {first_line(error)}", FAILED)
    instrument.write(
        SessionInfo(
            t=instrument.now(),
            instrument="probes",
            import_s=round(imported - began, 3),
            device=target.identity(),
            visible=device.visible(),
            software=device.software(),
            cpu=host_cpu(),
        )
    )
    instrument.say("waiting")
    if instrument.supervised:
        go.wait()
    with torch.inference_mode(), contextlib.suppress(KeyboardInterrupt):
        models = msgspec.json.decode(options.models, type=list[Model])
        contexts = [int(n) for n in options.contexts.split(",") if n]
        done = msgspec.json.decode(options.done, type=Done)
        work = worker.Worker(
            instrument, target, options.run, stop, peaks_tflops, models, contexts, done
        )
        hold = [key for key in options.hold.split(",") if key]
        stay = turns if options.stay and instrument.supervised else None
        return work.suite(options.suite, options.sustain, hold, stay)
    return 130


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a broken CUDA context must not get a say in how the process ends
