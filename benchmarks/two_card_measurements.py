"""The part of docs/measurements.md on two cards of one host: links, both at once, fleets."""

from __future__ import annotations

from pathlib import Path

from kept import paragraph

from roofwatch.session.cards_table import CardFigures, cards_table
from roofwatch.session.differences import CARD_TO_CARD, STREAMS_APART
from roofwatch.session.file import events
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.lines import WITHIN
from roofwatch.session.fleet.link_figures import (
    LINKS_APART,
    collective,
    link_gbs,
    link_roofs,
    overlapped,
)
from roofwatch.session.fleet.link_nominals import link_nominals
from roofwatch.session.fleet.rank_figures import BETTER, CLOCK_HELD
from roofwatch.session.fleet.spreads import metrics
from roofwatch.session.fold import Session, fold
from roofwatch.session.links import links
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.fleet_rows import fleet_rows

TWO = Path(__file__).parent.parent / "tests" / "sessions" / "two"
FLEETS = ("fleet-1", "fleet-2", "fleet-3")


def session_of(name: str) -> Session:
    """One of the kept sessions of two cards."""
    return fold(events(TWO / f"{name}.jsonl"))


def fleets() -> list[Fleet]:
    """The three fleets of one host."""
    return [read_fleet(TWO / f"{name}.jsonl") for name in FLEETS]


def bus_gbs(fleet: Fleet) -> dict[str, float]:
    """Bus bandwidth of each collective at its largest size."""
    found = (collective(line) for line in fleet.collectives)
    return {c.op: c.sizes[-1].bus_gbs for c in found if c.sizes and c.group == "world"}


def apart(which: str) -> float:
    """The greatest distance between the two cards in any fleet, as a share of the faster one:
    of ``streams``, of ``matmuls``, or of the ``clock`` that was held."""
    found = []
    for fleet in fleets():
        for m in metrics(fleet):
            kind = "streams" if m.unit == "GB/s" else "matmuls"
            kind = "clock" if m.name == CLOCK_HELD else kind
            if kind == which and m.unit in BETTER:
                found.append(1 - m.spread.low / m.spread.high)
    return max(found)


def two_cards() -> list[str]:
    """Transfers, the matrix, both cards alone and at once, collectives, a slowed card."""
    first = session_of("links")
    software = first.software
    lines = [
        "## Two cards of one host",
        "",
        *paragraph(
            f"Two {first.device.name}, driver {software.driver}, torch {software.torch}, "
            f"{(first.started_at or '')[:10]}; sessions under `tests/sessions/two/`. "
            "`roofwatch run --suite links`: the latency is what of a copy's time does not grow "
            "with its size."
        ),
        "| from | to | kind | direction | GB/s | nominal | of nominal | latency, us |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for x in links(first):
        if x.nominal_gbs is None or x.of_nominal is None:
            continue
        late = "" if x.latency_s is None else f"{x.latency_s * 1e6:.1f}"
        lines.append(
            f"| {x.source} | {x.sink} | {x.kind}, {x.link} | {x.direction} | {x.gbs:.1f} | "
            f"{x.nominal_gbs:.0f} | {x.of_nominal * 100:.0f} % | {late} |"
        )
    return [*lines, "", *_at_once(), *_collectives(), *_slowed()]


def _at_once() -> list[str]:
    lines = paragraph(
        "`roofwatch run --device all`, and the same with CUDA_VISIBLE_DEVICES=1,0: each card "
        "alone, then both at once, a process a card."
    )
    lines += [
        "| session | card by NVML | stream, GB/s | held bf16, TFLOP/s | SM MHz | W | °C "
        "| at once: stream | held | SM MHz | W | °C | lost |",
        "|---|---:|" + "---:|" * 11,
    ]
    for name in ("cards", "reversed"):
        table = cards_table(session_of(name))
        assert table is not None
        for row in table.rows:
            lost = "" if row.lost is None else f"{row.lost * 100:.1f} %"
            own = f"{row.gpu}{' (cuda:0)' if row.measured else ''}"
            parts = " | ".join(_figures(part) for part in (row.alone, row.together))
            lines.append(f"| {name} | {own} | {parts} | {lost} |")
    return [*lines, ""]


def _figures(f: CardFigures) -> str:
    told = (f.bandwidth_gbs, f.sustained_tflops, f.sm_mhz, f.power_w, f.temp_c)
    return " | ".join("" if value is None else f"{value:.0f}" for value in told)


def _collectives() -> list[str]:
    seen = [bus_gbs(fleet) for fleet in fleets()]
    sold = link_nominals(fleets()[0])[WITHIN]
    lines = paragraph(
        "`torchrun --standalone --nproc-per-node 2 -m roofwatch.fleet`, three times (NVLink "
        "multicast off): bus bandwidth in the convention of nccl-tests at 1 GiB, and the share of "
        f"NVLink's nominal {sold.gbs:.0f} GB/s each way that the first run is."
    )
    head = " | ".join(f"run {i + 1}, GB/s" for i in range(len(seen)))
    lines += [f"| collective | {head} | spread | share |", "|---|" + "---:|" * (len(seen) + 2)]
    for op in seen[0]:
        values = [run[op] for run in seen]
        told = " | ".join(f"{v:.1f}" for v in values)
        share = (sold.share(values[0]) or 0.0) * 100
        spread = (max(values) / min(values) - 1) * 100
        lines.append(f"| {op} | {told} | {spread:.1f} % | {share:.0f} % |")
    pairs = [link_gbs(fleet)[0, 1] for fleet in fleets()]
    told = " | ".join(f"{v:.1f}" for v in pairs)
    share = (sold.share(pairs[0]) or 0.0) * 100
    spread = (max(pairs) / min(pairs) - 1) * 100
    lines.append(f"| pair, 64 MiB there and back | {told} | {spread:.1f} % | {share:.0f} % |")
    first = fleets()[0]
    over = overlapped(first)
    lines.append("")
    for roof in link_roofs(first):
        lines += paragraph(
            f"Third roof: {roof.bus_gbs:.0f} GB/s each way; {roof.peak_key} at "
            f"{roof.peak_tflops:.0f} TFLOP/s needs {roof.ridge:.0f} FLOP per byte sent."
        )
    lines += paragraph(
        f"How far the two cards lie apart in any of the three: streams {apart('streams'):.2%}, "
        f"matmuls {apart('matmuls'):.1%}, the clock held {apart('clock'):.1%}. A fleet calls a "
        f"card slow from {STREAMS_APART:.1%} and {CARD_TO_CARD:.0%} on, a link from "
        f"{LINKS_APART:.0%} on.".replace("%", " %")
    )
    if over is not None:
        lines += paragraph(
            f"Overlap: {over.hidden * 100:.0f} % of the shorter one of matmuls and all-reduce is "
            "hidden; 100 % would be the seeds' rule: of two that run at once the longer counts."
        )
    return lines


def _slowed() -> list[str]:
    rows = fleet_rows(read_fleet(TWO / "fleet-slow.jsonl"), 80, UNICODE)
    told = [text_of(row).rstrip() for row in rows]
    first = next(i for i, line in enumerate(told) if "other-process" in line)
    return [
        *paragraph("With a matmul loop of another process on card 1, the fleet says:"),
        *[f"    {line}".rstrip() for line in told[first - 2 : first + 2]],
        "",
    ]
