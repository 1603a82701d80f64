"""A fleet as one line of JSON (roofwatch.fleet/1), written piece by piece: records are large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from roofwatch.session.began import iso_utc
from roofwatch.session.fleet.doubted import doubted
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import NO_RECORD, SCHEMA, WITHIN, LinkLine, RankLine
from roofwatch.session.fleet.link_figures import (
    collective,
    link_gbs,
    link_roofs,
    overlapped,
    slow_links,
)
from roofwatch.session.fleet.link_nominals import (
    LinkNominal,
    link_nominals,
    of_collective,
    of_pair,
)
from roofwatch.session.fleet.missing_links import missing_links
from roofwatch.session.fleet.outliers import outliers
from roofwatch.session.fleet.shared_cards import shared_cards
from roofwatch.session.fleet.spreads import Metric, kinds, metrics
from roofwatch.session.printable import plain_json

NOT_MEASURED = "not_measured"


def fleet_json(fleet: Fleet, ranks: Iterable[RankLine]) -> Iterator[bytes]:
    """The pieces of the line; ``ranks`` are its lines with their records, each asked for once."""
    yield b'{"schema":' + _json(SCHEMA) + b',"ranks":['
    for i, line in enumerate(ranks):
        yield (b"," if i else b"") + plain_json(msgspec.json.encode(_rank(line, fleet)))
    found = metrics(fleet)
    several, rates, sold = len(kinds(fleet)) > 1, link_gbs(fleet), link_nominals(fleet)
    rest: dict[str, Any] = {
        "spread": {f"{m.name} ({m.device})" if several else m.name: _spread(m) for m in found},
        "shared_cards": shared_cards(fleet),
        "outliers": [msgspec.to_builtins(o) for o in outliers(fleet, found)],
        "doubted": [msgspec.to_builtins(d) for d in doubted(fleet)],
        "collectives": [
            msgspec.to_builtins(collective(c)) | {"of_nominal": of_collective(sold, c)}
            for c in fleet.collectives
        ],
        "links": [_link(x, rates, sold) for x in fleet.links],
        "link_nominals": [msgspec.to_builtins(each) for each in sold.values()],
        "links_missing": missing_links(fleet),
        "slow_links": [msgspec.to_builtins(s) for s in slow_links(fleet)],
        "overlap": _overlap(fleet),
        "link_roofs": [msgspec.to_builtins(r) for r in link_roofs(fleet)],
        "fleet": {
            "id": fleet.header.id,
            "started_at": iso_utc(fleet.header.started_at) or "",
            "world": fleet.header.world,
            "suite": fleet.header.suite,
            "device": fleet.header.device,
            "launcher": fleet.header.launcher,
            "roofwatch": fleet.header.roofwatch,
            "torch": fleet.header.torch,
            "nccl": fleet.header.nccl,
            "complete": bool(fleet.end and fleet.end.complete),
        },
        "notes": [fleet.noted(n) for n in fleet.notes],
    }
    yield b"]," + _json(rest)[1:] + b"\n"


def _json(value: object) -> bytes:
    return plain_json(msgspec.json.encode(value))


def _rank(line: RankLine, fleet: Fleet) -> dict[str, object]:
    known = fleet.ranks.get(line.rank, line)  # it may have gone since its line came
    return {
        "rank": line.rank,
        "host": line.host,
        "record": line.record or NO_RECORD,
        "node": line.node,
        "card": line.card,
        "state": known.state,
        "why": known.why,
    }


def _link(
    line: LinkLine, rates: Mapping[tuple[int, int], float], sold: dict[str, LinkNominal]
) -> dict[str, object]:
    gbs = rates.get((line.a, line.b))
    return {
        "a": line.a,
        "b": line.b,
        "group": line.group,
        "link": line.link or (sold[WITHIN].link if line.group == WITHIN else ""),
        "gbs": gbs,
        "of_nominal": of_pair(sold, line, gbs),
        "bytes": line.size_bytes,
        "time_s": line.time_s,
        "latency_s": line.latency_s,
        "status": "" if gbs is not None else NOT_MEASURED,
    }


def _overlap(fleet: Fleet) -> dict[str, object]:
    found, line = overlapped(fleet), fleet.overlap
    if found is None or line is None:
        return {}
    return {
        **msgspec.to_builtins(found),
        "ranks": line.ranks,
        "flop": line.flop,
        "bytes": line.size_bytes,
        "repetitions": line.repetitions,
    }


def _spread(metric: Metric) -> dict[str, object]:
    s = metric.spread
    return {
        "unit": metric.unit,
        "device": metric.device,
        "count": s.count,
        "median": s.median,
        "min": s.low,
        "max": s.high,
        "mad": s.mad,
        "deviation": s.deviation,
        "limit": round(s.limit, 2),
        "floor": s.floor,
        "slow_under": metric.slow_under,
        "apart": metric.apart,
        "too_far": metric.too_far,
        "comparable": metric.comparable,
        "judged": metric.judged,
        "slow_group": list(metric.slow_group),
    }
