"""Which rank this process is: of torchrun, of Slurm, or alone. Read from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import msgspec

PORT = 29500  # torch.distributed's own default
PORTS = 20000  # that a Slurm job's number chooses from
TORCHRUN, SLURM, BY_HAND, ALONE = "torchrun", "Slurm", "variables", "alone"
MOST_RANKS = 1 << 20
MOST_DIGITS = 9  # of a number in a variable, leading zeros aside: more is no number of anything
MOST_JOB_DIGITS = 18
MOST_NAME = 255  # characters of a host's name
_NUMBERS = re.compile(r"\[([^\]]*)\]?")  # any number of them in a name
_FIRST = re.compile(r"(?:[^,\[]|\[[^\]]*\]?)*")


class WorldError(ValueError):
    """The variables that a launcher sets do not make sense; one line says which."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """This rank and where rank 0 is met."""

    rank: int
    size: int
    local_rank: int
    local_size: int
    host: str
    node: int  # number of the node, as the launcher counts
    address: str
    port: int
    launcher: str
    agent_store: bool = False  # torchrun's agent holds the store, not rank 0
    launch: str = ""  # what the launcher calls this run, the same on all its ranks; else empty
    restart: int = 0  # how often torchrun has started its ranks anew


def world(environ: Mapping[str, str], host: str | None = None) -> World:
    """torchrun's variables (or the same set by hand), else Slurm's, else a world of one.

    Raises:
        WorldError: a variable is missing, or is no number in its range.
    """
    host = _name(host or os.uname().nodename)
    if "RANK" in environ or "WORLD_SIZE" in environ:
        return _torchrun(environ, host)
    if "SLURM_PROCID" in environ and _number(environ, "SLURM_NTASKS", 1) > 1:
        return _slurm(environ, host)
    return World(
        rank=0,
        size=1,
        local_rank=0,
        local_size=1,
        host=host,
        node=0,
        address="127.0.0.1",
        port=0,
        launcher=ALONE,
    )


def _torchrun(environ: Mapping[str, str], host: str) -> World:
    size = _number(environ, "WORLD_SIZE", least=1)
    rank = _number(environ, "RANK", below=size)
    if size > 1 and not environ.get("MASTER_ADDR"):
        raise WorldError("WORLD_SIZE is set and MASTER_ADDR is not: where is rank 0?")
    local_size = _number(environ, "LOCAL_WORLD_SIZE", size, least=1)
    agent = "TORCHELASTIC_RUN_ID" in environ
    return World(
        rank=rank,
        size=size,
        local_rank=_number(environ, "LOCAL_RANK", rank % local_size),
        local_size=local_size,
        host=host,
        node=_number(environ, "GROUP_RANK", rank // local_size),
        address=_address(environ.get("MASTER_ADDR") or "127.0.0.1", "MASTER_ADDR"),
        port=_port(environ, PORT, size),
        launcher=TORCHRUN if agent else BY_HAND,
        agent_store=environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
        launch=_name(environ.get("TORCHELASTIC_RUN_ID", "")),
        restart=_number(environ, "TORCHELASTIC_RESTART_COUNT", 0),
    )


def _slurm(environ: Mapping[str, str], host: str) -> World:
    size = _number(environ, "SLURM_NTASKS", least=1)
    rank = _number(environ, "SLURM_PROCID", below=size)
    of = "SLURM_STEP_NODELIST" if environ.get("SLURM_STEP_NODELIST") else "SLURM_JOB_NODELIST"
    address = environ.get("MASTER_ADDR") or first_host(environ.get(of, ""))
    if not address:
        raise WorldError("SLURM_JOB_NODELIST is missing: where is rank 0?")
    count = _number(environ, "SLURM_NNODES", 1, least=1)
    job = _number(environ, "SLURM_JOB_ID", 0, below=10**MOST_JOB_DIGITS)
    step = environ.get("SLURM_STEP_ID", "0")  # or "batch", "interactive"
    chosen = 10000 + (job * 16 + (_digits(step, MOST_DIGITS) or 0)) % PORTS
    return World(
        rank=rank,
        size=size,
        local_rank=_number(environ, "SLURM_LOCALID", 0),
        local_size=max(1, -(-size // count)),
        host=_name(environ.get("SLURMD_NODENAME", "")) or host,
        node=_number(environ, "SLURM_NODEID", 0),
        address=_address(address, "MASTER_ADDR" if environ.get("MASTER_ADDR") else of),
        port=_port(environ, chosen, size),
        launcher=SLURM,
        launch=_name(f"job {job}, step {step}") if job else "",
    )


def first_host(nodes: str) -> str:
    """The first host of a Slurm node list, as ``rack[0-1]_gpu[003-006,9],login1``; empty of an
    empty one."""
    found = _FIRST.match(nodes)
    first = found[0] if found else ""
    return _NUMBERS.sub(lambda numbers: re.split(r"[-,]", numbers[1])[0], first)


def _number(
    environ: Mapping[str, str],
    name: str,
    default: int | None = None,
    least: int = 0,
    below: int = MOST_RANKS,
) -> int:
    text = environ.get(name)
    if text is None:
        if default is None:
            raise WorldError(f"{name} is not set")
        return default
    number = _digits(text, MOST_JOB_DIGITS)
    if number is None or not least <= number < max(below, least + 1):
        said = text if len(text) <= 40 else f"{text[:40]}..."
        raise WorldError(f"{name}={said!r} is no number from {least} to {below - 1}")
    return number


def _digits(text: str, most: int) -> int | None:
    """A number of so many digits; None of anything else, as "²" or what int would not take."""
    bare = text.lstrip("0")
    return int(text[-most:]) if text.isascii() and text.isdigit() and len(bare) <= most else None


def _port(environ: Mapping[str, str], default: int, size: int) -> int:
    """Where others have to find rank 0 it is no port that the kernel chooses."""
    return _number(environ, "MASTER_PORT", default, least=1 if size > 1 else 0, below=65536)


def _address(text: str, name: str) -> str:
    """A host's name or number: text that a resolver takes.

    Raises:
        WorldError: it can be none.
    """
    if len(text) > MOST_NAME or not text.isprintable() or " " in text:
        said = text if len(text) <= 40 else f"{text[:40]}..."
        raise WorldError(f"{name}={said!r} is no host's name or address")
    return text


def _name(text: str) -> str:
    """Of a host or a launch, for a file and a report: bytes that are no UTF-8 are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")[:MOST_NAME]
