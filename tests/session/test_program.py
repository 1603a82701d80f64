"""Commands that sentences name are those that a person can type."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roofwatch.session.program import BY_START

SESSION = Path(__file__).parent.parent / "sessions" / "h200-quick-1.jsonl"


@pytest.mark.parametrize(("by", "program"), [("", "roofwatch"), ("1", "./start")])
def test_a_report_names_the_command_that_there_is(by: str, program: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "roofwatch", "show", str(SESSION)],
        env={**os.environ, BY_START: by},
        capture_output=True,
        text=True,
        check=True,
    )
    text = " ".join(shown.stdout.split())
    assert f"{program} run --suite decode" in text
    assert set(re.findall(r"(\S+) run --suite", text)) == {program}
