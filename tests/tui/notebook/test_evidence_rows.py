"""The figures of a finding: each in the unit that suits it, in the terminal's characters."""

from __future__ import annotations

import pytest

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.notebook.evidence_rows import evidence_rows


@pytest.mark.parametrize(("glyphs", "micro"), [(UNICODE, "µs"), (ASCII, "us")])
@pytest.mark.parametrize("cells", [80, 14])
def test_units_are_such_as_the_terminal_shows(glyphs: Glyphs, micro: str, cells: int) -> None:
    evidence = {"time_us": 8.25, "least_ms": 0.0042, "moved_bytes": 3 << 20, "floor_s": 2e-9}
    told = " ".join(" ".join(map(text_of, evidence_rows(evidence, "", cells, glyphs))).split())
    for said in (f"time 8.25 {micro}", f"least 4.2 {micro}", "moved 3 MiB", "floor 2 ns"):
        assert said in told, told
    assert glyphs is UNICODE or told.isascii()
