"""Columns of a table that is too wide go whole, and in their order."""

from __future__ import annotations

from roofwatch.tui.drawing.fitting_columns import filled, fitting

COLUMNS = {"m": 6, "rate": 9, "share": 7}


def test_all_stand_where_there_is_room() -> None:
    assert fitting(COLUMNS, ("m", "rate"), 22) == COLUMNS


def test_they_give_way_one_after_the_other() -> None:
    assert fitting(COLUMNS, ("m", "rate"), 21) == {"rate": 9, "share": 7}
    assert fitting(COLUMNS, ("rate", "m"), 13) == {"m": 6, "share": 7}
    assert fitting(COLUMNS, ("m", "rate"), 3) == {"share": 7}  # what is not named stays


def test_a_line_ends_each_text_where_its_column_ends() -> None:
    assert filled({"m": "1", "rate": "805", "share": "100 %"}, COLUMNS) == (
        "     1      805  100 %"
    )
