"""The bill as rows of text: what a session cost, what an hour buys, what of it stands idle."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import Finding
from roofwatch.session.cost import BatchCost, Cost, DecodeCost, Idle, costs
from roofwatch.session.decode import DecodeCurve
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import doubted
from roofwatch.session.roofs import Roofs
from roofwatch.tui.drawing.numbers import LONGEST_CURRENCY, NOT_READ, figure, money, money_column
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped

INDENT = "   "
LITTLE = 0.01  # of a unit: the next smaller one is said
ALMOST_ALL = 0.9995  # from here on a share has two decimals
WORTH_SAYING = 0.01  # of an hour's rent
HELD = {"sustained": "held", "burst": "in bursts"}


def cost_rows(
    session: Session,
    own: Roofs,
    cells: int,
    curves: Sequence[DecodeCurve] | None = None,
    found: Sequence[Finding] | None = None,
) -> list[Row]:
    """The section of the report; none without a price. ``found`` spares judging it again."""
    bill = costs(session, own, curves)
    if bill is None:
        return []
    rows = [row((f" money  {money(bill.per_hour, bill.currency)} an hour", "title"))]
    rows += _sentence(_spent(bill), cells)
    rows += _sentence(_bought(bill, own), cells)
    for idle in bill.idle:
        rows += _sentence(_stands_idle(session, idle, bill), cells)
    for said in _doubts(session, own, bill, found):
        rows += [((INDENT, ""), *r) for r in wrapped(said, cells - len(INDENT) - 1, "warn")]
    for curve in bill.decode:
        rows += [row(""), *_curve(curve, bill, cells)]
    return rows


def _sentence(text: str, cells: int) -> list[Row]:
    return [((INDENT, ""), *r) for r in wrapped(text, cells - len(INDENT) - 1)] if text else []


def _spent(bill: Cost) -> str:
    """The session's cost stands apart only where it is written otherwise than the run's."""
    run = f"This run cost {money(bill.run_cost, bill.currency)} ({bill.run_s:.1f} s)"
    whole = money(bill.session_cost, bill.currency)
    if whole == money(bill.run_cost, bill.currency):
        return f"{run}."
    return f"{run}, all of the session {whole} ({bill.session_s:.1f} s)."


def _stands_idle(session: Session, idle: Idle, bill: Cost) -> str:
    """What of an hour's rent pays for compute that a stream leaves unused."""
    name, held = session.label(idle.probe), HELD[idle.roof]
    if not idle.achieved_tflops:
        return (
            f"While {name} runs nothing is computed: an hour's rent buys bytes alone, and none of "
            f"the {idle.peak_key} compute."
        )
    share = 1 - min(1.0, idle.achieved_tflops / idle.roof_tflops)
    rent = money(bill.per_hour, bill.currency)
    lost = money(idle.per_hour, bill.currency)
    of_rent = f"all but a little of {rent}" if lost == rent and share < 1 else f"{lost} of {rent}"
    return (
        f"While {name} runs, {_share(share)} of the {idle.peak_key} compute ({held}) stands idle: "
        f"{of_rent} an hour."
    )


def _doubts(session: Session, own: Roofs, bill: Cost, found: Sequence[Finding] | None) -> list[str]:
    """Which rates that the sentences above rest on are not to be believed."""
    rests: dict[str, str] = {}  # by probe what it is called
    if bill.per_petabyte is not None and own.bandwidth is not None:
        rests[own.bandwidth.probe] = "the bandwidth"
    flats = [(i.peak_key, i.roof) for i in bill.idle]
    if own.main_key in bill.per_exa:
        of_main = own.compute[own.main_key]
        flats.insert(0, (own.main_key, "sustained" if of_main.sustained_tflops else "burst"))
    for key, which in flats:
        of = own.compute[key]
        measured = of.sustained if which == "sustained" else of.burst
        if measured is not None:
            rests[measured.probe] = f"the {key} rate {HELD[which]}"
    reasons = doubted(session, own, found)
    return [
        f"Not to be believed: {name} ({reasons[probe]}), nor what is reckoned with it here."
        for probe, name in rests.items()
        if probe in reasons
    ]


def _bought(bill: Cost, own: Roofs) -> str:
    parts = []
    key = own.main_key
    if key in bill.per_exa:
        roof = "sustained" if own.compute[key].sustained_tflops else "burst"
        amount, of_one = _amount(bill, bill.per_exa[key], ("EFLOP", "PFLOP"))
        parts.append(f"{amount} in {key}, {HELD[roof]} ({of_one} each)")
    if bill.per_petabyte is not None:
        amount, of_one = _amount(bill, bill.per_petabyte, ("PB", "TB"))
        parts.append(f"{amount} moved ({of_one} each)")
    return f"An hour buys {', and '.join(parts)}." if parts else ""


def _amount(bill: Cost, each: float, units: tuple[str, str]) -> tuple[str, str]:
    """How much an hour buys of what costs ``each``, and that; of a thousandth if it is little."""
    bought = bill.per_hour / each
    if bought >= LITTLE:
        return f"{figure(bought)} {units[0]}", money(each, bill.currency)
    return f"{figure(bought * 1e3)} {units[1]}", money(each / 1e3, bill.currency)


def _curve(curve: DecodeCost, bill: Cost, cells: int) -> list[Row]:
    name = f"{shown(curve.model)}, {curve.context} tokens of context"
    if curve.layers != curve.layers_of:
        name += f", {curve.layers} of {curve.layers_of} layers: the whole model costs more"
    return [
        *((((INDENT, ""), *r)) for r in wrapped(name, cells - 4, "dim")),
        *_table(_columns(curve.batches, bill), cells),
        *_sentence(_cheapest(curve, bill), cells),
        *_sentence(_eager(curve.batches[0], bill), cells),
        *_sentence(_smaller(curve, bill), cells),
    ]


def _columns(batches: Sequence[BatchCost], bill: Cost) -> list[tuple[str, list[str]]]:
    """Heads with their cells, the least needed last; what no batch has is no column."""

    def share(value: float | None) -> str:
        return NOT_READ if value is None else _share(value)

    unit = shown(bill.currency)[:LONGEST_CURRENCY]  # of the amounts: their heads have it
    columns = [
        ("batch", [str(b.batch) for b in batches]),
        ("tok/s", [figure(b.tokens_per_s) for b in batches]),
        (f"{unit}/Mtok", money_column([b.per_mtok for b in batches])),
        ("idle compute", [share(_idle_share(b)) for b in batches]),
        (f"{unit} idle/h", money_column([b.idle_per_hour for b in batches])),
        (f"eager {unit}/Mtok", money_column([_other(b) for b in batches])),
        (f"{unit} launches/h", money_column([b.overhead_per_hour for b in batches])),
    ]
    return [c for c in columns if any(text != NOT_READ for text in c[1])]


def _idle_share(b: BatchCost) -> float | None:
    return None if b.of_roof is None else 1 - min(1.0, b.of_roof)


def _other(b: BatchCost) -> float | None:
    """An eager step, unless it is the only one there is."""
    return None if b.eager_overhead_per_hour is None else b.eager_per_mtok


def _table(columns: list[tuple[str, list[str]]], cells: int) -> list[Row]:
    widths = [2 + max(len(text) for text in (head, *texts)) for head, texts in columns]
    while len(widths) > 1 and len(INDENT) + sum(widths) > cells:
        widths.pop()
    fitting = columns[: len(widths)]
    pairs = list(zip(fitting, widths, strict=True))
    rows = [row((INDENT + "".join(f"{head:>{wide}}" for (head, _), wide in pairs), "dim"))]
    for i in range(len(columns[0][1])):
        rows.append(row(INDENT + "".join(f"{texts[i]:>{wide}}" for (_, texts), wide in pairs)))
    return rows


def _cheapest(curve: DecodeCost, bill: Cost) -> str:
    best = next(b for b in curve.batches if b.batch == curve.cheapest_batch)
    first = curve.batches[0]
    if best is first:
        return ""
    per_mtok, times = money(best.per_mtok, bill.currency), figure(curve.times_cheaper)
    said = f"Batch {best.batch} is the cheapest: {per_mtok} per Mtok, 1/{times} of batch "
    return f"{said}{first.batch} at the same rent."


def _eager(first: BatchCost, bill: Cost) -> str:
    back = first.eager_overhead_per_hour
    if back is None or first.eager_per_mtok is None or back < WORTH_SAYING * bill.per_hour:
        return ""
    eager = money(first.eager_per_mtok, bill.currency)
    said = f"Kernel by kernel batch {first.batch} costs {eager} per Mtok: the card waits for the "
    return said + f"host, and {money(back, bill.currency)} an hour buy nothing; a graph saves that."


def _smaller(curve: DecodeCost, bill: Cost) -> str:
    found = [f"{money(v, bill.currency)} with {k}" for k, v in curve.smaller_weights.items()]
    if not found:
        return ""
    said = f"Fewer bytes a weight: batch {curve.batches[0].batch} at best {', '.join(found)}; "
    return said + "what that does to the answers is another measurement."


def _share(ratio: float) -> str:
    """A share of which the last bit counts: 100 % only where nothing at all is left."""
    if ratio < ALMOST_ALL:
        return f"{100 * ratio:.1f} %"
    return f"{100 * ratio:.2f} %" if ratio < 0.99995 else "100 %" if ratio == 1 else "over 99.99 %"
