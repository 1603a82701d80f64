"""Causes that one number cannot tell: named as notes, and none where no number was given."""

from __future__ import annotations

import pytest

from roofwatch.notebook.claim import OPS
from roofwatch.notebook.finding import NAMES, NOTE
from roofwatch.notebook.possible import possible
from roofwatch.notebook.reading import Reading


def reading(op: str, **fields: object) -> Reading:
    return Reading(**{"subject": "x", "op": op, "dtype": None, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("judged", ["gbs", "tflops"])
def test_every_op_has_usual_causes_as_notes(op: str, judged: str) -> None:
    found = possible(reading(op, judged=judged, **{judged: 1.0}), [])
    assert found
    for f in found:
        assert (f.severity, f.evidence, f.fit) == (NOTE, {"op": op}, None)
        assert f.name == NAMES.get(f.code, f.code)
        assert f.message
    assert ("copy-engine" in {f.code for f in found}) is (op == "copy" and judged == "gbs")


def test_without_a_number_there_is_nothing_to_explain() -> None:
    assert possible(reading("matmul"), []) == []
    assert possible(reading("matmul", time_s=1.0), []) != []
    assert {f.code for f in possible(reading("decode"), [])} >= {"host-bound", "E7"}


def test_what_was_found_is_not_said_again() -> None:
    every = possible(reading("copy", judged="gbs", gbs=1.0), [])
    rest = possible(reading("copy", judged="gbs", gbs=1.0), every[:2])
    assert [f.code for f in rest] == [f.code for f in every[2:]]
