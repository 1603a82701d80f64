"""What was watched as rows of text: one card in full, all as a table, the marks as another."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import set_cell_size

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.reasons import IDLE, NAMES, keys
from roofwatch.session.began import day_utc
from roofwatch.session.printable import shown
from roofwatch.session.program import PROGRAM
from roofwatch.session.watch.summary import CardWatched, ReasonTime, Watched
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.notebook.finding_rows import mark_of, severity_of, style_of, told

HEAD = 12
BAR = 20
MOST_MARKS = 24
UNREAD_S = 0.5  # the edges beyond the first and the last reading are shorter
WORDS = {key: said for _, (key, said) in NAMES.items()}
IDLE_KEY = keys(IDLE)[0]


def rows(seen: Watched, found: Sequence[Finding], cells: int, glyphs: Glyphs) -> list[Row]:
    """The summary; findings last."""
    what = shown(seen.command) if seen.command else "the card"
    ended = f", {shown(seen.ended)}" if seen.ended else ""
    out = [row((f" watched {what}", "title"), (f"   {duration(seen.seconds)}{ended}", ""))]
    cards = seen.cards
    chosen = next((card for card in cards if card.measured), None)
    out += _card(chosen, cells, glyphs) if chosen is not None else []
    if len(cards) > 1:
        out += _others(cards, cells, glyphs)
    out += _marks(seen, cells, glyphs)
    for f in found:
        mark = f" {mark_of(f, glyphs)} {f.code} "
        out.append(row((mark, style_of(f)), (severity_of(f), "dim")))
        out += [((" " * 3, ""), *r) for r in told(f, cells - 4)]
    if not found and any(card.samples > 1 for card in cards):
        out.append(row((f" {glyphs.ok} nothing smells wrong", "ok")))
    return out


def duration(seconds: float) -> str:
    """``8.2 s``, ``2 min 05 s``, ``3 h 20 min``."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 100:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _card(card: CardWatched, cells: int, glyphs: Glyphs) -> list[Row]:
    if card.samples < 2:
        few = "no reading" if not card.samples else "one reading: too short"
        return hung(f"   {'card':<{HEAD}}", f"{shown(card.name or NOT_READ)}, {few}", cells)
    host = card.kind == "cpu"
    out = hung(f"   {'host' if host else 'card':<{HEAD}}", _identity(card), cells)
    out += hung(f"   {'busy':<{HEAD}}", _busy(card), cells)
    out += _clocks(card, cells, glyphs)
    out += hung(f"   {'power':<{HEAD}}", _power(card), cells)
    out += hung(f"   {'energy':<{HEAD}}", _energy(card), cells)
    if not host:  # a CPU tells no reasons
        for i, line in enumerate(_limits(card)):
            out += hung(f"   {'' if i else 'limits':<{HEAD}}", line, cells)
        out += hung(f"   {'throttling':<{HEAD}}", _cost(card), cells)
    return out + hung(f"   {'memory':<{HEAD}}", _memory(card, glyphs), cells)


def _identity(card: CardWatched) -> str:
    read = f"{card.samples} readings"
    if card.unread_s >= max(UNREAD_S, 0.01 * card.read_s):
        read += f", {duration(card.unread_s)} not read"
    index = "" if card.gpu is None else f" (card {card.gpu})"
    return f"{shown(card.name or NOT_READ)}{index}, {read}"


def _busy(card: CardWatched) -> str:
    """On a card the share of time with some kernel, and what of the work passed without one."""
    if card.busy_share is None:
        return f"{NOT_READ} ({_why(card, 'busy_share')})"
    if card.kind == "cpu":
        return f"the CPU was busy {percent(card.busy_share)} of the time"
    idle = ""
    if card.starved_share is not None and card.starved_share >= 0.005:
        idle = f"; of {duration(card.work_s)} of work {percent(card.starved_share)} without one"
    return f"some kernel ran {percent(card.busy_share)} of the time{idle}"


def _clocks(card: CardWatched, cells: int, glyphs: Glyphs) -> list[Row]:
    if card.sm_mhz is None:
        return hung(f"   {'clock':<{HEAD}}", f"{NOT_READ} ({_why(card, 'sm_mhz')})", cells)
    top = f" of {card.sm_max_mhz:.0f}" if card.sm_max_mhz else ""
    name = "CPU clock" if card.kind == "cpu" else "SM clock"
    out = [row((f"   {name:<{HEAD}}", "dim"), (f"{card.sm_mhz:.0f}{top} MHz on average", ""))]
    for band in card.clocks if len(card.clocks) > 1 else ():
        span = (
            f"{band.low_mhz}"
            if band.low_mhz == band.high_mhz
            else (f"{band.low_mhz} {glyphs.dash} {band.high_mhz}")
        )
        text = f"{span:>13} MHz {percent(band.share):>5} {duration(band.seconds):>10}  "
        line = f"   {'':<{HEAD}}{text}"
        bar = glyphs.full * max(1, round(band.share * max(0, min(BAR, cells - len(line)))))
        out.append(row((line, ""), (bar, "clock")))
    return out


def _power(card: CardWatched) -> str:
    if card.power_w is None:
        return f"{NOT_READ} ({_why(card, 'power_w')})"
    limit = f", the limit is {card.power_limit_w:.0f} W" if card.power_limit_w else ""
    most = f", {card.power_max_w:.0f} W at the most" if card.power_max_w is not None else ""
    return f"{card.power_w:.0f} W on average{most}{limit}"


def _energy(card: CardWatched) -> str:
    energy = card.energy
    if energy is None:
        return f"{NOT_READ} ({_why(card, 'energy')})"
    text = joules(energy.joules)
    if energy.counter_j is not None and energy.integral_j is not None:
        text += (
            f"; over {duration(energy.seconds)} the counter says {joules(energy.counter_j)}, "
            f"power times time {joules(energy.integral_j)}"
        )
        if not energy.agree:
            text += "; they disagree, and the first figure is power times time"
    return text


def joules(value: float) -> str:
    """``4.61 kJ``; from a tenth of a kWh on in kWh beside it."""
    if value < 1e3:
        return f"{figure(value)} J"
    kilo = f"{figure(value / 1e3)} kJ" if value < 1e6 else f"{figure(value / 1e6)} MJ"
    return kilo if value < 3.6e5 else f"{kilo} ({figure(value / 3.6e6)} kWh)"


def _limits(card: CardWatched) -> list[str]:
    """Each reason with its counter and its samples, side by side."""
    told = [_limit(r) for r in card.reasons if r.key != IDLE_KEY]
    below = {
        "below_app_clocks": "below application clocks",
        "below_base_clocks": "below base clocks",
    }
    told += [
        f"{below[name]}: {duration(s)} by the counter" for name, s in card.below_clocks_s.items()
    ]
    if told:
        return told
    unknown = card.status.get("reasons")
    return ["none seen"] if unknown is None else [f"{NOT_READ} ({_why(card, 'reasons')})"]


def _limit(reason: ReasonTime) -> str:
    seen = f"{percent(reason.sampled_share)} of the samples"
    word = WORDS.get(reason.key, reason.key)
    if reason.counter_s is None:
        return f"{word}: {duration(reason.sampled_s)}, {seen}"
    share = f" ({percent(reason.counter_share)})" if reason.counter_share is not None else ""
    return f"{word}: {duration(reason.counter_s)} by the counter{share}, {seen}"


def _cost(card: CardWatched) -> str:
    cost = card.cost
    limited = [r for r in card.reasons if r.key != IDLE_KEY and (r.counter_s or r.sampled_s)]
    if cost is None:
        if "reasons" in card.status:
            return f"{NOT_READ} ({_why(card, 'reasons')})"
        if not limited:
            return "cost nothing"
        return f"its price is not known: no roofline of such a card is saved ({PROGRAM} run)"
    whose = "this card's" if cost.own else "such a card's"
    day = day_utc(cost.measured_at)
    when = f" of {day}" if day else ""
    return (
        f"up to {figure(cost.tflops)} {unit(cost.peak_key)} of {cost.peak_key} "
        f"({percent(cost.share)} of {whose} {figure(cost.burst_tflops)}{when}) for "
        f"{duration(cost.limited_s)}, where the work is bound by compute"
    )


def _why(card: CardWatched, field: str) -> str:
    """Why it could not be read, in words."""
    return card.status.get(field, "").replace("_", " ")


def _memory(card: CardWatched, glyphs: Glyphs) -> str:
    if card.memory_max_bytes is None:
        return f"{NOT_READ} ({_why(card, 'memory_max_bytes')})"
    whole = f" of {card.memory_bytes / 2**30:.0f}" if card.memory_bytes else ""
    heat = f", {card.temp_max_c:.0f} {glyphs.degree}C" if card.temp_max_c is not None else ""
    return f"{card.memory_max_bytes / 2**30:.1f}{whole} GiB{heat} at the most"


def _others(cards: Sequence[CardWatched], cells: int, glyphs: Glyphs) -> list[Row]:
    """All cards of the host in a table."""
    head = f"   {'card':>4} {'busy':>6} {'MHz':>6} {'W':>5} {'energy':>9} {'GiB':>6}  limits"
    out = [row((head, "dim"))]
    for card in cards:
        if card.samples < 2:
            continue
        index = NOT_READ if card.gpu is None else str(card.gpu)
        limits = [WORDS.get(r.key, r.key) for r in card.reasons if r.key != IDLE_KEY]
        size = card.memory_max_bytes
        text = (
            f"   {index:>4} {percent(card.busy_share):>6} {_whole(card.sm_mhz):>6}"
            f" {_whole(card.power_w):>5}"
            f" {joules(card.energy.joules) if card.energy else NOT_READ:>9}"
            f" {NOT_READ if size is None else f'{size / 2**30:.1f}':>6}  {', '.join(limits)}"
        )
        out.append(row((head_of(text, cells, glyphs.ellipsis), "")))
    return out


def _whole(value: float | None) -> str:
    return NOT_READ if value is None else f"{value:.0f}"


def _marks(seen: Watched, cells: int, glyphs: Glyphs) -> list[Row]:
    if not seen.marks:
        return []
    room = max(12, min(36, cells - 44))
    head = f"   {'marked':<{room}} {'time':>10} {'busy':>6} {'MHz':>6} {'W':>5} {'energy':>9}"
    out = [row((head, "dim"))]
    for m in seen.marks[:MOST_MARKS]:
        name = set_cell_size(head_of(shown(m.name), room, glyphs.ellipsis), room)
        energy = NOT_READ if m.energy_j is None else joules(m.energy_j).split(" (")[0]
        text = (
            f"   {name} {duration(m.seconds):>10} {percent(m.busy_share):>6}"
            f" {_whole(m.sm_mhz):>6} {_whole(m.power_w):>5} {energy:>9}"
        )
        out.append(row((text, "")))
    if (more := len(seen.marks) - MOST_MARKS) > 0:
        out += wrapped(f"   {more} more: {PROGRAM} show FILE --json", cells, "dim")
    return out
