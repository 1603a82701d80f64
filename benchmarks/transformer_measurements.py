"""What was measured of a transformer: decode steps, kernels, fusion, launches, shapes, triage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kept import RESULTS, load, paragraph, place
from repeatability import figure

from roofwatch.session.alignment import alignment
from roofwatch.session.decode import TERMS, DecodeCurve, decode_curves
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.fusion import fusions
from roofwatch.session.kernel_map import kernel_map
from roofwatch.session.launch import launch_costs
from roofwatch.session.roofs import roofs
from roofwatch.session.waves import waves

SESSIONS = Path(__file__).parent.parent / "tests" / "sessions"
DECODE = SESSIONS / "h200-decode-1.jsonl"
KERNELS = SESSIONS / "h200-kernels-1.jsonl"


def transformer() -> list[str]:
    """All of it."""
    session = fold(events(KERNELS))
    return [
        *decoding(fold(events(DECODE))),
        *mapped(session),
        *fused(session),
        *launches(session),
        *shapes(session),
        *triaged(),
    ]


def _where(session: Session, path: Path) -> str:
    software = session.software
    return (
        f"{session.device.name}, driver {software.driver}, torch {software.torch}, "
        f"{(session.started_at or '')[:10]}. `roofwatch run --suite {session.suite}`, "
        f"{session.duration_s:.0f} s, the session `tests/sessions/{path.name}`."
    )


def decoding(session: Session) -> list[str]:
    """The steps against the batch, and how far their parts explain them."""
    own = roofs(session)
    curves = decode_curves(session, own)
    every = [p.explained for c in curves for p in c.points if p.explained is not None]
    lines = [
        "",
        "## A decode step against the batch",
        "",
        *paragraph(
            f"{_where(session, DECODE)} Random weights of the models' shapes, bf16. Roofs: "
            f"{figure(own.bandwidth_gbs or 0)} GB/s, "
            f"{figure(own.compute['bf16'].burst_tflops or 0)} TFLOP/s. Predicted is the sum of the "
            "parts, each timed by itself and none fitted to the step; its terms are the next "
            f"columns. It gives {min(every):.1%} to {max(every):.1%} of the step as a graph."
        ),
    ]
    for c in curves:
        lines += [*_curve(c), ""]
    return lines


def _curve(c: DecodeCurve) -> list[str]:
    first = c.points[0]
    of_roof = (first.gbs or 0) / (c.bandwidth_gbs or 1)
    bend = f"batch {c.first_bend}" if c.first_bend else "no batch"
    return [
        f"### {c.model}, {c.context} tokens of context",
        "",
        *paragraph(
            f"{c.layers} of {c.layers_of} layers. Batch {first.batch} reads "
            f"{first.bytes / 1e9:.2f} GB at {figure(first.gbs or 0)} GB/s, {of_roof:.1%} of the "
            f"bandwidth roof. The first over 5 % off linear: {bend}; the largest batch takes "
            f"{c.last_over_first or 0:.2f} times the step of the first. {c.reason}"
        ),
        "| batch | graph, ms | eager, ms | predicted, ms | of graph | "
        + " | ".join(TERMS)
        + " | off linear | GB/s |",
        "|---:|" + "---:|" * (len(TERMS) + 6),
        *(
            f"| {p.batch} | {_ms(p.graph_s)} | {_ms(p.eager_s)} | {_ms(p.predicted_s)} | "
            f"{p.explained or 0:.1%} | "
            + " | ".join(_ms(p.terms[t]) for t in TERMS)
            + f" | {gap:.1%} | {figure(p.gbs or 0)} |"
            for p, gap in zip(c.points, c.gaps, strict=True)
        ),
    ]


def _ms(seconds: float | None) -> str:
    return f"{(seconds or 0.0) * 1e3:.3f}"


def mapped(session: Session) -> list[str]:
    """The kernel map, with what the counters say of its bytes."""
    own = roofs(session)
    counted = {op["name"]: op for op in load("dram_counters")["ops"]}
    lines = [
        "## The kernels of a transformer",
        "",
        *paragraph(
            f"{_where(session, KERNELS)} Each against its own roof: the best measured kernel of "
            "the same mix of reads and writes, or the burst matmul. The last column is what the "
            "DRAM's counters saw over the formula's bytes (`benchmarks/dram_counters.py`, kernels "
            "that do not live in the cache)."
        ),
        "| kernel | FLOP/byte | time | GB/s | TFLOP/s | of roof | bound | why less | counted |",
        "|---|---:|---:|---:|---:|---:|---|---|---:|",
    ]
    for p in kernel_map(session, own):
        op = counted.get(f"{p.op} {p.dtype}")
        ratio = f"{op['ratio']:.1%}" if op and p.of_roof and p.bound != "overhead" else ""
        share = f"{p.of_roof:.0%}" if p.of_roof is not None else ""
        lines.append(
            f"| {p.label} | {figure(p.intensity)} | {p.time_s * 1e6:.4g} us | {figure(p.gbs)} | "
            f"{figure(p.tflops)} | {share} | {p.bound} | {p.reason} | {ratio} |"
        )
    return lines


def fused(session: Session) -> list[str]:
    """What fusion promises and brings."""
    lines = [
        "",
        "## What fusion brings",
        "",
        *paragraph(
            "The same session. By bytes: what one kernel would save if bytes were all; came: the "
            "share of that which did."
        ),
        "| chain | each alone | as a graph | in one kernel | by bytes | measured | came | why |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for f in fusions(session, roofs(session)):
        came = f"{f.delivered:.0%}" if f.delivered is not None else ""
        ratio = f"{f.measured_ratio:.2f}" if f.measured_ratio is not None else ""
        lines.append(
            f"| {f.name} | {_ms(f.eager_s)} ms | {_ms(f.graph_s)} ms | {_ms(f.fused_s)} ms | "
            f"{f.predicted_ratio:.2f} | {ratio} | {came} | {f.reason} |"
        )
    return lines


def launches(session: Session) -> list[str]:
    """What a launch costs there."""
    costs = launch_costs(session)
    assert costs is not None
    named = (
        ("enqueued by the host, the device busy", costs.enqueue_s),
        ("alone between two events, the device idle", costs.floor_s),
        ("the same behind other work", costs.queued_s),
        ("a node of a graph of a thousand", costs.graph_node_s),
    )
    limit = f"a quota of {costs.cpu_limit:g} cores" if costs.cpu_limit else "no CPU quota"
    return [
        "",
        "## What a launch costs",
        "",
        *paragraph(
            f"The same session; {costs.cpu_model}, {costs.cpu_cores} cores, {limit}. One core "
            f"launches {costs.launches_per_s or 0:.0f} kernels a second."
        ),
        "| the smallest kernel | us |",
        "|---|---:|",
        *(f"| {name} | {(seconds or 0) * 1e6:.3g} |" for name, seconds in named),
    ]


def shapes(session: Session) -> list[str]:
    """Odd sides, and tiles around the number of SMs."""
    odd, stairs = alignment(session), waves(session)
    assert odd is not None
    assert stairs is not None
    return [
        "",
        "## Sides that are no multiple of 8, and waves",
        "",
        *paragraph(f"The same session. {odd.sentence} {stairs.sentence}"),
        "| side off | m | n | k | TFLOP/s | of aligned |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {p.variant} | {p.shape['m']} | {p.shape['n']} | {p.shape['k']} | "
            f"{figure(p.tflops)} | {p.of_aligned or 0:.0%} |"
            for p in odd.points
        ),
        "",
        "| m | n | tile | tiles | waves | full | TFLOP/s | by waves |",
        "|---:|---:|---|---:|---:|---:|---:|---:|",
        *(
            f"| {p.shape['m']} | {p.shape['n']} | {p.tile[0]} x {p.tile[1]} | {p.tiles} | "
            f"{p.waves:.2f} | {p.wave_share:.0%} | {figure(p.tflops)} | "
            f"{figure(p.predicted_tflops or 0)} |"
            for p in stairs.points
        ),
    ]


def triaged() -> list[str]:
    """What triage says of callables whose bottleneck is known."""
    lines: list[str] = [
        "",
        "## Callables whose bottleneck is known",
        "",
    ]
    kept: Sequence[tuple[str, Path]] = (
        ("on the card", RESULTS / "triage_planted.json"),
        ("on a CPU", RESULTS.parent / "cpu" / "triage_planted.json"),
    )
    for where, path in kept:
        result: dict[str, Any] = json.loads(path.read_text())
        lines += [
            *paragraph(
                f"{where[0].upper()}{where[1:]}: {place(result['where'])}. "
                "`python benchmarks/triage_planted.py`, which runs `roofwatch triage` on each "
                "function of `benchmarks/planted.py`."
            ),
            "| function | planted | found | how sure |",
            "|---|---|---|---|",
            *(
                f"| {name} | {answer['planted']} | {answer['bound']} | {answer['certainty']} |"
                for name, answer in result["answers"].items()
            ),
            "",
        ]
    return lines
