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
_FIRST = re.compile(r"([^,\[]+)(?:\[([^\]]*)\])?([^,\[]*)")


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


def world(environ: Mapping[str, str], host: str | None = None) -> World:
    """torchrun's variables (or the same set by hand), else Slurm's, else a world of one.

    Raises:
        WorldError: a variable is missing, or is no number in its range.
    """
    host = host or os.uname().nodename
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
    if size > 1 and "MASTER_ADDR" not in environ:
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
        address=environ.get("MASTER_ADDR", "127.0.0.1"),
        port=_number(environ, "MASTER_PORT", PORT, below=65536),
        launcher=TORCHRUN if agent else BY_HAND,
        agent_store=environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
    )


def _slurm(environ: Mapping[str, str], host: str) -> World:
    size = _number(environ, "SLURM_NTASKS", least=1)
    rank = _number(environ, "SLURM_PROCID", below=size)
    nodes = environ.get("SLURM_STEP_NODELIST") or environ.get("SLURM_JOB_NODELIST", "")
    address = environ.get("MASTER_ADDR") or first_host(nodes)
    if not address:
        raise WorldError("SLURM_JOB_NODELIST is missing: where is rank 0?")
    count = _number(environ, "SLURM_NNODES", 1, least=1)
    job = _number(environ, "SLURM_JOB_ID", 0)
    step = environ.get("SLURM_STEP_ID", "0")
    chosen = 10000 + (job * 16 + (int(step) if step.isdigit() else 0)) % PORTS
    return World(
        rank=rank,
        size=size,
        local_rank=_number(environ, "SLURM_LOCALID", 0),
        local_size=max(1, -(-size // count)),
        host=environ.get("SLURMD_NODENAME", host),
        node=_number(environ, "SLURM_NODEID", 0),
        address=address,
        port=_number(environ, "MASTER_PORT", chosen, below=65536),
        launcher=SLURM,
    )


def first_host(nodes: str) -> str:
    """The first host of a Slurm node list, as ``gpu[003-006,9],login1``; empty of an empty one."""
    found = _FIRST.match(nodes)
    if found is None:
        return ""
    head, inside, tail = found.groups()
    first = re.split(r"[-,]", inside)[0] if inside is not None else ""
    return head + first + tail


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
    if not text.isascii() or not text.isdigit() or not least <= int(text) < max(below, least + 1):
        if name == "SLURM_JOB_ID" and text.isdigit():
            return int(text)
        raise WorldError(f"{name}={text[:40]!r} is no number from {least} to {below - 1}")
    return int(text)
