"""What the collectives and the pairs say of the links: bandwidths, latency, which one is slow."""

from __future__ import annotations

from itertools import chain, repeat

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, OPS, algorithm_gbs, bus_gbs
from roofwatch.roofline.communication import NINE_TIMES, hidden_share, link_ridge
from roofwatch.roofline.line_fit import LineFit, line_fit
from roofwatch.roofline.probe_spec import matmul_key
from roofwatch.roofline.robust_spread import GAP, Spread, split_of, spread_of
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.doubted import doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD, CollectiveLine
from roofwatch.session.fleet.spreads import kinds
from roofwatch.session.fleet.typical import typical

LINKS_APART = 0.10  # assumed; three fleets of one link (docs/measurements.md) lie within 5 %


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """One size of a collective; ``iqr_s`` of its repetitions, null where the file has none."""

    bytes: int
    time_s: float
    iqr_s: float | None
    repetitions: int | None
    algorithm_gbs: float
    bus_gbs: float


class Collective(msgspec.Struct, frozen=True, kw_only=True):
    """A collective over its sizes. ``fit`` is null where fewer than three were timed."""

    op: str
    group: str
    node: str
    ranks: int
    backend: str
    timing: str
    sizes: list[Size]
    fit: LineFit | None
    best_bus_gbs: float | None
    status: str


def collective(line: CollectiveLine) -> Collective:
    """The bandwidths of a line, by the convention of nccl-tests; none of what is no collective."""
    known = line.op in OPS and line.ranks > 1
    sizes = [
        Size(
            bytes=size,
            time_s=t,
            iqr_s=iqr_s,
            repetitions=repetitions,
            algorithm_gbs=algorithm_gbs(size, t),
            bus_gbs=bus_gbs(line.op, line.ranks, size, t),
        )
        for (size, t), iqr_s, repetitions in zip(
            zip(line.sizes_bytes, line.times_s, strict=False),
            chain(line.iqr_s, repeat(None)),
            chain(line.repetitions, repeat(None)),
            strict=False,
        )
        if known
    ]
    return Collective(
        op=line.op,
        group=line.group,
        node=line.node,
        ranks=line.ranks,
        backend=line.backend,
        timing=line.timing,
        sizes=sizes,
        fit=line_fit([s.bytes for s in sizes], [s.time_s for s in sizes]),
        best_bus_gbs=max((s.bus_gbs for s in sizes), default=None),
        status=line.status,
    )


class SlowLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link, a node's best link, or all links between nodes, that carries less than the others."""

    what: str
    gbs: float
    median_gbs: float
    times: float  # how many times slower
    deviations: float | None
    text: str
    ranks: tuple[int, ...] = ()  # at its ends; of a node all that it has


def link_gbs(fleet: Fleet) -> dict[tuple[int, int], float]:
    """Each pair's rate one way, while the other pairs of its round send too."""
    return {(x.a, x.b): x.size_bytes / x.time_s / 1e9 for x in fleet.links if x.time_s}


def slow_links(fleet: Fleet) -> list[SlowLink]:
    """Between nodes first (as a whole, then node by node), then single links of each kind."""
    rates = link_gbs(fleet)
    of = {
        group: {(x.a, x.b): rates[x.a, x.b] for x in fleet.links if x.group == group and x.time_s}
        for group in (WITHIN, BETWEEN)
    }
    found = [*_between(of[WITHIN], of[BETWEEN]), *_nodes(fleet, of[BETWEEN])]
    named = bool(found)
    for group, links in of.items():
        if group == BETWEEN and named:
            continue
        found += _single(fleet, links)
    return found


def _between(
    within: dict[tuple[int, int], float], between: dict[tuple[int, int], float]
) -> list[SlowLink]:
    if not within or not between:
        return []
    inside, across = median(list(within.values())), median(list(between.values()))
    times = inside / across
    if times <= NINE_TIMES:
        return []
    text = (
        f"between nodes {_rate(across)} GB/s, within one {_rate(inside)} GB/s: {_times(times)} "
        f"slower, where InfiniBand is about {NINE_TIMES:.0f} times slower than NVLink"
    )
    return [
        SlowLink(
            what="between nodes",
            gbs=across,
            median_gbs=inside,
            times=times,
            deviations=None,
            text=text,
        )
    ]


def _nodes(fleet: Fleet, between: dict[tuple[int, int], float]) -> list[SlowLink]:
    """A node is judged by its best link: a slow one at its other end is not its own fault."""
    best: dict[str, float] = {}
    ends: dict[tuple[int, int], tuple[str, ...]] = {}
    for pair, gbs in between.items():
        ends[pair] = tuple(_node(fleet, rank) for rank in pair)
        for node in ends[pair]:
            best[node] = max(best.get(node, 0.0), gbs)
    if len(best) < 3:
        return []
    spread = spread_of(list(best.values()), LINKS_APART, len(best))
    of = {node: tuple(r.rank for r in ranks) for node, ranks in fleet.nodes.items()}
    said = "{}: its best link to another node carries"
    return [
        _slow(f"{node}", gbs, spread, said.format(node), of.get(node, ()))
        for node, gbs in best.items()
        # of three nodes two share the best link, so that the third always lies apart
        if spread.under(gbs) and (len(best) > 3 or _parted(node, ends, between))
    ]


def _parted(
    node: str, ends: dict[tuple[int, int], tuple[str, ...]], gbs: dict[tuple[int, int], float]
) -> bool:
    """Whether all links of a node lie under all others by a gap wider than either group."""
    own = [gbs[pair] for pair in gbs if node in ends[pair]]
    others = [gbs[pair] for pair in gbs if node not in ends[pair]]
    widest = max(max(of) - min(of) for of in (own, others))
    return min(others) - max(own) >= GAP * widest


def _node(fleet: Fleet, rank: int) -> str:
    return fleet.ranks[rank].node if rank in fleet.ranks else str(rank)


def _single(fleet: Fleet, links: dict[tuple[int, int], float]) -> list[SlowLink]:
    if len(links) < 2:
        return []
    names = {pair: " to ".join(_place(fleet, rank) for rank in pair) for pair in links}
    values = list(links.values())
    spread = spread_of(values, LINKS_APART, len(values))
    slow = [pair for pair, gbs in links.items() if spread.under(gbs)]
    if slow:
        return [_slow(names[p], links[p], spread, f"{names[p]} carries", p) for p in slow]
    split = split_of(values, LINKS_APART) if len(values) > 2 else None
    if split is None:
        return []
    return [
        SlowLink(
            what=names[pair],
            gbs=links[pair],
            median_gbs=split.fast_median,
            times=split.fast_median / links[pair],
            deviations=None,
            text=f"{names[pair]} carries {_rate(links[pair])} GB/s: "
            f"{_times(split.fast_median / links[pair])} slower than the faster ones, "
            f"{_rate(split.fast_median)} GB/s",
            ranks=pair,
        )
        for pair in (list(links)[i] for i in split.slow)
    ]


def _slow(what: str, gbs: float, spread: Spread, said: str, ranks: tuple[int, ...]) -> SlowLink:
    away = spread.deviations(gbs)
    return SlowLink(
        what=what,
        gbs=gbs,
        median_gbs=spread.median,
        times=spread.median / gbs,
        deviations=round(away, 2),
        text=f"{said} {_rate(gbs)} GB/s: {_times(spread.median / gbs)} slower than the median, "
        f"{_rate(spread.median)} GB/s ({away:.1f} robust deviations)",
        ranks=ranks,
    )


def _place(fleet: Fleet, rank: int) -> str:
    return fleet.ranks[rank].place if rank in fleet.ranks else f"rank {rank}"


def _times(times: float) -> str:
    return f"{times:.1f} times" if times < 10 else f"{times:.0f} times"


def _rate(gbs: float) -> str:
    return f"{gbs:.3g}" if gbs < 100 else f"{gbs:.0f}"


class Overlapped(msgspec.Struct, frozen=True, kw_only=True):
    """What passes under the other, and how far it is from the seed's rule (the longer of both)."""

    compute_s: float
    link_s: float
    together_s: float
    longer_s: float
    sum_s: float
    hidden: float


def overlapped(fleet: Fleet) -> Overlapped | None:
    """Of the matmuls and the all-reduce that ran together; None where they did not."""
    o = fleet.overlap
    if o is None or o.compute_s is None or o.link_s is None or o.together_s is None:
        return None
    return Overlapped(
        compute_s=o.compute_s,
        link_s=o.link_s,
        together_s=o.together_s,
        longer_s=max(o.compute_s, o.link_s),
        sum_s=o.compute_s + o.link_s,
        hidden=hidden_share(o.compute_s, o.link_s, o.together_s),
    )


class LinkRoof(msgspec.Struct, frozen=True, kw_only=True):
    """The third roof of a group: its rate (the best bus bandwidth of an all-reduce) and ridge.

    ``device`` is the kind of card whose ``peak_tflops`` that is; ``doubted``: the record of a rank
    doubts its figure.
    """

    group: str
    bus_gbs: float
    peak_key: str
    peak_tflops: float
    ridge: float  # FLOP per byte sent
    device: str = ""
    doubted: bool = False


def link_roofs(fleet: Fleet) -> list[LinkRoof]:
    """One a group, within nodes first; the slowest where several of a kind were measured.

    The peak is the median of the cards of one kind, of two the slower: of several kinds of that
    most ranks have, the first rank's where as many have another.
    """
    computing = {
        device: [r for r in ranks if r.peaks_tflops] for device, ranks in kinds(fleet).items()
    }
    device, ranks = max(computing.items(), key=lambda each: len(each[1]), default=("", []))
    if not ranks:
        return []
    key = next(iter(ranks[0].peaks_tflops))
    having = [r for r in ranks if key in r.peaks_tflops]
    peak = typical([r.peaks_tflops[key] for r in having])
    doubts, name = doubted_figures(doubted(fleet)), matmul_key(key)
    found = []
    for group in (WITHIN, BETWEEN, WORLD):
        rates = [
            best
            for line in fleet.collectives
            if line.group == group and line.op == ALL_REDUCE
            if (best := collective(line).best_bus_gbs) is not None
        ]
        if rates:
            found.append(
                LinkRoof(
                    group=group,
                    bus_gbs=min(rates),
                    peak_key=key,
                    peak_tflops=peak,
                    ridge=link_ridge(peak, min(rates)),
                    device=device,
                    doubted=any((r.rank, name) in doubts for r in having),
                )
            )
    return found
