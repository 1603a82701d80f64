"""Names in few cells, told from each other by what differs."""

from __future__ import annotations

import random

import pytest
from rich.cells import cell_len

from roofwatch.tui.drawing.rows_of_text import head_of
from roofwatch.tui.drawing.told_apart import told_apart

TWO = [
    "addmm: nvjet_sm90_tst_128x8_64x12_4x1_v_bz_splitK_bias_TNT",
    "addmm: nvjet_sm90_tst_128x8_64x12_2x1_v_bz_bias_TNT",
]


def test_two_kernels_of_one_family_keep_what_differs() -> None:
    assert told_apart(TWO, 23, "…") == ["addmm: nvje…4x1_v_bz_s…", "addmm: nvje…2x1_v_bz_b…"]
    assert told_apart(TWO, 60, "…") == TWO


def test_others_are_cut_at_their_end_as_ever() -> None:
    names = ["native_layer_norm: vectorized_layer_norm_kernel", "gelu: vectorized_elementwise"]
    assert told_apart(names, 23, "…") == [head_of(name, 23, "…") for name in names]
    assert told_apart([TWO[0], TWO[0]], 23, "…") == [head_of(TWO[0], 23, "…")] * 2  # one name


def test_three_are_told_apart_where_two_of_them_differ_later() -> None:
    common = "kernel_of_a_long_family_"
    names = [f"{common}a_one_more_{'x' * 20}", f"{common}b_{'y' * 20}1", f"{common}b_{'y' * 20}2"]
    cut = told_apart(names, 24, "…")
    assert len(set(cut)) == 3
    assert cut[1].endswith("1")
    assert cut[2].endswith("2")


@pytest.mark.parametrize("cells", [1, 2, 8, 13, 24, 60])
@pytest.mark.parametrize("ellipsis", ["…", "..", "~"])
def test_they_fit_and_begin_alike(cells: int, ellipsis: str) -> None:
    chance = random.Random(cells)
    names = [
        "".join(chance.choice("ab_:图") for _ in range(chance.randrange(40))) for _ in range(60)
    ]
    for name, cut in zip(names, told_apart(names, cells, ellipsis), strict=True):
        assert cell_len(cut) <= max(cells, cell_len(ellipsis))
        if cell_len(name) <= cells:
            assert cut == name
