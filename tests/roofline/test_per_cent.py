"""Shares as text: one spelling."""

from __future__ import annotations

import re
from pathlib import Path

from roofwatch.roofline.per_cent import per_cent, per_cents, spaced

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("roofline", "notebook", "session", "telemetry", "probes", "trace", "library", "tui")
CLOSE = re.compile(r":[+]?\.[0-9]%\}")  # an f-string's own: 84%


def test_a_share_has_a_space_before_its_sign() -> None:
    assert per_cent(0.842) == "84 %"
    assert per_cent(0.842, 1) == "84.2 %"
    assert per_cent(0.034, 1, sign=True) == "+3.4 %"
    assert per_cents(0.785, 0.94, 1) == "78.5 % to 94 %"


def test_a_sentence_of_an_older_session_is_spelled_alike() -> None:
    assert spaced("83% to 94 % of 4800") == "83 % to 94 % of 4800"
    assert spaced("100 %, %d") == "100 %, %d"


def test_no_text_of_the_program_is_written_without_it() -> None:
    own = [p for room in (*ROOMS, "verbs", "fleet") for p in (ROOT / room).rglob("*.py")]
    assert len(own) > 400
    found = {str(p.relative_to(ROOT)) for p in own if CLOSE.search(p.read_text("utf-8"))}
    assert found == {"notebook/catalog.py"}  # which puts the space in
