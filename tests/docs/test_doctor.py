"""The page of the doctor's checks has each of them, in their order."""

from __future__ import annotations

import re
from pathlib import Path

from roofwatch.session.doctor.checks import KEYS

ROOT = Path(__file__).parent.parent.parent


def test_the_page_has_every_check_in_order() -> None:
    page = (ROOT / "docs" / "doctor.md").read_text()
    assert tuple(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.M)) == KEYS
