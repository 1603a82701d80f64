"""A plan's question as it is typed: every field's text, read into one Question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from roofwatch.notebook.quantity import (
    BEYOND,
    GBS,
    TFLOPS,
    QuantityError,
    count,
    number,
    rate,
    time_s,
)
from roofwatch.roofline.decode import KV, RESERVE, WEIGHTS
from roofwatch.roofline.price import price_of
from roofwatch.session.events import Price
from roofwatch.session.plan import GIVEN, MEASURED, NOMINAL, RANGES, PlanError, Question, brief

ZERO = re.compile(r"0*\.?0+\s*[a-zµ%]*", re.IGNORECASE)
BARE = re.compile(r"[+]?[\d_]*\.?[\d_]+(?:[eE][+-]?\d+)?")
MOST_BARE_S = 0.1  # a longer overhead says its unit: 7.8 may be meant in milliseconds


def _text(text: str) -> str:
    if not text.strip():
        raise QuantityError("is empty")
    return text.strip()


def _seconds(text: str) -> float:
    text = text.strip()
    if ZERO.fullmatch(text):
        return 0.0
    found = time_s(text, 1.0).value
    if BARE.fullmatch(text) and found >= MOST_BARE_S:
        asked = f"seconds or milliseconds? {text[:12]}ms, {text[:12]}s"
        raise QuantityError(f"has no unit: {asked}")
    return found


def _share(text: str) -> float:
    if ZERO.fullmatch(text.strip()):
        return 0.0
    per_cent = text.strip().endswith("%")
    return number(text.strip().removesuffix("%")).value / (100 if per_cent else 1)


def _ridge(text: str) -> str | float:
    word = text.strip().lower()
    if word in (NOMINAL, MEASURED):
        return word
    if not word[:1].isdigit() and word[:1] not in (".", "-", "+"):
        raise QuantityError("is neither nominal, measured nor a number of FLOP/byte")
    return number(text).value


def _price(text: str) -> Price:
    per_hour, currency = price_of(text)
    return Price(per_hour=per_hour, currency=currency)


INSTEAD = "in place of nominal or measured"


class Field(NamedTuple):
    """How one field is read: the Question's own name for it, and what to type."""

    of: str
    read: Callable[[str], Any]
    what: str


FIELDS: dict[str, Field] = {
    "gpu": Field("card", _text, "card: T4, A100 80GB SXM, or as the driver prints it"),
    "model": Field("model", _text, "model: Llama-3-8B, or a config.json of Hugging Face"),
    "context": Field("context", count, "tokens in the KV cache of each sequence (2048)"),
    "weights": Field("weights", _text, f"precision of the weights: {', '.join(WEIGHTS)}"),
    "kv": Field("kv", _text, f"precision of the KV cache: {', '.join(KV)}"),
    "batch_max": Field("batch_max", count, "largest batch of the curve (128)"),
    "overhead": Field("overhead_s", _seconds, "constant time of every step: 7.8ms, 50us (0)"),
    "bandwidth": Field("bandwidth_gbs", lambda t: rate(t, GBS).value, f"{INSTEAD}: GB/s"),
    "peak": Field("peak_tflops", lambda t: rate(t, TFLOPS).value, f"{INSTEAD}: TFLOP/s"),
    "ridge": Field("ridge", _ridge, "decides b* alone: nominal, measured, or FLOP/byte"),
    "reserve": Field("reserve", _share, f"share of the memory kept free: 0.03, 3% ({RESERVE})"),
    "link": Field("link_gbs", lambda t: rate(t, GBS).value, "host link, one direction: GB/s"),
    "price": Field("price", _price, "what the card costs: 1.99/h"),
    "tp": Field("tp", count, "cards that share each layer (tensor parallel; 1)"),
    "link_gbs": Field(
        "peer_gbs", lambda t: rate(t, GBS).value, "between cards, one direction of one card: GB/s"
    ),
    "link_latency": Field("peer_latency_s", _seconds, "of one all-reduce: 10us (0)"),
}
"""What a question is made of, by the names of its options."""


def question_of(said: Mapping[str, str]) -> Question:
    """The question of these texts, by the names of FIELDS; what is not said has its default.

    Raises:
        PlanError: a text cannot be read, or a value is beyond its range; one line.
    """
    values: dict[str, Any] = {"card": "", "model": ""}
    for name, text in said.items():
        field = FIELDS[name]
        try:
            values[field.of] = field.read(text)
        except QuantityError as error:
            why = _range_of(field.of) if str(error) == BEYOND else str(error)
            raise PlanError(f"{name.replace('_', '-')}: {brief(text)} {why}") from None
        except ValueError as error:  # a price names its text itself
            raise PlanError(f"{name.replace('_', '-')}: {error}") from None
    if "overhead" in said:
        values["overhead_source"] = GIVEN  # an overhead of 0 is one as well
    return Question(**values)


def _range_of(field: str) -> str:
    said, low, high = RANGES[field]
    unit = said.partition("(")[2].removesuffix(")")
    return f"is not from {low:.10g} to {high:.10g}{' ' + unit if unit else ''}"
