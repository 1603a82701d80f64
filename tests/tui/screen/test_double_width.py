"""Chinese findings: every row is as wide as its pane, and nothing is lost at its end."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import Finding
from roofwatch.session.events import Fault, Note
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.notebook import error_page, notebook_pane
from roofwatch.tui.probes import probes_pane
from roofwatch.tui.screen.message import message

SIZES = [(80, 24), (120, 36), (78, 13), (47, 12), (33, 9)]


@pytest.fixture
def noted(h200: Session) -> Session:
    """A session with a fault and a note in Chinese."""
    h200.add(
        Fault(
            t=50.0,
            instrument="probes",
            what="探测进程结束了：" + "被信号终止" * 9,
            log=["错误" * 60],
        )
    )
    h200.add(Note(t=51.0, text="这一项被跳过，因为没有这种单元" * 5, probe="matmul-fp4"))
    return h200


@pytest.mark.parametrize(("cells", "height"), SIZES)
def test_rows_are_exactly_as_wide_as_asked(
    noted: Session, chinese: list[Finding], cells: int, height: int
) -> None:
    for scroll in range(8):
        rows = notebook_pane.build(noted, cells, height, UNICODE, chinese, scroll, scroll % 3)
        assert [width(r) for r in rows] == [cells] * height
        rows = error_page.build(chinese[scroll % 3], "张量" * 40, cells, height, UNICODE, scroll)
        assert {width(r) for r in rows} == {cells}
        assert len(rows) <= height
    rows = probes_pane.build(noted, cells, height, UNICODE, found=chinese)
    assert {width(r) for r in rows} == {cells}
    assert width(message(noted, chinese, cells, UNICODE)) == cells


@pytest.mark.parametrize("cells", [80, 120])
def test_the_notebook_loses_no_character(chinese: list[Finding], cells: int) -> None:
    rows = notebook_pane.build(Session(), cells, 60, UNICODE, chinese)
    text = "".join(text_of(r).replace(" ", "") for r in rows)
    for part in (chinese[0].message, chinese[0].why, "看大小扫描在哪里变平"):
        assert part.replace(" ", "") in text


def test_no_row_begins_with_a_stop(chinese: list[Finding]) -> None:
    for cells in range(30, 121):
        for r in notebook_pane.rows(Session(), cells, UNICODE, chinese):
            assert not text_of(r).lstrip().startswith(tuple("。，、；：！？）」"))


def test_the_words_around_are_in_the_same_language(chinese: list[Finding]) -> None:
    text = "\n".join(map(text_of, error_page.build(chinese[0], "x", 76, 60, UNICODE)))
    assert "有错" in text
    assert not any(word in text for word in ("Why", "When it speaks", "What it is"))
