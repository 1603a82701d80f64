"""By which formula the FLOP and bytes of a launch are counted, in words."""

from __future__ import annotations

from roofwatch.roofline.workload import ELEMENT_FLOP
from roofwatch.session.events import Measurement

EACH_ONCE = "each tensor read or written once"
STRIDED = "the useful ones alone: the memory carries whole sectors"
PASSES = "the same rows read over and over"
MATRIX = {
    "matmul": "2 m n k",
    "prefill_linear": "2 m n k",
    "decode_linear": "2 m n k",
}
STREAM = {"add_scalar": 1, "add": 1, "triad": 2, "read": 1, "strided": 1, "copy": 0, "fill": 0}


def flop_formula(m: Measurement) -> str:
    """What the FLOP are counted by; empty for an op whose count is not a line long."""
    if m.op in MATRIX:
        return MATRIX[m.op]
    if m.op in STREAM:
        return f"{STREAM[m.op]} an element"
    return f"{ELEMENT_FLOP[m.op]:g} an element" if m.op in ELEMENT_FLOP else ""


def bytes_formula(m: Measurement) -> str:
    """What of the tensors counts."""
    if m.op == "strided":
        return STRIDED
    return PASSES if m.shape.get("passes", 1) > 1 else EACH_ONCE
