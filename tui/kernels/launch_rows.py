"""Launch costs and the two experiments about shapes, as aligned rows."""

from __future__ import annotations

from roofwatch.session.alignment import AlignmentPoint, alignment
from roofwatch.session.fold import Session
from roofwatch.session.launch import LaunchCosts, launch_costs
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.roofs import Roofs
from roofwatch.session.waves import WavePoint, waves
from roofwatch.tui.drawing.fitting_columns import filled, fitting
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of, hung, row, wrapped

LEAST_CELLS = 40
WIDE = 108  # cells from which the kernels' names stand too
BAR_CELLS, LEAST_BAR = 12, 4
SIDES = {"m": 6, "n": 7, "k": 6, "TFLOP/s": 9}
SHARE = 8  # cells of the share of the aligned rate, under or behind its bar
WAVES = {
    "m": 6,
    "n": 6,
    "tile": 11,
    "tiles": 5,
    "waves": 7,
    "full": 7,
    "TFLOP/s": 9,
    "by waves": 10,
}
COSTS = (
    ("enqueue_s", "enqueue", "the host's part, while the device is busy"),
    ("floor_s", "alone", "between two events around it, device idle"),
    ("queued_s", "queued", "the same two events behind other work"),
    ("graph_node_s", "graph node", "of a thousand in one graph"),
)
ON_A_CPU = "the whole call: a CPU works when it is called"
OFF = 0.95  # of the aligned rate: less is marked


def measured(session: Session) -> bool:
    """Whether there is something to show."""
    return any(told(session) is not None for told in (launch_costs, alignment, waves))


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
    left, scale = cells - 3 - name, rate_scale(session)
    bar = _bar_cells(left - sum(SIDES.values()) - SHARE - 1)
    columns = fitting(SIDES, ("m", "n", "k"), left - SHARE - (bar + 1 if bar else 0))
    heads = filled({c: scale.named(c) for c in columns}, columns)
    last = "  of aligned" if bar else f"{'share':>{SHARE}}"
    rows = _title("Alignment", found.dtype, own, scale, cells)
    rows.append(row((f"   {'side off':<{name}}{heads}{last}", "dim")))
    for p in found.points:
        sides = {side: str(p.shape[side]) for side in ("m", "n", "k")}
        texts = {**sides, "TFLOP/s": figure(p.tflops * scale.factor)}
        line = f"   {shown(p.variant):<{name}}{filled(texts, columns)}{'  ' if bar else ''}"
        rows.append(_aligned(p, line, bar, cells, glyphs))
    return [*rows, *wrapped(found.sentence, cells - 2, "", " "), row("")]


def _aligned(p: AlignmentPoint, line: str, bar: int, cells: int, glyphs: Glyphs) -> Row:
    share = p.of_aligned
    style = "warn" if share is not None and share < OFF and p.outside_noise else "burst"
    left = cells - len(line) - bar - SHARE + 1
    return row(
        line,
        (_bar(share, bar, glyphs), style),
        f"{percent(share):>{SHARE - 1 if bar else SHARE}}",
        (_kernel(p.kernel, left, glyphs) if cells >= WIDE else "", "dim"),
    )


def staircase(
    session: Session, own: Roofs, cells: int, glyphs: Glyphs, run: int | None = None
) -> list[Row]:
    """Each output size of the experiment about waves of tiles."""
    found = waves(session, run)
    if found is None:
        return []
    scale = rate_scale(session)
    columns = fitting(WAVES, ("full", "tiles", "by waves", "waves"), cells - 3)
    bar = _bar_cells(cells - 3 - sum(columns.values()) - 2)
    heads = {c: scale.named(c) for c in columns} | {"tile": f"  {'tile':<9}"}
    rows = _title(f"Waves over {found.sm_count} SMs", found.dtype, own, scale, cells)
    rows.append(row((f"   {filled(heads, columns)}", "dim")))
    highest = max(p.tflops for p in found.points)
    over = [s.shape_after for s in found.steps]
    for p in found.points:
        line = f"   {filled(_wave_texts(p, scale), columns)}{'  ' if bar else ''}"
        drawn = _bar(p.tflops / highest, bar, glyphs)
        kernel = _kernel(p.kernel, cells - len(line) - bar, glyphs) if cells >= WIDE else ""
        style = "warn" if p.shape in over else "burst"  # just over a whole wave
        rows.append(row(line, (drawn, style), (kernel, "dim")))
    return [*rows, *wrapped(found.sentence, cells - 2, "", " "), row("")]


def _wave_texts(p: WavePoint, scale: RateScale) -> dict[str, str]:
    tile = f"{p.tile[0]}x{p.tile[1]}{'' if p.tile_known else '?'}"
    predicted = p.predicted_tflops
    return {
        "m": str(p.shape["m"]),
        "n": str(p.shape["n"]),
        "tile": f"  {tile:<9}",
        "tiles": str(p.tiles),
        "waves": f"{p.waves:.2f}",
        "full": percent(p.wave_share),
        "TFLOP/s": figure(p.tflops * scale.factor),
        "by waves": figure(predicted * scale.factor if predicted is not None else None),
    }


def _kernel(name: str | None, cells: int, glyphs: Glyphs) -> str:
    """A kernel's name in what a line leaves, cut at its end with the sign."""
    return f"  {head_of(shown(name or ''), cells - 2, glyphs.ellipsis)}"


def _title(what: str, dtype: str, own: Roofs, scale: RateScale, cells: int) -> list[Row]:
    """The experiment, with the precision's own flat beside it."""
    flat = own.compute.get(dtype)
    roof = ""
    if flat and flat.burst_tflops:
        peak = figure(flat.burst_tflops * scale.factor)
        roof = f", burst roof {peak} {scale.named('TFLOP/s')}"
    return wrapped(f"{what}: {shown(dtype)} matmul{roof}", cells - 2, "dim", " ")


def _bar_cells(room: int) -> int:
    """Of a bar that has so much room; none where it would say little."""
    return min(BAR_CELLS, room) if room >= LEAST_BAR else 0


def _bar(share: float | None, cells: int, glyphs: Glyphs) -> str:
    filled = round(min(1.0, share or 0.0) * cells)
    return glyphs.full * filled + glyphs.empty * (cells - filled)
