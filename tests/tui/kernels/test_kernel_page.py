"""The page of one kernel: its rows, and the sheet that scrolls them."""

from __future__ import annotations

import math

import msgspec
import pytest
from textual.app import App

from roofwatch.session.kernel_map import KernelPoint
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.palette import STYLES
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.kernels.kernel_page import HEAD, KernelPage, body, build

SIZES = [(96, 38), (76, 20), (59, 20), (36, 12), (16, 9)]


def words(p: KernelPoint, mapped: list[KernelPoint], cells: int = 96) -> str:
    return " ".join(" ".join(text_of(r) for r in build(p, mapped, cells, 200, UNICODE)).split())


def test_all_that_is_known_of_a_kernel_stands_there(kernels: list[KernelPoint]) -> None:
    for p in kernels:
        said = words(p, kernels)
        for name in ("op", "shape", "timed", "kernel", "work", "intensity", "time", "rate", "do"):
            assert f" {name} " in said
        assert f"bound by {p.bound}" in said
        assert p.label in said
        assert f"{p.op} in {p.dtype}" in said
        assert all(f"{side} {size}" in said for side, size in p.shape.items())
        assert " ".join(p.treatment.split()) in said
        assert p.reason.replace(" us", " µs") in said
        assert ("% of" in said) == (p.roof is not None)
        assert said.count(" binds") == (p.bound in p.terms)


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_row_is_as_wide_as_asked(
    kernels: list[KernelPoint], cells: int, height: int, glyphs: Glyphs
) -> None:
    for p in kernels:
        for scroll in (0, 3, 99):
            rows = build(p, kernels, cells, height, glyphs, scroll)
            assert {width(r) for r in rows} == {cells}
            assert len(rows) <= height
            assert {style for r in rows for _, style in r} <= STYLES["dark"].keys()
        assert all(width(r) <= cells for r in body(p, kernels, cells, glyphs))
        if glyphs is ASCII:
            assert "".join(map(text_of, rows)).isascii()


@pytest.mark.parametrize("cells", [16, 20, 30, 36])
def test_where_it_is_narrow_rows_are_wrapped(kernels: list[KernelPoint], cells: int) -> None:
    for p in kernels:
        said = words(p, kernels, cells).replace(" ", "")
        for told in (p.label, p.reason.replace(" us", " µs"), p.treatment):
            assert told.replace(" ", "") in said
        assert said.count("binds") == (p.bound in p.terms)


def test_a_damaged_point_is_still_a_page(kernels: list[KernelPoint]) -> None:
    evil = "\x1b[2J" * 30
    odd = msgspec.structs.replace(
        kernels[0],
        label=evil,
        op=evil,
        kernel=evil,
        timing=evil,
        shape={},
        roof=None,
        roof_by=None,
        of_roof=None,
        time_s=0.0,
        gbs=math.inf,
        tflops=1e-30,
        terms={},
    )
    text = "".join(text_of(r) for r in build(odd, kernels, 76, 60, UNICODE))
    assert "\x1b" not in text
    assert "no roof of its own is measured" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 16)])
async def test_it_scrolls_to_its_end_and_closes(
    kernels: list[KernelPoint], size: tuple[int, int]
) -> None:
    app: App[None] = App()
    async with app.run_test(size=size) as pilot:
        page = KernelPage(kernels[2], kernels, UNICODE)
        app.push_screen(page)
        await pilot.pause()
        cells, height = page.room()
        rows = body(kernels[2], kernels, cells, UNICODE)
        await pilot.press("end")
        shown = [text_of(r).rstrip() for r in page.build(cells, height)]
        assert shown[-1] == text_of(rows[-1]).rstrip()
        await pilot.press("pageup", "up", "down", "home")
        shown = [text_of(r).rstrip() for r in page.build(cells, height)]
        assert shown[HEAD] == text_of(rows[0]).rstrip()
        await pilot.press("escape")
        assert app.screen is not page
