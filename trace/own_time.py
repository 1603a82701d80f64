"""A host's operators by their own time: without those that they call (the profiler's self time)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.trace.recording import Operators

SAME = 0.5  # of an operator's FLOP, done by one inside it: the work is that one's


class OwnTime(NamedTuple):
    """Of each operator, in the recording's order; ``outermost`` are those that no other called."""

    own_ns: list[int]
    counted: list[bool]  # its work is not that of an operator inside it
    outermost: list[int]


def own_times(ops: Operators, flops: Sequence[float | None]) -> OwnTime:
    """Operators of one thread lie within each other. ``flops`` are those of each call, None where
    no formula tells them.

    A composite operator and the one that it calls have the same work: it counts at the inner one.
    A product that copies its bias before is none: what it calls does no part of its arithmetic.
    """
    count = len(ops)
    own = [ops.end_ns[i] - ops.begin_ns[i] for i in range(count)]
    counted = [flops[ops.call[i]] is not None for i in range(count)]
    outermost: list[int] = []
    order = sorted(range(count), key=lambda i: (ops.thread[i], ops.begin_ns[i], -ops.end_ns[i]))
    stack: list[int] = []
    thread = None
    for i in order:
        if ops.thread[i] != thread:
            stack, thread = [], ops.thread[i]
        while stack and ops.end_ns[stack[-1]] < ops.end_ns[i]:
            stack.pop()
        while stack and ops.end_ns[stack[-1]] <= ops.begin_ns[i]:
            stack.pop()
        if stack:
            own[stack[-1]] -= ops.end_ns[i] - ops.begin_ns[i]
            if (inner := flops[ops.call[i]]) is not None:
                for outer in stack:
                    if inner >= SAME * (flops[ops.call[outer]] or 0.0):
                        counted[outer] = False
        else:
            outermost.append(i)
        stack.append(i)
    return OwnTime([max(0, each) for each in own], counted, outermost)
