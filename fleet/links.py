"""The links' process, one a rank: ``python -m roofwatch.fleet.links``, a child of the rank's own.

A collective whose partner has died hangs, and NCCL ends the process that waits for it; so that is
a process which may end. The first rank's writes lines of the fleet's file to its pipe.
"""

from __future__ import annotations

import argparse
import contextlib
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
BARRIER_S = 80.0  # for the others: a group that is not done by then has had a collective time out
STILL_S = 90.0  # at one step, by rank 0's patience: the last, since it knows least of the cause
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


class _Member:
    """One rank among those of the plan, and the store that they share."""

    def __init__(
        self, plan: Plan, place: int, device: Any, store: Any, instrument: Instrument
    ) -> None:
        self.plan = plan
        self.place = place
        self.device = device
        self.store = store
        self._instrument = instrument

    @property
    def ranks(self) -> int:
        return len(self.plan.members)

    def told(self, what: str) -> None:
        """What is measured now."""
        self._instrument.say("measuring", what)

    def stamped(self, line: AnyLine, **more: Any) -> AnyLine:
        return msgspec.structs.replace(line, t=round(self._instrument.now(), 3), **more)

    def all_here(self, where: str, doing: str) -> None:
        """A barrier in the store: one of a backend would time out where some wait for long.

        ``doing`` is what is said meanwhile: a step that stands still is given up.

        Raises:
            RuntimeError: somebody has not come in time.
        """
        self._instrument.say(doing)
        key, until_s = f"roofwatch/here/{where}", time.monotonic() + BARRIER_S
        self.store.add(key, 1)
        while self.store.add(key, 0) < self.ranks:
            if time.monotonic() > until_s:
                raise RuntimeError(f"not all ranks came to {where} in {BARRIER_S:.0f} s")
            time.sleep(LOOK_S)

    def gathered(self, found: list[AnyLine], which: str) -> Iterator[AnyLine]:
        """What every rank found, on the first one, through the store: nothing is unpickled."""
        told = b"".join(encode(line) for line in found)
        self.store.set(f"roofwatch/{which}/{self.place}", told)
        if self.place:
            return
        decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)
        for each in range(self.ranks):
            for raw in self.store.get(f"roofwatch/{which}/{each}").splitlines():
                yield decoder.decode(raw)


def _lines(plan: Plan, place: int, instrument: Instrument) -> Iterator[AnyLine]:
    import torch
    import torch.distributed as dist

    from roofwatch.fleet.collective_sizes import MOST_BYTES
    from roofwatch.fleet.collectives import over_sizes
    from roofwatch.fleet.group_timer import GroupTimer
    from roofwatch.fleet.overlap import overlap

    device = torch.device(plan.device)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    patience = timedelta(seconds=PATIENCE_S)
    held = dist.TCPStore(  # type: ignore[attr-defined]
        plan.address, plan.port, is_master=False, timeout=patience
    )
    store = dist.PrefixStore(plan.fleet, held)  # type: ignore[attr-defined]
    me = _Member(plan, place, device, store, instrument)
    dist.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        store=dist.PrefixStore("roofwatch/links", store),  # type: ignore[attr-defined]
        rank=place,
        world_size=me.ranks,
        timeout=patience,
        device_id=device if device.type == "cuda" else None,
    )
    most = plan.most_bytes or MOST_BYTES[device.type]
    everyone = list(range(me.ranks))
    timer = GroupTimer(device)
    for op in OPS:
        yield me.stamped(over_sizes(op, timer, everyone, most, me.told), group=WORLD)
    me.told("overlap")
    yield me.stamped(overlap(timer, me.ranks))
    if len(plan.nodes) > 1:
        yield from _groups(me, most)
    yield from _pairs(me)
    me.all_here("over", "measuring pairs, done, waiting for the others")
    if device.type != "cuda":
        dist.destroy_process_group()  # NCCL's own end may wait for what has died


def _groups(me: _Member, most_bytes: int) -> Iterator[AnyLine]:
    """An all-reduce within each node, all nodes at once, then one of a rank a node."""
    import torch.distributed as dist

    from roofwatch.fleet.collectives import over_sizes
    from roofwatch.fleet.group_timer import GroupTimer

    me.told("groups of each node")
    nodes, found = me.plan.nodes, list[AnyLine]()
    inside = [dist.new_group(node) for node in nodes]
    leads = dist.new_group([node[0] for node in nodes])
    at = next(i for i, node in enumerate(nodes) if me.place in node)
    node = nodes[at]
    if len(node) > 1:
        timer = GroupTimer(me.device, inside[at])
        line = over_sizes(ALL_REDUCE, timer, node, most_bytes, me.told)
        if me.place == node[0]:
            found.append(me.stamped(line, group=WITHIN, node=me.plan.names[at]))
    me.all_here("inside", "waiting for the other nodes")
    if me.place == node[0]:
        others = [each[0] for each in nodes]
        timer = GroupTimer(me.device, leads)
        line = over_sizes(ALL_REDUCE, timer, others, most_bytes, me.told)
        if me.place == 0:
            found.append(me.stamped(line, group=BETWEEN))
    yield from me.gathered(found, "groups")


def _pairs(me: _Member) -> Iterator[AnyLine]:
    from roofwatch.fleet.pair_kind import driver, pair_kind, uuid_of
    from roofwatch.fleet.pair_timer import pair_line
    from roofwatch.fleet.pairs import rounds

    found: list[AnyLine] = []
    cards = me.device.type == "cuda"
    if cards:
        me.store.set(f"roofwatch/card/{me.place}", uuid_of(me.device))
    turns = rounds(me.plan.nodes)
    with driver() if cards else contextlib.nullcontext() as nvml:
        for i, pairs in enumerate(turns):
            turn = f"pairs {i + 1} of {len(turns)}"
            me.all_here(f"round-{i}", f"measuring {turn}, waiting for the others")
            me.told(turn)
            mine = next((p for p in pairs if me.place in (p.a, p.b)), None)
            line = pair_line(mine, me.place, me.device) if mine is not None else None
            if line is not None:
                kind = ""
                if nvml is not None and line.group == WITHIN:
                    own, other = (
                        me.store.get(f"roofwatch/card/{at}").decode() for at in (line.a, line.b)
                    )
                    kind = pair_kind(own, other, nvml)
                a, b = me.plan.members[line.a], me.plan.members[line.b]
                found.append(msgspec.structs.replace(line, a=a, b=b, link=kind))
    yield from me.gathered(found, "pairs")


if __name__ == "__main__":
    code = main()
    os._exit(code)  # a broken group must not get a say in how the process ends
