"""A control, the same bytes in another type, that takes another time: the kernel's doing."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, Finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.rules import judge


def found(**fields: object) -> list[Finding]:
    own = {"protocol": "stream", "gbs": 4400.0, "judged": "gbs", "repetitions": 40, **fields}
    return judge(Reading(subject="add_scalar-fp64", op="add_scalar", dtype="fp64", **own))  # type: ignore[arg-type]


@pytest.mark.parametrize("ratio", [0.605, 0.975, 1.025])
def test_a_control_that_differs_by_more_than_two_per_cent(ratio: float) -> None:
    (one,) = found(control_ratio=ratio)
    assert one.code == one.name == "inefficient-kernel"
    assert one.evidence == {"ratio": ratio}
    assert (one.severity, one.root) == (SUSPECT, "bytes")
    assert "repeated" in one.message


@pytest.mark.parametrize("ratio", [0.981, 1.0, 1.019])
def test_a_control_within_two_per_cent_agrees(ratio: float) -> None:
    assert found(control_ratio=ratio) == []


def test_the_message_never_rounds_a_disagreement_onto_agreement() -> None:
    for ratio, said in ((1.03, "103 %"), (0.97, "97 %")):
        (one,) = found(control_ratio=ratio)
        assert said in one.message


def test_a_control_that_scatters_too_is_called_unstable_once() -> None:
    codes = [f.code for f in found(control_ratio=0.71, spread=0.16)]
    assert sorted(codes) == ["inefficient-kernel", "unstable"]
