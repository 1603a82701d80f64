"""A plan as rows of text: the answer in a few lines, and the curve with the batches that end it."""

from __future__ import annotations

import math

from roofwatch.roofline.decode import at_roof
from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.time_said import time_scale
from roofwatch.session.plan import MEASURED, NONE, OF_RIDGE, OF_ROOF, Plan
from roofwatch.session.plan_parallel import TRUSTED
from roofwatch.session.plan_step import PlanPoint
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import scale_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, money, priced
from roofwatch.tui.drawing.rows_of_text import Row, hung, row, wrapped
from roofwatch.tui.drawing.significant import cost, rate

LABEL = 10
SAME = 1e-3
SAME_RIDGE = 1e-6  # by which AI_max has to differ from the ridge to be told below it
TENTHS = 1e3  # from so many on a batch's tenths tell nothing
MOST_DIGITS = 10
OFF = 0.01  # by which a ridge may differ from peak over bandwidth before that is said
GAP = 3  # cells between two columns of the curve
GIVE_WAY = ("bytes", "FLOP/B", "off linear", "exchanged")  # the first to go where cells are few
WORDS = {OF_RIDGE: "by the ridge"}


def plan_rows(p: Plan, cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole page: title, answer, curve, notes."""
    title = f" {shown(p.gpu)} {glyphs.cross} {shown(p.model)}"
    precise = f"{p.context} tokens of context, {types(p)}"
    return [
        *wrapped(f"{title}, {precise}", cells, "title", " "),
        row(""),
        *answer_rows(p, cells),
        row(""),
        *curve_rows(p, cells),
        *note_rows(p, cells),
    ]


def types(p: Plan) -> str:
    """The precisions of weights and KV cache."""
    if p.precision == p.kv_precision:
        return f"{p.precision} weights and KV"
    return f"{p.precision} weights, {p.kv_precision} KV"


def answer_rows(p: Plan, cells: int) -> list[Row]:
    """What the plan says besides its curve, a line a figure."""
    said = {
        "ridge": _ridge(p),
        "weights": f"{size(p.weights_bytes)}: {p.params:,} parameters in {p.precision}{_each(p)}",
        "KV cache": f"{p.kv_bytes_per_token:,} B a token, "
        f"{size(p.kv_bytes_per_token * p.context)} a sequence",
        "AI_max": f"{figure(p.ai_max)} FLOP/byte, which no batch gets beyond",
        "b*": _b_star(p),
        "memory": _memory(p),
        "ends": _ends(p),
        "floor": _floor(p),
        "loading": _loading(p),
    }
    if p.tp > 1:
        said["cards"] = _cards(p)
    if p.price is not None:
        said["cost"] = _cost(p)
    rows: list[Row] = []
    for name, text in said.items():
        rows += hung(f" {name:<{LABEL}}", text, cells)
    return rows


def _each(p: Plan) -> str:
    return f", {size(p.weights_bytes / p.tp)} a card" if p.tp > 1 else ""


def _cards(p: Plan) -> str:
    """What several cards exchange in a step, at both ends of the curve."""
    ends = (p.curve[0], p.curve[-1]) if len(p.curve) > 1 else p.curve[:1]
    said = ", ".join(f"{duration(x.comm_s)} at batch {x.batch}" for x in ends)
    late = f" and {latency_said(p)}"
    if p.latency_from == NONE:
        late = " with no latency counted: tokens/s are an upper bound (--link-latency)"
    elif 0 < p.latency_most < p.tp:
        late += ": tokens/s are an upper bound"
    link = f"{figure(p.peer_gbs)} GB/s ({p.peer_from}{fit_off(p)}){late}"
    return f"{p.tp}; on top of the rest a step exchanges {said}, by {link}"


def latency_said(p: Plan) -> str:
    """The latency counted: whose it is, of how many cards, and what it is over more."""
    said, more = latency_of(p), latency_beyond(p)
    return f"{said} ({p.latency_from}{fit_off(p)}; {least_said(p)}{more})"


def fit_off(p: Plan) -> str:
    """That the line that a figure is of is off by more than is trusted."""
    if p.peer_off <= TRUSTED:
        return ""
    return f", the fit off by {per_cent(p.peer_off)}"


def least_said(p: Plan) -> str:
    """What each exchange takes at least, where the fitted latency lies under all that was timed."""
    if p.peer_least_s <= p.peer_latency_s:
        return ""
    return f"none was measured under {duration(p.peer_least_s)}, which each takes at least; "


def latency_of(p: Plan) -> str:
    """The latency counted, and of how many cards it is."""
    return f"{duration(p.peer_latency_s)} an all-reduce of {p.latency_cards or p.tp} cards"


def latency_beyond(p: Plan) -> str:
    """What it is over the other numbers of cards that are shown."""
    if p.node_cards:
        return "of " + ("one node" if p.tp <= p.node_cards else "several nodes")
    if not p.latency_cards:
        return "it grows with the cards"
    fewer = fewer_wait_less(p) or p.latency_cards > p.tp
    more = p.latency_cards <= p.tp
    said = ["over fewer it may be shorter"] * fewer + ["over more it is longer"] * more
    return f"{', '.join(said)}, which is not counted"


def fewer_wait_less(p: Plan) -> bool:
    """Whether rows of fewer cards are charged with the all-reduce of more."""
    return any(1 < x.tp < p.latency_cards and of_one_link(p, x.tp) for x in p.scaling)


def of_one_link(p: Plan, cards: int) -> bool:
    """Whether so many cards meet by the link of the plan's own: within a node, or beyond it."""
    return not p.node_cards or (cards <= p.node_cards) == (p.tp <= p.node_cards)


def slowest(ranks: int) -> str:
    """Of how many ranks of a fleet a figure is the least; empty for one card's own."""
    return f", slowest of {ranks}" if ranks > 1 else ""


def peak_said(p: Plan) -> str:
    """In TFLOP/s, of a slow device in GFLOP/s."""
    scale = scale_of([p.peak_tflops])
    return f"{figure(p.peak_tflops * scale.factor)} {scale.named('TFLOP/s')}"


def _ridge(p: Plan) -> str:
    key = f"{p.peak_key}, " if p.peak_key else ""
    flat = f" {p.peak_flat}" if p.peak_from == MEASURED else ""
    whose = f"{key}{_from(p.peak_from)}{flat}{slowest(p.peak_slowest_of)}"
    peak = f"{peak_said(p)} ({whose})"
    whose = f"{_from(p.bandwidth_from)}{slowest(p.bandwidth_slowest_of)}"
    roof = f"{peak} over {figure(p.bandwidth_gbs)} GB/s ({whose})"
    said = f"{figure(p.ridge)} FLOP/byte"
    if p.ridge_from != OF_ROOF:
        said += f" ({p.ridge_from})"
    if stands_alone(p):
        said += f", decides b* alone; times go by {roof}, which make {figure(p.roof_ridge)}"
    else:
        said += f"; {roof}"
    if p.ridge_nominal is None or abs(p.ridge / p.ridge_nominal - 1) < SAME:
        return said
    return f"{said}; nominal ridge {figure(p.ridge_nominal)}"


def stands_alone(p: Plan) -> bool:
    """Whether the ridge is another than that of the bandwidth and the peak in use."""
    return abs(p.roof_ridge / p.ridge - 1) > OFF


def _from(whence: str) -> str:
    return WORDS.get(whence, whence)


def _b_star(p: Plan) -> str:
    if p.b_star is None:
        return f"none: AI_max {under(p)} the ridge of {figure(p.ridge)}"
    first = at_roof(p.b_star)
    return f"{tenth(p.b_star)}: there the intensity is the ridge; batch {first} is the first there"


def tenth(b_star: float) -> str:
    """To the tenth; to more digits where those would hide the next batch. Beyond a thousand the
    first whole batch there."""
    if b_star >= TENTHS:
        return str(at_roof(b_star))
    said = (f"{b_star:.{digits}f}" for digits in range(1, MOST_DIGITS))
    return next((s for s in said if math.ceil(float(s)) == at_roof(b_star)), f"{b_star:.1f}")


def under(p: Plan, below: str = "lies below", at: str = "is at") -> str:
    """Where AI_max lies of which no batch reaches the ridge: below it, or at it."""
    return below if p.ai_max < p.ridge * (1 - SAME_RIDGE) else at


def of_host(p: Plan) -> str:
    """That the "cards" are processes of one host, whose memory counts once."""
    n = p.memory_shared_by
    return f", its share of the memory that {n} ranks of one host have together" if n else ""


def _memory(p: Plan) -> str:
    if p.memory_bytes is None or p.batch_memory_cap is None:
        return "not known, so no batch is too large"
    room = f"{size(p.memory_bytes)} ({p.memory_bytes / 2**30:.4g} GiB)"
    cap = p.batch_memory_cap
    if p.tp > 1:
        room += f" a card{of_host(p)}: {p.tp} cards together"
        held = "hold" if cap else "do not hold"
    else:
        held = "holds" if cap else "does not hold"
    if cap == 0:
        return f"{room} {held} the weights and one sequence"
    return f"{room} {held} {cap} {'sequence' if cap == 1 else 'sequences'} beside the weights"


def _ends(p: Plan) -> str:
    """What really ends the gain from batching, whatever the largest batch of the curve is."""
    if p.reaches_roof and p.b_star is not None:
        said = f"at the compute roof, from b* {tenth(p.b_star)}"
        if stands_alone(p):
            return f"{said} by that ridge"
        if not p.overhead_s:
            return f"{said}: beyond it a larger batch adds no tokens/s"
        return f"{said}: beyond it only the overhead is shared by more, up to {_most(p)} tokens/s"
    if p.b_star is None:
        lies = f"AI_max {figure(p.ai_max)} {under(p, 'under', 'at')} the ridge {figure(p.ridge)}"
        roof = f"never reaches the roof: {lies}"
    else:
        roof = f"b* {tenth(p.b_star)} does not fit"
    if p.batch_memory_cap is None:
        return f"{roof}; the memory, which would end it, is not known"
    if p.batch_memory_cap == 0:
        where = f"these {p.tp} cards" if p.tp > 1 else "this card"
        return f"in the memory: it does not run on {where}"
    return f"{roof}; memory ends it at batch {p.batch_memory_cap}"


def _most(p: Plan) -> str:
    """Tokens per second at the peak, nothing else in the way."""
    return figure(p.peak_tflops * 1e12 * p.curve[0].batch / p.curve[0].flop)


def _floor(p: Plan) -> str:
    most = figure(1 / p.decode_floor_s)
    of = "a card's share of the weights" if p.tp > 1 else "the weights"
    said = f"{duration(p.decode_floor_s)} a step for {of} alone: at most {most} tokens/s"
    whose = "measured overhead" if p.overhead_source == MEASURED else "overhead"
    over = f", without the {whose} of {duration(p.overhead_s)}" if p.overhead_s else ""
    return f"{said} at batch 1{over}"


def _loading(p: Plan) -> str:
    if p.load_s is None or p.link_gbs is None:
        return f"n/a: {p.status['load_s']}"
    what, link = "the weights", "the host link"
    if p.tp > 1:
        what, link = "each card's share of the weights", "its own host link"
    return (
        f"{duration(p.load_s)} for {what} at {figure(p.link_gbs)} GB/s over {link}, one direction"
    )


def _cost(p: Plan) -> str:
    if p.price is None or p.cost_per_mtok is None:
        return f"n/a: {p.status['cost_per_mtok']}"
    currency, first = p.price.currency, p.curve[0]
    said = f"{money(p.cost_per_mtok, currency)} per Mtok at batch {p.cost_batch}"
    if first.cost_per_mtok is not None and p.cost_batch != first.batch:
        said += f", {money(first.cost_per_mtok, currency)} at batch {first.batch}"
    least = cheapest(p)
    if least:
        said += f"; least {least}"
    each = " a card" if p.tp > 1 else ""
    return f"{said}; for {money(p.price.per_hour, currency)} an hour{each}"


def cheapest(p: Plan) -> str:
    """The cheapest batch that fits, where that is cheaper than what the curve comes to."""
    if p.price is None or p.cost_per_mtok is None or p.cheapest_per_mtok is None:
        return ""
    if p.cheapest_per_mtok > p.cost_per_mtok * (1 - SAME):
        return ""
    return f"{money(p.cheapest_per_mtok, p.price.currency)} at batch {p.cheapest_batch}"


def points(p: Plan) -> list[PlanPoint]:
    """The curve with the batches of b* and of the full memory."""
    return sorted([*p.curve, *p.landmarks], key=lambda x: x.batch)


def batch_of(x: PlanPoint, p: Plan) -> str:
    """A batch; the first at b* and the last that fits say so."""
    if x.batch == at_roof(p.b_star):
        return f"b* {x.batch}"
    return f"cap {x.batch}" if x.batch == p.batch_memory_cap else str(x.batch)


def curve_rows(p: Plan, cells: int) -> list[Row]:
    """The curve as a table; a batch that does not fit says so where its bound would stand."""
    curve = points(p)
    columns = {
        "batch": [batch_of(x, p) for x in curve],
        "FLOP/B": [rate(x.intensity) for x in curve],
        "bytes": [size(x.bytes) for x in curve],
        "step": [duration(x.step_s) for x in curve],
        **({"exchanged": [duration(x.comm_s) for x in curve]} if p.tp > 1 else {}),
        "tokens/s": [rate(x.tokens_per_s) for x in curve],
        "off linear": [f"{100 * x.gap_to_linear:.1f} %" for x in curve],
    }
    if p.price is not None:
        name = f"{priced('', p.price.currency).strip()}/Mtok"
        columns[name] = [cost(x.cost_per_mtok) for x in curve]
    columns["bound"] = [x.bound if x.fits else "no room" for x in curve]
    longest = {name: max(map(len, (name, *texts))) for name, texts in columns.items()}
    gap = GAP if sum(longest.values()) + GAP * len(longest) <= cells else GAP - 1
    widths = {name: cell + gap for name, cell in longest.items()}
    for name in GIVE_WAY:
        if name in widths and sum(widths.values()) > cells:
            del columns[name], widths[name]
    rows = [row(("".join(f"{name:>{widths[name]}}" for name in columns), "dim"))]
    for i, x in enumerate(curve):
        line = "".join(f"{texts[i]:>{widths[name]}}" for name, texts in columns.items())
        rows.append(row((line, "" if x.fits else "dim")))
    return rows


def note_rows(p: Plan, cells: int) -> list[Row]:
    """What has to be said beside the figures."""
    if not p.notes:
        return []
    said = ((n, "warn" if n in p.doubts else "dim") for n in p.notes)
    return [row(""), *(r for n, style in said for r in wrapped(n, cells, style, " "))]


def size(value: float) -> str:
    """Decimal bytes to three digits."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{_three(value / scale)} {unit}"
    return f"{value:.0f} B"


def duration(seconds: float) -> str:
    """Seconds to three digits, noughts and all, as the columns of a plan have them."""
    scale, unit = time_scale(seconds)
    return f"{_three(seconds / scale)} {unit}"


def _three(value: float) -> str:
    return (
        f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    )
