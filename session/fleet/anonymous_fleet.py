"""A fleet without what tells whose it is: hosts are numbered, no UUID and no path is left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from roofwatch.roofline.collectives import OPS
from roofwatch.roofline.suite import SHORT, SUITES
from roofwatch.session.anonymous import clean, scrubbed, words_of
from roofwatch.session.events import UNDECODABLE
from roofwatch.session.fleet.fleet_file import fleet_lines
from roofwatch.session.fleet.lines import (
    GROUPS,
    STATES,
    AnyLine,
    CollectiveLine,
    EndLine,
    GoneLine,
    NoteLine,
    RankLine,
)
from roofwatch.session.link_names import NVLINK, PCIE
from roofwatch.session.people import MOST, people_in
from roofwatch.session.stand_ins import REMOVED

STRANGERS = re.compile(
    r" on (\S{1,255}) was refused|\bby (\S{1,255}) \(process"
    r"|\bfleet \w+ of (\S{1,255}) (?:meets|is) here"
)
"""Hosts that no rank's line tells, as fleet/joining.py and fleet/meeting.py write of them."""
OWN_WORDS = frozenset(
    {
        *(*SUITES, SHORT, *GROUPS, *STATES, NVLINK, PCIE),
        *("cuda", "cpu", "nccl", "gloo", "event", "host"),
        *OPS,
    }
)
"""What the other fields of a line may say, which a host may be called as well."""
FREE_FIELDS = frozenset({"launcher", "torch", "nccl", "roofwatch", "why", "status", "text"})
"""Fields that may say anything: no word in them is known to be our own."""
HOST_FIELDS = frozenset({"host", "node"})
"""Fields that are the name of a machine."""


class _Card(msgspec.Struct, frozen=True):
    uuid: str | None = None


class _Record(msgspec.Struct, frozen=True):
    device: _Card = _Card()


_uuid = msgspec.json.Decoder(_Record | None)


class _Names(NamedTuple):
    """Of each node and host the number that it gets; what finds them in a text.

    ``shared``: of the UUID of a card that several ranks had what stands for it.
    """

    of: dict[str, str]
    words: re.Pattern[str] | None
    shared: dict[str, str]

    def text(self, said: str) -> str:
        """Without paths and UUIDs, hosts by their numbers."""
        said = clean(said)
        if self.words is None:
            return said
        return self.words.sub(lambda m: self.of.get(m[0].lower(), REMOVED), said)

    def node(self, name: str) -> str:
        """The number of a node or a host; empty of none."""
        return self.of.get(name.lower(), "")


def anonymous_lines(path: Path) -> Iterator[tuple[int, AnyLine]]:
    """Each line of a fleet's file with its row, clean. Raises as ``fleet_lines`` does.

    The file is read twice: a name may stand in a line before that of its rank.
    """
    names = _names(path)
    for row, line in fleet_lines(path):
        yield row, _cleaned(line, names)


def _names(path: Path) -> _Names:
    told: dict[int, tuple[str, str]] = {}
    cards: dict[int, str | None] = {}
    strangers, people = set[str](), set[str]()
    for _, line in fleet_lines(path):
        if isinstance(line, RankLine):
            told[line.rank] = line.node, line.host
            cards[line.rank] = _uuid_of(line.record)
            if len(people) < MOST:
                people |= people_in([bytes(line.record).decode("utf-8", "replace")])
        if isinstance(line, RankLine | GoneLine | NoteLine | EndLine):
            said = line.text if isinstance(line, NoteLine) else line.why
            people |= people_in([said])
            strangers |= {name for found in STRANGERS.findall(said) for name in found if name}
    of: dict[str, str] = {}
    nodes = dict.fromkeys(node or host for _, (node, host) in sorted(told.items()) if node or host)
    number = {node: f"node {i}" for i, node in enumerate(nodes, 1)}
    for node, host in told.values():
        for name in (node, host, host.partition(".")[0]):
            if name:
                of.setdefault(name.lower(), number[node or host])
    every = Counter(uuid for _, uuid in sorted(cards.items()) if uuid)
    several = (uuid for uuid, ranks in every.items() if ranks > 1)
    shared = {uuid: f"shared card {i}" for i, uuid in enumerate(several, 1)}
    return _Names(of, words_of(set(of) | strangers | people, set()), shared)


def _uuid_of(raw: msgspec.Raw) -> str | None:
    try:
        record = _uuid.decode(raw) if raw else None
    except UNDECODABLE:
        return None  # whoever folds it says so, with its row
    return record.device.uuid if record else None


def _cleaned(line: AnyLine, names: _Names) -> AnyLine:
    """Every text of a line, clean, by what its field may say."""
    texts = {f: said for f in line.__struct_fields__ if isinstance(said := getattr(line, f), str)}
    changed: dict[str, Any] = {
        field: said if field not in FREE_FIELDS and said in OWN_WORDS else names.text(said)
        for field, said in texts.items()
        if field not in HOST_FIELDS and field != "schema"
    }
    if isinstance(line, RankLine):
        own = names.node(line.node or line.host)
        changed |= {"host": own, "node": own, "record": _record(line.record, names)}
    elif isinstance(line, CollectiveLine):
        changed["node"] = names.node(line.node)
    return msgspec.structs.replace(line, **changed)


def _record(raw: msgspec.Raw, names: _Names) -> msgspec.Raw:
    """The same record with null in place of UUID and file, and every text clean.

    Where ranks had a card together, that stays to be seen.
    """
    try:
        record = msgspec.json.decode(raw) if raw else None
    except UNDECODABLE:
        return raw  # whoever folds it says so, with its row
    if not isinstance(record, dict):
        return raw
    uuid = _uuid_of(raw)
    record = scrubbed(record, names.words)
    for part, field in (("device", "uuid"), ("session", "file")):
        told = record.get(part)
        if isinstance(told, dict) and field in told:
            told[field] = names.shared.get(uuid) if uuid and field == "uuid" else None
            status = told.get("status")
            told["status"] = (status if isinstance(status, dict) else {}) | {field: REMOVED}
    return msgspec.Raw(msgspec.json.encode(record))
