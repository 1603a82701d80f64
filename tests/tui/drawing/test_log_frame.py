"""The axes around a picture: each label on a row of its own, the unit between no two."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, decade_label
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.log_frame import LEFT, Mark, framed
from roofwatch.tui.drawing.rows_of_text import text_of

X, Y = (-1.3, 4.3), (-3.3, 3.2)
NAMED = {decade_label(e): e for e in range(-6, 9)}


def drawn(
    columns: int, height: int, x: tuple[float, float] = X, y: tuple[float, float] = Y
) -> list[str]:
    return [text_of(r) for r in framed(Canvas(columns, height), x, y, "TFLOP/s", UNICODE)]


@pytest.mark.parametrize("height", range(4, 24))
def test_y_labels_stand_at_their_height_at_even_steps(height: int) -> None:
    rows = drawn(70, height)
    found = {
        i: NAMED[m[1]] for i, r in enumerate(rows[:height]) if (m := re.match(r" *(\S+) ┤", r))
    }
    decades = list(found.values())
    assert len(decades) >= 2
    assert len({a - b for a, b in pairwise(decades)}) == 1
    gaps = {below - above for above, below in pairwise(found)}
    assert len(gaps) == 1 or min(gaps) > 1 or height < 6  # no two crowd where others do not
    assert all(i == height - 1 - cell_of(float(e), Y, height) for i, e in found.items())
    assert sum("TFLOP/s" in r for r in rows) == 1


@pytest.mark.parametrize("columns", [20, 30, 36, 41, 55, 70, 71, 90, 110, 150])
def test_the_x_unit_stands_at_an_end_and_no_labels_touch(columns: int) -> None:
    labels = drawn(columns, 8)[-1]
    assert len(labels) == columns + LEFT
    words = labels.split()
    assert {"FLOP/byte", "FLOP/B"} & {words[0], words[-1]}
    named = [NAMED[w] for w in words if not w.startswith("FLOP")]
    assert len(named) >= 3
    assert named == sorted(named)


def test_a_mark_between_two_decades_is_named_there() -> None:
    x = (-1.3, 3.5)
    for columns in (50, 62, 71, 90):
        rows = framed(
            Canvas(columns, 8), x, Y, "TFLOP/s", UNICODE, [Mark(0.504, "^", "ridge 3.19", "burst")]
        )
        labels = text_of(rows[-1])
        assert {"1", "10", "3.19"} <= set(labels.split())
        at = LEFT + cell_of(0.504, x, columns)
        start = labels.index("ridge 3.19") if "ridge" in labels else labels.index("3.19")
        assert start - 1 <= at <= labels.index("3.19") + 4


@pytest.mark.parametrize("columns", [20, 36, 55, 71, 110])
def test_marks_stand_on_the_axis_and_take_no_decades_place(columns: int) -> None:
    marks = [Mark(2.28, "^", "ridge 189", "burst"), Mark(2.2, "^", "159", "sustained")]
    marks.append(Mark(99.0, "^", "beyond", "nominal"))
    rows = framed(Canvas(columns, 8), X, Y, "TFLOP/s", UNICODE, marks)
    axis, labels = text_of(rows[-2]), text_of(rows[-1])
    assert axis[LEFT + cell_of(2.28, X, columns)] == "^"
    bare = text_of(framed(Canvas(columns, 8), X, Y, "TFLOP/s", UNICODE)[-1])
    assert [w for w in labels.split() if w in NAMED] == [w for w in bare.split() if w in NAMED]
    assert "beyond" not in labels
    at = LEFT + cell_of(2.28, X, columns)
    if columns >= 55:
        assert "189" in labels
    if "189" in labels:
        assert labels[labels.index("189") - 1] == " "
        assert labels.rindex(" ", 0, at + 1) <= labels.index("189") + 2
    for word in labels.replace("ridge 189", "").split():
        assert word in {*NAMED, "189", "159", "FLOP/byte", "FLOP/B"}
