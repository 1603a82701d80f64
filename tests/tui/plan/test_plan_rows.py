"""The plan as rows of text: what is said, and that it fits."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.models import named
from roofwatch.session.card_named import card_named
from roofwatch.session.cards import packaged_cards
from roofwatch.session.events import Price
from roofwatch.session.models import packaged_models
from roofwatch.session.plan import Plan, Question, plan
from roofwatch.session.plan_sources import table
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.drawing.significant import cost as written
from roofwatch.tui.drawing.significant import rate
from roofwatch.tui.plan.card_model_rows import table_rows
from roofwatch.tui.plan.parallel_rows import ends_at, scaling_rows
from roofwatch.tui.plan.plan_figures import figures
from roofwatch.tui.plan.plan_rows import curve_rows, duration, plan_rows, size

ALL = packaged_cards()
CARDS, MODELS = Cards(ALL), packaged_models()


def ask(card: str = "T4", model: str = "TinyLlama", **fields: Any) -> Plan:
    question = Question(card=card, model=model, **fields)
    return plan(card_named(card, CARDS), named(model, MODELS), question)


def text(found: Plan, cells: int = 80) -> str:
    rows = plan_rows(found, cells, UNICODE)
    assert max(width(r) for r in rows) <= cells
    return "\n".join(text_of(r).rstrip() for r in rows)


def test_the_answer_of_day_18() -> None:
    said = text(ask(context=256, bandwidth_gbs=270, peak_tflops=50, overhead_s=7.8e-3))
    for line in (
        " Tesla T4 × TinyLlama-1.1B, 256 tokens of context, fp16 weights and KV",
        " ridge     185 FLOP/byte; 50 TFLOP/s (fp16, given) over 270 GB/s (given);",
        " weights   2.20 GB: 1,100,048,384 parameters in fp16",
        " KV cache  22,528 B a token, 5.77 MB a sequence",
        " AI_max    381 FLOP/byte, which no batch gets beyond",
        " b*        359.9: there the intensity is the ridge; batch 360 is the first there",
        " ends      at the compute roof, from b* 359.9: beyond it only the overhead is",
        "           shared by more, up to 22726 tokens/s",
        "           1, without the overhead of 7.80 ms",
        "      batch   FLOP/B     bytes      step   tokens/s   off linear     bound",
        "          1    0.997   2.21 GB   16.0 ms       62.6        0.0 %    memory",
        "         16     15.4   2.29 GB   16.3 ms        982        2.0 %    memory",
        "        128     95.8   2.94 GB   18.7 ms       6851       14.5 %    memory",
        "     b* 360      185   4.28 GB   23.6 ms      15228       32.4 %   compute",
        "   cap 2508      331   16.7 GB    118 ms      21226       86.5 %   compute",
    ):
        assert line in said.splitlines()


def test_who_ends_the_gain_is_said() -> None:
    short = " ".join(text(ask()).split())
    assert (
        "never reaches the roof: AI_max 47.7 under the ridge 203; memory ends it at batch 313"
        in short
    )
    for most in (16, 128, 4096):  # whatever the curve goes to
        assert " ".join(text(ask(batch_max=most)).split()).count("memory ends it at batch 313") == 1
    plain, b_star = text(ask(context=256)), ask(context=256).b_star
    assert f"from b* {b_star:.1f}: beyond it a larger batch adds no tokens/s" in " ".join(
        plain.split()
    )
    far = text(ask("A100 80GB SXM", "Llama-3-70B", weights="int8", kv="fp8", context=512))
    assert "does not fit; memory ends it at batch" in " ".join(far.split())
    assert "b*        none: AI_max lies below the ridge of 203" in text(ask())
    a100 = text(ask("A100 80GB SXM", "Llama-2-7B", price=Price(per_hour=1.99)))
    assert "AI_max 12.6 under the ridge 153; memory ends it at batch 65" in " ".join(a100.split())
    assert "85.9 GB (80 GiB) holds 65 sequences beside the weights" in a100
    assert "cost      $0.347 per Mtok at batch 65, $3.945 at batch 1; for $1.99 an hour" in a100
    assert "$/Mtok" in a100
    assert next(x for x in a100.splitlines() if x.endswith("no room")).split()[0] == "128"
    huge = text(ask("T4", "Llama-3-70B", price=Price(per_hour=1.0, currency="EUR")))
    assert "in the memory: it does not run on this card" in huge
    assert "17.2 GB (16 GiB) does not hold the weights and one sequence" in huge
    assert "cost      n/a: no batch fits in the memory" in huge
    least = text(ask(price=Price(per_hour=1.0)))
    assert "; least $0.0462 at batch 313; for $1.00 an hour" in " ".join(least.split())


def test_of_several_cards_it_is_said_whose_each_figure_is() -> None:
    said = " ".join(text(ask("H100 SXM", "Llama-2-70B", tp=4)).split())
    assert "85.9 GB (80 GiB) a card: 4 cards together hold 291 sequences beside the weights" in said
    assert "10.3 ms a step for a card's share of the weights alone" in said
    assert "547 ms for each card's share of the weights at 63 GB/s over its own host link" in said
    assert "holds" not in said
    small = " ".join(text(ask("T4", "Llama-2-70B", tp=4)).split())
    assert "4 cards together do not hold the weights and one sequence" in small
    assert "in the memory: it does not run on these 4 cards" in small
    lines = [text_of(r).strip() for r in figures(ask("H200", "Llama-2-70B", tp=4), 80)]
    assert "memory    151 GB a card, 4 cards (141 GiB each)" in lines
    assert "limit     memory, 4 cards are full at batch 669, no batch reaches the ridge" in lines
    assert any(x.startswith("weights   138 GB, 34.5 GB a card, loads in") for x in lines)
    lines = [text_of(r).strip() for r in figures(ask("T4", "Llama-2-70B", tp=4), 80)]
    assert "memory    too small, 17.2 GB a card, 4 cards do not hold it" in lines
    assert "limit     memory, it does not run on 4" in lines


def test_that_the_next_number_of_cards_does_not_pay_hides_no_later_one_that_does() -> None:
    found = ask("H100 SXM", "TinyLlama", tp=8, peer_latency_s=7e-6, peer_gbs=100.0)
    rows = {x.tp: x for x in found.scaling if x.batch == 1}
    assert found.pays_to[1] == 1
    assert rows[8].speedup > 1.1
    said = f"stops paying at 1 at the earliest, though 8 are {rows[8].speedup:.2f}x as fast as 1"
    assert ends_at(found, 1) == said
    several = " ".join(" ".join(text_of(r) for r in scaling_rows(found, 80)).split())
    assert "though 8 are 1.69x as fast as 1, by the latency of 8 cards" in several
    told = " ".join(text(found).split())
    assert "of 8 cards (given; over fewer it may be shorter, over more it is longer" in told
    assert "the latency is that of 8 cards; over fewer an all-reduce may wait less, which" in told


def test_of_two_cards_none_are_fewer() -> None:
    found = ask("H100 SXM", "TinyLlama", tp=2, peer_latency_s=7e-6, peer_gbs=100.0)
    told = " ".join(text(found).split())
    assert "fewer" not in told
    assert "earliest" not in told
    assert "the latency is that of 2 cards; over more an all-reduce waits longer" in told


def test_ranks_of_one_host_share_its_memory() -> None:
    """16 GiB twice, or once."""
    apart = ask("T4", "TinyLlama", tp=2, peer_gbs=10.0)
    found = ask("T4", "TinyLlama", tp=2, peer_gbs=10.0, host_ranks=2)
    assert found.memory_bytes == pytest.approx((apart.memory_bytes or 0) / 2)
    assert found.memory_shared_by == 2
    assert (found.batch_memory_cap or 0) < (apart.batch_memory_cap or 0) / 2
    told = " ".join(text(found).split())
    assert "8.59 GB (8 GiB) a card, its share of the memory that 2 ranks of one host have" in told
    lines = [text_of(r).strip() for r in figures(found, 80)]
    assert any(x.startswith("memory    8.59 GB a card, 2 cards, 2 of one host") for x in lines)
    four = ask("T4", "TinyLlama", tp=4, peer_gbs=10.0, host_ranks=2)  # on two hosts
    assert four.memory_bytes == found.memory_bytes
    one = ask("T4", "TinyLlama", host_ranks=2)
    assert (one.memory_bytes, one.memory_shared_by) == (apart.memory_bytes, 0)


def test_the_figures_of_a_column_have_as_many_digits() -> None:
    assert [rate(x) for x in (47, 13.3, 7.7, 0.997, 99.96, 450, 29544.2, 2e6)] == [
        *("47.0", "13.3", "7.70", "0.997", "100", "450", "29544", "2000000"),
    ]


def test_what_is_not_known_is_said() -> None:
    card = Nominal(origin="none", name="New card")
    found = plan(
        card,
        named("TinyLlama", MODELS),
        Question(card="x", model="y", bandwidth_gbs=100, ridge=50.0),
    )
    said = text(found)
    assert "loading   n/a: the card's host link is not known" in said
    assert "memory    not known, so no batch is too large" in said
    assert "50 FLOP/byte (given); 5 TFLOP/s (by the ridge) over 100 GB/s (given)" in said
    assert "ends      never reaches the roof: AI_max 47.7 under the ridge 50; the" in said


def test_a_ridge_that_stands_alone_says_so() -> None:
    said = " ".join(text(ask(context=256, bandwidth_gbs=270, ridge="nominal")).split())
    roof = "65 TFLOP/s (fp16, nominal) over 270 GB/s (given), which make 241"
    assert f"203 FLOP/byte (nominal), decides b* alone; times go by {roof}" in said
    assert f"from b* {ask(context=256).b_star:.1f} by that ridge" in said
    given = " ".join(text(ask(bandwidth_gbs=270, peak_tflops=50, ridge=185.0)).split())
    assert "ridge 185 FLOP/byte (given); 50 TFLOP/s" in given


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_every_card_and_model_fits(cells: int) -> None:
    dear = Price(per_hour=123456.0, currency="CNY")
    question = Question(card="", model="", price=dear, batch_max=10**6)
    for card in ALL[::9]:
        for model in MODELS:
            rows = plan_rows(plan(CARDS.nominal(card), model, question), cells, ASCII)
            assert max(width(r) for r in rows) <= cells
            assert "CNY/Mtok" in "".join(map(text_of, rows))


def test_the_seeds_table_fits_80_columns_whole() -> None:
    plans = table(Question(card="", model=""), ALL, CARDS, MODELS)
    rows = [text_of(r).rstrip() for r in table_rows(plans, 80, UNICODE)]
    assert rows == [
        " 2048 tokens of context, nominal figures, fp16 weights and KV",
        " card × model                ridge weights  KV/token AI_max roof at  limit cap",
        " Tesla T4 × TinyLlama-1.1B     203 2.20 GB  22,528 B   47.7   never AI_max 313",
        " A100-SXM4-80GB × Llama-2-7B   153 13.5 GB 524,288 B   12.6   never memory  65",
        " H100 80GB HBM3 × Llama-3-8B   295 16.1 GB 131,072 B   59.8   never AI_max 250",
        " never         no batch reaches the roof: AI_max lies under the ridge",
        " limit AI_max  batch 128 fits, and the bytes of its KV keep it there",
        " limit memory  it is full before batch 128",
    ]


def test_what_the_table_does_not_say_is_not_explained() -> None:
    plans = table(Question(card="", model="", context=64), ALL, CARDS, MODELS)
    assert {p.limited_by for p in plans} == {"compute"}
    assert len(table_rows(plans, 80, UNICODE)) == 2 + len(plans)


def test_a_column_of_prices_has_as_many_digits_in_every_row() -> None:
    question = Question(card="", model="", price=Price(per_hour=1.99))
    a100, seven = card_named("A100 80GB SXM", CARDS), named("Llama-2-7B", MODELS)
    assert seven is not None
    rows = [text_of(r) for r in curve_rows(plan(a100, seven, question), 80)]
    costs = [r.split()[-2 if not r.endswith("no room") else -3] for r in rows[1:]]
    assert costs[-1] == "0.320"
    assert {len(c.partition(".")[2]) for c in costs} == {3}


def test_a_table_over_one_side_names_the_other_once() -> None:
    of_card = table(Question(card="T4", model="", context=64), ALL, CARDS, MODELS)
    rows = [text_of(r).rstrip() for r in table_rows(of_card, 80, UNICODE)]
    assert rows[0].startswith(" Tesla T4, 64 tokens of context")
    assert " ".join(rows[:2]).endswith("KV, ridge  203, 320 GB/s, 17.2 GB of memory")
    assert rows[3].startswith(" TinyLlama-1.1B ")
    assert rows[3].split()[-3:] == ["235", "10032", "compute"]
    of_model = table(Question(card="", model="TinyLlama"), ALL, CARDS, MODELS)
    rows = [text_of(r).rstrip() for r in table_rows(of_model, 80, ASCII)]
    assert rows[0].startswith(" TinyLlama-1.1B, 2048 tokens")
    assert all(len(r) <= 80 for r in rows)
    assert len({r[:29] for r in rows}) == len(rows)  # no two cards look alike
    assert rows[1].endswith("2.20 GB of weights, 22,528 B of KV a token, AI_max 47.7")
    assert rows[2].split() == ["card", "ridge", "GB/s", "memory", "floor", "b*", "cap", "ends"]
    t4 = next(r for r in rows if r.startswith(" Tesla T4 "))
    assert t4.split()[2:] == ["203", "320", "17.2", "GB", "6.88", "ms", "never", "313", "memory"]


def test_wide_a_table_cuts_no_name_and_says_the_price() -> None:
    price = Price(per_hour=2.0)
    plans = table(Question(card="", model="TinyLlama", price=price), ALL, CARDS, MODELS)
    for cells in (80, 100, 120):
        rows = [text_of(r) for r in table_rows(plans, cells, UNICODE)]
        assert max(map(len, rows)) <= cells
        assert " $/Mtok" in next(r for r in rows if r.startswith(" card "))
    assert "…" not in "".join(rows)
    assert rows[0].startswith(" TinyLlama-1.1B, 2048 tokens of context, nominal figures")
    assert "at $2.00 an hour and the largest batch that fits, up to 128" in " ".join(rows)
    cost = next(p.cost_per_mtok for p in plans if p.gpu == "Tesla T4")
    assert next(r for r in rows if r.startswith(" Tesla T4 ")).split()[-1] == written(cost)


def test_an_empty_table_says_so() -> None:
    assert [text_of(r) for r in table_rows([], 80, ASCII)] == [" no card has the figures for it"]


def test_names_cannot_move_the_cursor() -> None:
    found = msgspec.structs.replace(ask(), gpu="evil\x1b[2J", model="a\nb")
    assert "\x1b" not in text(found)
    assert "a\nb" not in text(found)
    rows = table_rows([found, found], 80, ASCII)
    assert "\x1b" not in "".join(text_of(r) for r in rows)


def test_sizes_and_times_to_three_digits() -> None:
    assert [size(x) for x in (0, 999, 22_528, 5.767e6, 1.3477e10, 9.996e10, 2.5e12)] == [
        "0 B",
        "999 B",
        "22.5 kB",
        "5.77 MB",
        "13.5 GB",
        "100 GB",
        "2.50 TB",
    ]
    assert [duration(x) for x in (3e-9, 4.7e-6, 6.875e-3, 0.428, 12.0)] == [
        "3.00 ns",
        "4.70 us",
        "6.88 ms",
        "428 ms",
        "12.0 s",
    ]


def test_a_slow_peak_is_in_gflops() -> None:
    found = ask("T4", "TinyLlama", peak_tflops=0.0437, bandwidth_gbs=13.6)
    assert "43.7 GFLOP/s (fp16, given) over 13.6 GB/s" in text(found)
    assert any("43.7 GFLOP/s over 13.6 GB/s" in text_of(r) for r in figures(found, 120))
    assert found.peak_tflops == 0.0437  # files and JSON keep TFLOP/s


def test_never_is_explained_only_beside_its_column() -> None:
    question = Question(card="", model="", price=Price(per_hour=1.99))
    narrow = [text_of(r) for r in table_rows(table(question, ALL, CARDS, MODELS), 80, UNICODE)]
    assert not any("roof at" in r or r.startswith(" never") for r in narrow)
    assert any(r.startswith(" limit memory") for r in narrow)
    wide = [text_of(r) for r in table_rows(table(question, ALL, CARDS, MODELS), 120, UNICODE)]
    assert any("roof at" in r for r in wide)
    assert any(r.startswith(" never") for r in wide)
