"""The third roof drawn: flat, slope, ridge and rates, where there is room."""

from __future__ import annotations

import pytest

from roofwatch.session.fleet.link_figures import LinkRoof
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.fleet.third_roof import third_roof

ROOF = LinkRoof(
    group="world", bus_gbs=328.0, peak_key="bf16", peak_tflops=827.0, ridge=827e3 / 328.0
)


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_it_names_what_it_is_made_of(cells: int) -> None:
    rows = third_roof(ROOF, cells, UNICODE)
    text = "\n".join(text_of(r) for r in rows)
    for said in ("bf16 827", "328 GB/s sent", "ridge 2521", "TFLOP/s", "100"):
        assert said in text, said
    assert max(width(r) for r in rows) <= cells


def test_it_rises_to_the_ridge_and_is_flat_behind_it() -> None:
    rows = [text_of(r)[8:] for r in third_roof(ROOF, 80, ASCII)[:-2]]
    top = [min(y for y, line in enumerate(rows) if line[x] == "*") for x in (1, 20, 35, 60, 66)]
    assert top == sorted(top, reverse=True)
    assert top[-1] == top[-2] < top[0]


@pytest.mark.parametrize("ridge", [88.2, 99.0, 100.0, 109.0, 115.0, 130.0])
def test_the_ridge_is_named_where_a_decade_stands_beside_it(ridge: float) -> None:
    roof = LinkRoof(
        group="world", bus_gbs=0.293, peak_key="fp32", peak_tflops=ridge * 0.293e-3, ridge=ridge
    )
    text = "\n".join(text_of(r) for r in third_roof(roof, 80, UNICODE))
    assert f"ridge {ridge:.3g}" in text


def test_small_figures_keep_three_digits() -> None:
    roof = LinkRoof(group="world", bus_gbs=0.611, peak_key="fp32", peak_tflops=0.099, ridge=162.0)
    text = "\n".join(text_of(r) for r in third_roof(roof, 80, UNICODE))
    assert "fp32 0.0990" in text
    assert "0.611 GB/s sent" in text


def test_a_narrow_place_and_no_ridge_have_none() -> None:
    assert third_roof(ROOF, 35, UNICODE) == []
