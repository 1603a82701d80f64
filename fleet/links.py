"""The links' process, one a rank: ``python -m roofwatch.fleet.links``, a child of the rank's own.

A collective whose partner has died hangs, and NCCL ends the process that waits for it; so that is
a process which may end. The first rank's writes lines of the fleet's file to its pipe.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, OPS
from roofwatch.roofline.error_text import first_line
from roofwatch.session.events import Note
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD, AnyLine, encode
from roofwatch.session.instrument import Instrument, add_arguments

PATIENCE_S = 60  # for one collective
BARRIER_S = 300.0  # for what others measure meanwhile
LOOK_S = 0.002
FAILED = 4


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes part. Ranks here count the members from 0; ``members`` are their own numbers."""

    members: list[int]
    nodes: list[list[int]]  # places in ``members``, by node
    names: list[str]  # of the nodes
    address: str
    port: int
    device: str
    most_bytes: int | None = None
    fleet: str = ""  # its id: what is said in the store stands under it


def main() -> int:
    """Take part in the plan that stdin's first line is; 0, or 4 when a link fails, with a note that
    says how."""
    parser = argparse.ArgumentParser(prog="roofwatch.fleet.links")
    add_arguments(parser)
    parser.add_argument("--place", type=int, required=True)
    options = parser.parse_args()
    instrument = Instrument("links", options.fd, options.t0)
    plan = msgspec.json.decode(sys.stdin.readline(), type=Plan)
    instrument.listen(lambda _: None)
    instrument.say("importing torch")
    instrument.keep_beating()
    try:
        for line in _lines(plan, options.place, instrument):
            if options.place == 0:
                instrument.send(encode(line))
    except (RuntimeError, ValueError, OSError) as error:
        instrument.write(Note(t=instrument.now(), text=first_line(error)[:300]))
        return FAILED
    return 0


def _lines(plan: Plan, place: int, instrument: Instrument) -> Iterator[AnyLine]:
    import torch
    import torch.distributed as dist

    from roofwatch.fleet.collectives import MOST_BYTES, over_sizes
    from roofwatch.fleet.group_timer import GroupTimer
    from roofwatch.fleet.overlap import overlap

    device = torch.device(plan.device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    ranks = len(plan.members)
    patience = timedelta(seconds=PATIENCE_S)
    held = dist.TCPStore(  # type: ignore[attr-defined]
        plan.address, plan.port, is_master=False, timeout=patience
    )
    store = dist.PrefixStore(plan.fleet, held)  # type: ignore[attr-defined]
    dist.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        store=dist.PrefixStore("roofwatch/links", store),  # type: ignore[attr-defined]
        rank=place,
        world_size=ranks,
        timeout=patience,
        device_id=device if device.type == "cuda" else None,
    )
    most = plan.most_bytes or MOST_BYTES[device.type]

    def told(what: str) -> None:
        instrument.say("measuring", what)

    def stamped(line: AnyLine, **more: Any) -> AnyLine:
        return msgspec.structs.replace(line, t=round(instrument.now(), 3), **more)

    everyone = list(range(ranks))
    timer = GroupTimer(device)
    for op in OPS:
        yield stamped(over_sizes(op, timer, everyone, most, told), group=WORLD)
    told("overlap")
    yield stamped(overlap(timer, ranks))
    if len(plan.nodes) > 1:
        found = []
        inside = [dist.new_group(node) for node in plan.nodes]
        leads = dist.new_group([node[0] for node in plan.nodes])
        at = next(i for i, node in enumerate(plan.nodes) if place in node)
        node = plan.nodes[at]
        if len(node) > 1:
            line = over_sizes(ALL_REDUCE, GroupTimer(device, inside[at]), node, most, told)
            if place == node[0]:
                found.append(stamped(line, group=WITHIN, node=plan.names[at]))
        _all_here("inside", store, ranks)
        if place == node[0]:
            others = [each[0] for each in plan.nodes]
            line = over_sizes(ALL_REDUCE, GroupTimer(device, leads), others, most, told)
            if place == 0:
                found.append(stamped(line, group=BETWEEN))
        yield from _gathered(found, "groups", place, ranks, store)
    told("pairs")
    yield from _pairs(plan, place, device, store)
    _all_here("over", store, ranks)
    if device.type != "cuda":
        dist.destroy_process_group()  # NCCL's own end may wait for what has died


def _pairs(plan: Plan, place: int, device: Any, store: Any) -> Iterator[AnyLine]:
    from roofwatch.fleet.pair_kind import pair_kind, uuid_of
    from roofwatch.fleet.pair_timer import pair_line
    from roofwatch.fleet.pairs import rounds

    found: list[AnyLine] = []
    cards = device.type == "cuda"
    if cards:
        store.set(f"roofwatch/card/{place}", uuid_of(device))
    for i, pairs in enumerate(rounds(plan.nodes)):
        _all_here(f"round-{i}", store, len(plan.members))
        mine = next((p for p in pairs if place in (p.a, p.b)), None)
        line = pair_line(mine, place, device) if mine is not None else None
        if line is not None:
            kind = ""
            if cards and line.group == WITHIN:
                ends = (store.get(f"roofwatch/card/{at}").decode() for at in (line.a, line.b))
                kind = pair_kind(*ends)
            a, b = plan.members[line.a], plan.members[line.b]
            found.append(msgspec.structs.replace(line, a=a, b=b, link=kind))
    yield from _gathered(found, "pairs", place, len(plan.members), store)


def _all_here(where: str, store: Any, ranks: int) -> None:
    """A barrier in the store: one of a backend would time out where some wait for long.

    Raises:
        RuntimeError: somebody has not come in time.
    """
    key, until_s = f"roofwatch/here/{where}", time.monotonic() + BARRIER_S
    store.add(key, 1)
    while store.add(key, 0) < ranks:
        if time.monotonic() > until_s:
            raise RuntimeError(f"not all ranks came to {where} in {BARRIER_S:.0f} s")
        time.sleep(LOOK_S)


def _gathered(
    found: list[AnyLine], which: str, place: int, ranks: int, store: Any
) -> Iterator[AnyLine]:
    """What every rank found, on the first one, through the store: nothing is unpickled."""
    store.set(f"roofwatch/{which}/{place}", b"".join(encode(line) for line in found))
    if place:
        return
    decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)
    for each in range(ranks):
        for raw in store.get(f"roofwatch/{which}/{each}").splitlines():
            yield decoder.decode(raw)


if __name__ == "__main__":
    code = main()
    os._exit(code)  # a broken group must not get a say in how the process ends
