"""The bill as text: amounts, the table against the batch, where it stands and where it does not."""

from __future__ import annotations

import re

import msgspec
import pytest

from roofwatch.notebook.finding import SUSPECT, Finding
from roofwatch.session.cost import Cost, costs
from roofwatch.session.decode import DecodeCurve, DecodePoint
from roofwatch.session.events import Price
from roofwatch.session.fold import Session
from roofwatch.session.roofs import roofs
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.numbers import money, money_column
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.printed.cost_rows import _spent, _stands_idle, cost_rows
from roofwatch.tui.printed.report import report
from roofwatch.tui.screen import header
from roofwatch.tui.screen.spent import run_cost_said, session_cost_said


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


def point(batch: int, graph_s: float | None, eager_s: float | None = None) -> DecodePoint:
    names = [field.name for field in msgspec.structs.fields(DecodePoint)]
    said = {"batch": batch, "flop": 1.5e10 * batch, "weights_bytes": 15_010_000_000}
    said |= {"kv_bytes": batch * 33_554_432, "graph_s": graph_s, "eager_s": eager_s}
    return DecodePoint(**(dict.fromkeys(names) | said | {"terms": {"launch": 4e-4}}))


def curve(points: list[DecodePoint], layers: int = 32) -> DecodeCurve:
    names = [field.name for field in msgspec.structs.fields(DecodeCurve)]
    said = {"model": "Llama-3-8B", "context": 256, "layers": layers, "layers_of": 32}
    return DecodeCurve(**(dict.fromkeys(names) | said | {"points": points, "dtype": "bf16"}))


SWEEP = [point(1, 0.004, 0.008), point(32, 0.0042, 0.0082), point(128, 0.005, 0.009)]


@pytest.fixture
def priced(h200: Session) -> Session:
    h200.price = Price(per_hour=1.99)
    return h200


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        (1.99, "$1.99"),
        (0.0132, "$0.0132"),
        (0.013267, "$0.0133"),
        (0.5, "$0.50"),
        (1.98688, "$1.987"),
        (1234.5, "$1234.50"),
        (1e6, "$1000000.00"),
        (0.99999, "$1.00"),
        (1e-5, "$0.00001"),
        (2.784e-8, "$0.0000000278"),
        (1e-300, "under $0.000000001"),
        (0.0, "$0.00"),
    ],
)
def test_an_amount_is_written_out(amount: float, written: str) -> None:
    assert money(amount, "$") == written
    assert money(amount, "CNY") == written.replace("$", "") + " CNY"


def test_a_currency_of_a_damaged_file_moves_no_cursor() -> None:
    assert money(1.99, "\x1b[2J" + "x" * 100).isprintable()
    assert len(money(1.99, "x" * 100)) < 20
    assert money(1.99, "") == "1.99"


def test_without_a_price_nothing_is_said(h200: Session) -> None:
    assert cost_rows(h200, roofs(h200), 80) == []
    assert run_cost_said(h200) == session_cost_said(h200) == ""
    assert not any("$" in line for line in lines(report(h200, None, 120, UNICODE)))


def test_the_report_has_a_section(priced: Session) -> None:
    text = "\n".join(lines(report(priced, None, 200, UNICODE)))
    assert " money  $1.99 an hour\n" in text
    assert "This run cost $0.00656 (11.9 s)." in text  # 11.867 s x 1.99 / 3600
    assert "An hour buys 2.44 EFLOP in bf16, held ($0.814 each), and 15.4 PB moved" in text
    assert "99.8 % of the bf16 compute (held) stands idle: $1.987 of $1.99 an hour." in text


def test_a_run_in_a_line(priced: Session) -> None:
    assert run_cost_said(priced) == "this run cost $0.00656 (11.9 s at $1.99/h)"
    assert session_cost_said(priced) == "cost $0.00656"


def test_a_sweep_against_the_batch(priced: Session) -> None:
    found = lines(cost_rows(priced, roofs(priced), 100, [curve(SWEEP)]))
    start = next(i for i, line in enumerate(found) if line.split()[:2] == ["batch", "tok/s"])
    assert re.split(r" {2,}", found[start].strip()) == [
        "batch",
        "tok/s",
        "$/Mtok",
        "idle compute",
        "$ idle/h",
        "eager $/Mtok",
        "$ launches/h",
    ]
    first = found[start + 1].split()
    # 250 tokens a second at 1.99 an hour; 3.75 of 678.9 TFLOP/s; a tenth of the step launches.
    assert first == ["1", "250", "2.2111", "99.4", "%", "1.979", "4.4222", "0.199"]
    assert found[start + 2].split()[:3] == ["32", "7619", "0.0726"]
    rest = " ".join(" ".join(found[start + 4 :]).split())
    assert "Batch 128 is the cheapest: $0.0216 per Mtok, 1/102 of batch 1" in rest
    assert "batch 1 costs $4.422 per Mtok" in rest
    assert "$0.995 an hour buy nothing; a graph saves that" in rest
    assert "with int8" in rest
    assert "with int4" in rest


def test_a_column_of_money_has_one_number_of_decimals(priced: Session) -> None:
    for cells in (80, 100):
        found = lines(cost_rows(priced, roofs(priced), cells, [curve(SWEEP)]))
        start = next(i for i, line in enumerate(found) if line.split()[:2] == ["batch", "tok/s"])
        table = [re.split(r" {2,}", line.strip()) for line in found[start : start + 4]]
        assert table[0][-1] == "$ launches/h"
        for head, *texts in zip(*table, strict=True):
            if "$" in head:
                assert len({len(text.partition(".")[2]) for text in texts}) == 1, head
        assert len({len(line) for line in found[start : start + 4]}) == 1  # right-aligned


@pytest.mark.parametrize(
    ("amounts", "written"),
    [
        ([0.816, 0.00827], ["0.81600", "0.00827"]),
        ([1.987, 1.658, None], ["1.987", "1.658", "n/a"]),
        ([1234.5, 0.5], ["1234.50", "0.50"]),
        ([0.0, 0.0], ["0.00", "0.00"]),
        ([1e-300, 2.0], ["0.000", "2.000"]),
        ([], []),
    ],
)
def test_money_columns(amounts: list[float | None], written: list[str]) -> None:
    assert money_column(amounts) == written


def test_one_cost_is_said_once(priced: Session) -> None:
    found = bill_of(priced)
    once = msgspec.structs.replace(found, session_s=found.run_s + 0.01)
    assert _spent(once) == "This run cost $0.00656 (11.9 s)."
    twice = msgspec.structs.replace(found, session_cost=0.02, session_s=36.2)
    assert _spent(twice).endswith(", all of the session $0.02 (36.2 s).")


def test_compute_that_a_stream_does_not_use_is_worded_by_how_much_it_uses(priced: Session) -> None:
    found = bill_of(priced)
    (idle,) = found.idle
    none = _stands_idle(priced, msgspec.structs.replace(idle, achieved_tflops=0.0), found)
    assert "nothing is computed" in none
    assert "100" not in none
    little = msgspec.structs.replace(idle, achieved_tflops=idle.roof_tflops / 1e6, per_hour=1.99)
    said = _stands_idle(priced, little, found)
    assert "over 99.99 % of the bf16 compute (held) stands idle: all but a little of $1.99" in said


def bill_of(session: Session) -> Cost:
    found = costs(session, roofs(session))
    assert found is not None
    return found


def test_what_no_batch_has_is_no_column(priced: Session) -> None:
    (own,) = (roofs(priced),)
    found = "\n".join(lines(cost_rows(priced, own, 100, [curve([point(1, 0.004)])])))
    assert "eager" not in found
    assert "Kernel by kernel" not in found
    assert "cheapest" not in found  # of one
    assert "n/a" not in found


def test_fewer_layers_are_said(priced: Session) -> None:
    found = "\n".join(lines(cost_rows(priced, roofs(priced), 100, [curve(SWEEP, layers=16)])))
    assert "16 of 32 layers: the whole model costs more" in found


@pytest.mark.parametrize("cells", [40, 60, 80, 100, 160])
@pytest.mark.parametrize("currency", ["$", "CNY"])
@pytest.mark.parametrize("per_hour", [1e-4, 1.99, 1e6])
def test_no_row_is_too_long(priced: Session, cells: int, currency: str, per_hour: float) -> None:
    priced.price = Price(per_hour=per_hour, currency=currency)
    rows = cost_rows(priced, roofs(priced), cells, [curve(SWEEP)])
    assert all(width(r) <= cells for r in rows)
    assert not any(re.search(r"\de[+-]?\d", line) for line in lines(rows))


def test_the_header_says_it_only_where_there_is_room(priced: Session) -> None:
    wide = lines(header.build(priced, 120, "bf16", UNICODE))
    narrow = lines(header.build(priced, 80, "bf16", UNICODE))
    assert "cost $0.00656  DRAM 4285" in wide[1]
    assert "cost" not in narrow[1]
    priced.price = None
    assert narrow == lines(header.build(priced, 80, "bf16", UNICODE))


def test_a_rate_that_is_not_to_be_believed_is_named_beside_the_money(priced: Session) -> None:
    sound = "\n".join(lines(cost_rows(priced, roofs(priced), 200)))
    assert "believed" not in sound
    why = {"code": "unstable", "name": "unstable", "root": "conditions", "severity": SUSPECT}
    said = {"message": "", "why": "", "do": "", "evidence": {}}
    found = [Finding(subject="matmul-bf16-sustained", **why, **said)]
    text = "\n".join(lines(cost_rows(priced, roofs(priced), 200, found=found)))
    assert (
        "Not to be believed: the bf16 rate held (flagged unstable), nor what is reckoned with it"
        in text
    )
    assert "the bandwidth (" not in text
