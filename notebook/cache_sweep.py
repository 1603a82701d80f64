"""A size sweep that goes over nominal: the last-level cache, seen on purpose (seed error 2)."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, Finding, finding

MIB = 1 << 20


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
    earlier = turns_bytes is not None and seen_bytes is not None and turns_bytes < seen_bytes
    return finding(
        "E2",
        "sweep_earlier" if earlier else "sweep",
        severity=NOTE,
        subject=subject,
        highest_gbs=highest_gbs,
        nominal_gbs=nominal_gbs,
        turns_bytes=turns_bytes,
        seen_bytes=seen_bytes,
        cache_bytes=cache_bytes,
        said={
            "over_nominal": highest_gbs / nominal_gbs if over and nominal_gbs else None,
            "turns_mib": turns_bytes / MIB if turns_bytes else None,
            "seen_mib": seen_bytes / MIB if seen_bytes else None,
            "cache_mib": cache_bytes / MIB if cache_bytes else None,
        },
    )
