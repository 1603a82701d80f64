"""Stands in for the probe instrument: cards that are not there, with numbers that a test gives.

It speaks as roofwatch.probes does and measures nothing. ``STAND_IN`` is JSON: ``order`` has NVML's
index of each of torch's ordinals, ``rates`` by that index the GB/s, burst and sustained TFLOP/s
alone and the last when all run at once; ``dies`` is a card whose process is killed in its turn.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time

from roofwatch.probes.__main__ import parse
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.suite import CARDS, at_once, suite
from roofwatch.roofline.workload import Work, add_scalar, matmul
from roofwatch.session.events import Device, End, Measurement, SessionInfo, Span, Tensor
from roofwatch.session.instrument import Instrument
from roofwatch.session.stuck import STAYING
from roofwatch.session.turns import FINISHED, Turns

TOLD = json.loads(os.environ["STAND_IN"])
HELD_S = 0.3


def uuid(gpu: int) -> str:
    """As tests/telemetry/shim/pynvml.py names its cards."""
    return f"GPU-{gpu}{gpu}aa-uuid"


def device(ordinal: int) -> Device:
    """What torch would say of it."""
    gpu = TOLD["order"][ordinal]
    return Device(
        kind="cuda",
        name="NVIDIA H200",
        uuid=TOLD.get("uuids", {}).get(str(gpu), uuid(gpu)),
        index=ordinal,
        compute_capability="9.0",
        sm_count=132,
    )


def work_of(spec: ProbeSpec) -> Work:
    """Of a launch of a millisecond or so."""
    return matmul(4096, 4096, 4096, "bf16") if spec.peak_key else add_scalar(1 << 28, "fp16")


def measure(out: Instrument, spec: ProbeSpec, rate: float, run: int, begin_s: float) -> None:
    """A span with a measurement that comes to ``rate`` (GB/s, TFLOP/s)."""
    out.say("measuring", spec.key, 0.5)
    out.write(Span(t=out.now(), probe=spec.key, edge="begin", run=run))
    time.sleep(HELD_S if spec.protocol == "sustained" else 0.02)
    work = work_of(spec)
    seconds = work.flop / rate / 1e12 if spec.peak_key else work.bytes / rate / 1e9
    out.write(
        Measurement(
            t=out.now(),
            probe=spec.key,
            op=spec.op,
            shape=work.shape,
            dtype=spec.dtype,
            math=spec.math,
            accumulate=spec.accumulate,
            peak_key=spec.peak_key,
            flop=work.flop,
            tensors=[
                Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
                for t in work.tensors
            ],
            times_s=[seconds] * 3,
            stop="protocol",
            timing="event",
            protocol=spec.protocol,
            begin_s=begin_s,
            end_s=out.now(),
            layout="nn" if spec.peak_key else None,
            run=run,
        )
    )
    out.write(Span(t=out.now(), probe=spec.key, edge="end", run=run))


def main() -> None:
    """One process: its suite, its turn with the others, its end."""
    options = parse()
    out = Instrument("probes", options.fd, options.t0)
    out.gpu = options.gpu
    go, turns = threading.Event(), Turns()

    def command(line: str) -> None:
        if line == "go":
            go.set()
        else:
            turns.hear(line)

    out.listen(command)
    out.keep_beating()
    ordinal = 0 if options.device == "auto" else int(options.device.partition(":")[2])
    gpu = TOLD["order"][ordinal]
    visible = [device(i) for i in range(len(TOLD["order"]))]
    out.write(
        SessionInfo(t=out.now(), instrument="probes", device=device(ordinal), visible=visible)
    )
    out.say("waiting")
    go.wait()
    if TOLD.get("dies") == gpu:
        os.kill(os.getpid(), signal.SIGKILL)
    stream, burst, held, at = TOLD["rates"][gpu]
    rates = {"stream": stream, "burst": burst, "sustained": held}
    name = CARDS if options.gpu is not None else options.suite
    for spec in suite(name, "cuda", "9.0", options.sustain):
        if spec.key in ("add_scalar-fp16", "matmul-bf16", "matmul-bf16-sustained"):
            measure(out, spec, rates[spec.protocol], options.run, out.now())
    if options.stay:
        out.say(STAYING)
        turn = turns.wait()
        if turn is not None:
            out.gpu = turn.gpu
            for spec in at_once("cuda", "9.0", HELD_S):
                time.sleep(max(0.0, turn.begin_s - time.monotonic()))
                begin_s = max(out.now(), out.at(turn.begin_s))
                measure(out, spec, at if spec.peak_key else stream, options.run, begin_s)
            out.gpu = options.gpu
            out.say(FINISHED)
            if out.gpu is None:
                turns.wait()
    if out.gpu is None:
        out.write(End(t=out.now(), complete=True, run=options.run))


if __name__ == "__main__":
    main()
    os._exit(0)
