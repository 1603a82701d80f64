"""Clock, power and throughput over the last minute, with the probe that ran under each fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.reasons import word
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Sample
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.throttle import held_matmul
from roofwatch.tui.canvas import Canvas
from roofwatch.tui.curves import cell_of, curve
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import NOT_READ, figure, percent, util_said
from roofwatch.tui.rows_of_text import Piece, Row, page, row, width

WINDOW_S = 60.0
SHORTEST_S = 15.0
GAP_S = 1.0
BLOCKS = 10  # points of a series of launches
LAST = 10  # of them, whose median is the held rate now: a single one is noise
SHORTEST_NAME = 3  # cells; less of a name says nothing
LEFT = 9
RIGHT = 7

Points = list[tuple[float, float]]


def build(session: Session, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Rows of the pane; its right edge is the last event of the stream."""
    columns = cells - LEFT - RIGHT
    if columns < 20 or height < 9:
        return page(_now(session, cells, glyphs), cells, height)
    now = session.duration_s
    length = min(WINDOW_S, max(SHORTEST_S, now))  # a short session fills the width all the same
    window = (now - length, now)
    samples = session.between(*window)
    on_device = _on_device(session, window)
    said = _now(session, cells, glyphs, on_device)
    device = session.device
    clock = [(s.t, s.sm_mhz) for s in samples if s.sm_mhz is not None]
    power = [(s.t, p) for s in samples if (p := _power(s)) is not None]
    held = _throughput(session, window)
    heights = _heights(height - 5 - len(said), bool(power), bool(held))

    def chart(
        name: str,
        points: Points,
        rows: int,
        style: str,
        limit: float | None = None,
        missing: str = "",
        beside: Points | None = None,
    ) -> list[Row]:
        if not points:
            return [row((f"{name:<{LEFT - 1}}{glyphs.vertical} {missing}", "dim"))]
        place = (window, columns, rows)
        zero = style != "clock"
        now = points[-LAST:] if style == "sustained" else points[-1:]
        last = median([value for _, value in now])
        thin = _thinned(points, window, columns)
        return _chart(name, thin, last, limit, place, style, glyphs, zero, beside or [])

    why = _why_null(samples, "power_instant_w")
    rows = chart(
        "MHz", clock, heights[0], "clock", device.sm_max_mhz, "no clock yet", beside=on_device
    )
    rows.append(_bands(session, window, columns, glyphs))
    rows += chart("W", power, heights[1], "power", device.power_limit_w, f"not readable here{why}")
    rows += chart("TFLOP/s", held, heights[2], "sustained", None, "while a matmul is held")
    rows.append(_memory(samples, device.memory_bytes, window, columns, glyphs))
    rows += _axis(length, columns, glyphs)
    rows.append(_reasons(samples, window, columns, glyphs))
    rows += said
    return page(rows, cells, height)


def _on_device(session: Session, window: tuple[float, float]) -> Points:
    """The clock read on the device while something was held, a median a series."""
    return [
        (s.clock_t_s[len(s.clock_t_s) // 2], median(s.clock_mhz))
        for s in session.series
        if s.clock_mhz and s.t >= window[0]
    ]


def _heights(total: int, power: bool, held: bool) -> tuple[int, int, int]:
    """Rows of the three charts; one that has nothing to draw takes a single row."""
    third = max(2, total // 4) if held else 1
    second = max(1, (total - third) // 2) if power else 1
    return max(1, total - third - second), second, third


def _why_null(samples: Sequence[Sample], field: str) -> str:
    reason = samples[-1].status.get(field) if samples else None
    return f" ({reason.replace('_', ' ')})" if reason else ""


def _power(sample: Sample) -> float | None:
    """Instant power where the card has it: the average needs a second to climb."""
    return sample.power_instant_w if sample.power_instant_w is not None else sample.power_w


def _throughput(session: Session, window: tuple[float, float]) -> Points:
    """TFLOP/s of the held matmuls inside the window."""
    points: Points = []
    for series in session.series:
        if not series.flop or series.t < window[0] or not held_matmul(series.probe):
            continue  # written after its last launch; a held stream has no TFLOP/s to show
        # A series is a quarter of a second: its launches in ten blocks are finer than any column.
        size = max(1, len(series.times_s) // BLOCKS)
        end = series.t0
        for at in range(0, len(series.times_s), size):
            block = series.times_s[at : at + size]
            end += sum(block)
            points.append((end, series.flop * len(block) / sum(block) / 1e12))
    return points


def _thinned(points: Points, window: tuple[float, float], columns: int) -> Points:
    """At most two points a column, the lowest and the highest, so that no spike is lost."""
    if len(points) <= 2 * columns:
        return points
    buckets: dict[int, Points] = {}
    for t, value in points:
        buckets.setdefault(cell_of(t, window, columns), []).append((t, value))
    kept: Points = []
    for bucket in buckets.values():
        low, high = min(bucket, key=lambda p: p[1]), max(bucket, key=lambda p: p[1])
        kept += sorted({low, high})
    return kept


def _stretches(points: Points) -> list[Points]:
    """Points cut where nothing was heard for a while: a line over a gap would be invented."""
    out: list[Points] = []
    for point in points:
        if not out or point[0] - out[-1][-1][0] > GAP_S:
            out.append([])
        out[-1].append(point)
    return out


def _chart(
    unit: str,
    points: Points,
    last: float,
    limit: float | None,
    place: tuple[tuple[float, float], int, int],
    style: str,
    glyphs: Glyphs,
    from_zero: bool,
    beside: Points,
) -> list[Row]:
    window, columns, height = place
    canvas = Canvas(columns, height)
    values = [value for _, value in (*beside, *points)]
    top = max([*values, limit or 0.0], default=1.0) or 1.0
    bottom = 0.0 if from_zero or not values else min(values)
    if top - bottom < 0.1 * top:
        bottom = 0.8 * top
    limits = (bottom, top)
    if limit:
        y = height - 1 - cell_of(limit, limits, height)
        canvas.write(0, y, glyphs.nominal * columns, "nominal")
    for stretch in _stretches([p for p in points if window[0] <= p[0] <= window[1]]):
        canvas.lay(curve(stretch, (columns, height), window, limits, glyphs.curve), style)
    for stretch in _stretches(beside):
        canvas.lay(curve(stretch, (columns, height), window, limits, glyphs.curve), f"{style}-spin")
    rows: list[Row] = []
    last_y = height - 1 - cell_of(last, limits, height)
    for y in range(height):
        label = figure(top) if y == 0 else figure(bottom) if y == height - 1 > 1 else ""
        name = unit if y == 1 else ""
        text = f"{label:>{LEFT - 2}} " if label else f"{name:<{LEFT - 2}} "
        mark = glyphs.tick if label else glyphs.vertical
        tail = f" {figure(last)}" if y == last_y else ""
        rows.append((*row((text + mark, "axis")), *canvas.row(y), (f"{tail:<{RIGHT}}", style)))
    return rows


def _memory(
    samples: Sequence[Sample],
    whole_bytes: int | None,
    window: tuple[float, float],
    columns: int,
    glyphs: Glyphs,
) -> Row:
    """Memory used, as a row of levels against the whole; the figure at its right end."""
    canvas = Canvas(columns, 1)
    used = [(s.t, s.mem_used_bytes) for s in samples if s.mem_used_bytes is not None]
    top = len(glyphs.spark) - 1
    for t, value in used:
        level = min(top, round(value / (whole_bytes or max(v for _, v in used) or 1) * top))
        canvas.put(cell_of(t, window, columns), 0, glyphs.spark[level], "memory")
    tail = f" {used[-1][1] / 2**30:.1f}" if used else f" {NOT_READ}"
    head = row((f"{'GiB':<{LEFT - 1}}{glyphs.vertical}", "axis"))
    return (*head, *canvas.row(0), (f"{tail:<{RIGHT}}", "memory"))


def _spans(session: Session, window: tuple[float, float]) -> list[tuple[str, float, float, bool]]:
    """(label, begin, end, running) of the probes in the window."""
    labels = {s.key: _band_name(s) for s in session.specs}
    found: list[tuple[str, float, float, bool]] = []
    opened: dict[tuple[int, str], float] = {}
    for span in session.spans:
        if span.edge == "begin":
            opened[span.run, span.probe] = span.t
        elif (span.run, span.probe) in opened:
            begin = opened.pop((span.run, span.probe))
            found.append((labels.get(span.probe, span.probe), begin, span.t, False))
    running = session.running()
    for (_, probe), begin in opened.items():
        if probe == running:
            found.append((labels.get(probe, probe), begin, window[1], True))
    return [s for s in found if s[2] >= window[0]]


def _band_name(spec: ProbeSpec) -> str:
    if spec.peak_key is None:
        short = "add" if spec.op == "add_scalar" else spec.op
        short = short if spec.protocol != "stream" else f"{short} {spec.dtype}"
    else:
        short = spec.peak_key
    tail = {"sustained": " held", "sweep": " sizes"}.get(spec.protocol, "")
    return f"{short}{tail}"


def _bands(session: Session, window: tuple[float, float], columns: int, glyphs: Glyphs) -> Row:
    """The probes as bands under the clock, each with as much of its name as fits."""
    canvas = Canvas(columns, 1)
    for i, (label, begin, end, running) in enumerate(_spans(session, window)):
        x0, x1 = cell_of(begin, window, columns), cell_of(end, window, columns)
        size = max(1, x1 - x0)
        text = f"{shown(label):^{size}}"[:size] if size >= SHORTEST_NAME else " " * size
        if running:
            text = text.replace(" ", glyphs.band)
        canvas.write(x0, 0, text, "band-running" if running else f"band-{i % 2}")
    return (*row((f"{'probe':<{LEFT - 2}} ", "axis"), (glyphs.vertical, "axis")), *canvas.row(0))


def _reasons(
    samples: Sequence[Sample], window: tuple[float, float], columns: int, glyphs: Glyphs
) -> Row:
    """What held the clock, as words where it begins and a bar as long as it lasted."""
    canvas = Canvas(columns, 1)
    by_column: dict[int, str] = {}
    for sample in samples:
        text = word(sample.reasons) if sample.reasons is not None else ""
        x = cell_of(sample.t, window, columns)
        if text not in ("", "idle") or x not in by_column:
            by_column[x] = text
    previous = ""
    start = 0
    for x in range(columns):
        text = by_column.get(x, previous if x - 1 in by_column else "")
        if text != previous:
            start, previous = x, text
        if text == "idle":
            canvas.put(x, 0, glyphs.dot, "dim")
        elif text:
            inside = x - start
            name = f"{text} "
            char = name[inside] if inside < len(name) else glyphs.full
            canvas.put(x, 0, char, "reason")
    return (*row((f"{'limit':<{LEFT - 2}} ", "axis"), (glyphs.vertical, "axis")), *canvas.row(0))


def _axis(length_s: float, columns: int, glyphs: Glyphs) -> list[Row]:
    line = [glyphs.horizontal] * columns
    names = [" "] * (columns + LEFT + RIGHT)
    step = 10 if length_s > 40 else 5
    for back in range(0, int(length_s) + 1, step):
        x = cell_of(-float(back), (-length_s, 0.0), columns)
        line[x] = glyphs.axis_tick
        label = "now" if back == 0 else f"-{back} s"
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        if all(c == " " for c in names[max(0, start - 1) : start + len(label) + 1]):
            names[start : start + len(label)] = label
    return [
        row((" " * (LEFT - 1) + glyphs.corner + "".join(line), "axis")),
        row(("".join(names), "axis")),
    ]


def _now(
    session: Session, cells: int, glyphs: Glyphs, on_device: Points | None = None
) -> list[Row]:
    """Temperature, utilisation and the device's own clock, in as many rows as they need."""
    if not session.samples:
        return [row((" waiting for telemetry", "dim"))]
    last, device = session.samples[-1], session.device

    def said(value: float | None, text: Callable[[float], str], field: str) -> str:
        if value is not None:
            return text(value)
        return f"{NOT_READ} ({last.status.get(field, 'error').replace('_', ' ')})"

    heat = said(last.temp_c, lambda v: f"{v:.0f} {glyphs.degree}C", "temp_c")
    if device.temp_slowdown_c:
        heat += f" (slows at {device.temp_slowdown_c:.0f})"
    ran = util_said(said(last.util, percent, "util"), last.gpu is not None)
    parts: list[tuple[Piece, ...]] = [
        ((" temperature ", "dim"), (heat, "")),
        ((f"  {ran}", ""),),
    ]
    if on_device:
        parts.append((("  clock on the device ", "dim"), (f"{on_device[-1][1]:.0f}", "clock-spin")))
    rows: list[Row] = [()]
    for part in parts:
        if rows[-1] and width((*rows[-1], *part)) > cells:
            rows.append(((part[0][0][1:], part[0][1]), *part[1:]))
        else:
            rows[-1] = (*rows[-1], *part)
    return rows
