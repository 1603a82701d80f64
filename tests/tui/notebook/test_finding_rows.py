"""What to do, a step a row."""

from __future__ import annotations

import pytest

from roofwatch.notebook.catalog import LANGUAGES, catalog
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.notebook.finding_rows import steps


def said(do: str) -> list[str]:
    return [text_of(r).strip() for r in steps(do, "Do  ", 200)]


def test_no_step_of_several_ends_in_a_full_stop() -> None:
    do = "1. measure with 80 MiB (20 x the cache); 2. look again; 3. only then doubt the card."
    assert said(do) == [
        "Do  1. measure with 80 MiB (20 x the cache)",
        "2. look again",
        "3. only then doubt the card",
    ]
    assert said("Run it again; look at the clock.") == ["Do  Run it again; look at the clock."]


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_holds_for_every_page(language: str) -> None:
    of_steps = [
        case.do
        for page in catalog(language).pages.values()
        for case in page.cases.values()
        if case.do.startswith("1. ")
    ]
    assert len(of_steps) > 5
    for do in of_steps:
        rows = said(do)
        assert len(rows) > 1
        assert not [r for r in rows if r.endswith((".", "。"))]
