"""The worked examples as rows: under their documents, a figure in one piece, the seed's beside."""

from __future__ import annotations

import pytest

from roofwatch.roofline.example import DAY_18, H100_NOTE, WRONG, Example
from roofwatch.roofline.worked_examples import TITLES, worked_examples
from roofwatch.session.plan_sources import seeds
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.notebook.example_rows import example_rows

EXAMPLES = worked_examples(seeds())


def one(**fields: object) -> Example:
    values = {
        "seed": DAY_18,
        "what": "ridge",
        "how": "65 TFLOP/s / 320 GB/s",
        "value": 203.125,
        "unit": "FLOP/byte",
        "decimals": 0,
    }
    return Example(**{**values, **fields})  # type: ignore[arg-type]


def lines(*examples: Example, cells: int = 80) -> list[str]:
    rows = example_rows(examples, cells)
    assert all(width(r) <= cells for r in rows)
    return [text_of(r).rstrip() for r in rows]


def test_an_example_is_an_equation_and_the_seeds_figure_where_it_is_another() -> None:
    same, other = one(said="203"), one(what="AI_max", said="61", slip=WRONG, why="a reason")
    assert lines(same, other) == [
        f" {TITLES[DAY_18]}",
        " ridge   65 TFLOP/s / 320 GB/s = 203 FLOP/byte",
        " AI_max  65 TFLOP/s / 320 GB/s = 203 FLOP/byte; seed: 61",
    ]


def test_a_figure_is_never_broken() -> None:
    long = one(how="a " * 20 + "b", value=1.0, upper=4.0, decimals=1, unit="ms", said="2 to 4")
    assert lines(long, cells=70)[1:] == [f" ridge  {'a ' * 20}b = 1.0 to 4.0 ms"]
    assert lines(long, cells=60)[1:] == [f" ridge  {'a ' * 20}b", "        = 1.0 to 4.0 ms"]
    wide = one(how="512 bit / 8 x 2 Gbit/s, twice", slip=WRONG, said="61")
    assert lines(wide, cells=60)[1:] == [
        " ridge  512 bit / 8 x 2 Gbit/s, twice = 203 FLOP/byte",
        "        seed: 61",
    ]


def test_documents_stand_apart_in_their_order_and_none_is_empty() -> None:
    found = lines(one(seed=H100_NOTE), one())
    assert [x for x in found if not x.startswith(" ridge")] == [
        f" {TITLES[DAY_18]}",
        "",
        f" {TITLES[H100_NOTE]}",
    ]
    assert example_rows([], 80) == []


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_all_of_them_fit(cells: int) -> None:
    found = lines(*EXAMPLES, cells=cells)
    assert [x for x in found if x[1:] in TITLES.values()] == [f" {t}" for t in TITLES.values()]
    text = "\n".join(found)
    for e in EXAMPLES:
        assert f"= {e.figure}" in text
    assert text.count("seed: ") == sum(bool(e.slip) for e in EXAMPLES)


def test_figures_have_their_unit_and_bytes_their_thousands() -> None:
    assert one(value=524288, unit="B").figure == "524,288 B"
    assert one(value=109.43, unit="x", decimals=1).figure == "109.4x"
    assert one(value=58, unit="sequences", upper=67).figure == "58 to 67 sequences"
    assert one(value=359.24, unit="", decimals=1).figure == "359.2"
