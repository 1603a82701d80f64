"""The copy between host and device stands inside the time."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

PINNED = 0.9  # of the link, at best
PAGEABLE_GBS = 2.5  # slow pageable copies; pinned ones reach the link
USUAL = 0.1  # of the link; slower copies are rare
LEAST_BYTES = 1e6
LARGE_BYTES = 8e6  # below it a first launch costs more than the copy
MUCH = 5.0  # times slower than expected, from which the link is the likeliest


def transfer_included(reading: Reading) -> Finding | None:
    """What is left of the time beside the work is what the host link needs for the tensors."""
    link, time, work = reading.link_gbs, reading.time_s, reading.bytes
    if reading.ours or reading.op in ("h2d", "d2h", "decode") or not reading.below:
        return None
    if not link or not reading.rate:
        return None
    if not time and reading.judged == "gbs":
        return _as_slow_as_a_link(reading, link)
    if not time or not reading.expected_s:
        return None
    if not work or work < LEAST_BYTES:
        return None
    rest_s = time - reading.expected_s
    if rest_s <= 0 or not reading.low:
        return None
    gbs = work / rest_s / 1e9
    if not PAGEABLE_GBS <= gbs <= PINNED * link:
        return None
    times = reading.low / reading.rate
    return finding(
        "transfer-included",
        "link",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.9 if times >= MUCH and work >= LARGE_BYTES and gbs >= USUAL * link else 0.4,
        gbs=gbs,
        link_gbs=link,
        moved_mb=work / 1e6,
        time_us=time * 1e6,
        expected_us=reading.expected_s * 1e6,
    )


def _as_slow_as_a_link(reading: Reading, link: float) -> Finding | None:
    """A rate of bytes without its time, such as a host link has."""
    if reading.gbs is None or not PAGEABLE_GBS <= reading.gbs <= PINNED * link:
        return None
    return finding(
        "transfer-included",
        "rate",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.2,
        gbs=reading.gbs,
        link_gbs=link,
        low=reading.low,
    )
