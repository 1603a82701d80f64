"""Tables of a group's points that fit a page: the kernel map, fusion, waves, a decode step."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.roof import STOP
from roofwatch.roofline.time_said import time_said
from roofwatch.session.decode import DecodeCurve, DecodePoint
from roofwatch.session.fusion import Fusion
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale
from roofwatch.session.waves import Waves
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import indented
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, head_of, row, wrapped
from roofwatch.tui.kernels.kernel_rows import BOUND, legend, letters, treatments

KERNEL_FIGURES = 3 + 9 + 8 + 9 + 10  # cells beside a kernel's name
LEAST_NAME = 10
STEPS = (  # heading, cells, least cells of the table that has it
    ("batch", 6, 0),
    ("graph ms", 10, 0),
    ("eager ms", 10, 0),
    ("predicted", 11, 60),
    ("off linear", 12, 0),
    ("tokens/s", 10, 66),
    ("bound", 10, 50),
)


def kernels(mapped: Sequence[KernelPoint], cells: int, glyphs: Glyphs) -> list[Row]:
    """A kernel a line: its time, its rate, how near it is to its own roof, and what binds it."""
    if not mapped:
        return []
    longest = max(len(shown(p.label)) for p in mapped)
    name = max(LEAST_NAME, min(longest, cells - KERNEL_FIGURES))
    head = f"   {'kernel':<{name}}{'time':>9}{'GB/s':>8}{'of roof':>9}  bound"
    rows: list[Row] = [row((head, "dim"))]
    for mark, p in zip(letters(mapped), mapped, strict=True):
        line = f"{head_of(shown(p.label), name, glyphs.ellipsis):<{name}}{time_said(p.time_s):>9}"
        line += f"{figure(p.gbs):>8}"
        full = p.of_roof is not None and p.of_roof >= STOP
        share = (f"{percent(p.of_roof):>9}", "ok" if full else "")
        rows.append(
            row((f" {mark} ", "strong"), line, share, (f"  {p.bound}", BOUND.get(p.bound, "")))
        )
        if p.reason:
            rows += indented(wrapped(p.reason, cells - 6, "dim"), 5)
    for part in (legend(mapped, cells), treatments(mapped, cells)):
        rows += [row(""), *part] if part else []
    return rows


def chains(found: Sequence[Fusion], cells: int) -> list[Row]:
    """A chain a line: called one by one, in one kernel, what bytes promise and what came."""
    if not found:
        return []
    name = max(len(f.name) for f in found)
    bytes_too = cells >= name + 9 + 9 + 8 + 7 + 7
    head = (
        f"{'chain':<{name}}{'eager':>9}{'fused':>9}{'bytes' if bytes_too else '':>{8 * bytes_too}}"
    )
    rows: list[Row] = [row((f"{head}{'came':>7}{'saved':>7}", "dim"))]
    for f in found:
        came = f"{figure(f.measured_ratio)}x" if f.measured_ratio else figure(None)
        line = f"{f.name:<{name}}{_time(f.eager_s):>9}{_time(f.fused_s):>9}"
        line += f"{f.predicted_ratio:>7.2f}x" if bytes_too else ""
        full = f.delivered is not None and f.delivered >= STOP
        share = (f"{percent(f.delivered):>7}", "ok" if full else "warn")
        rows.append(row(f"{line}{came:>7}", share))
        rows += indented(wrapped(f.reason, cells - 3, "dim"))
    said = "bytes: times fewer in one kernel; " if bytes_too else ""
    said += "came: times faster in one kernel; saved: what came of the time that bytes promise"
    return [*rows, *wrapped(said, cells, "dim")]


def staircase(found: Waves | None, scale: RateScale, cells: int) -> list[Row]:
    """A size a line: its tiles in waves, its rate, and the rate that the waves predict."""
    if found is None:
        return []
    head = f"{'m':>6}{'n':>6}{'tiles':>7}{'waves':>7}{'full':>7}"
    head += f"{scale.named('TFLOP/s'):>9}{'by waves':>10}"
    rows: list[Row] = [row((head, "dim"))]
    over = [s.shape_after for s in found.steps]
    for p in found.points:
        line = f"{p.shape['m']:>6}{p.shape['n']:>6}{p.tiles:>7}{p.waves:>7.2f}"
        line += f"{percent(p.wave_share):>7}{figure(p.tflops * scale.factor):>9}"
        line += f"{_times(p.predicted_tflops, scale):>10}"
        rows.append(row((line, "warn" if p.shape in over else "")))
    return [*rows, *wrapped(found.sentence, cells)]


def _times(rate_tflops: float | None, scale: RateScale) -> str:
    return figure(None if rate_tflops is None else rate_tflops * scale.factor)


def steps(c: DecodeCurve, cells: int) -> list[Row]:
    """A batch a line; the first that bends stands out."""
    columns = [(name, room) for name, room, least in STEPS if cells >= least]
    while len(columns) > 2 and sum(room for _, room in columns) > cells:
        columns.pop(-2)
    rows: list[Row] = [row(("".join(f"{name:>{room}}" for name, room in columns), "dim"))]
    for p, gap in zip(c.points, c.gaps, strict=True):
        told = _step(p, gap)
        style = "reason" if p.batch == c.first_bend else ""
        rows.append(row(("".join(f"{told[name]:>{room}}" for name, room in columns), style)))
    return rows


def _step(p: DecodePoint, gap: float) -> dict[str, str]:
    predicted_s = p.predicted_s if p.graph_s is not None else p.eager_predicted_s
    return {
        "batch": str(p.batch),
        "graph ms": _ms(p.graph_s),
        "eager ms": _ms(p.eager_s),
        "predicted": _ms(predicted_s),
        "off linear": f"{gap * 100:.1f} %",
        "tokens/s": figure(p.tokens_per_s),
        "bound": p.bound or "not known",
    }


def _ms(seconds: float | None) -> str:
    return figure(None) if seconds is None else f"{seconds * 1e3:.2f}"


def _time(seconds: float | None) -> str:
    return figure(None) if seconds is None else time_said(seconds)
