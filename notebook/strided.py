"""Reading every second element: half of what the memory carries is thrown away (seed, Day 13)."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, Finding, finding
from roofwatch.notebook.reading import Reading


def strided(reading: Reading) -> Finding | None:
    """The useful rate of a strided stream, and what the memory really carried for it."""
    if reading.op != "strided" or reading.gbs is None or reading.moved_bytes is None:
        return None
    if not reading.working_set_bytes:
        return None
    times = reading.moved_bytes / reading.working_set_bytes
    moved_gbs = reading.gbs * times
    return finding(
        "strided",
        root="bytes",
        severity=NOTE,
        subject=reading.subject,
        message=f"{reading.gbs:.0f} GB/s of useful bytes; the memory carried {times:.2f} times as "
        f"much, {moved_gbs:.0f} GB/s.",
        why="Memory moves whole sectors, of 32 bytes on a GPU and 64 on a CPU: all of x comes "
        "and half of it is dropped: 2 + 1 bytes move for 1 + 1 that count, 150 %.",
        do="Store what is read together side by side; a stride costs bytes that no kernel saves.",
        useful_gbs=reading.gbs,
        moved_gbs=moved_gbs,
        moved_over_useful=times,
    )
