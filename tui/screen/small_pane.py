"""What a terminal too small for a chart gets of each pane: its figures, what matters first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.notebook.finding import WRONG, Finding
from roofwatch.roofline.reasons import IDLE, decode
from roofwatch.session.events import Sample
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale, scaled
from roofwatch.session.ridges import ridges
from roofwatch.session.roofs import WHICH, roofs
from roofwatch.session.table import DONE, FAILED, RUNNING, SKIPPED, ProbeRow, doubtful, probe_rows
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import NOT_READ, figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, head_of, wrapped
from roofwatch.tui.drawing.short_rows import CUT, labelled, parts, shortened_from
from roofwatch.tui.drawing.telling import arrows
from roofwatch.tui.notebook.short_notebook import short_notebook
from roofwatch.tui.probes.probe_mark import mark_of

NARROW_LABEL, LABEL, WIDE_LABEL = 8, 10, 13  # cells of the labels
WIDE = 30  # cells from which labels are whole words
BAR_CELLS = 8
NAME, LEAST_WORD = 8, 3  # least cells of a probe's name, and of its first word
FIGURE = 5  # least cells of a rate


def build(
    session: Session,
    cells: int,
    height: int,
    found: list[Finding],
    name: str = "probes",
    key: str | None = None,
    glyphs: Glyphs = ASCII,
    progress: float | None = None,
    first: int = 0,
) -> list[Row]:
    """Rows of the pane ``name`` from row ``first`` on, as far as there are so many."""
    whole = rows(session, cells, found, name, key, glyphs, progress)
    return micro(shortened_from(first, whole, cells, height, arrows(glyphs)[1]), glyphs)


def rows(
    session: Session,
    cells: int,
    found: list[Finding],
    name: str = "probes",
    key: str | None = None,
    glyphs: Glyphs = ASCII,
    progress: float | None = None,
) -> list[Row]:
    """All rows of a pane; ``key`` is the roofline's precision, ``progress`` (0 to 1) that of the
    running probe."""
    if name == "roofline":
        return _roofline(session, key, cells)
    if name == "clocks":
        return _clocks(session, cells, glyphs)
    if name == "notebook":
        return short_notebook(session, found, cells, glyphs)
    return _probes(session, found, cells, glyphs, progress)


# -- roofline --------------------------------------------------------------------------------


def _roofline(session: Session, key: str | None, cells: int) -> list[Row]:
    """One precision's flats, the bandwidth, the ridges; then the other precisions."""
    own, scale = roofs(session), rate_scale(session)
    key = key if key in own.compute else next(iter(own.compute), None)
    size = LABEL if cells < WIDE else WIDE_LABEL
    rows: list[Row] = []
    if key is not None:
        flat = own.compute[key]
        whole = flat.nominal_tflops
        nominal = f" of {figure(whole * scale.factor)}" if whole else ""
        rows.append(
            parts(cells, (f" {key}", "title"), (nominal, "nominal"), (f" {scale.of(key)}", "dim"))
        )
        for which in WHICH[1:]:
            if (value := flat.flat(which)) is not None:
                share = _share(value, flat.nominal_tflops)
                said = f"{figure(value * scale.factor):>5}"
                rows.append(labelled(which, size, said, [share], cells, which))
    if own.bandwidth_gbs is not None:
        share = _share(own.bandwidth_gbs, own.nominal_gbs)
        of = f" of {own.nominal_gbs:.0f} GB/s" if own.nominal_gbs else ""
        tails = [f"{of} {share}", of, " GB/s"] if of else [" GB/s"]
        rows.append(
            labelled("memory", size, f"{figure(own.bandwidth_gbs):>5}", tails, cells, "burst")
        )
    elif own.nominal_gbs:
        tails = [" GB/s nominal", " GB/s"]
        rows.append(labelled("memory", size, f"{own.nominal_gbs:>5.0f}", tails, cells, "nominal"))
    if key is not None:
        rows += _ridge(ridges(own, key), size, cells)
    for other, flat in own.compute.items():
        if other != key and flat.best_tflops is not None:
            of_nominal = _share(flat.best_tflops, flat.nominal_tflops)
            tails = [f" {scale.of(other)} {of_nominal}", of_nominal, ""]
            said = f"{figure(flat.best_tflops * scale.factor):>5}"
            rows.append(labelled(other, size, said, tails, cells))
    return rows or wrapped("no roof", cells - 1, "dim", " ")


def _ridge(found: Mapping[str, float], size: int, cells: int) -> list[Row]:
    """The burst one first, the others behind it."""
    order = [w for w in ("burst", "sustained", "nominal") if w in found]
    if not order:
        return []
    first, others = order[0], [f"{figure(found[w])} {w}" for w in order[1:]]
    tails = [
        f" {', '.join([first, *others])} FLOP/byte",
        f" {', '.join([first, *others])}",
        f" FLOP/byte {first}",
        f" {first}",
    ]
    return [labelled("ridge", size, f"{figure(found[first]):>5}", tails, cells)]


def _share(value: float, whole: float | None) -> str:
    return f" {percent(value / whole):>4}" if whole else ""


# -- clocks ----------------------------------------------------------------------------------


def _clocks(session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    """The last reading, each figure with its limit; what could not be read says why."""
    if not session.samples:
        return wrapped("waiting for telemetry", cells - 1, "dim", " ")
    last, device = session.samples[-1], session.device
    wide = cells >= WIDE
    watts = "power_w" if last.power_instant_w is None else "power_instant_w"
    heat, slows = f" {glyphs.degree}C", device.temp_slowdown_c
    whole = f" of {device.memory_bytes / 2**30:.0f} GiB" if device.memory_bytes else " GiB"
    used = last.mem_used_bytes
    words = _reasons(last)
    clock = "CPU clock" if device.kind == "cpu" else "SM clock"
    size = WIDE_LABEL if wide else NARROW_LABEL

    def line(name: str, field: str, tails: list[str], style: str = "") -> Row:
        value = getattr(last, field)
        said = _why(last, field) if value is None else f"{value:>5.0f}"
        return labelled(name, size, said, tails if value is not None else [], cells, style)

    gib = _why(last, "mem_used_bytes") if used is None else f"{used / 2**30:>5.1f}"
    busy = _why(last, "util") if last.util is None else f"{percent(last.util):>7}"
    return [
        line(clock if wide else "clock", "sm_mhz", _of(device.sm_max_mhz, "MHz"), "clock"),
        labelled(
            "reason",
            size,
            words[0],
            [f" +{len(words) - 1}"] * (len(words) > 1),
            cells,
            "reason" if _limits(last) else "",
        ),
        line("power", watts, _of(device.power_limit_w, "W"), "power"),
        line(
            "temperature" if wide else "temp",
            "temp_c",
            [f"{heat}, slows at {slows:.0f}", heat] if slows else [heat],
        ),
        labelled("memory", size, gib, [whole, " GiB"] if used is not None else [], cells, "memory"),
        line("mem clock" if wide else "mem", "mem_mhz", _of(device.mem_max_mhz, "MHz")),
        labelled("busy", size, busy, [], cells),
    ]


def _reasons(last: Sample) -> list[str]:
    """What holds the clock down, the word that tells most first."""
    return [_why(last, "reasons")] if last.reasons is None else decode(last.reasons) or ["none"]


def _limits(last: Sample) -> bool:
    return bool((last.reasons or 0) & ~IDLE)


def _why(last: Sample, field: str) -> str:
    """The status word of a figure that could not be read."""
    return shown(last.status.get(field, NOT_READ)).replace("_", " ")


def _of(limit: float | None, of_unit: str) -> list[str]:
    return [f" of {limit:.0f} {of_unit}", f" {of_unit}"] if limit else [f" {of_unit}"]


# -- probes ----------------------------------------------------------------------------------


def _probes(
    session: Session,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
    progress: float | None,
) -> list[Row]:
    """A line a probe: the one that runs, what failed or is not believed, then in their order."""
    scale = rate_scale(session)
    table = sorted((scaled(r, scale) for r in probe_rows(session, found)), key=_rank)
    longest = max((cell_len(r.label) for r in table), default=0)
    marks = max(len(g) for g in (glyphs.ok, glyphs.warn, glyphs.wrong, glyphs.here))
    rates = max([FIGURE, *(len(figure(r.measured)) for r in table if r.measured is not None)])
    name = min(longest, max(NAME, cells - marks - rates - 3))
    columns = _Columns(marks, name, rates)
    rows = [_probe(r, columns, cells, glyphs, progress) for r in table]
    return rows or wrapped("no probe", cells - 1, "dim", " ")


class _Columns(NamedTuple):
    """Cells of each."""

    mark: int
    name: int
    rate: int


def _rank(r: ProbeRow) -> int:
    if r.state == RUNNING:
        return 0
    if doubtful(r):
        return 1 if r.state == FAILED or WRONG in r.severities else 2
    return 3 if r.state == DONE else 4


def _probe(
    r: ProbeRow, columns: _Columns, cells: int, glyphs: Glyphs, progress: float | None
) -> Row:
    """Mark, name, figure; unit, share of nominal and findings where there is room."""
    mark, style = mark_of(r, glyphs)
    label = _short(r.label, columns.name)
    label += " " * (columns.name - cell_len(label))
    head = (f" {mark:<{columns.mark}} ", style)
    if r.state == RUNNING:
        share = " running" if progress is None else f" {percent(progress):>5}"
        bar = "" if progress is None else f" {_bar(progress, glyphs)}"
        return parts(cells, head, (label, "strong"), (share, "running"), (bar, "running"))
    if r.measured is None:
        room = cells - columns.mark - 2 - columns.name
        tail = next((t for t in _unmeasured(r, glyphs) if len(t) <= room), "")
        return parts(cells, head, (label, ""), (tail, "dim"))
    share = f" {percent(r.of_nominal):>6}" if r.of_nominal is not None else " " * 7
    codes = f"  {shown(' '.join(r.codes))}" if r.codes else ""
    rate, rate_unit = f" {figure(r.measured):>{columns.rate}}", f" {r.unit:<7}"
    return parts(
        cells, head, (label, ""), (rate, "strong"), (rate_unit, "dim"), (share, ""), (codes, style)
    )


def _unmeasured(r: ProbeRow, glyphs: Glyphs) -> list[str]:
    """What stands in place of a figure, the longest first: why, where it should land, its state."""
    if r.said:
        return [f" {r.said}"]
    if r.state in (FAILED, SKIPPED):
        return [f" {r.state}: {shown(r.why or '')}", f" {r.state}"]
    if r.low is None or r.high is None:
        return [f" {r.state}"]
    span = f"{figure(r.low)}{glyphs.dash}{figure(r.high)}"
    return [f" {r.state}, expected {span} {r.unit}", f" expected {span}", f" {r.state}"]


def _short(label: str, cells: int) -> str:
    """A probe's name in its room: what tells it from its like stands behind its first word."""
    first, _, rest = label.partition(" ")
    room = cells - cell_len(rest) - 1
    if cell_len(label) <= cells or not rest or room < LEAST_WORD:
        return head_of(label, cells, CUT)
    return f"{head_of(first, room, CUT)} {rest}"


def _bar(progress: float, glyphs: Glyphs) -> str:
    filled = round(min(1.0, max(0.0, progress)) * BAR_CELLS)
    return glyphs.full * filled + glyphs.empty * (BAR_CELLS - filled)
