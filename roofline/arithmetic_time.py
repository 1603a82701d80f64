"""How long an SM computes on an element: instructions to issue, special functions to look up.

An elementwise kernel is bound by bytes only while its arithmetic fits beside them. cos, exp, erf
and random numbers are programs of ten to fifty instructions, and those take their turn whatever
the tensor cores could do.
"""

from __future__ import annotations

import msgspec

SPECIAL_LANES = {"5": 32, "6.0": 16, "6": 32, "7": 16, "8": 16, "9": 16, "10": 16, "12": 16}
"""Reciprocals, exponentials, sines and conversions to integers that an SM ends in a clock.

CUDA C++ programming guide, "Arithmetic instructions", by compute capability (or its first number).
"""

ISSUED = {"5": 128, "6.0": 64, "6": 128, "7": 128, "8": 128, "9": 128, "10": 128, "12": 128}
"""Instructions of single threads that an SM issues in a clock: a warp of 32 a scheduler.

Four schedulers, two on 6.0 (the same guide, "Compute capabilities", "Architecture").
"""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What one element costs: instructions issued, and those among them for special functions."""

    instructions: float
    special: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """One after the other on the same element."""
        return Cost(
            instructions=self.instructions + other.instructions,
            special=self.special + other.special,
        )


# Counted in the machine code of torch's formulas, two-byte elements, eight a thread, the path that
# ordinary values take; equal within a tenth on compute capabilities 8.0 to 10.0
# (benchmarks/instruction_counts.py counts them again).
MOVE = Cost(instructions=3.5)  # load, widen, narrow, store, addresses
SIMPLE = Cost(instructions=1.0)  # an addition, a product, a comparison
COS = Cost(instructions=26.0, special=1.0)  # reduction by pi/2 in three parts, a polynomial
SILU = Cost(instructions=20.0, special=3.0)  # exp and an exact division

# Counted by an H200's own counters in torch 2.11's kernels, rows of 4096 two-byte elements
# (benchmarks/dram_counters.py, docs/measurements.md): reductions have no short formula.
SOFTMAX = Cost(instructions=79.5, special=4.0)
LAYERNORM = Cost(instructions=38.6, special=1.2)
RMSNORM = Cost(instructions=15.6)
BIAS_GELU_DROPOUT = Cost(instructions=115.3, special=1.0)  # its three kernels together

ELEMENT: dict[str, Cost] = {
    "add": MOVE + SIMPLE,
    "relu": MOVE + SIMPLE,
    "cos": MOVE + COS,
    "silu": MOVE + SILU,
    "softmax": SOFTMAX,
    "layernorm": LAYERNORM,
    "rmsnorm": RMSNORM,
    "bias_gelu_dropout": BIAS_GELU_DROPOUT,
}
"""Of an op kernel by kernel."""

FUSED: dict[str, Cost] = {
    "three_cos": Cost(instructions=87.0, special=3.0),
    "silu_mul": Cost(instructions=18.0, special=2.0),
    "bias_gelu_dropout": Cost(instructions=100.0, special=1.0),
}
"""Of a chain in one kernel, counted the same way in what Triton 3.9 makes of it for 9.0.

It divides approximately, and draws ten rounds of Philox for each element where torch draws them for
four (triton.language.rand).
"""

WHAT = {
    "cos": "special functions (cos)",
    "silu": "special functions (exp and a division)",
    "softmax": "exponentials and two reductions of each row",
    "layernorm": "running mean and variance of each row",
    "rmsnorm": "the squares of each row",
    "three_cos": "special functions (three cos)",
    "silu_mul": "special functions (exp and a division)",
    "bias_gelu_dropout": "special functions (erf) and random numbers (Philox)",
}
"""What the instructions of an op are for."""


class Arithmetic(msgspec.Struct, frozen=True, kw_only=True):
    """The least time of an elementwise kernel's arithmetic, and which of its two parts it is.

    ``each`` is what one element needs of it, ``lanes`` what an SM gives in a clock.
    """

    seconds: float
    unit: str  # "instructions" | "special functions"
    each: float
    lanes: int


def arithmetic(
    cost: Cost, elements: float, sm_count: int, sm_mhz: float, compute_capability: str
) -> Arithmetic | None:
    """elements x cost / (lanes x SMs x clock), the larger of both parts.

    A lower bound: no pipe is ever full. None for a capability that the tables do not hold.
    """
    lanes = {
        "instructions": (cost.instructions, _of(ISSUED, compute_capability)),
        "special functions": (cost.special, _of(SPECIAL_LANES, compute_capability)),
    }
    found = [
        Arithmetic(
            seconds=elements * each / (width * sm_count * sm_mhz * 1e6),
            unit=unit,
            each=each,
            lanes=width,
        )
        for unit, (each, width) in lanes.items()
        if width is not None
    ]
    return max(found, key=lambda a: a.seconds, default=None)


def _of(table: dict[str, int], capability: str) -> int | None:
    return table.get(capability) or table.get(capability.partition(".")[0])
