"""What a number might suffer from when nothing can be held against it: named, not claimed."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import NOTE, Finding, finding
from roofwatch.notebook.reading import Reading

BY_OP: dict[str, tuple[str, ...]] = {
    "decode": ("host-bound", "E7", "speculative-decode", "throttled"),
    "matmul": ("throttled", "E3", "E4", "cold-start", "inefficient-kernel", "mig-slice"),
    "attention": ("throttled", "E3", "inefficient-kernel", "host-bound"),
    "h2d": ("pageable", "E5"),
    "d2h": ("pageable", "E5"),
}
STREAM = ("cold-start", "E1", "E2", "copy-engine", "inefficient-kernel")
COMPUTE = ("throttled", "E3", "inefficient-kernel", "host-bound")


def possible(reading: Reading, found: Sequence[Finding]) -> list[Finding]:
    """The usual causes for such a number, as notes; none where no number was given."""
    if reading.rate is None and reading.time_s is None and reading.op != "decode":
        return []
    codes = BY_OP.get(reading.op)
    if codes is None:
        codes = COMPUTE if reading.judged == "tflops" else STREAM
    said = {f.code for f in found}
    if reading.op not in ("copy",):
        codes = tuple(c for c in codes if c != "copy-engine")
    return [
        finding(code, "possible", severity=NOTE, subject=reading.subject, op=reading.op)
        for code in codes
        if code not in said
    ]
