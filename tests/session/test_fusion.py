"""Fusion from hand-made events: what bytes promise, what came, what binds instead."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from roofwatch.roofline.transformer_work import (
    BIAS_GELU_DROPOUT,
    SILU_MUL,
    THREE_COS,
    chain,
    fused,
    once,
)
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.fusion import Fusion, fusions
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record

ROWS, COLUMNS = 18725, 14336  # 2^28 elements, as the facts were measured with
Point = Callable[..., Measurement]
OnCard = Callable[..., Session]


def ways(point: Point, op: str, **seconds: float) -> list[Measurement]:
    """A measurement for each way that a chain was run in."""
    works = {"compiled": fused(op, ROWS, COLUMNS, "fp16"), "once": once(ROWS, COLUMNS, "fp16")}
    whole = chain(op, ROWS, COLUMNS, "fp16")
    return [
        point(works.get(way, whole), s, "fusion", variant=way, dtype="fp16")
        for way, s in seconds.items()
    ]


def only(session: Session) -> Fusion:
    (found,) = fusions(session, roofs(session))
    return found


def test_three_cos_on_hopper_are_held_by_their_functions(point: Point, on_card: OnCard) -> None:
    cos = {"once": 0.31e-3, "eager": 0.93e-3, "graph": 0.93e-3, "compiled": 0.79e-3}
    f = only(on_card(*ways(point, THREE_COS, **cos)))
    assert f.name == "three cos"
    assert (f.once_s, f.eager_s, f.graph_s, f.fused_s) == (0.31e-3, 0.93e-3, 0.93e-3, 0.79e-3)
    assert f.predicted_ratio == pytest.approx(3.0)
    assert f.measured_ratio == pytest.approx(0.93 / 0.79)
    assert f.delivered == pytest.approx((1 - 79 / 93) / (2 / 3))
    assert f.reason == (
        "special functions (three cos): 87 instructions an element (128 a clock and SM at 1980 "
        "MHz) take 698 us of 790 us"
    )
    assert f.status == {}


def test_silu_times_a_row_brings_the_seeds_forty_per_cent(point: Point, on_card: OnCard) -> None:
    f = only(on_card(*ways(point, SILU_MUL, eager=0.65e-3, graph=0.65e-3, compiled=0.395e-3)))
    assert f.predicted_ratio == pytest.approx(5 / 3)
    assert f.delivered is not None
    assert f.delivered > 0.9
    assert f.reason == ""
    assert f.status == {"once_s": "not_measured"}


def test_dropout_is_held_by_its_random_numbers(point: Point, on_card: OnCard) -> None:
    times = {"eager": 0.85e-3, "graph": 0.85e-3, "compiled": 0.9e-3}
    f = only(on_card(*ways(point, BIAS_GELU_DROPOUT, **times)))
    assert f.delivered is not None
    assert f.delivered < 0
    assert f.reason.startswith("special functions (erf) and random numbers (Philox): 100 instr")


def test_a_fused_kernel_at_its_roof_says_so(point: Point, on_card: OnCard) -> None:
    after = fused(SILU_MUL, ROWS, COLUMNS, "fp16").bytes
    f = only(on_card(*ways(point, SILU_MUL, eager=0.45e-3, compiled=after / 4.35e12)))
    assert f.delivered is not None
    assert f.delivered < 0.9
    assert f.reason == (
        "the fused kernel is at its roof: the kernels before were faster than their bytes"
    )


def test_what_nothing_explains_is_not_known(point: Point, on_card: OnCard) -> None:
    f = only(on_card(*ways(point, SILU_MUL, eager=1.5e-3, compiled=1.4e-3)))
    assert f.reason == "not known"


def test_without_a_compiler_the_reason_is_its_note(point: Point, on_card: OnCard) -> None:
    note = "not fused: triton is not installed"
    points = ways(point, SILU_MUL, eager=0.65e-3, graph=0.65e-3)
    f = only(on_card(*points, notes=("something else", note)))
    assert (f.fused_s, f.measured_ratio, f.delivered) == (None, None, None)
    assert f.fused_bytes < f.eager_bytes
    assert f.reason == note
    assert set(f.status) == {"fused_s", "once_s", "measured_ratio", "delivered"}


def test_a_cpu_has_no_graph(point: Point, on_card: OnCard) -> None:
    session = on_card(*ways(point, SILU_MUL, eager=9e-3, compiled=5e-3))
    session._merged = msgspec.structs.replace(session.device, kind="cpu")
    assert only(session).status["graph_s"] == "not_supported"


def test_the_record_keeps_them_in_the_order_of_measuring(point: Point, on_card: OnCard) -> None:
    session = on_card(
        *ways(point, THREE_COS, once=0.31e-3, eager=0.93e-3, compiled=0.79e-3),
        *ways(point, SILU_MUL, eager=0.65e-3),
    )
    told = msgspec.to_builtins(record(session, None))
    assert [f["name"] for f in told["fusion"]] == ["three cos", "silu x mul"]
    for f in told["fusion"]:
        for field, value in f.items():
            assert value is not None or field in f["status"], field


def test_a_session_without_the_probe_has_none(h200: Session) -> None:
    assert fusions(h200, roofs(h200)) == []
