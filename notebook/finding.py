"""What a rule says: a code from a closed list, a root, a severity, and words with numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from roofwatch.notebook.catalog import chosen, fill

WRONG, SUSPECT, NOTE = "wrong", "suspect", "note"
RANK = {WRONG: 0, SUSPECT: 1, NOTE: 2}

NAMES = {
    "E1": "read-only-bytes",
    "E2": "l2-hit",
    "E3": "wrong-peak",
    "E4": "too-small",
    "E5": "missing-sync",
    "E6": "nominal-as-floor",
    "E7": "ai-equals-batch",
}
"""Codes whose name differs from them; everywhere else code and name are the same word."""

BYTES, FLOP, PEAK, CONDITIONS = "bytes", "flop", "peak", "conditions"

ROOTS = {
    "E1": BYTES,
    "E2": BYTES,
    "E3": PEAK,
    "E4": FLOP,
    "E5": BYTES,
    "E6": PEAK,
    "E7": BYTES,
    "throttled": CONDITIONS,
    "power-capped": CONDITIONS,
    "low-clock": CONDITIONS,
    "low-without-cause": CONDITIONS,
    "cold-start": CONDITIONS,
    "zeros": CONDITIONS,
    "emulated-dtype": PEAK,
    "other-process": CONDITIONS,
    "host-bound": CONDITIONS,
    "launch-bound": CONDITIONS,
    "inefficient-kernel": CONDITIONS,
    "copy-engine": BYTES,
    "pageable": BYTES,
    "speculative-decode": BYTES,
    "strided": BYTES,
    "transfer-included": BYTES,
    "units": BYTES,
    "wrong-sku": PEAK,
    "wrong-peak-value": PEAK,
    "boost-clock": PEAK,
    "mig-slice": PEAK,
    "unstable": CONDITIONS,
    "memory-bound-probe": FLOP,
    "bytes-miscounted": BYTES,
    "flop-miscounted": FLOP,
    "no-tensor-core": PEAK,
    "impossible": BYTES,
}
"""The closed list of codes, each with the root that it usually has (the seeds' three, or
conditions)."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finding: what was seen, why it matters, what to do, and the evidence as data.

    ``fit`` says how well the number, corrected for this mistake, lands in the expected range: 1 in
    its middle, 0.5 at its ends. It is absent where the evidence is direct.
    """

    code: str
    name: str
    root: str  # "bytes" | "flop" | "peak" | "conditions"
    severity: str  # "wrong" | "suspect" | "note"
    subject: str
    message: str
    why: str
    do: str
    evidence: dict[str, Any]
    fit: float | None = None


def finding(
    code: str,
    case: str,
    *,
    severity: str,
    subject: str,
    root: str | None = None,
    fit: float | None = None,
    said: Mapping[str, Any] | None = None,
    **evidence: Any,
) -> Finding:
    """Build a finding: its name follows from its code, its words from the catalog's case.

    ``said`` are fields that the words use and the evidence does not repeat.
    """
    words = chosen().pages[code].cases[case]
    fields = {**evidence, **said} if said else evidence
    return Finding(
        code=code,
        name=NAMES.get(code, code),
        root=root or ROOTS[code],
        severity=severity,
        subject=subject,
        message=fill(words.message, fields),
        why=fill(words.why, fields),
        do=fill(words.do, fields),
        evidence={name: value for name, value in evidence.items() if value is not None},
        fit=fit,
    )
