"""The way to rank 0's store: its name resolved, its port knocked at, and only then torch asked.

torch's own constructor hears no signal, waits twice as long as it is told (for ever where a port
answers and is no store's) and prints its stack; so it runs in a thread, once somebody answers.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from roofwatch.fleet.not_met import FAILED, USAGE, Ended, NotMet
from roofwatch.fleet.world import BY_HAND, SLURM, World
from roofwatch.roofline.error_text import first_line

LOOK_S = 0.05
KNOCK_S = 2.0  # for one try of a connection
AGAIN_S = 0.5  # between two
RESOLVE_S = 30.0  # for a name that is not known yet: a container's comes with the container
HERE_S = 10.0  # for rank 0 to find itself
STORE_S = 10.0  # for a store whose port has answered


def reach(
    world: World, join_s: float, stopped: Callable[[], bool], tell: Callable[[str], None]
) -> Any:
    """torch's TCPStore: held here where this is rank 0 and no agent does, else another's.

    Raises:
        NotMet: nobody answers within ``join_s``, the name is unknown, or the port is taken.
        Ended: a signal came (``stopped``).
    """
    found: list[Any] = []
    failed: list[BaseException] = []
    left = threading.Event()

    def run() -> None:
        try:
            found.append(_store(world, time.monotonic() + join_s, left, tell))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="reach", daemon=True)
    thread.start()
    until_s = time.monotonic() + join_s + 1.0
    while thread.is_alive():
        thread.join(LOOK_S)
        if stopped():
            left.set()
            raise Ended
        if time.monotonic() > until_s:
            left.set()
            raise NotMet(f"what answers at {_where(world)} is no store of a fleet", hangs=True)
    if failed:
        raise failed[0]
    return found[0]


def _store(world: World, until_s: float, left: threading.Event, tell: Callable[[str], None]) -> Any:
    holds = world.rank == 0 and not world.agent_store
    _resolve(world, until_s, left, tell)
    if holds:
        if world.port:
            _try_own_port(world)
        return _torch_store(world, True, HERE_S)
    said = "nobody answers"
    while not left.is_set() and (left_s := until_s - time.monotonic()) > 0:
        try:
            socket.create_connection((world.address, world.port), min(KNOCK_S, left_s)).close()
            return _torch_store(world, False, min(STORE_S, left_s))
        except OSError as error:
            said = error.strerror or str(error)
        except RuntimeError as error:
            said = first_line(error)
        left.wait(AGAIN_S)
    raise NotMet(f"rank 0 is not met at {_where(world)}: {said}")


def _torch_store(world: World, holds: bool, timeout_s: float) -> Any:
    import torch.distributed as dist

    try:
        return dist.TCPStore(  # type: ignore[attr-defined]
            world.address,
            world.port,
            is_master=holds,
            timeout=timedelta(seconds=timeout_s),
            wait_for_workers=False,
        )
    except RuntimeError as error:
        if not holds:
            raise
        raise NotMet(f"no store can be held at {_where(world)}: {first_line(error)}") from None


def _resolve(
    world: World, until_s: float, left: threading.Event, tell: Callable[[str], None]
) -> None:
    name = "SLURM_JOB_NODELIST's first host" if world.launcher == SLURM else "MASTER_ADDR"
    until_s, told = min(until_s, time.monotonic() + RESOLVE_S), False
    while not left.is_set():
        try:
            socket.getaddrinfo(world.address, world.port)
            return
        except (OSError, UnicodeError) as error:  # idna refuses what is no name
            what = f"{name} {world.address} is no host that is known here"
            if isinstance(error, UnicodeError) or time.monotonic() > until_s:
                raise NotMet(what, USAGE) from None
        if not told:
            told = True
            tell(f"{what}: asked again for {until_s - time.monotonic():.0f} s")
        left.wait(AGAIN_S)


def _try_own_port(world: World) -> None:
    """Whether the port is free, and the address leads back here.

    Raises:
        NotMet: it is not, or does not.
    """
    code = USAGE if world.launcher == BY_HAND else FAILED
    both = socket.has_dualstack_ipv6()
    try:
        listening = socket.create_server(
            ("", world.port),
            family=socket.AF_INET6 if both else socket.AF_INET,
            dualstack_ipv6=both,
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            said = f"port {world.port} of this host is taken, by another fleet or something else"
            raise NotMet(f"{said}; MASTER_PORT chooses another", code) from None
        said = error.strerror or str(error)
        raise NotMet(f"port {world.port} of this host cannot be had: {said}", code) from None
    with contextlib.closing(listening):
        try:
            socket.create_connection((world.address, world.port), HERE_S).close()
        except OSError as error:
            said = f"rank 0 does not find itself at {_where(world)}: {error.strerror or error}"
            raise NotMet(f"{said}; is it another host's address?", code) from None


def _where(world: World) -> str:
    return f"{world.address}:{world.port}"
