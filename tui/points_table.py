"""The table under the roofline: each point's three distances, MFU, and what to work on.

Below the points the figure's attribution from nominal down, and the common work between the ridges.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.roof import INTENSITY, KERNEL, LIBRARY, STOP_HERE, Distances
from roofwatch.session.attribution import attributed, bandwidth_attributed
from roofwatch.session.fold import Session
from roofwatch.session.points import Point
from roofwatch.session.printable import shown
from roofwatch.session.ridges import between_ridges
from roofwatch.session.roofs import Roofs
from roofwatch.session.sm_clock import SPIN
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, signed
from roofwatch.tui.rows_of_text import Row, row, wrapped

LEAST_NAME = 15
NARROW = 78  # cells under which MFU gives way: at the flat it is the card's share
WIDE = 108  # cells from which MFU's ceiling and the long advice stand too
SHORT = {KERNEL: "kernel", INTENSITY: STOP_HERE, LIBRARY: "library"}


def letters(points: Sequence[Point], glyphs: Glyphs) -> list[str]:
    """A mark for each point: a letter, of the points of a sweep one sign for all."""
    found: list[str] = []
    for p in points:
        lettered = sum(mark != glyphs.sweep for mark in found)
        found.append(glyphs.sweep if p.style == "sweep" else chr(ord("A") + lettered))
    return found


def table(
    session: Session, own: Roofs, key: str | None, points: Sequence[Point], cells: int, g: Glyphs
) -> list[Row]:
    """Rows of the table, the most telling first: what does not fit is cut from the end."""
    if not points:
        return []
    wide = cells >= WIDE
    narrow = cells < NARROW
    name = max(LEAST_NAME, *(len(p.name) + 1 for p in points))
    rate = unit(key) if key else "TFLOP/s"
    head = f"    {'point':<{name}}{'FLOP/B':>6} {rate:>7} {'roof':>6}{'ridge':>6}{'card':>6}"
    head += "" if narrow else f"{'MFU':>7}"
    head += (f"{'at most':>9}" if wide else "") + "  work on"
    main: list[Row] = []
    swept: list[Row] = []
    for mark, p in zip(letters(points, g), points, strict=True):
        (swept if p.style == "sweep" else main).append(_row(mark, p, name, wide, narrow))
    return [
        row((head, "dim")),
        *main,
        *_attribution(session, own, key, wide, g),
        *_changing(own, key, cells),
        *swept,
    ]


def _row(mark: str, p: Point, name: int, wide: bool, narrow: bool) -> Row:
    line = f" {shown(p.name):<{name}}{figure(p.intensity):>6} {figure(p.tflops):>7}"
    gaps = p.distances
    line += _shares(gaps) + ("" if narrow else f"{_share(p.mfu):>7}")
    line += f"{_share(p.mfu_ceiling):>9}" if wide else ""
    return row((f" {mark} ", f"point-{p.style}"), line, (f"  {_advice(p, wide)}", "dim"))


def _shares(gaps: Distances | None) -> str:
    if gaps is None:
        return " " * 19
    return f" {_share(gaps.of_roof):>6}{_share(gaps.of_ridge):>6}{_share(gaps.of_nominal):>6}"


def _share(ratio: float | None) -> str:
    """A share in five cells at most."""
    if ratio is None:
        return "n/a"
    return f"{ratio:.1%}" if ratio < 0.0995 else f"{ratio:.0%}"


def _advice(p: Point, wide: bool) -> str:
    if p.work_on is None:
        return ""
    return p.work_on if wide else SHORT.get(p.work_on, p.work_on)


def _attribution(session: Session, own: Roofs, key: str | None, wide: bool, g: Glyphs) -> list[Row]:
    """From nominal down to what was measured, one row a figure; with room in per cent too."""
    rows = []
    flat = own.compute.get(key or "")
    for which in ("burst", "sustained"):
        found = attributed(session, flat, which) if flat else None
        if found is None:
            continue
        t = found.terms
        pieces = [f"{figure(t.nominal)} nominal"]
        by = "" if found.clock.source == SPIN else " NVML"
        for value, what in (
            (t.clock, f"clock {found.clock.mhz:.0f} MHz{by}"),
            (t.waves, "waves" if found.tile_known else "waves?"),
            (t.remainder, "rest"),
        ):
            share = f" ({value / t.nominal:+.1%})" if wide else ""
            pieces.append(f"{signed(value)}{share} {what}")
        rows.append(row((f" {which:<10}", which), (f" {g.dot} ".join(pieces), "")))
    parts = bandwidth_attributed(session, own)
    if parts is not None:
        pieces = [f"{parts.nominal:.0f} nominal", f"{parts.clock:+.0f} mem clock"]
        if parts.turnaround:
            pieces.append(f"{parts.turnaround:+.0f} turnaround")
        pieces.append(f"{parts.remainder:+.0f} rest")
        rows.append(row((" GB/s      ", "point-stream-text"), (f" {g.dot} ".join(pieces), "")))
    return rows


def _changing(own: Roofs, key: str | None, cells: int) -> list[Row]:
    """Common work that lies between the ridges."""
    names = between_ridges(own, key)
    if names is None:
        return []
    text = ", ".join(names) or "nothing common"
    return wrapped(f"between the ridges: {text}", cells - 2, "dim", " ")
