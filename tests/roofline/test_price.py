"""Prices as people write them, and what they come to: by hand, and the seed's (Day 1)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.decode import Decode
from roofwatch.roofline.price import (
    CODES,
    HOUR_S,
    LEAST,
    LONGEST,
    MOST,
    PER_HOUR,
    SIGNS,
    cost,
    cost_per_mtok,
    idle_cost_per_hour,
    overhead_cost_per_hour,
    price_of,
)


def read(text: str) -> tuple[float, str] | str:
    """The price, or how it was refused."""
    try:
        return price_of(text)
    except ValueError as refused:
        return str(refused)


@pytest.mark.parametrize(
    ("text", "per_hour", "currency"),
    [
        ("1.99/h", 1.99, "$"),
        ("$1.99/h", 1.99, "$"),
        ("1.99", 1.99, "$"),
        ("2,49 €/h", 2.49, "€"),
        ("¥14.5/h", 14.5, "¥"),
        ("￥14.5/小时", 14.5, "¥"),
        ("14.5 元/小时", 14.5, "¥"),
        ("14.5 CNY/h", 14.5, "CNY"),
        ("14.5cny/h", 14.5, "CNY"),
        ("0.033/min", 1.98, "$"),
        ("0,033/min", 1.98, "$"),
        ("45/day", 1.875, "$"),
        ("336/week", 2.0, "$"),
        ("0.001/s", 3.6, "$"),
        ("5e-05/s", 0.18, "$"),
        ("5E-5/s", 0.18, "$"),
        ("1.99 USD/hr", 1.99, "USD"),
        ("USD 1.99 per hour", 1.99, "USD"),
        ("$1.99 USD/h", 1.99, "USD"),
        ("$1.99 CAD/h", 1.99, "CAD"),
        ("US$1.99/h", 1.99, "US$"),
        ("$2 an hour", 2.0, "$"),
        ("$2.49/GPU/h", 2.49, "$"),
        ("$2.49/GPU-hr", 2.49, "$"),
        ("2.49 per gpu hour", 2.49, "$"),
        ("  1.99 / hr\n", 1.99, "$"),
        ("1,234.5/h", 1234.5, "$"),
        ("1.234,5 €/h", 1234.5, "€"),
        ("1.234", 1.234, "$"),
        (".5/h", 0.5, "$"),
        ("0.0001/h", 1e-4, "$"),
        ("1000000/h", 1e6, "$"),
    ],
)
def test_a_price_is_read(text: str, per_hour: float, currency: str) -> None:
    found, money = price_of(text)
    assert found == pytest.approx(per_hour, rel=1e-12)
    assert money == currency


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no price, such as 1.99/h"),
        ("cheap", "is no price"),
        ("/h", "is no price"),
        ("$", "is no price"),
        ("nan", "is no price"),
        ("inf/h", "is no price"),
        ("-inf", "is no price"),
        ("--1/h", "is no price"),
        ("1.99//h", "is no price"),
        ("1.99/h/h", "is no price"),
        ("1.99 h", "is no price"),  # a time
        ("1_99/h", "is no price"),
        ("0x10/h", "is no price"),
        ("１.９９/h", "is no price"),
        ("1..99/h", "1..99 is no number"),
        ("1,2,3/h", "1,2,3 is no number"),
        ("1e400/h", "is no price of a card"),
        ("0", "is not above 0"),
        ("0.00/h", "is not above 0"),
        ("-1.99/h", "is not above 0"),
        ("1e-5000/h", "is not above 0"),
        ("1e9/h", "0.0001 to 1,000,000 an hour"),
        ("0.00001/h", "0.0001 to 1,000,000 an hour"),
        ("1,990/h", "may be 1.990 or 1990"),
        ("12,345 ¥/h", "may be 12.345 or 12345"),
        ("1450/month", "per month, of no fixed hours"),
        ("17000/yr", "per yr, of no fixed hours"),
        ("1.99/m", "per m, of no fixed hours"),
        ("1.99/fortnight", "per fortnight, which is none of"),
        ("1.99/GPU", "per gpu, which is none of"),
        ("$1.99 EUR/h", "two currencies, $ and EUR"),
        ("€1.99 $/h", "two currencies, € and $"),
        ("1.99 XYZ/h", "is no price"),
        ("1.99\x1b[2J/h", "is no price"),
        ("9" * 5000, "is no price"),
    ],
)
def test_what_is_no_price_is_said_in_one_line(text: str, says: str) -> None:
    said = read(text)
    assert isinstance(said, str)
    assert says in said
    assert said.isprintable()
    assert len(said) < 200
    assert repr(text[:20])[1:-1] in said


@given(st.text(max_size=2 * LONGEST))
def test_any_text_is_a_price_or_one_line(text: str) -> None:
    found = read(text)
    if isinstance(found, str):
        assert found.isprintable()
    else:
        assert LEAST <= found[0] <= MOST
        assert found[1] in (*SIGNS, *CODES.split("|"))


WORDS = st.one_of(
    st.sampled_from([*SIGNS, "元", "USD", "eur", " ", "/", "per ", "GPU", "-", "+", ",", "."]),
    st.sampled_from([*PER_HOUR, "month", "m", "e5", "e-3", "nan", "inf", "0", "00", "1.99", "1,9"]),
    st.integers(0, 10**7).map(str),
)


@given(st.lists(WORDS, max_size=6).map("".join))
def test_pieces_of_prices_in_any_order_are_one_or_are_refused(text: str) -> None:
    found = read(text)
    if isinstance(found, str):
        assert found.isprintable()
    else:
        assert LEAST <= found[0] <= MOST


@given(
    st.floats(0.01, 9999, allow_nan=False),
    st.sampled_from(["", *SIGNS]),
    st.sampled_from(list(PER_HOUR)),
    st.booleans(),
)
def test_what_is_written_is_read_back(value: float, sign: str, unit: str, before: bool) -> None:
    number = f"{value:.4f}"
    wanted = float(number) * PER_HOUR[unit]
    text = f"{sign}{number}/{unit}" if before else f"{number} {sign}/{unit}"
    if LEAST <= wanted <= MOST:
        assert price_of(text) == (wanted, sign or "$")


def test_a_run_costs_its_seconds() -> None:
    assert cost(1.99, 24.0) == pytest.approx(0.013267, abs=1e-6)  # the quick suite
    assert cost(1.99, HOUR_S) == 1.99
    assert cost(1.99, 0.0) == 0.0
    with pytest.raises(ValueError, match="negative"):
        cost(1.99, -1.0)


def test_a_million_tokens() -> None:
    # 1.99 an hour at 150 tokens a second: 6666.7 s a million, 3.685 each.
    assert cost_per_mtok(1.99, 150) == pytest.approx(3.68519, abs=1e-5)
    for none in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="no token"):
            cost_per_mtok(1.99, none)


B_A100, P_A100 = 2039e9, 312e12  # seed, Day 1: A100 80GB SXM
W7B = 13.5e9  # bytes of a 7B model in fp16
STEP_S = W7B / B_A100  # 6.6 ms, whatever the batch


@pytest.mark.parametrize("per_hour", [1.0, 2.0])
def test_seed_day_1_batch_32_costs_a_32nd(per_hour: float) -> None:
    """An A100 for 1 to 2 dollars an hour: 32 times the tokens at the same rent."""
    alone = cost_per_mtok(per_hour, 1 / STEP_S)
    many = cost_per_mtok(per_hour, 32 / STEP_S)
    assert alone / many == pytest.approx(32)
    # 151 tokens a second: 1.84 dollars a million at 1 an hour, by batch 32 under 6 cents.
    assert alone == pytest.approx(1.8391 * per_hour, abs=1e-3)
    assert many == pytest.approx(0.05747 * per_hour, abs=1e-4)


@pytest.mark.parametrize("per_hour", [1.0, 2.0])
def test_seed_day_1_batch_1_leaves_99_per_cent_of_the_compute_idle(per_hour: float) -> None:
    flop = 2 * 6.738e9  # 13.5e9 operations a token
    used = flop / STEP_S / P_A100
    assert used < 0.01
    idle = idle_cost_per_hour(per_hour, flop / STEP_S / 1e12, P_A100 / 1e12)
    assert idle == pytest.approx(per_hour * (1 - used))
    assert idle > 0.99 * per_hour


def test_seed_day_1_a_relu_of_1_gb_leaves_all_but_0_2_per_cent() -> None:
    took_s = 2e9 / B_A100
    idle = idle_cost_per_hour(1.0, 5e8 / took_s / 1e12, P_A100 / 1e12)
    assert 0.998 < idle < 1.0


def test_seed_day_1_half_the_bytes_make_twice_the_tokens() -> None:
    def mtok(bytes_of_weights: float) -> float:
        return cost_per_mtok(2.0, 1 / (bytes_of_weights / B_A100))

    assert mtok(W7B) / mtok(W7B / 2) == pytest.approx(2)
    assert mtok(W7B) / mtok(W7B / 4) == pytest.approx(4)


def test_the_price_falls_linearly_only_until_the_ridge() -> None:
    """Seed, Day 1: tokens grow with the batch until the ridge point; above it they stand."""
    from roofwatch.roofline.roof import Roof

    roof = Roof(bandwidth_gbs=B_A100 / 1e9, peak_tflops=P_A100 / 1e12)
    model = Decode(params=6_750_000_000, weights_bytes=W7B, sequence_bytes=0.0)

    def mtok(batch: int) -> float:
        return cost_per_mtok(1.0, batch / model.step_s(batch, roof))

    assert mtok(1) / mtok(128) == pytest.approx(128)
    assert mtok(256) == pytest.approx(mtok(1024))


def test_seed_day_1_while_the_card_waits_the_rent_runs() -> None:
    # 350 launches of 8 us in a step of 6.6 ms and those: a third of the hour buys nothing.
    gap_s = 350 * 8e-6
    lost = overhead_cost_per_hour(2.0, gap_s, STEP_S + gap_s)
    assert lost == pytest.approx(2.0 * 2.8 / 9.42, rel=1e-3)
    assert overhead_cost_per_hour(2.0, 0.0, STEP_S) == 0.0
    assert overhead_cost_per_hour(2.0, STEP_S, STEP_S) == 2.0


def test_no_share_leaves_its_bounds() -> None:
    assert idle_cost_per_hour(2.0, 0.0, 300.0) == 2.0
    assert idle_cost_per_hour(2.0, 300.0, 300.0) == 0.0
    assert idle_cost_per_hour(2.0, 400.0, 300.0) == 0.0  # a burst above the held roof
    for achieved, roof in ((-1.0, 300.0), (1.0, 0.0), (math.nan, 1.0), (1.0, math.nan)):
        with pytest.raises(ValueError, match="roof"):
            idle_cost_per_hour(2.0, achieved, roof)
    for gap_s, step_s in ((-1.0, 1.0), (2.0, 1.0), (0.0, 0.0), (math.nan, 1.0)):
        with pytest.raises(ValueError, match="gap"):
            overhead_cost_per_hour(2.0, gap_s, step_s)
