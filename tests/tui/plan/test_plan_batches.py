"""The plan's table by batch: what is hidden is counted and can be reached; b* in words and rows."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.decode import at_roof
from roofwatch.roofline.models import named
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Price
from roofwatch.session.fold import Session
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Plan, Question, plan
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.plan import plan_batches, plan_pane
from roofwatch.tui.plan.card_model_rows import table_rows
from roofwatch.tui.plan.plan_fields import PlanFields
from roofwatch.tui.plan.plan_figures import figures
from roofwatch.tui.plan.plan_rows import answer_rows, points, tenth
from roofwatch.tui.plan.plan_tables import Tables, load_tables

CARDS, MODELS = Cards(packaged_cards()), packaged_models()
BATCH = re.compile(r"^ *(?:b\* |cap )?(\d+) (?!more|before|batches)")


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


def ask(card: str, model: str, **fields: object) -> Plan:
    question = Question(card=card, model=model, **fields)  # type: ignore[arg-type]
    return plan(card_named(card, CARDS), named(model, MODELS), question)


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


def batches(rows: list[str]) -> list[int]:
    told = ("more:", "PgDn")
    return [int(m[1]) for r in rows if (m := BATCH.match(r)) and not any(w in r for w in told)]


LONG = ask("T4", "TinyLlama", context=256, batch_max=16384, price=Price(per_hour=0.5))


@pytest.mark.parametrize("height", range(1, 20))
@pytest.mark.parametrize("cells", [40, 60, 80])
def test_every_batch_stands_there_or_is_counted(cells: int, height: int) -> None:
    rows = lines(plan_batches.table(LONG, cells, height))
    assert len(rows) <= height
    seen, count = batches(rows), len(points(LONG))
    told = [
        int(n)
        for r in rows
        for n in re.findall(r"(?:PgDn shows )?(\d+) (?:others|more: P|batches, up to)", r)
    ]
    named = [n for r in rows for n in re.findall(r"PgDn(?: shows|:) ([\d, ]+\d)(?! others)\s*$", r)]
    told += [1 for n in named for _ in n.split(",")]
    assert len(seen) + sum(told) == count
    assert bool(told) == (height <= count)


@pytest.mark.parametrize("height", [3, 5, 9, 18])
def test_all_that_is_hidden_can_be_reached(height: int) -> None:
    pages = plan_batches.pages(LONG, 80, height)
    found = [lines(plan_batches.table(LONG, 80, height, at)) for at in range(1, pages + 1)]
    assert all(len(rows) <= height for rows in found)
    assert {b for rows in found for b in batches(rows)} == {x.batch for x in points(LONG)}
    if pages > 1:
        assert found[0][-1].endswith("more: PgDn")
        assert found[-1][-1].endswith("before: PgUp")
    assert lines(plan_batches.table(LONG, 80, height, 99)) == found[-1]


def test_the_telling_ones_stand_first() -> None:
    rows = lines(plan_batches.table(LONG, 80, 6))
    whole = plan_batches.table(LONG, 60, 16)
    seen = batches(rows)
    assert seen[0] == 1
    assert seen[-1] == 16384
    assert at_roof(LONG.b_star) in seen
    assert LONG.batch_memory_cap in seen
    assert rows[0].endswith(f"{len(points(LONG)) - 5} more: PgDn")
    hidden = [x.batch for x in points(LONG) if x.batch not in batches(lines(whole[:-1]))]
    assert lines(whole)[-1].strip() == f"PgDn shows {', '.join(map(str, hidden))}"


def test_columns_give_way_before_figures_are_cut() -> None:
    dear = ask("T4", "TinyLlama", price=Price(per_hour=52000.0, currency="VND"))
    for cells in range(20, 90):
        rows = plan_batches.table(dear, cells, 20)
        assert all(width(r) <= cells for r in rows)
        for text in lines(rows)[1:]:
            assert re.search(r"(\d|%|s|memory|compute|no room)$", text)
    assert lines(plan_batches.table(dear, 20, 20))[0].split() == ["batch", "tokens/s"]


def test_words_and_row_agree_on_the_first_batch_at_the_ridge() -> None:
    """Rounding b* to the nearest batch names one that is not there yet."""
    checked = 0
    for card in ("T4", "A100 80GB SXM", "H100 SXM", "H200", "RTX 4090"):
        for model in ("TinyLlama", "Llama-3-8B", "Qwen2.5-7B"):
            for context in (64, 200, 256):
                p = ask(card, model, context=context)
                if p.b_star is None or p.b_star % 1 >= 0.5:
                    continue
                checked += 1
                first = at_roof(p.b_star)
                assert first == math.ceil(p.b_star)
                row = next(r for r in lines(plan_batches.table(p, 80, 40)) if "b* " in r)
                assert row.split()[:2] == ["b*", str(first)]
                said = lines(figures(p, 80))[4]
                assert said == f"b*        batch {first}, the first at the ridge: {tenth(p.b_star)}"
                told = " ".join(" ".join(lines(answer_rows(p, 80))).split())
                assert f"batch {first} is the first there" in told
                assert f" {first} " in lines(table_rows([p, p], 100, UNICODE))[-1]
    assert checked > 5


@settings(max_examples=200)
@given(st.floats(min_value=1e-3, max_value=999.9))
def test_the_tenth_never_hides_the_next_batch(b_star: float) -> None:
    assert abs(float(tenth(b_star)) - b_star) <= 0.051
    assert math.ceil(float(tenth(b_star))) in (at_roof(b_star), (at_roof(b_star) or 0) - 1)


def test_a_tenth_that_would_hide_the_next_batch_has_its_hundredth() -> None:
    assert tenth(360.04) == "360.04"


def test_of_thousands_of_batches_no_tenth_is_told() -> None:
    assert [tenth(b) for b in (1000.0, 17102.6, 17103.0, 2.5e6)] == [
        *("1000", "17103", "17103", "2500000"),
    ]


def test_the_pane_says_what_is_hidden_and_pages_to_it(tables: Tables, h200: Session) -> None:
    h200.price = Price(per_hour=1.99)
    fields = PlanFields(tables, h200)
    fields.open = "batch_max"
    for _ in range(7):
        fields.change(1, h200)
    p = fields.answer(h200).plan
    assert p is not None
    wanted = {x.batch for x in points(p)}
    for cells, height in ((80, 19), (60, 11), (120, 24), (60, 27)):
        fields.page, seen = 0, set[int]()
        pages = plan_pane.pages(fields, h200, cells, height, UNICODE)
        first = lines(plan_pane.build(fields, h200, cells, height, UNICODE))
        assert any("PgDn" in r for r in first) == (pages > 1)
        for _ in range(pages):
            rows = plan_pane.build(fields, h200, cells, height, UNICODE)
            assert [width(r) for r in rows] == [cells] * height
            seen |= {b for b in batches(lines(rows)) if b in wanted}
            fields.turn(1, pages)
        assert fields.page == pages - 1
        assert seen == wanted
        if pages > 1:  # the open field stays, and its keys with it
            rows = plan_pane.build(fields, h200, cells, height, UNICODE)
            assert any("batch to" in r and "all fields" in r for r in lines(rows))
        for _ in range(pages):
            fields.turn(-1, pages)
        assert fields.page == 0
        assert lines(plan_pane.build(fields, h200, cells, height, UNICODE)) == first


def test_a_page_that_a_larger_screen_lacks_is_no_page(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    fields.page = 3
    rows = lines(plan_pane.build(fields, h200, 198, 54, UNICODE))
    assert any(r.startswith("  roofs") for r in rows)


def test_keys_are_those_that_do_something(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    assert [what for _, what in plan_pane.keys(fields)] == ["field", "change", "type", "roofs"]
    fields.change(1, h200)  # a card of the table, which no session has measured
    assert [what for _, what in plan_pane.keys(fields)] == ["field", "change", "type"]
