"""Launch costs and the two experiments about shapes, as aligned rows."""

from __future__ import annotations

from roofwatch.session.alignment import AlignmentPoint, alignment
from roofwatch.session.fold import Session
from roofwatch.session.launch import LaunchCosts, launch_costs
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roofs import Roofs
from roofwatch.session.waves import WavePoint, waves
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, hung, row, wrapped

LEAST_CELLS = 40
WIDE = 108  # cells from which the kernels' names stand too
BAR_CELLS = 12
COSTS = (
    ("enqueue_s", "enqueue", "the host's part, while the device is busy"),
    ("floor_s", "alone", "between two events around it, device idle"),
    ("queued_s", "queued", "the same two events behind other work"),
    ("graph_node_s", "graph node", "of a thousand in one graph"),
)
ON_A_CPU = "the whole call: a CPU works when it is called"
OFF = 0.95  # of the aligned rate: less is marked


def build(session: Session, own: Roofs, cells: int, glyphs: Glyphs) -> list[Row]:
    """Rows of what was measured of launches and shapes; none where nothing was."""
    if cells < LEAST_CELLS:
        return []
    rows = launches(session, cells)
    rows += odd_sides(session, own, cells, glyphs)
    rows += staircase(session, own, cells, glyphs)
    return [fit(r, cells) for r in rows]


def launches(session: Session, cells: int, run: int | None = None) -> list[Row]:
    """What one launch costs, of one run (the reported one by default)."""
    costs = launch_costs(session, run)
    if costs is None:
        return []
    on_cpu = session.device.kind == "cpu"
    title = "Launches of the smallest kernel, y = x + 1 of one element"
    rows = wrapped(title, cells - 2, "dim", " ")
    for field, name, what in COSTS:
        seconds = getattr(costs, field)
        if seconds is not None:
            said = ON_A_CPU if on_cpu else what
            head = f"   {name:<12}{figure(seconds * 1e6):>8} us  "
            rows += hung(head, said, cells - 1, "dim", of_head="")
    if costs.launches_per_s is not None:
        rate = f"   {'one core':<12}{costs.launches_per_s:>8.0f} /s  "
        rows += hung(rate, "launches, every pause of the host in it", cells - 1, "dim", of_head="")
    rows += hung(f"   {'host':<12} ", _host(costs), cells - 1, of_head="")
    return [*rows, row("")]


def _host(costs: LaunchCosts) -> str:
    """The CPU, its cores, its quota, and how often that was used up."""
    parts = [shown(costs.cpu_model)] if costs.cpu_model else []
    if costs.cpu_cores is not None:
        parts.append(f"{costs.cpu_cores} cores" if costs.cpu_cores > 1 else "1 core")
    if costs.cpu_limit is not None:
        parts.append(f"a quota of {figure(costs.cpu_limit)} cores")
    else:
        why = costs.status.get("cpu_limit", "")
        parts.append("no CPU quota" if why == "unlimited" else f"CPU quota n/a: {shown(why)}")
    if costs.throttled_share is not None:
        parts.append(f"used up in {percent(costs.throttled_share)} of its periods")
    return ", ".join(parts)


def odd_sides(
    session: Session, own: Roofs, cells: int, glyphs: Glyphs, run: int | None = None
) -> list[Row]:
    """Each shape of the alignment experiment against the aligned one."""
    found = alignment(session, run)
    if found is None:
        return []
    name = max(9, *(len(shown(p.variant)) for p in found.points)) + 1
    scale = rate_scale(session)
    rate = scale.named("TFLOP/s")
    head = f"   {'side off':<{name}}{'m':>6}{'n':>7}{'k':>6}{rate:>9}  of aligned"
    rows = [_title("Alignment", found.dtype, own, scale), row((head, "dim"))]
    rows += [_aligned(p, scale, name, cells, glyphs) for p in found.points]
    return [*rows, *wrapped(found.sentence, cells - 2, "", " "), row("")]


def _aligned(p: AlignmentPoint, scale: RateScale, name: int, cells: int, glyphs: Glyphs) -> Row:
    m, n, k = (p.shape[side] for side in ("m", "n", "k"))
    line = f"   {shown(p.variant):<{name}}{m:>6}{n:>7}{k:>6}{figure(p.tflops * scale.factor):>9}  "
    share = p.of_aligned
    style = "warn" if share is not None and share < OFF and p.outside_noise else "burst"
    return row(
        line,
        (_bar(share, glyphs), style),
        f" {percent(share):>6}",
        (
            _kernel(p.kernel, cells - len(line) - BAR_CELLS - 7, glyphs) if cells >= WIDE else "",
            "dim",
        ),
    )


def staircase(
    session: Session, own: Roofs, cells: int, glyphs: Glyphs, run: int | None = None
) -> list[Row]:
    """Each output size of the experiment about waves of tiles."""
    found = waves(session, run)
    if found is None:
        return []
    scale = rate_scale(session)
    rate = scale.named("TFLOP/s")
    head = f"   {'m':>6}{'n':>6}  {'tile':<9}{'tiles':>5}{'waves':>7}{'full':>7}{rate:>9}"
    rows = [
        _title(f"Waves over {found.sm_count} SMs", found.dtype, own, scale),
        row((f"{head}{'by waves':>10}", "dim")),
    ]
    highest = max(p.tflops for p in found.points)
    over = [s.shape_after for s in found.steps]
    rows += [_wave(p, scale, highest, p.shape in over, cells, glyphs) for p in found.points]
    return [*rows, *wrapped(found.sentence, cells - 2, "", " "), row("")]


def _wave(
    p: WavePoint, scale: RateScale, highest: float, over: bool, cells: int, glyphs: Glyphs
) -> Row:
    """One size; those just over a whole wave are marked."""
    tile = f"{p.tile[0]}x{p.tile[1]}{'' if p.tile_known else '?'}"
    line = f"   {p.shape['m']:>6}{p.shape['n']:>6}  {tile:<9}{p.tiles:>5}{p.waves:>7.2f}"
    seen, predicted = p.tflops * scale.factor, p.predicted_tflops
    by_waves = predicted * scale.factor if predicted is not None else None
    line += f"{percent(p.wave_share):>7}{figure(seen):>9}{figure(by_waves):>10}  "
    return row(
        line,
        (_bar(p.tflops / highest, glyphs), "warn" if over else "burst"),
        (_kernel(p.kernel, cells - len(line) - BAR_CELLS, glyphs) if cells >= WIDE else "", "dim"),
    )


def _kernel(name: str | None, cells: int, glyphs: Glyphs) -> str:
    """A kernel's name in what a line leaves, cut at its end with the sign."""
    return f"  {head_of(shown(name or ''), cells - 2, glyphs.ellipsis)}"


def _title(what: str, dtype: str, own: Roofs, scale: RateScale) -> Row:
    """The experiment, with the precision's own flat beside it."""
    flat = own.compute.get(dtype)
    roof = ""
    if flat and flat.burst_tflops:
        peak = figure(flat.burst_tflops * scale.factor)
        roof = f", burst roof {peak} {scale.named('TFLOP/s')}"
    return row((f" {what}: {shown(dtype)} matmul{roof}", "dim"))


def _bar(share: float | None, glyphs: Glyphs) -> str:
    filled = round(min(1.0, share or 0.0) * BAR_CELLS)
    return glyphs.full * filled + glyphs.empty * (BAR_CELLS - filled)
