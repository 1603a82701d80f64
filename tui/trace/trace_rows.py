"""What stands around the table of a trace: the verdict, the streams, what could be saved, notes."""

from __future__ import annotations

from pathlib import PurePath

from rich.cells import cell_len

from roofwatch.roofline.kernel_bound import BOUNDS
from roofwatch.roofline.time_said import time_said
from roofwatch.session.printable import shown
from roofwatch.trace.report import Candidate, StreamRow, TraceReport
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import (
    Piece,
    Row,
    fit,
    head_of,
    hung,
    row,
    spread,
    words_of,
    wrapped,
)
from roofwatch.tui.trace.kernel_label import kernel_label, short_name
from roofwatch.tui.trace.trace_table import BOUND, share_said

MOST_PLACES = 3
MOST_KERNELS = 5  # of a run that are named
ROOM_FOR_GAP = 72  # cells
NO_CARD = "roofs: none known"


def verdict_rows(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """What the span is bound by: a sentence, a bar, figures; busy time; whose roofs these are."""
    return [*said_rows(r, cells, glyphs), *bar_rows(r, cells, glyphs), *time_rows(r, cells, glyphs)]


def said_rows(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """The sentence, the file at its right."""
    name = shown(PurePath(r.file).name[:80])
    right = row((f"{name} ", "dim"))
    if not r.device:
        left = row((" no GPU in it: operators of the host, by their own time", "title"))
        return [_ends(left, right, cells)]
    bound, share = main_bound(r)
    style = BOUND.get(bound, "")
    left = row((" bound by ", "dim"), (bound, style if style != "dim" else "title"))
    if bound == "unknown":
        left = row((" what binds it is not known", "title"))
    left += row((f": {share_said(share, glyphs)} of {time_said(r.span_s)}", "strong"))
    return [_ends(left, right, cells)]


def _ends(left: Row, right: Row, cells: int) -> Row:
    return spread(left, right, cells)


def main_bound(r: TraceReport) -> tuple[str, float]:
    """The bound of most of the span, and its share."""
    known = {name: share for name, share in r.bound.items() if share is not None}
    name = max(known, key=known.__getitem__) if known else "unknown"
    return name, known.get(name, 0.0)


def fills(glyphs: Glyphs) -> dict[str, str]:
    """A texture for each bound, so that the bar is read without colour."""
    if glyphs is ASCII:
        return {"memory": "#", "compute": "=", "overhead": "-", "unknown": "?"}
    return {"memory": "█", "compute": "▓", "overhead": "░", "unknown": "·"}


def bar_rows(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """One bar of the span in its four parts, and what they are."""
    if not r.device:
        return []
    shares = {name: r.bound.get(name) or 0.0 for name in BOUNDS}
    signs, room = fills(glyphs), cells - 2
    order = ("memory", "compute", "overhead", "unknown")
    pieces: list[Piece] = [(" ", "")]
    edge, begun = 0.0, 0
    for name in order:
        edge += shares[name]
        end = min(room, round(edge * room))
        pieces.append((signs[name] * (end - begun), BOUND[name]))
        begun = end
    told: list[Piece] = [(" ", "")]
    for name in order:
        if shares[name] or name != "unknown":
            told += [(f"{signs[name]} {name} ", BOUND[name])]
            told += [(f"{share_said(shares[name], glyphs)}   ", "")]
    return [fit(pieces, cells), fit(told, cells)]


def time_rows(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """Busy time and gaps, and whose roofs they are."""
    share = f" ({share_said(r.gap_s / r.span_s, glyphs)})" if r.span_s else ""
    launches = sum(k.count for k in r.kernels)
    what = f"{launches} launches of {len(r.kernels)} kernels"
    if not r.device:
        what = f"{launches} calls of {len(r.kernels)} operators"
    where = f" on {len(r.devices)} devices" if len(r.devices) > 1 else ""
    said = f" busy {time_said(r.busy_s)}, gaps {time_said(r.gap_s)}{share}{where}; {what}"
    out = [fit(row((head_of(said, cells - 1, glyphs.ellipsis), "")), cells)]
    if r.device:
        out.append(
            fit(row((f" {words_of(roof_said(r), cells - 2, glyphs.ellipsis)}", "dim")), cells)
        )
    return out


def roof_said(r: TraceReport) -> str:
    """The card, and the roofs that were used here."""
    card = r.card
    if card.bandwidth_gbs is None and not card.peaks_tflops:
        return f"{shown(card.name) if card.name else 'card not named'}; {NO_CARD}"
    used = [k.peak_key for k in r.kernels if k.peak_key]
    keys = [key for key in dict.fromkeys(used) if key in card.peaks_tflops][:3]
    flats = ", ".join(
        f"{key} {figure(card.peaks_tflops[key])}"
        + (" nominal" if card.origins.get(key) != card.origin else "")
        for key in keys
    )
    slope = f"{card.bandwidth_gbs:.0f} GB/s" if card.bandwidth_gbs else "no bandwidth"
    if card.bandwidth_origin and card.bandwidth_origin != card.origin:
        slope += f" {card.bandwidth_origin}"
    flats = f"; {flats} TFLOP/s" if flats else ""
    name = shown(PurePath(card.file).name) if card.file else ""
    origin = f"{card.origin}{f' in {name}' if name else ''}"
    return f"{shown(card.name or 'card')}, {origin}: {slope}{flats}"


# -- streams ---------------------------------------------------------------------------------


def stream_name(s: StreamRow, several: bool) -> str:
    """``stream 7``, with its device where there are several; of a host its thread."""
    if s.device is None:
        return f"thread {s.stream}"
    return f"GPU {s.device} stream {s.stream}" if several else f"stream {s.stream}"


def stream_rows(r: TraceReport, cells: int, most: int, glyphs: Glyphs) -> list[Row]:
    """How busy each stream was over time, the busiest first; how many more there are."""
    if most < 1 or not r.streams:
        return []
    several = len(r.devices) > 1
    order = sorted(r.streams, key=lambda s: -s.busy_s)
    lines = most if most >= len(order) else max(1, most - 1)
    names = [stream_name(s, several) for s in order[:lines]]
    size = max(map(cell_len, names)) + 1
    tails = [_stream_tail(s, r.span_s, cells, glyphs) for s in order[:lines]]
    room = max(6, cells - size - max(map(cell_len, tails)) - 2)
    out = []
    for s, name, tail in zip(order, names, tails, strict=False):
        bar = over_time(s.over_time, room, glyphs)
        out.append(fit(row((f" {name:<{size}}", "dim"), (bar, "spark"), (tail, "")), cells))
    if lines < len(order):
        out.append(fit(row((f" {len(order) - lines} more streams", "dim")), cells))
    return out


def _stream_tail(s: StreamRow, span_s: float, cells: int, glyphs: Glyphs) -> str:
    share = share_said(s.busy_s / span_s if span_s else None, glyphs)
    wide = s.longest_gap_s > 0 and cells >= ROOM_FOR_GAP
    return f" {share:>7} busy" + (f", longest gap {time_said(s.longest_gap_s)}" if wide else "")


def over_time(shares: list[float], cells: int, glyphs: Glyphs) -> str:
    """A block a part of the time, as high as it was busy; a dot where nothing ran."""
    count = min(cells, len(shares))
    if not count:
        return ""
    out = ""
    top = len(glyphs.spark) - 1
    for i in range(count):
        part = shares[i * len(shares) // count : (i + 1) * len(shares) // count]
        mean = sum(part) / len(part)
        out += glyphs.dot if mean < 0.01 else glyphs.spark[min(top, round(mean * top))]
    return out


# -- candidates, notes -----------------------------------------------------------------------


def candidate_rows(r: TraceReport, cells: int, most: int, glyphs: Glyphs) -> list[Row]:
    """What each change would give back at most, the largest first."""
    out: list[Row] = []
    for c in r.candidates[:most]:
        share = share_said(c.share, glyphs)
        head = f" {c.kind:<10} "
        said = f"at most {time_said(c.saves_s)} ({share}): {_candidate(c, r)}"
        out += hung(head, said, cells - 1, "", "note")
    return out


def _candidate(c: Candidate, r: TraceReport) -> str:
    times = f"{c.count} times " if c.count > 1 else ""
    where = _places(c)
    if c.kind == "cuda-graph":
        gaps = "gap" if c.count == 1 else "gaps"
        return f"{c.count} {gaps} in which the device waits for a launch{where}"
    labels = {k.name: k for k in r.kernels}
    names = [
        kernel_label(labels[n]).partition(": ")[0] if n in labels else short_name(n)
        for n in c.kernels[:MOST_KERNELS]
    ]
    more = f" and {len(c.kernels) - MOST_KERNELS} more" if len(c.kernels) > MOST_KERNELS else ""
    return f"{times}{' + '.join(names)}{more} as one kernel{where}"


def _places(c: Candidate) -> str:
    """Where, the first few in the trace's order; 0 is where the span begins."""
    places = sorted(c.places, key=lambda p: p.begin_s)[:MOST_PLACES]
    told = [f"{p.begin_s * 1e3:.4g} to {p.end_s * 1e3:.4g}" for p in places]
    more = ", ..." if c.count > len(told) > 0 and len(c.places) > len(told) else ""
    return f" (ms {', '.join(told)}{more})" if told else ""


def note_rows(r: TraceReport, cells: int, glyphs: Glyphs) -> list[Row]:
    """What has to be said beside the figures."""
    return [
        each
        for note in r.notes
        for each in wrapped(shown(note), cells - 1, "note", f" {glyphs.note} ")
    ]
