"""What the card did while a number was measured, as a small table."""

from __future__ import annotations

from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.seen_during import SPIN, Reading, SeenDuring
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, labelled, room
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Row, row
from roofwatch.tui.drawing.short_figure import short

NAMED = 16  # cells of a reading's name
FIGURE = 9  # cells of a column
LONGEST_UNIT = 4  # with the blank before it
WHY = {
    "stale": "stale: over before the driver renews its reading",
    "not_measured": "not measured",
    "not_supported": "not supported",
    "no_permission": "no permission",
}
UNITS = {"sm_mhz": "MHz", SPIN: "MHz", "mem_mhz": "MHz", "power_w": "W"}


def conditions_rows(session: Session, seen: SeenDuring, cells: int, glyphs: Glyphs) -> list[Row]:
    """Clocks, power and temperature with their least and greatest; then what held the clock."""
    heads = ("least", "median", "greatest") if _whole(room(cells)) else ("median",)
    head = f"{'':<{NAMED}}" + "".join(f"{name:>{FIGURE}}" for name in heads)
    on_cpu = session.device.kind == "cpu"
    by = ", NVML" if session.telemetry_source == "nvml" else ""
    clock = "CPU clock" if on_cpu else f"SM clock{by}"
    readings = [r for r in seen.readings if not (on_cpu and r.name == SPIN)]
    table = [row((head, "dim")), *(_line(r, clock, room(cells), glyphs) for r in readings)]
    rows = beside("conditions", table, cells)
    return [*rows, *labelled("limited by", _limited_by(seen), cells)]


def _whole(cells: int) -> bool:
    """Whether there is room for all three figures and their unit; else the median stands alone."""
    return cells >= NAMED + 3 * FIGURE + LONGEST_UNIT


def why_said(why: str) -> str:
    """A status in words."""
    return WHY.get(why, shown(why).replace("_", " "))


def _line(r: Reading, clock: str, cells: int, glyphs: Glyphs) -> Row:
    name = {
        SPIN: "clock, on device",
        "sm_mhz": clock,
        "mem_mhz": "memory clock",
        "power_w": "power",
        "temp_c": "temperature",
    }[r.name]
    if r.median is None or r.least is None or r.greatest is None:
        room_left = cells - NAMED - 2
        why = why_said(r.why)
        why = why if len(why) <= room_left else why.partition(":")[0]
        return row((f"{name:<{NAMED}}", "dim"), (f"  {why}", "dim"))
    shown_of = (r.least, r.median, r.greatest) if _whole(cells) else (r.median,)
    figures = "".join(f"{short(v):>{FIGURE}}" for v in shown_of)
    unit = UNITS.get(r.name, f"{glyphs.degree}C")
    many = f"  {r.times} reading{'s' if r.times > 1 else ''}"
    fits = NAMED + len(figures) + 1 + len(unit) + len(many) <= cells
    return row(
        (f"{name:<{NAMED}}", "dim"),
        figures,
        (f" {unit}", "dim"),
        (many if fits else "", "dim"),
    )


def _limited_by(seen: SeenDuring) -> str:
    """Clocks event reasons, and how much of the probe's span counters give to power and heat."""
    c = seen.conditions
    reasons = [shown(reason) for reason in c.reasons]
    if reasons:
        said = ", ".join(reasons)
    elif seen.told_reasons:
        said = "nothing: no clocks event reason"
    else:
        said = f"clocks event reasons {why_said('not_supported') if c.samples else 'not read'}"
    known = [
        f"{what} {percent(share)}"
        for share, what in ((c.power_cap_share, "power limit"), (c.thermal_share, "heat"))
        if share is not None
    ]
    shares = [f"of its span {', '.join(known)}"] if known else []
    missing = {
        why_said(c.status.get(name, "not_measured"))
        for name, share in (
            ("power_cap_share", c.power_cap_share),
            ("thermal_share", c.thermal_share),
        )
        if share is None
    }
    if missing:
        shares.append(f"shares of power limit and heat {', '.join(sorted(missing))}")
    return "; ".join([said, *shares])
