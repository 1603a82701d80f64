"""A plan as rows of text: the answer in a few lines, the curve, and the card x model table."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.decode import AI_MAX, COMPUTE
from roofwatch.session.plan import MEASURED, NOMINAL, OF_RIDGE, Plan
from roofwatch.session.printable import shown
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, money, priced
from roofwatch.tui.rows_of_text import Row, head_of, hung, row, wrapped

LABEL = 10
LEAST_NAME = 20
SAME = 1e-3
GAP = 3  # cells between two columns of the curve
GIVE_WAY = ("bytes", "FLOP/B", "off linear")  # the first to go where cells are few
_FIGURES = f"{'ridge':>5}{'weights':>9}{'KV/token':>11}{'AI_max':>7}{'roof at':>8}"
WORDS = {OF_RIDGE: "by the ridge"}


def plan_rows(p: Plan, cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole page: title, answer, curve, notes."""
    title = f" {shown(p.gpu)} {glyphs.cross} {shown(p.model)}"
    precise = f"{p.context} tokens of context, {_types(p)}"
    return [
        *wrapped(f"{title}, {precise}", cells, "title", " "),
        row(""),
        *answer_rows(p, cells),
        row(""),
        *curve_rows(p, cells),
        *note_rows(p, cells),
    ]


def _types(p: Plan) -> str:
    if p.precision == p.kv_precision:
        return f"{p.precision} weights and KV"
    return f"{p.precision} weights, {p.kv_precision} KV"


def answer_rows(p: Plan, cells: int) -> list[Row]:
    """What the plan says besides its curve, a line a figure."""
    said = {
        "ridge": _ridge(p),
        "weights": f"{size(p.weights_bytes)}: {p.params:,} parameters in {p.precision}",
        "KV cache": f"{p.kv_bytes_per_token:,} B a token, "
        f"{size(p.kv_bytes_per_token * p.context)} a sequence",
        "AI_max": f"{figure(p.ai_max)} FLOP/byte, which no batch gets beyond",
        "b*": _b_star(p),
        "memory": _memory(p),
        "ends": _ends(p),
        "floor": _floor(p),
        "loading": _loading(p),
    }
    if p.price is not None:
        said["cost"] = _cost(p)
    rows: list[Row] = []
    for name, text in said.items():
        rows += hung(f" {name:<{LABEL}}", text, cells)
    return rows


def _ridge(p: Plan) -> str:
    key = f"{p.peak_key}, " if p.peak_key else ""
    peak = f"{figure(p.peak_tflops)} TFLOP/s ({key}{_from(p.peak_from)})"
    bandwidth = f"{figure(p.bandwidth_gbs)} GB/s ({_from(p.bandwidth_from)})"
    said = f"{figure(p.ridge)} FLOP/byte; {peak} over {bandwidth}"
    if p.ridge_nominal is None or abs(p.ridge / p.ridge_nominal - 1) < SAME:
        return said
    return f"{said}; nominal ridge {figure(p.ridge_nominal)}"


def _from(whence: str) -> str:
    return WORDS.get(whence, whence)


def _b_star(p: Plan) -> str:
    if p.b_star is None:
        return f"none: AI_max lies below the ridge of {figure(p.ridge)}"
    return f"{p.b_star:.1f}: the batch whose intensity is the ridge"


def _memory(p: Plan) -> str:
    if p.memory_bytes is None or p.batch_memory_cap is None:
        return "not known, so no batch is too large"
    room = f"{size(p.memory_bytes)} ({p.memory_bytes / 2**30:.4g} GiB)"
    if p.batch_memory_cap == 0:
        return f"{room} does not hold the weights and one sequence"
    return f"{room} holds {p.batch_memory_cap} sequences beside the weights"


def _ends(p: Plan) -> str:
    if p.limited_by == COMPUTE:
        return "at the compute roof: batching pays up to b*"
    if p.limited_by == AI_MAX:
        return "at AI_max: memory-bound at every batch, more sequences add as many KV bytes"
    if p.batch_memory_cap == 0:
        return "in the memory: it does not run on this card"
    return f"in the memory, at batch {p.batch_memory_cap}: memory-bound up to there"


def _floor(p: Plan) -> str:
    rate = figure(1 / p.decode_floor_s)
    said = f"{duration(p.decode_floor_s)} a step for the weights alone: at most {rate} tokens/s"
    whose = "measured overhead" if p.overhead_source == MEASURED else "overhead"
    over = f", without the {whose} of {duration(p.overhead_s)}" if p.overhead_s else ""
    return f"{said} at batch 1{over}"


def _loading(p: Plan) -> str:
    if p.load_s is None or p.link_gbs is None:
        return f"n/a: {p.status['load_s']}"
    link = f"{figure(p.link_gbs)} GB/s over the host link, one direction"
    return f"{duration(p.load_s)} for the weights at {link}"


def _cost(p: Plan) -> str:
    if p.price is None or p.cost_per_mtok is None:
        return f"n/a: {p.status['cost_per_mtok']}"
    currency, first = p.price.currency, p.curve[0]
    said = f"{money(p.cost_per_mtok, currency)} per Mtok at batch {p.cost_batch}"
    if first.cost_per_mtok is not None and p.cost_batch != first.batch:
        said += f", {money(first.cost_per_mtok, currency)} at batch {first.batch}"
    return f"{said}, for {money(p.price.per_hour, currency)} an hour"


def curve_rows(p: Plan, cells: int) -> list[Row]:
    """The curve as a table; a batch that does not fit says so where its bound would stand."""
    columns = {
        "batch": [str(x.batch) for x in p.curve],
        "FLOP/B": [figure(x.intensity) for x in p.curve],
        "bytes": [size(x.bytes) for x in p.curve],
        "step": [duration(x.step_s) for x in p.curve],
        "tokens/s": [figure(x.tokens_per_s) for x in p.curve],
        "off linear": [f"{100 * x.gap_to_linear:.1f} %" for x in p.curve],
    }
    if p.price is not None:
        name = f"{priced('', p.price.currency).strip()}/Mtok"
        columns[name] = [money(x.cost_per_mtok or 0.0, "") for x in p.curve]
    columns["bound"] = [x.bound if x.fits else "no room" for x in p.curve]
    widths = {name: max(map(len, (name, *texts))) + GAP for name, texts in columns.items()}
    for name in GIVE_WAY:
        if sum(widths.values()) > cells:
            del columns[name], widths[name]
    rows = [row(("".join(f"{name:>{widths[name]}}" for name in columns), "dim"))]
    for i, x in enumerate(p.curve):
        line = "".join(f"{texts[i]:>{widths[name]}}" for name, texts in columns.items())
        rows.append(row((line, "" if x.fits else "dim")))
    return rows


def note_rows(p: Plan, cells: int) -> list[Row]:
    """What has to be said beside the figures."""
    return (
        [row(""), *(r for n in p.notes for r in wrapped(n, cells, "dim", " "))] if p.notes else []
    )


def table_rows(plans: Sequence[Plan], cells: int, glyphs: Glyphs) -> list[Row]:
    """The seeds' table, a row a card and model; what all rows share stands above them."""
    if not plans:
        return [row(" no card has the figures for it")]
    first = plans[0]
    whose = "nominal" if all(p.figures == NOMINAL for p in plans) else "given"
    shared = [f"{first.context} tokens of context", f"{whose} figures"]
    shared.append(_types(first))
    gpus, models = {p.gpu for p in plans}, {p.model for p in plans}
    if len(plans) > 1 and 1 in (len(gpus), len(models)):
        shared.insert(0, shown(first.gpu if len(gpus) == 1 else first.model))
    what = "model" if len(gpus) == 1 else "card"
    if 1 not in (len(gpus), len(models)) or len(plans) == 1:
        what = f"card {glyphs.cross} model"
    ends = max(len(_end_word(p)) for p in plans)
    name = max(LEAST_NAME, cells - len(_FIGURES) - ends - 3)
    head = f" {what:<{name}}{_FIGURES}"
    rows = [*wrapped(", ".join(shared), cells, "title", " ")]
    rows.append(row((f"{head}  ends", "dim")))
    return [*rows, *(_table_row(p, what, name, glyphs) for p in plans)]


def _table_row(p: Plan, what: str, name: int, glyphs: Glyphs) -> Row:
    card, model = shown(p.gpu).removeprefix("NVIDIA "), shown(p.model)
    called = {"card": card, "model": model}.get(what, f"{card} {glyphs.cross} {model}")
    called = head_of(called, name - 1, glyphs.ellipsis)
    at = f"b {p.b_star:.0f}" if p.reaches_roof and p.b_star is not None else "never"
    line = f" {called:<{name}}{figure(p.ridge):>5}{size(p.weights_bytes):>9}"
    line += f"{p.kv_bytes_per_token:>9,} B{figure(p.ai_max):>7}{at:>8}"
    return row(f"{line}  {_end_word(p)}")


def _end_word(p: Plan) -> str:
    if p.limited_by == COMPUTE:
        return "compute"
    if p.limited_by == AI_MAX:
        return "AI_max"
    return f"memory {p.batch_memory_cap}" if p.batch_memory_cap else "no room"


def size(value: float) -> str:
    """Decimal bytes to three digits."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{_three(value / scale)} {unit}"
    return f"{value:.0f} B"


def duration(seconds: float) -> str:
    """Seconds to three digits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{_three(seconds / scale)} {unit}"
    return f"{_three(seconds * 1e9)} ns"


def _three(value: float) -> str:
    return (
        f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    )
