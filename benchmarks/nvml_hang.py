"""One NVML function that never returns, in a real instrument: the beats name it, then without it.

A parent sees which call hangs, kills the instrument and starts it again ``--without`` that call.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from nvml_cells import STATUSES, Wrong, one_line
from nvml_scenes import SCENES, SHIM, Scene, scenes_of

from roofwatch.session.events import AnyEvent, Beat, Fault, Sample, SessionInfo, decode

PATIENCE_S = 30.0


def hang(function: str) -> str:
    """``works`` or ``line``: what the second start comes to; what is not allowed names itself."""
    scene = SCENES[scenes_of(function)[0]]
    environ = environment(scene, function)
    arguments = ["--source", "nvml", *(["--device", scene.device] if scene.device else [])]
    try:
        named = waited_for(arguments, environ)
        if named != function:
            raise Wrong(f"the beats name {named}")
        return came_of([*arguments, "--without", function], environ)
    except Wrong as error:
        return f"WRONG: {error}"


def environment(scene: Scene, function: str) -> dict[str, str]:
    """Of a process that meets the stand-in of a host on which a function hangs."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
    path = os.pathsep.join(filter(None, [str(SHIM), environ.get("PYTHONPATH")]))
    orders = json.dumps({**scene.orders, function: "hang"})
    return environ | {"PYTHONPATH": path, "ROOFWATCH_FAKE": orders} | dict(scene.environ)


def waited_for(arguments: list[str], environ: dict[str, str]) -> str:
    """The call that an instrument's beats name; it is killed then."""
    until = time.monotonic() + PATIENCE_S
    with _instrument(arguments, environ) as pipe:
        while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
            line = pipe.readline()
            if not line:
                raise Wrong("it ended")
            event = decode(line)
            if isinstance(event, Beat) and event.waits_for:
                return event.waits_for
    raise Wrong(f"no beat names a call in {PATIENCE_S:.0f} s")


def came_of(arguments: list[str], environ: dict[str, str]) -> str:
    """What an instrument says that is not to call it."""
    done = subprocess.run(
        [sys.executable, "-m", "roofwatch.telemetry", *arguments, "--seconds", "0.3"],
        env=environ,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    told = [decode(line) for line in done.stdout.splitlines()]
    if done.returncode == 3:
        return _only_line(told)
    if done.returncode or not isinstance(told[0], SessionInfo) or told[0].device is None:
        raise Wrong(f"exit {done.returncode}: {done.stderr.decode()[-300:]}")
    samples = [event for event in told if isinstance(event, Sample)]
    words = {word for one in (told[0].device, *samples) for word in one.status.values()}
    if not samples or not words <= STATUSES:
        raise Wrong(f"{len(samples)} samples, statuses {words}")
    return "works"


def _only_line(told: list[AnyEvent | None]) -> str:
    if len(told) != 1 or not isinstance(told[0], Fault):
        raise Wrong(f"not one fault: {told}")
    one_line(told[0].what)
    return "line"


@contextmanager
def _instrument(arguments: list[str], environ: dict[str, str]) -> Iterator[IO[bytes]]:
    """One as a session starts it; the reading end of its pipe, unbuffered for ``select``."""
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "roofwatch.telemetry", "--fd", str(writer), *arguments]
    with (
        os.fdopen(reader, "rb", buffering=0) as pipe,
        subprocess.Popen(
            command,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(writer,),
        ) as child,
    ):
        os.close(writer)
        assert child.stdin is not None
        child.stdin.write(b"health now\n")  # some are called for that alone
        child.stdin.flush()
        try:
            yield pipe
        finally:
            child.kill()
