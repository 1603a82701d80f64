"""``roofwatch show --log``: a line for each saved session, newest first; or an object a line.

Each at the price that it kept, or all at the one that was said.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
from rich.cells import cell_len, set_cell_size

from roofwatch.session.began import minute_utc
from roofwatch.session.file import UnreadableSession
from roofwatch.session.log_entry import Logged, session_log
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM
from roofwatch.session.rate_scale import scale_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, money
from roofwatch.tui.drawing.rows_of_text import Row, head_of, row, wrapped
from roofwatch.tui.printed.print_json import print_json_lines

YEAR = 100  # cells from which a date has its year
SUITE, RATE, KEY, STEP, FOUND, HOURS, COST = 9, 6, 6, 8, 6, 7, 10
TIGHT = 1  # cells that step and cost give a card's name where it is narrow
LEAST_CARD, MOST_CARD = 6, 26
MAKERS = ("NVIDIA GeForce ", "NVIDIA ", "AMD ", "Intel(R) ")
LEAST_HOURS = 0.001  # what is less is said to be less
LEAST_COST = 1e-4
IN_GIGA = "G"  # behind a rate of arithmetic that has no digits in TFLOP/s
UNITS = f"{IN_GIGA}: GFLOP/s (GOPS), without it TFLOP/s (TOPS)"
HEADS = (("GB/s", RATE), ("burst", RATE), ("held", RATE))


def print_log(options: argparse.Namespace, glyphs_of: Callable[[str | None, bool], Glyphs]) -> None:
    """The log on stdout, as it was asked for.

    Raises:
        UnreadableSession: after what could be read, of a folder that cannot be listed.
    """
    if sys.stdout is None:  # closed by the shell
        return
    found = session_log(price=options.price)
    if options.anonymous:
        found = map(_nameless, found)
    if options.json:
        print_json_lines(found)
        return
    from roofwatch.tui.drawing.print_rows import columns, print_rows

    glyphs = glyphs_of(sys.stdout.encoding, options.ascii)
    told, unlisted = list[Logged](), None
    try:
        for one in found:
            told.append(one)
    except UnreadableSession as error:
        unlisted = error
    if told or unlisted is None:
        print_rows(log_rows(told, columns(sys.stdout), glyphs), sys.stdout, glyphs)
    if unlisted is not None:
        raise unlisted


def _nameless(one: Logged) -> Logged:
    from roofwatch.session.anonymous import clean

    problem = clean(one.problem) if one.problem else one.problem
    return msgspec.structs.replace(one, file=None, uuid=None, problem=problem)


def log_rows(found: Sequence[Logged], room: int, glyphs: Glyphs) -> list[Row]:
    """The table in ``room`` cells: hours and cost where a price was said."""
    if not found:
        return [row((f" no saved sessions yet: {PROGRAM} run keeps one", "dim"))]
    priced = any(e.cost is not None for e in found)
    paid = max([COST, *(cell_len(_cost(e)) + 1 for e in found)]) if priced else 0
    roomy = room >= YEAR + (HOURS + paid if priced else 0)
    step = STEP
    if priced and not roomy:
        step -= TIGHT
        paid = max([COST - TIGHT, *(cell_len(_cost(e)) + 1 for e in found)])
    when = 17 if roomy else 12
    key = roomy or not priced
    fixed = when + SUITE + 3 * RATE + (KEY if key else 0) + step + FOUND + 2
    fixed += HOURS + paid if priced else 0
    longest = max((len(_card(e)) for e in found), default=0) + 1
    card = max(LEAST_CARD, min(MOST_CARD, longest, room - fixed - 1))
    head = f" {'UTC':<{when}}{'card':<{card}}{'suite':<{SUITE}}"
    head += "".join(f"{name:>{size}}" for name, size in HEADS)
    head += f" {'of':<{KEY - 1}}" if key else ""
    head += f"{'b=1 ms':>{step}}{'found':>{FOUND}}"
    head += f"{'hours':>{HOURS}}{'cost':>{paid}}" if priced else ""
    out = [row((head, "dim"))]
    for e in found:
        out += _line(e, when, card, key, step, paid, room, glyphs)
    if not key and (said := _keys_said(found)):
        out += wrapped(said, room - 2, "dim", " ")
    if any(_giga(e) for e in found):
        out += wrapped(UNITS, room - 2, "dim", " ")
    return out


def _line(
    e: Logged,
    when: int,
    card: int,
    key: bool,
    step_cells: int,
    paid: int,
    room: int,
    glyphs: Glyphs,
) -> list[Row]:
    date = _date(e, when)
    if e.problem is not None:
        name = shown((e.file or "").rpartition("/")[2]) or "a file"
        return wrapped(f"{name}: {e.problem}", room - 2, "warn", f" {glyphs.warn} ")
    named = set_cell_size(head_of(_card(e), card - 1, glyphs.ellipsis), card)
    suite = head_of(_suite(e), SUITE - 1, glyphs.ellipsis)
    text = f" {date:<{when}}{named}{suite:<{SUITE}}"
    rates = (_rate(e.bandwidth_gbs), _flops(e, e.burst_tflops), _flops(e, e.sustained_tflops))
    text += "".join(f"{said:>{RATE}}" for said in rates)
    text += f" {head_of(shown(e.peak_key or ''), KEY - 1, glyphs.ellipsis):<{KEY - 1}}" * key
    step = figure(e.decode["step_s"] * 1e3) if e.decode else "-"
    text += f"{step:>{step_cells}}{_found(e):>{FOUND}}"
    if paid:
        text += f"{_hours(e):>{HOURS}}{_cost(e):>{paid}}"
    cut = f"  {e.state}" if e.state != "complete" else ""
    cut += f"  {e.slow} slow" if e.slow else f"  {e.doubted} doubted" if e.doubted else ""
    grave = bool(e.findings and e.findings["wrong"])
    line = row((text, "warn" if grave else ""))
    if cell_len(text + cut) <= room:
        return [(*line, (cut, "warn"))]
    return [line, row((f" {'':<{when}}{cut.strip()}", "warn"))]


def _keys_said(found: Sequence[Logged]) -> str:
    """What burst and held are of, where its column has no room: most often, and else."""
    many = Counter(shown(e.peak_key) for e in found if e.peak_key)
    if not many:
        return ""
    (main, _), *others = many.most_common()
    dates = {
        key: ", ".join(_date(e, 12) for e in found if shown(e.peak_key or "") == key)
        for key, _ in others
    }
    return f"burst and held: of {main}" + "".join(f"; {dates[key]}: of {key}" for key in dates)


def _date(e: Logged, when: int) -> str:
    told = minute_utc(e.started_at)
    return "unknown" if told is None else told if when > 12 else told[5:]


def _suite(e: Logged) -> str:
    return shown(e.suite or "unknown") if e.ranks is None else "fleet"


def _found(e: Logged) -> str:
    """How many findings: ``2`` notes, ``1!`` where one of them is wrong."""
    if e.findings is None:
        return "-"
    return f"{sum(e.findings.values())}{'!' if e.findings['wrong'] else ''}"


def _rate(value: float | None) -> str:
    return "-" if value is None else _three(value)


def _three(value: float) -> str:
    """Three digits where there is room for them, also where the last is a 0."""
    return figure(value) if not 1 <= value < 100 else f"{value:.{1 if value >= 9.995 else 2}f}"


def _giga(e: Logged) -> bool:
    """Whether a session's rates of arithmetic have digits in GFLOP/s (GOPS) alone."""
    return scale_of([r for r in (e.burst_tflops, e.sustained_tflops) if r]).factor > 1


def _flops(e: Logged, tflops: float | None) -> str:
    if tflops is None or not _giga(e):
        return _rate(tflops)
    giga = _three(tflops * 1e3)  # a thousandth of one is as little as there is room for
    return giga[: RATE - 1 - len(IN_GIGA)].rstrip(".") + IN_GIGA


def _hours(e: Logged) -> str:
    if e.hours is not None and 0 < e.hours < LEAST_HOURS:
        return f"<{LEAST_HOURS}"
    return figure(e.hours)


def _cost(e: Logged) -> str:
    if e.cost is None:
        return "-"
    currency = shown(e.currency or "")
    if 0 < e.cost < LEAST_COST:
        return f"<{money(LEAST_COST, currency)}"
    return money(e.cost, currency)


def _card(e: Logged) -> str:
    name = shown(e.card or "unknown")
    maker = next((m for m in MAKERS if name.startswith(m)), "")
    many = f"{e.ranks} x " if e.ranks is not None else ""
    return many + (name[len(maker) :] or name)
