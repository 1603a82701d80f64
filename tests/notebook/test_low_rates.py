"""The suspects of a low rate that look at little but the rate: each alone, and its limits."""

from __future__ import annotations

import pytest

from roofwatch.notebook.copy_engine import copy_engine
from roofwatch.notebook.finding import SUSPECT, Finding
from roofwatch.notebook.inefficient_kernel import inefficient_kernel
from roofwatch.notebook.low_clock import low_clock
from roofwatch.notebook.other_process import other_process
from roofwatch.notebook.pageable import pageable
from roofwatch.notebook.power_capped import lowered_limit
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import Rule
from roofwatch.notebook.strided import uncoalesced
from roofwatch.notebook.throttled import throttled

STREAM: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "bytes",
    "judged": "gbs",
    "gbs": 500.0,
    "nominal_gbs": 2000.0,
    "low": 1000.0,
    "high": 1800.0,
}
MATMUL: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "judged": "tflops",
    "tflops": 60.0,
    "nominal_tflops": 150.0,
    "tdp_w": 400,
    "low": 100.0,
    "high": 130.0,
}
LINK: dict[str, object] = {**STREAM, "op": "h2d", "gbs": 12.0, "nominal_gbs": 31.5, "low": 23.6}
KV: dict[str, object] = {**STREAM, "op": "decode", "kv_bytes": 1e9}
STREAM_GPU = {**STREAM, "dtype": "fp16"}

RULES: list[tuple[Rule, str, dict[str, object], float, set[str]]] = [
    (copy_engine, "copy-engine", STREAM, 0.55, {"gbs", "nominal_gbs", "low", "high"}),
    (copy_engine, "copy-engine", STREAM_GPU, 0.3, {"gbs", "nominal_gbs", "low", "high"}),
    (
        inefficient_kernel,
        "inefficient-kernel",
        STREAM,
        0.65,
        {"rate", "unit", "of_nominal", "low", "high"},
    ),
    (
        inefficient_kernel,
        "inefficient-kernel",
        KV,
        0.88,
        {"rate", "unit", "of_nominal", "low", "high"},
    ),
    (low_clock, "low-clock", STREAM, 0.3, {"rate", "unit", "low", "clock_share"}),
    (low_clock, "low-clock", MATMUL, 0.4, {"rate", "unit", "low", "clock_share"}),
    (other_process, "other-process", MATMUL, 0.25, {"rate", "unit", "low"}),
    (pageable, "pageable", LINK, 0.9, {"gbs", "low", "high", "link_gbs"}),
    (lowered_limit, "power-capped", MATMUL, 0.3, {"rate", "unit", "low", "tdp_w"}),
    (uncoalesced, "strided", STREAM, 0.34, {"gbs", "of_nominal", "low", "high"}),
    (throttled, "throttled", MATMUL, 0.5, {"rate", "unit", "low", "clock_share", "tdp_w"}),
    (
        throttled,
        "throttled",
        {**STREAM, "op": "decode"},
        0.3,
        {"rate", "unit", "low", "clock_share"},
    ),
]
IDS = [f"{rule.__name__}-{base['op']}-{base['dtype']}" for rule, _, base, *_ in RULES]


def of(base: dict[str, object], **fields: object) -> Reading:
    return Reading(**{**base, **fields})  # type: ignore[arg-type]


def said(rule: Rule, base: dict[str, object], **fields: object) -> Finding | None:
    return rule(of(base, **fields))


@pytest.mark.parametrize(("rule", "code", "base", "fit", "evidence"), RULES, ids=IDS)
def test_each_is_a_suspect_with_its_numbers(
    rule: Rule, code: str, base: dict[str, object], fit: float, evidence: set[str]
) -> None:
    found = said(rule, base)
    assert found is not None
    assert found.code == found.name == code
    assert (found.severity, found.subject, found.fit) == (SUSPECT, "x", fit)
    assert set(found.evidence) == evidence
    assert found.evidence.get("rate", found.evidence.get("gbs")) == of(base).rate
    assert found.evidence["low"] == base["low"]


@pytest.mark.parametrize(("rule", "code", "base", "fit", "evidence"), RULES, ids=IDS)
def test_none_is_named_in_range_of_ours_or_without_a_range(
    rule: Rule, code: str, base: dict[str, object], fit: float, evidence: set[str]
) -> None:
    low = base["low"]
    assert isinstance(low, float)
    name = str(base["judged"])
    for rate in (low, low * 0.941, low * 1.1):  # 6 % under is no evidence of a mistake
        assert said(rule, base, **{name: rate}) is None
    assert said(rule, base, low=None, high=None) is None
    assert said(rule, base, **{name: None}) is None
    if rule is not pageable:
        assert said(rule, base, protocol="stream") is None


@pytest.mark.parametrize(("rule", "code", "base", "fit", "evidence"), RULES, ids=IDS)
def test_digits_that_leave_it_open_accuse_nobody(
    rule: Rule, code: str, base: dict[str, object], fit: float, evidence: set[str]
) -> None:
    name, low = str(base["judged"]), base["low"]
    assert isinstance(low, float)
    assert said(rule, base, **{name: low * 0.86}, rounding=0.125) is None


@pytest.mark.parametrize(
    ("rule", "base", "rate", "fires"),
    [
        (copy_engine, STREAM, 201.0, True),
        (copy_engine, STREAM, 199.0, False),
        (low_clock, STREAM, 749.0, True),
        (low_clock, STREAM, 751.0, False),
        (low_clock, STREAM, 81.0, True),
        (low_clock, STREAM, 79.0, False),
        (other_process, STREAM, 799.0, True),
        (other_process, STREAM, 801.0, False),
        (lowered_limit, MATMUL, 36.0, True),
        (lowered_limit, MATMUL, 34.0, False),
        (lowered_limit, MATMUL, 93.0, True),
        (throttled, MATMUL, 36.0, True),
        (throttled, MATMUL, 34.0, False),
        (uncoalesced, STREAM, 81.0, True),
        (uncoalesced, STREAM, 79.0, False),
    ],
)
def test_how_low_each_can_be(rule: Rule, base: dict[str, object], rate: float, fires: bool) -> None:
    found = said(rule, base, **{str(base["judged"]): rate})
    assert (found is not None) is fires


@pytest.mark.parametrize(
    ("rule", "base", "ops"),
    [
        (copy_engine, STREAM, ["add", "read", "h2d", "other"]),
        (inefficient_kernel, STREAM, ["h2d", "d2h"]),
        (low_clock, STREAM, ["h2d", "d2h"]),
        (pageable, LINK, ["copy", "read", "decode"]),
        (uncoalesced, STREAM, ["h2d", "d2h", "decode", "matmul", "fill"]),
        (throttled, STREAM, ["copy", "add", "h2d"]),
    ],
)
def test_ops_that_none_of_it_happens_to(
    rule: Rule, base: dict[str, object], ops: list[str]
) -> None:
    for op in ops:
        assert said(rule, base, op=op) is None, op


def test_a_little_throttling_is_likelier_than_much() -> None:
    little, much = said(throttled, MATMUL, tflops=61.0), said(throttled, MATMUL, tflops=59.0)
    assert little is not None
    assert much is not None
    assert (little.fit, much.fit) == (0.85, 0.5)
    assert little.evidence["clock_share"] == pytest.approx(0.61)


def test_a_stride_is_likelier_the_lower_the_share() -> None:
    found = said(uncoalesced, {**STREAM, "low": 1700.0}, gbs=1250.0)
    assert found is not None
    assert found.fit == 0.25
    assert found.evidence["of_nominal"] == pytest.approx(0.625)
    assert said(uncoalesced, STREAM, nominal_gbs=None) is None
