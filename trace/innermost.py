"""Which operator was running at a launch that names none: the innermost one of its thread."""

from __future__ import annotations

from collections import defaultdict

from roofwatch.trace.recording import Recording


def innermost(recording: Recording) -> None:
    """Give each launch without an operator the innermost one around it.

    Operators of one thread lie within each other, so the open ones are a stack. Numbers of
    operators given here are negative: no writer uses those.
    """
    of_thread: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    ops = recording.operators
    threads = {launch.thread for launch in recording.launches.values() if launch.operator is None}
    for i in range(len(ops)):
        if ops.thread[i] in threads:
            at = (ops.begin_ns[i], 0, -ops.end_ns[i], i)
            of_thread[ops.thread[i]].append(at)
    for correlation, launch in recording.launches.items():
        if launch.operator is None:
            of_thread[launch.thread].append((launch.begin_ns, 1, 0, correlation))
    for events in of_thread.values():
        _sweep(recording, sorted(events))


def _sweep(recording: Recording, events: list[tuple[int, int, int, int]]) -> None:
    ops, open_ones = recording.operators, list[int]()
    for begin_ns, is_launch, _, which in events:
        while open_ones and ops.end_ns[open_ones[-1]] <= begin_ns:
            open_ones.pop()
        if not is_launch:
            open_ones.append(which)
        elif open_ones:
            number = -1 - open_ones[-1]
            recording.call_of[number] = ops.call[open_ones[-1]]
            launch = recording.launches[which]
            recording.launches[which] = launch._replace(operator=number)
