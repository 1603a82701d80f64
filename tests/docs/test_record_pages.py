"""The pages of the records are what the kept sessions say, and complete."""

from __future__ import annotations

import pytest
import record_pages
from record_pages import PAGES, Page
from thinned import thinned

from roofwatch.session.checks import FAILED, MISSING, NOT_OF_THIS, OK
from roofwatch.session.record_table import answers, record_table

H200, CPU = PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.output.stem)
def test_the_page_is_what_the_kept_sessions_say(page: Page) -> None:
    assert page.output.read_text(encoding="utf-8") == record_pages.document(page)


def test_the_record_of_the_card_has_every_row_and_check() -> None:
    sessions = record_pages.sessions_of(H200)
    table = record_table(sessions)
    found = answers(sessions)
    assert table.missing == []
    assert [c.word for c in table.checks] == [OK, OK]
    assert [q.number for q in found] == [1, 2, 3, 4, 5]
    assert {c.word for q in found for c in q.checks} == {OK}
    assert len(found[0].checks) == 3
    assert (table.cards, table.note) == (1, "")


def test_what_the_record_of_a_cpu_lacks_no_cpu_has() -> None:
    sessions = record_pages.sessions_of(CPU)
    table = record_table(sessions)
    assert {r.item for r in table.missing} == {"compute_fp16", "compute_bf16"}
    assert all(r.missing.startswith(NOT_OF_THIS) for r in table.missing)
    lacking = [c for q in answers(sessions) for c in q.checks if c.word == MISSING]
    for check in lacking:
        assert "roofwatch run" not in check.fill, check  # no suite would fill it
    assert FAILED in {c.word for q in answers(sessions) for c in q.checks}


def test_thinning_leaves_every_line_but_samples() -> None:
    sample = b'{"kind":"sample","t":1}\n'
    lines = [b"first\n", *[sample] * 25, b"measured\n", sample]
    assert list(thinned(lines, 10)) == [b"first\n", *[sample] * 3, b"measured\n"]
