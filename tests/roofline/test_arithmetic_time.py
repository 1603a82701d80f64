"""The least time of an elementwise kernel's arithmetic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofwatch.roofline.arithmetic_time import ELEMENT, FUSED, WHAT, Cost, arithmetic
from roofwatch.roofline.transformer_work import CHAINS

KEPT = json.loads(
    (Path(__file__).parents[2] / "benchmarks/results/h200/dram_counters.json").read_text()
)
COUNT = 1 << 28


def test_instructions_over_what_the_sms_issue() -> None:
    found = arithmetic(Cost(instructions=32.0), 1e9, 100, 1000.0, "9.0")
    assert found is not None
    assert found.seconds == pytest.approx(1e9 * 32 / (128 * 100 * 1e9))
    assert (found.unit, found.lanes) == ("instructions", 128)


def test_special_functions_bind_where_nothing_else_is_computed() -> None:
    # FlashAttention-3 (Shah et al., 2024): an H100 looks up 3.9 T exponentials a second.
    found = arithmetic(Cost(instructions=0.0, special=1.0), 3.9e12, 132, 1830.0, "9.0")
    assert found is not None
    assert found.unit == "special functions"
    assert found.seconds == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(
    ("capability", "lanes"), [("7.5", 16), ("8.0", 16), ("8.6", 16), ("8.9", 16), ("6.1", 32)]
)
def test_special_lanes_of_the_programming_guide(capability: str, lanes: int) -> None:
    found = arithmetic(Cost(instructions=0.0, special=1.0), 1e9, 10, 1000.0, capability)
    assert found is not None
    assert found.lanes == lanes


@pytest.mark.parametrize("capability", ["gfx942", "4.2", ""])
def test_other_architectures_have_no_figure(capability: str) -> None:
    assert arithmetic(Cost(instructions=1.0, special=1.0), 1e9, 10, 1000.0, capability) is None


def test_three_fused_cos_on_hopper_are_bound_by_their_instructions() -> None:
    # Measured: 0.79 ms for 2^28 elements, where the bytes alone would take 0.25.
    found = arithmetic(FUSED["three_cos"], COUNT, 132, 1980.0, "9.0")
    assert found is not None
    assert found.unit == "instructions"
    assert 0.75 * 0.79e-3 < found.seconds < 0.79e-3


def test_the_lookups_alone_would_not_explain_them() -> None:
    found = arithmetic(Cost(instructions=0.0, special=3.0), COUNT, 132, 1980.0, "9.0")
    assert found is not None
    assert found.seconds < 0.3 * 0.79e-3


def test_every_op_with_a_cost_says_what_it_is_for() -> None:
    heavy = {
        op for op, cost in {**ELEMENT, **FUSED}.items() if cost.special or cost.instructions > 6
    }
    assert heavy <= set(WHAT)
    assert set(FUSED) == set(CHAINS)


def test_the_table_is_what_the_counters_of_an_h200_saw() -> None:
    """Elementwise formulas within three instructions of addresses and loops; the others theirs."""
    counted = {op["op"]: op for op in KEPT["ops"] if "instructions" in op}
    assert set(ELEMENT) <= set(counted)
    for op, cost in ELEMENT.items():
        seen = counted[op]
        assert seen["instructions"] - 6 < cost.instructions < seen["instructions"] + 1, op
        assert cost.special == pytest.approx(seen["special"], abs=0.1), op
