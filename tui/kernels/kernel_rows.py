"""The kernel map and what fusion brings, as text: a small roofline, a table, the treatments."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.roofline.roof import STOP, Roof
from roofwatch.roofline.time_said import time_said
from roofwatch.session.fold import Session
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.kernel_map import COMPUTE, GBS, OVERHEAD, KernelPoint, kernel_map
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, curve
from roofwatch.tui.drawing.fitting_columns import filled, fitting
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_frame import LEFT, framed
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, broken, fit, row, wrapped
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.kernels.roof_share import share_said

MAP_COLUMNS = {"FLOP/B": 7, "GB/s": 7, "TFLOP/s": 8, "time": 9, "of roof": 8}
MAP_GIVES_WAY = ("FLOP/B", "GB/s", "TFLOP/s", "time")
BOUND_CELLS = 11  # with the two before it
CHAIN_COLUMNS = {"once": 8, "eager": 8, "graph": 8, "fused": 8, "bytes cut": 10, "faster": 8}
CHAINS_GIVE_WAY = ("once", "graph", "eager", "fused")
KEPT = 7  # cells of the last column
TERMS = {
    "once": "once: one cos of the three",
    "bytes cut": "bytes cut: how many times fewer bytes one kernel moves, which promises as much "
    "speed",
    "faster": "faster: eager time over fused time",
    "kept": "kept: of the time that the bytes promise to save, the share that was saved (over "
    "100 %: the kernels before took longer than their bytes)",
}
IN_TERA = RateScale()
LEAST_CELLS = 40
PLOT_ROWS, LEAST_PLOT = 14, 8
X_LIMITS = (-1.3, 4.3)  # 0.05 to 20k FLOP per byte
SIDE_BY_SIDE = 110  # cells from which the reasons stand beside the figures
BOUND = {"memory": "burst", "compute": "ok", "overhead": "warn"}
"""Styles of the three bottlenecks; the word stands beside."""


def build(session: Session, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """At most ``height`` rows; none where neither was measured."""
    if cells < LEAST_CELLS:
        return []
    own = roofs(session)
    mapped, chains = kernel_map(session, own), fusions(session, own)
    scale = rate_scale(session)
    below = [*_map_rows(mapped, cells, scale), *fusion_rows(chains, cells)]
    room = min(PLOT_ROWS, height - len(below))
    drawn = mapped and room >= LEAST_PLOT
    above = plot(own, mapped, cells, room, glyphs, scale) if drawn else []
    return [fit(r, cells) for r in [*above, *below][:height]]


def letters(mapped: Sequence[KernelPoint]) -> list[str]:
    """A mark for each kernel, by which picture and table are read together."""
    return [chr(ord("A") + i) if i < 26 else chr(ord("a") + i % 26) for i in range(len(mapped))]


def table(mapped: Sequence[KernelPoint], cells: int, scale: RateScale = IN_TERA) -> list[Row]:
    """A kernel a line, its reason beside it or below."""
    if not mapped:
        return []
    name = max(20, *(len(shown(p.label)) for p in mapped)) + 1
    columns = fitting(MAP_COLUMNS, MAP_GIVES_WAY, cells - 3 - name - BOUND_CELLS)
    head = f"   {'kernel':<{name}}{filled({c: scale.named(c) for c in columns}, columns)}"
    rows: list[Row] = [row((f"{head}  bound", "dim"))]
    for mark, p in zip(letters(mapped), mapped, strict=True):
        texts = {
            "FLOP/B": significant(p.intensity, decimals=3),
            "GB/s": significant(p.gbs, decimals=3),
            "TFLOP/s": significant(p.tflops * scale.factor, decimals=5),
            "time": _time(p.time_s),
            "of roof": share_said(p.of_roof),
        }
        line = f"{shown(p.label):<{name}}{filled(texts, columns)}  "
        first = row((f" {mark} ", "strong"), line, (f"{p.bound:<9}", BOUND.get(p.bound, "")))
        rows += _beside(first, 3 + len(line) + 9, p.reason, cells)
    return rows


def legend(mapped: Sequence[KernelPoint], cells: int, scale: RateScale = IN_TERA) -> list[Row]:
    """Whose roof each per cent is of, what it is not of, and who has no place on the picture."""
    marks = list(zip(letters(mapped), mapped, strict=True))
    by_roof: dict[str, list[str]] = {}
    for mark, p in marks:
        if p.roof is not None:
            by_roof.setdefault(_roof(p, mapped, scale), []).append(mark)
    roofs_said = "; ".join(f"{name} ({' '.join(of)})" for name, of in by_roof.items())
    notes = [f"of roof, the fastest of the same reads and writes: {roofs_said}"] if by_roof else []
    waits = [m for m, p in marks if p.bound == COMPUTE and p.roof_unit == GBS and p.roof]
    if waits:
        notes.append(f"{' '.join(waits)}: % of the memory's roof; what binds are the instructions")
    if flat := [m for m, p in marks if not p.flop]:
        notes.append(f"{' '.join(flat)}: 0 FLOP, so the picture has no point for it")
    return [r for note in notes for r in wrapped(note, cells - 2, "dim", " ")]


def roof_name(p: KernelPoint, mapped: Sequence[KernelPoint]) -> str:
    """Whose rate the roof of a kernel is: a probe's, or that of another kernel of the map."""
    if p.roof_by != p.probe:
        return shown(p.roof_by or "")
    best = next((o for o in mapped if p.roof in (o.gbs, o.tflops)), p)
    return f"{shown(best.label)} here"


def _roof(p: KernelPoint, mapped: Sequence[KernelPoint], scale: RateScale) -> str:
    unit = p.roof_unit or ""
    rate = p.roof * scale.factor_of(unit) if p.roof is not None else None
    return f"{figure(rate)} {scale.named(unit)} {roof_name(p, mapped)}"


def treatments(mapped: Sequence[KernelPoint], cells: int) -> list[Row]:
    """What treats them, each treatment with the letters of its kernels."""
    by_words: dict[str, list[str]] = {}
    for mark, p in zip(letters(mapped), mapped, strict=True):
        by_words.setdefault(p.treatment, []).append(mark)
    rows: list[Row] = []
    for words, marks in by_words.items():
        rows += wrapped(f"{words} ({' '.join(marks)})", cells - 2, "", "   ")
    return [row((" what treats them", "dim")), *rows] if rows else []


def fusion_rows(chains: Sequence[Fusion], cells: int) -> list[Row]:
    """A chain a line: seconds each way, what bytes promise, what came, and what binds it."""
    if not chains:
        return []
    size = chains[0].shape["rows"] * chains[0].shape["columns"]
    title = f"Fusion: one by one, as one graph, in one kernel; {size / 1e6:.3g} M elements"
    columns = fitting(CHAIN_COLUMNS, CHAINS_GIVE_WAY, cells - len(f"   {'':<17}") - KEPT)
    head = f"   {'chain':<17}" + filled({name: name for name in columns}, columns)
    rows = wrapped(f"{title} of {shown(chains[0].dtype)}", cells - 2, "dim", " ")
    rows.append(row((f"{head}{'kept':>7}", "dim")))
    for f in chains:
        texts = {
            "once": _time(f.once_s),
            "eager": _time(f.eager_s),
            "graph": _time(f.graph_s),
            "fused": _time(f.fused_s),
            "bytes cut": f"{f.predicted_ratio:.2f}x",
            "faster": f"{f.measured_ratio:.2f}x" if f.measured_ratio else figure(None),
        }
        line = f"   {f.name:<17}" + filled(texts, columns)
        style = "ok" if f.delivered is not None and f.delivered >= STOP else "warn"
        share = percent(f.delivered) if f.delivered is not None else ""
        first = row(line, (f"{share:>7}  ", style))
        rows += _beside(first, len(line) + 9, f.reason, cells)
    told = "; ".join(TERMS[name] for name in (*columns, "kept") if name in TERMS)
    return [*rows, *wrapped(told, cells - 2, "dim", " "), row("")]


def plot(
    own: Roofs,
    mapped: Sequence[KernelPoint],
    cells: int,
    height: int,
    glyphs: Glyphs,
    scale: RateScale = IN_TERA,
) -> list[Row]:
    """The kernels under the card's measured roof; those without FLOP have no place on it."""
    columns, rows = cells - LEFT - 1, height - 2
    roof = own.roof(own.main_key or "", "burst")
    marks = zip(letters(mapped), mapped, strict=True)
    placed = [(mark, p) for mark, p in marks if p.flop and 0 < p.tflops < math.inf]
    if columns < 20 or rows < 4 or not placed:
        return []
    tops = [p.tflops for _, p in placed] + ([roof.peak_tflops] if roof else [])
    low = min(math.log10(p.tflops) for _, p in placed) - 0.3
    y_limits = low, max(math.log10(max(tops)) + 0.3, low + 1.0)
    canvas = Canvas(columns, rows)
    if roof is not None:
        path = _corners(roof)
        canvas.lay(curve(path, (columns, rows), X_LIMITS, y_limits, glyphs.curve), "burst")
    taken: set[tuple[int, int]] = set()
    for mark, p in placed:
        x = cell_of(math.log10(p.intensity), X_LIMITS, columns)
        y = rows - 1 - cell_of(math.log10(p.tflops), y_limits, rows)
        while (x, y) in taken:
            x += 1
        taken.add((x, y))
        canvas.put(x, y, mark, "warn" if p.bound == OVERHEAD else "strong")
    if roof is not None:
        peak = figure(roof.peak_tflops * scale.factor)
        _write_roof(canvas, f" {own.main_key} burst {peak} {scale.named('TFLOP/s')} ")
    shown_limits = (y_limits[0] + scale.decades, y_limits[1] + scale.decades)
    return framed(canvas, X_LIMITS, shown_limits, scale.named("TFLOP/s"), glyphs)


def _write_roof(canvas: Canvas, text: str) -> None:
    """Names the flat at the right, as high as no point and no line is in the way."""
    x = canvas.width - len(text)
    y = next((y for y in range(canvas.height) if canvas.free(x, y, len(text))), None)
    if y is not None:
        canvas.write(x, y, text, "burst")


def _map_rows(mapped: Sequence[KernelPoint], cells: int, scale: RateScale) -> list[Row]:
    if not mapped:
        return []
    title = f" Kernel map: each kernel against its own roof; {shown(mapped[-1].dtype)}"
    return [
        row((title, "dim")),
        *table(mapped, cells, scale),
        *legend(mapped, cells, scale),
        *treatments(mapped, cells),
        row(""),
    ]


def _beside(first: Row, used: int, text: str, cells: int) -> list[Row]:
    """A line with a sentence at its right, or below it where that is too narrow."""
    if not text:
        return [first]
    if cells < SIDE_BY_SIDE:
        return [first, *(((" " * 5, ""), *r) for r in wrapped(text, cells - 6, "dim"))]
    lines = broken(text, cells - used - 1)
    rest = [row((" " * used, ""), (line, "dim")) for line in lines[1:]]
    return [(*first, (lines[0], "dim")), *rest]


def _time(seconds: float | None) -> str:
    return figure(None) if seconds is None else time_said(seconds)


def _corners(roof: Roof) -> list[tuple[float, float]]:
    """Left edge, ridge and right edge of a roof in log10."""
    xs = (X_LIMITS[0], math.log10(roof.ridge), X_LIMITS[1])
    return [(x, math.log10(roof.attainable_tflops(10**x))) for x in xs]
