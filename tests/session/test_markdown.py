"""The record as Markdown: complete, tables that hold, nothing in it that is markup of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.markdown import markdown

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda p: p.stem)
def test_every_table_holds_its_columns_and_fits_a_comment(path: Path) -> None:
    text = markdown(fold(events(path)))
    assert text.endswith("\n")
    assert len(text.encode()) < 65_536  # of a comment on GitHub
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


def test_it_says_what_the_record_says(full: Session) -> None:
    text = markdown(full)
    assert "**NVIDIA H200**" in text
    assert "driver 580.159.04" in text
    assert "| bf16 | 989 | 831 | 696 | TFLOP/s | 84 % | 189 |" in text
    assert "DRAM 4389 GB/s, 91 % of 4800 nominal" in text
    assert "- SM clock 1432 of 1980 MHz: power limit 700 W reached, costs 135 bf16 TFLOP/s" in text
    for spec in full.specs:
        assert f"| {spec.label} |" in text
    assert full.host is not None
    assert full.host not in text.split()


def test_a_card_with_a_hostile_name_is_text() -> None:
    name = "|<b>*x*</b>`@all`[a](b)\x1b[2J"
    found = fold(
        [
            SessionInfo(t=0.0, schema="roofwatch.session/1", suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=Device(kind="cuda", name=name)),
        ]
    )
    text = markdown(found)
    assert "\x1b" not in text
    assert "<b>" not in text
    assert "@all" not in text
    assert "this session is not complete" in text


def test_a_session_that_measured_nothing_has_its_probes_all_the_same(
    on_card: Callable[..., Session],
) -> None:
    empty = on_card(without="-")
    assert "| kernel" in markdown(empty)
    assert msgspec.json.encode(markdown(empty))
