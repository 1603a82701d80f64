"""A size sweep that goes over nominal: the last-level cache, seen on purpose (seed error 2)."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, Finding, finding

MIB = 1 << 20
EARLIER = (
    "y = x + 1 turns earlier than a stream that only reads: what it writes stays in the cache "
)
EARLIER += "as dirty lines, which must reach the memory before their place is free."


def cache_sweep(
    subject: str,
    highest_gbs: float,
    nominal_gbs: float | None,
    turns_bytes: int | None,
    seen_bytes: int | None,
    cache_bytes: int | None,
) -> Finding | None:
    """The sweep of y = x + 1 beside the read-only one. None when nothing shows a cache.

    ``highest_gbs`` is the best point of the sweep, ``turns_bytes`` where it turns, ``seen_bytes``
    the cache by the read-only sweep, ``cache_bytes`` what the device reports.
    """
    over = nominal_gbs is not None and highest_gbs > nominal_gbs
    if not over and turns_bytes is None:
        return None
    said = f"Up to {highest_gbs:.0f} GB/s while all tensors fit in the cache"
    said += f", {highest_gbs / nominal_gbs:.2f} times nominal" if over and nominal_gbs else ""
    said += f"; it turns at {turns_bytes / MIB:.0f} MiB" if turns_bytes else ""
    if seen_bytes:
        said += f", a read-only stream at {seen_bytes / MIB:.0f} MiB"
    said += f" ({cache_bytes / MIB:.4g} MiB reported)." if cache_bytes else "."
    earlier = turns_bytes is not None and seen_bytes is not None and turns_bytes < seen_bytes
    return finding(
        "E2",
        root="bytes",
        severity=NOTE,
        subject=subject,
        message=said,
        why=EARLIER if earlier else "What fits in the cache never reaches the memory.",
        do="Read a rate over nominal as the cache's; measure the memory beyond twice its size.",
        highest_gbs=highest_gbs,
        nominal_gbs=nominal_gbs,
        turns_bytes=turns_bytes,
        seen_bytes=seen_bytes,
        cache_bytes=cache_bytes,
    )
