"""A question as it is typed."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.session.events import Price
from roofwatch.session.plan import PlanError, Question
from roofwatch.session.plan_fields import FIELDS, question_of


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("gpu", " T4 ", "card", "T4"),
        ("model", "./config.json", "model", "./config.json"),
        ("context", "4096", "context", 4096),
        ("batch_max", "1_000", "batch_max", 1000),
        ("overhead", "7.8ms", "overhead_s", 7.8e-3),
        ("overhead", "0.0078", "overhead_s", 7.8e-3),
        ("overhead", "500 us", "overhead_s", 5e-4),
        ("overhead", "0", "overhead_s", 0.0),
        ("overhead", "0.0ms", "overhead_s", 0.0),
        ("bandwidth", "270", "bandwidth_gbs", 270),
        ("bandwidth", "4.8TB/s", "bandwidth_gbs", 4800),
        ("peak", "50", "peak_tflops", 50),
        ("peak", "1.2 PFLOPS", "peak_tflops", 1200),
        ("ridge", "185", "ridge", 185),
        ("ridge", "Nominal", "ridge", "nominal"),
        ("ridge", "measured", "ridge", "measured"),
        ("weights", "int4", "weights", "int4"),
        ("kv", "fp8", "kv", "fp8"),
        ("kv", "int8", "kv", "int8"),
        ("weights", "bf16", "weights", "bf16"),
        ("reserve", "0.05", "reserve", 0.05),
        ("reserve", "5%", "reserve", 0.05),
        ("reserve", "5 %", "reserve", 0.05),
        ("reserve", "0", "reserve", 0.0),
        ("link", "64GB/s", "link_gbs", 64),
        ("price", "1.99/h", "price", Price(per_hour=1.99)),
        ("price", "14.5 CNY/h", "price", Price(per_hour=14.5, currency="CNY")),
    ],
)
def test_each_field_is_read(name: str, text: str, field: str, value: Any) -> None:
    found = getattr(question_of({name: text}), field)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def test_what_is_not_said_has_its_default() -> None:
    assert question_of({}) == Question(card="", model="")
    assert (Question(card="", model="").context, Question(card="", model="").reserve) == (
        2048,
        0.03,
    )


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("context", "many", "context: 'many' is no number"),
        ("context", "2.5", "context: '2.5' is no whole number"),
        ("context", "8k", "context: '8k' has 'k' behind it"),
        ("context", "0", "context: '0' is not from 1 to 100000000"),
        ("batch_max", "-3", "batch-max: '-3' is not from 1 to 1000000"),
        ("reserve", "-0.1", "reserve: '-0.1' is not from 0 to 0.99"),
        ("bandwidth", "0", "bandwidth: '0' is not from 0.001 to 1000000000 GB/s"),
        ("ridge", "-1", "ridge: '-1' is not from 0.001 to 1000000 FLOP/byte"),
        ("overhead", "7.8", "overhead: '7.8' has no unit: seconds or milliseconds? 7.8ms, 7.8s"),
        ("overhead", "0.5", "overhead: '0.5' has no unit"),
        ("batch_max", "1e9", "batch-max is 1000000000"),
        ("overhead", "fast", "overhead: 'fast' is no number"),
        ("overhead", "-1", "overhead: '-1' is not from 0 to 3600 s"),
        ("overhead", "3 parsecs", "overhead: '3 parsecs' has an unknown unit"),
        ("bandwidth", "50 TFLOP/s", "bandwidth: '50 TFLOP/s' has the unit"),
        ("peak", "270GB/s", "peak: '270GB/s' has the unit"),
        ("ridge", "best", "ridge: 'best' is neither nominal, measured nor a number"),
        ("ridge", "", "ridge: '' is neither"),
        ("reserve", "101%", "reserve is 1.01, not from 0 to 0.99"),
        ("price", "free", "price: 'free' is no price"),
        ("price", "-1/h", "price: '-1/h' is not above 0"),
        ("gpu", "", "gpu: '' is empty"),
        ("model", "  ", "model: '  ' is empty"),
        ("weights", "q4_k", "weights is 'q4_k', none of"),
        ("context", "9" * 200, "context: '999"),
    ],
)
def test_a_text_that_cannot_be_read_is_named(name: str, text: str, says: str) -> None:
    with pytest.raises(PlanError) as caught:
        question_of({name: text})
    assert says in str(caught.value)
    assert len(str(caught.value)) < 250


def test_every_field_is_one_of_the_question() -> None:
    of = {field.of for field in FIELDS.values()}
    inner = {"memory_bytes", "peak_key", "overhead_source", "ridge_source"}  # never typed
    inner |= {"peer_source", "peer_hop_s", "peer_ranks", "peer_said", "peer_off", "peer_least_s"}
    inner |= {"peer_fewest", "peer_most", "peer_other", "peer_other_ranks", "host_ranks"}
    inner |= {"bandwidth_measured", "peak_measured", "bandwidth_slowest_of", "peak_slowest_of"}
    assert of == set(Question.__struct_fields__) - inner
