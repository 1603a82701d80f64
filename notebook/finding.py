"""What a rule says: a code from a closed list, a root, a severity, and words with numbers."""

from __future__ import annotations

from typing import Any

import msgspec

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


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding: what was seen, why it matters, what to do, and the evidence as data."""

    code: str
    name: str
    root: str  # "bytes" | "flop" | "peak" | "conditions"
    severity: str  # "wrong" | "suspect" | "note"
    subject: str
    message: str
    why: str
    do: str
    evidence: dict[str, Any]


def finding(
    code: str,
    *,
    root: str,
    severity: str,
    subject: str,
    message: str,
    why: str,
    do: str,
    **evidence: Any,
) -> Finding:
    """Build a finding; its name follows from its code."""
    return Finding(
        code=code,
        name=NAMES.get(code, code),
        root=root,
        severity=severity,
        subject=subject,
        message=message,
        why=why,
        do=do,
        evidence={name: value for name, value in evidence.items() if value is not None},
    )


def percent(ratio: float) -> str:
    """A share as people say it, never rounded onto 100 % from the other side."""
    text = f"{ratio:.0%}"
    if (text == "100%") and abs(ratio - 1) > 1e-9:
        text = f"{ratio:.1%}"
    return text.replace("%", " %")
