"""The lines that always stand: the card with its live numbers, the roofs, the keys."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.reasons import word
from roofwatch.session.events import Device, Sample
from roofwatch.session.fold import Session
from roofwatch.session.mistakes import mistakes
from roofwatch.session.printable import shown
from roofwatch.session.roofs import WHICH, roofs
from roofwatch.session.throttle import fall
from roofwatch.tui.finding_rows import mark_of, style_of
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.mistake_rows import count_of
from roofwatch.tui.numbers import NOT_READ, figure, percent, util_said
from roofwatch.tui.rows_of_text import Piece, Row, fit, row, spread, width
from roofwatch.tui.spent import session_cost_said


def build(session: Session, cells: int, key: str | None, glyphs: Glyphs) -> list[Row]:
    """Two rows: the device with its live numbers, then the roofs of a precision."""
    return [_device_row(session, cells, glyphs), _roofs_row(session, cells, key, glyphs)]


def _device_row(session: Session, cells: int, glyphs: Glyphs) -> Row:
    device = session.device
    name = shown(device.name or "looking for the device")
    left: list[Piece] = [(f" {name}", "title")]
    if device.memory_bytes:
        left.append((f"  {_memory(device)}", ""))
    if device.power_limit_w:
        left.append((f"  {device.power_limit_w:.0f} W", ""))
    if device.core_count:
        left.append((f"  {device.core_count} cores", ""))
    right = _live(session.samples[-1], device, cells, glyphs) if session.samples else []
    if not right:
        right = [("telemetry is starting ", "dim")]
    room = cells - width(right) - 1
    return spread(fit(left, min(room, width(left))), right, cells)


def _memory(device: Device) -> str:
    return f"{(device.memory_bytes or 0) / 2**30:.0f} GiB"


def _live(last: Sample, device: Device, cells: int, glyphs: Glyphs) -> list[Piece]:
    reason = word(last.reasons) if last.reasons is not None else ""
    pieces: list[Piece] = []
    if reason and reason != "idle":
        pieces.append((f"{reason}  ", "reason"))
    clock = NOT_READ if last.sm_mhz is None else f"{last.sm_mhz:.0f}"
    top = f"/{device.sm_max_mhz:.0f}" if device.sm_max_mhz else ""
    pieces.append((f"{clock}{top} MHz", "clock"))
    power = last.power_instant_w if last.power_instant_w is not None else last.power_w
    pieces.append((f"  {NOT_READ if power is None else f'{power:.0f}'} W", "power"))
    if last.temp_c is not None:
        pieces.append((f"  {last.temp_c:.0f}{glyphs.degree}C", ""))
    if last.mem_used_bytes is not None:
        pieces.append((f"  {last.mem_used_bytes / 2**30:.1f} GiB ", ""))
    if cells >= 120 and last.util is not None:
        ran = util_said(percent(last.util), last.gpu is not None)
        pieces.insert(0, (f"{ran}  ", "dim"))
    return pieces


def _roofs_row(session: Session, cells: int, key: str | None, glyphs: Glyphs) -> Row:
    own = roofs(session)
    if key not in own.compute:
        key = next(iter(own.compute), None)
    flat = own.compute.get(key or "")
    if flat is None and own.bandwidth_gbs is None and own.nominal_gbs is None:
        return fit(row((" no roof yet", "dim")), cells)
    left: list[Piece] = []
    if flat is not None:
        left.append((f" {key}", "title"))
        seen = [(name, v) for name in WHICH if (v := flat.flat(name)) is not None]
        for i, (name, value) in enumerate(seen):
            left.append((f" {glyphs.dot} " if i else "  ", "dim"))
            left.append((f"{name} {figure(value)}", name))
        left.append((f" {unit(flat.peak_key)}", "dim"))
    right: list[Piece] = []
    if own.bandwidth_gbs is not None:
        right.append((f"DRAM {figure(own.bandwidth_gbs)}", "burst"))
        right.append((f" of {own.nominal_gbs:.0f}" if own.nominal_gbs else "", "nominal"))
        right.append((" GB/s ", "dim"))
    elif own.nominal_gbs:
        right.append((f"DRAM nominal {own.nominal_gbs:.0f} GB/s ", "nominal"))
    spent = session_cost_said(session)
    if spent and width(left) + len(spent) + width(right) + 4 <= cells:  # only where there is room
        right.insert(0, (f"{spent}  ", "dim"))
    return spread(left, right, cells)


def message(
    session: Session,
    found: list[Finding],
    cells: int,
    glyphs: Glyphs,
    state: str = "",
    silence: tuple[str, float] | None = None,
) -> Row:
    """The line that matters most now: a fault, the fall of the clock, a finding, progress.

    What was made wrong on purpose and found is counted; one that was not found is a warning.
    """
    if silence is not None:
        name, age_s = silence
        verb = "are" if name == "probes" else "is"
        text = f"{name} {verb} silent, the last word is {age_s:.0f} s old"
        return fit(row((f" {glyphs.warn} {text}", "warn")), cells)
    faults = [f for f in session.faults if f.run == session.run]  # a later run heals
    if faults:
        fault = faults[-1]
        return fit(row((f" {glyphs.wrong} {shown(fault.what)}", "wrong")), cells)
    running = session.running()
    dropped = fall(session, session.run)
    held = running is not None and running.endswith("-sustained")
    if dropped is not None and dropped.price_tflops and dropped.reasons and (held or not running):
        return fit(row((f" {glyphs.warn} {dropped.sentence}", "reason")), cells)
    made = mistakes(session)
    on_purpose = {m.probe for m in made}
    grave = [
        f
        for f in found
        if f.subject not in on_purpose
        and (f.severity == WRONG or (f.severity != NOTE and not state))
    ]
    if grave:
        f = grave[0]
        more = f" (+{len(grave) - 1})" if len(grave) > 1 else ""
        text = f" {mark_of(f, glyphs)} {shown(f.subject)}, {f.code}{more}: {shown(f.message)}"
        return fit(row((text, style_of(f))), cells)
    if not all(m.flagged for m in made):
        return fit(row((f" {glyphs.warn} {count_of(made)}", "warn")), cells)
    if state:
        return fit(row((f" {state}", "dim")), cells)
    if made:
        return fit(row((f" {glyphs.ok} {count_of(made)}", "ok")), cells)
    if session.complete:
        return fit(row((f" {glyphs.ok} the suite is done; nothing smells wrong", "ok")), cells)
    return fit((), cells)


KEYS = (
    ("q", "quit"),
    ("?", "help"),
    ("1-7", "panes"),
    ("{lr}", "precision"),
    ("c", "check"),
    ("s", "where saved"),
    ("r", "run again"),
)
OF_PANE = {
    "notebook": (("{ud} Enter", "open"),),
    "decode": (("{lr}", "curve"), ("{ud}", "all batches")),
    "kernels": (("{ud}", "kernel"), ("{lr}", "page")),
    "plan": (("{ud}", "field"), ("{lr}", "change"), ("Enter", "type"), ("m", "roofs")),
}
"""What a pane that stands alone has in place of the precision."""
TYPING = (("Enter", "take it"), ("Esc", "leave it as it was"), ("{ud}", "take it, go on"))


def footer(
    cells: int,
    glyphs: Glyphs,
    note: str = "",
    live: bool = True,
    alone: str = "",
    typing: bool = False,
) -> Row:
    """Keys that fit, or a passing note in their place; of the pane ``alone`` its own among them."""
    if note:
        return fit(row((f" {shown(note)}", "strong")), cells)
    keys: list[tuple[str, str]] = []
    for key, what in KEYS if live else KEYS[:-1]:
        keys += OF_PANE.get(alone, ((key, what),)) if what == "precision" else ((key, what),)
    pieces: list[Piece] = [(" ", "")]
    for key, what in TYPING if typing else keys:
        told = key.format(lr=glyphs.left_right, ud=glyphs.up_down)
        if width(pieces) + cell_len(told) + len(what) + 1 > cells:
            break
        pieces += [(told, "key"), (f" {what}  ", "dim")]
    return fit(pieces, cells)


def saved(path: Path | None, live: bool) -> tuple[str, str]:
    """Whether a session is kept or was read, and the whole path of its file."""
    where = shown(str(path).replace(str(Path.home()), "~", 1))
    return "saved as it happens:" if live else "read from", where


def tabs(
    cells: int, active: int, names: tuple[str, ...], glyphs: Glyphs, recorded: str = ""
) -> Row:
    """The row of pane names where one stands alone, the open one in brackets.

    Short of room the lines between them go first, then the moment of recording, then the names of
    those that are not open.
    """
    word, _, _ = recorded.partition(" ")
    for line, tail, named in (
        (2, recorded, True),
        (1, recorded, True),
        (2, word, True),
        (1, word, True),
        (1, word, False),
    ):
        pieces: list[Piece] = []
        for i, name in enumerate(names):
            pieces.append((glyphs.horizontal * line, "axis"))
            if i == active:
                pieces.append((f"[{i + 1} {name}]", "tab"))
            else:
                pieces.append((f"{i + 1} {name}" if named else f"{i + 1}", "dim"))
        if width(pieces) + len(tail) + (3 if tail else 0) <= cells:
            break
    return _ruled(pieces, tail, cells, glyphs)


def rule(cells: int, name: str, glyphs: Glyphs, recorded: str = "") -> Row:
    """A rule with a pane's name, for the wide layout."""
    pieces: list[Piece] = [(glyphs.horizontal * 2, "axis"), (f" {name} ", "tab")]
    return _ruled(pieces, recorded, cells, glyphs)


def two_rules(left: int, cells: int, key: str | None, glyphs: Glyphs, recorded: str) -> Row:
    """The rules over the two upper panes of the wide layout; the left one is ``left`` wide."""
    one = rule(left, f"Roofline {key or ''}".strip(), glyphs)
    return (*one, *rule(cells - left, "Clocks", glyphs, recorded))


def _ruled(pieces: list[Piece], recorded: str, cells: int, glyphs: Glyphs) -> Row:
    """The pieces, a line, and at its end when a session that is not live was recorded."""
    tail = f" {recorded} " if recorded else ""
    used = sum(len(text) for text, _ in pieces)
    line = glyphs.horizontal * max(1, cells - used - len(tail))
    return fit((*pieces, (line, "axis"), (tail, "note")), cells)
