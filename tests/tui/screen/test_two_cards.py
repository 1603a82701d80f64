"""Sessions of two cards on the screen: their links and their table stand where one lands."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.fold import Session
from roofwatch.session.links import links
from roofwatch.session.markdown import markdown
from roofwatch.session.replay import Replay
from roofwatch.session.table import probe_rows
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.kernels import cards_rows, kernels_pane, short_kernels
from roofwatch.tui.kernels.kernels_pane import View
from roofwatch.tui.notebook.record_rows import session_rows
from roofwatch.tui.probes import measurement_rows
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.painting import PANES, first_pane, names

TWO = Path(__file__).parent.parent.parent / "sessions" / "two"
KERNELS = PANES.index("kernels")


def replayed(name: str) -> Session:
    return Replay(TWO / f"{name}.jsonl").session


def screen(app: RoofwatchApp) -> str:
    shown = [p for name, p in app.dashboard._panes.items() if p.display]
    return "\n".join(line for pane in shown for line in pane.lines)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60), (60, 16)])
@pytest.mark.parametrize(
    ("name", "title", "told"),
    [("links", "6 Links", "Host and card over PCIe"), ("cards", "6 Cards", "Every card alone")],
)
async def test_it_opens_where_its_numbers_are_and_is_called_so(
    name: str, title: str, told: str, size: tuple[int, int]
) -> None:
    app = RoofwatchApp(Replay(TWO / f"{name}.jsonl"), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert app.dashboard.open_pane == KERNELS
        drawn = screen(app)
        assert title in drawn
        assert told in drawn
        assert "no kernel map" not in drawn


@pytest.mark.parametrize("name", ["links", "cards"])
@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_a_finished_session_never_says_yet(name: str, size: tuple[int, int]) -> None:
    app = RoofwatchApp(Replay(TWO / f"{name}.jsonl"), UNICODE)
    async with app.run_test(size=size) as pilot:
        for key in "1234567":
            await pilot.press(key)
            assert " yet" not in screen(app), key


def test_other_sessions_open_and_are_called_as_ever(full: Session) -> None:
    assert first_pane(full) == 0
    assert names(full)[KERNELS] == "Kernels"


def test_a_terminal_without_room_for_charts_has_them_too() -> None:
    for name, told in (("links", "Host and card"), ("cards", "Every card")):
        session = replayed(name)
        for cells in (60, 48, 20):
            for glyphs in (UNICODE, ASCII):
                rows = short_kernels.build(session, cells, 12, glyphs, View())
                assert [width(r) for r in rows] == [cells] * 12
                said = "\n".join(map(text_of, rows))
                assert (told if cells > 40 or name == "cards" else "40 columns") in said


def test_each_probe_of_copies_has_a_figure_and_says_of_what() -> None:
    said = {r.probe: r.said for r in probe_rows(replayed("links"))}
    assert said["peers"] == "385 GB/s at 256 MiB, 15 points"
    assert said["transfers"] == "55.5 GB/s at 1 GiB, 40 points"
    assert said["memcpy"] == "106 GB/s at 1 GiB, 16 points"


def test_the_hosts_memory_is_counted_alike_in_the_report_and_on_its_page() -> None:
    session = replayed("links")
    page = "\n".join(map(text_of, measurement_rows.rows(session, "memcpy", 100, UNICODE)))
    one = next(x for x in links(session) if x.kind == "memcpy")
    assert f"{one.sizes[0].gbs:.1f}" == "41.7"
    assert "41.7" in page
    assert "bytes read and bytes written both count" in " ".join(page.split())
    assert "| memcpy, read and written | 11.4 |" in markdown(session)


def test_of_two_cards_with_one_host_link_measured_the_other_is_named() -> None:
    rows = kernels_pane.build(replayed("links"), 100, 40, UNICODE, View())
    assert any("host's link to card 1 was not measured" in text_of(r) for r in rows)


def test_a_links_session_has_no_table_of_gaps() -> None:
    session = replayed("links")
    from roofwatch.session.roofs import roofs

    rows = [text_of(r) for r in session_rows(session, roofs(session), [], 80, UNICODE)]
    assert len(rows) <= 3
    assert rows[0].startswith(" No record table and no answers of a links session")
    assert "missing" not in markdown(session)
    assert "No record table" in markdown(session)


def test_two_cards_that_agree_are_not_said_to_differ_and_a_gain_is_no_loss() -> None:
    table = kernels_pane.cards_table(replayed("cards"))
    assert table is not None
    said = "\n".join(text_of(r) for r in cards_rows.build(table, 80, UNICODE))
    assert "neither is known" not in said
    assert "-0" not in said
    assert "-1 %" not in said
    assert "693 W, 58 °C alone; 689 W, 60 °C at once" in said
    wide = "\n".join(text_of(r) for r in cards_rows.build(table, 120, UNICODE))
    assert "alone;" not in wide
    assert " W" in wide
